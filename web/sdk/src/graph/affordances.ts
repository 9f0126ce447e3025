/** The default affordances of each role. An annotation replaces them. */

import { attr, hasAttr, hasAttributes, isHtml, localName } from "../dom.ts";
import type { State, UIAffordance, UIRole } from "../types.ts";
import { Has } from "./attributes.ts";
import { inputType, type Role } from "./roles.ts";

const READ: UIAffordance[] = ["read"];
const PRESS: UIAffordance[] = ["read", "focus", "activate"];
const EDIT: UIAffordance[] = ["read", "focus", "edit"];
const CHOOSE: UIAffordance[] = ["read", "focus", "choose"];
const CLICK: UIAffordance[] = ["read", "activate"];
const SCROLL: UIAffordance[] = ["read", "scroll"];
const TOGGLE: UIAffordance[] = ["read", "focus", "toggle"];

const DEFAULTS: Partial<Record<UIRole, UIAffordance[]>> = {
  button: PRESS, menuitem: PRESS, treeitem: ["read", "focus", "activate", "choose"],
  link: ["read", "focus", "activate", "navigate"],
  textbox: EDIT, textarea: EDIT, slider: EDIT, spinbutton: EDIT, datepicker: EDIT, timepicker: EDIT,
  searchbox: ["read", "focus", "edit", "submit"],
  combobox: ["read", "focus", "choose", "expand", "collapse"],
  listbox: CHOOSE, radio: CHOOSE, option: ["read", "choose"], checkbox: TOGGLE, switch: TOGGLE,
  fileinput: ["read", "focus", "upload"],
  form: ["read", "submit"], dialog: ["read", "close", "dismiss"], drawer: ["read", "close", "dismiss"],
  popover: ["read", "close", "dismiss"], tab: ["read", "focus", "activate", "choose"], region: ["read", "scroll"],
  app: ["read", "scroll"],
};

export function affordancesOf(el: Element, role: Role, state: State, has: number): UIAffordance[] {
  const base = DEFAULTS[role.role] ?? custom(role);
  const extra: UIAffordance[] = [];
  if (role.role === "button" && isHtml(el) && submits(el)) extra.push("submit");
  if (state.expanded !== undefined && !base.includes("expand")) extra.push("expand", "collapse");
  if (role.role === "combobox" && editableCombobox(el)) extra.push("edit");
  if (role.role === "group" && state.open !== undefined) extra.push("expand", "collapse");
  if (state.hasPopup !== undefined || ((has & Has.Form) !== 0 && hasAttr(el, "popovertarget"))) extra.push("open");
  const drags = (has & Has.Drag) !== 0;
  if (drags && attr(el, "draggable") === "true") extra.push("drag");
  if (role.role === "fileinput" || (drags && acceptsDrop(el))) extra.push("drop");
  if (role.aria === "separator" && role.role === "slider") extra.push("resize");
  if (role.role === "cell" && (has & Has.Target) !== 0 && hasAttr(el, "tabindex")) extra.push("focus", "activate");
  return extra.length > 0 ? [...base, ...extra] : base;
}

/** Return whether the markup says that something can be dropped here. Listeners are not visible to a script. */
export function acceptsDrop(el: Element): boolean {
  if (!hasAttributes(el)) return false;
  const effect = attr(el, "aria-dropeffect");
  return (effect !== null && effect !== "none") || hasAttr(el, "ondrop");
}

function custom(role: Role): UIAffordance[] {
  if (role.customRole === "x.color") return EDIT;
  if (role.customRole === "x.focusable") return PRESS;
  if (role.customRole === "x.clickable") return CLICK;
  if (role.customRole === "x.scrollable") return SCROLL;
  return READ;
}

function submits(el: Element): boolean {
  const tag = localName(el);
  if (tag === "input") return inputType(el) === "submit" || inputType(el) === "image";
  return tag === "button" && (el as HTMLButtonElement).type === "submit" && (el as HTMLButtonElement).form !== null;
}

function editableCombobox(el: Element): boolean {
  return isHtml(el) && (localName(el) === "input" || hasAttr(el, "contenteditable"));
}
