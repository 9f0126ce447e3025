/** Element state (CAP-5): only the keys that have a meaning for the role. The probe reads geometry. */

import { attr, contentOf, hasAttr, isHtml, localName, matches, parentElement, styleMapOf } from "../dom.ts";
import type { State, UIRole } from "../types.ts";
import { Has } from "./attributes.ts";
import { isEditingHost, isFocusable, inputType, INTERACTIVE, type Role } from "./roles.ts";
import { drawnLines, hasEditContext } from "./drawn_editor.ts";
import { clean, cleanValue } from "./text.ts";

const CURRENT: ReadonlySet<string> = new Set(["page", "step", "location", "date", "time"]);
const POPUPS: ReadonlySet<string> = new Set(["menu", "listbox", "dialog", "grid", "tree"]);
const RANGES: ReadonlySet<UIRole> = new Set<UIRole>(["slider", "spinbutton", "progress"]);
const EDITS: ReadonlySet<UIRole> = new Set<UIRole>([
  "textbox", "textarea", "searchbox", "spinbutton", "datepicker", "timepicker",
]);
const ORIENTED: ReadonlySet<UIRole> = new Set<UIRole>(["slider", "tablist", "toolbar", "menu", "listbox", "tree"]);
const CHECKS: ReadonlySet<string> = new Set(["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio", "option", "treeitem"]);
const SELECTS: ReadonlySet<UIRole> = new Set<UIRole>(["option", "tab", "row", "cell", "treeitem"]);

export interface StateContext {
  inert: boolean;
  focused: Element | null;
  hovered: Element | null;
  /** The kinds of attributes that the element has (`Has`). */
  has: number;
  secret: boolean;
}

export function isEnabled(el: Element): boolean {
  if (attr(el, "aria-disabled") === "true") return false;
  return !(isHtml(el) && matches(el, ":disabled"));
}

export function stateOf(el: Element, role: Role, ctx: StateContext): State {
  const state: State = { visible: true };
  const takesFocus = isFocusable(el);
  if (INTERACTIVE.has(role.role) || takesFocus) {
    state.enabled = isEnabled(el);
    if (takesFocus && state.enabled) state.focusable = true;
    if (ctx.focused === el) state.focused = true;
  }
  if (ctx.hovered === el) state.hovered = true;
  if (ctx.inert) state.blocked = true;
  if (ctx.has & Has.Aria) readCommon(el, state);
  if (CHECKS.has(role.aria)) checked(el, state);
  if (SELECTS.has(role.role)) selected(el, state);
  if (ORIENTED.has(role.role)) orientation(el, state);
  if (RANGES.has(role.role)) readRange(el, role.role, state, ctx.secret);
  if (EDITS.has(role.role) || role.role === "combobox" || role.role === "listbox" || role.role === "fileinput" || role.customRole === "x.color") {
    readEditing(el, role, state, ctx.secret);
  }
  readOpen(el, role, state);
  return state;
}

function readCommon(el: Element, state: State): void {
  if (attr(el, "aria-busy") === "true") state.busy = true;
  const expanded = attr(el, "aria-expanded");
  if (expanded === "true" || expanded === "false") state.expanded = expanded === "true";
  const pressed = attr(el, "aria-pressed");
  if (pressed === "true" || pressed === "false" || pressed === "mixed") state.pressed = pressed !== "false";
  const current = attr(el, "aria-current");
  if (current && current !== "false") state.current = CURRENT.has(current) ? current : "page";
  const popup = attr(el, "aria-haspopup");
  if (popup && popup !== "false") state.hasPopup = POPUPS.has(popup) ? popup : "menu";
  if (attr(el, "aria-grabbed") === "true") state.dragged = true;
  const invalid = attr(el, "aria-invalid");
  if (invalid !== null && invalid !== "" && invalid !== "false") {
    state.invalid = invalid === "grammar" || invalid === "spelling" ? invalid : true;
  }
}

function checked(el: Element, state: State): void {
  if (isHtml(el) && localName(el) === "input") {
    const input = el as HTMLInputElement;
    state.checked = input.indeterminate && input.type === "checkbox" ? "mixed" : input.checked;
    if (input.required) state.required = true;
    readValidity(input, state);
    return;
  }
  const value = attr(el, "aria-checked");
  if (value === "mixed") state.checked = "mixed";
  else if (value === "true" || value === "false") state.checked = value === "true";
}

function selected(el: Element, state: State): void {
  if (isHtml(el) && localName(el) === "option") {
    state.selected = (el as HTMLOptionElement).selected;
    const value = attr(el, "value");
    if (value !== null) state.textValue = clean(value, 200);
    return;
  }
  const value = attr(el, "aria-selected");
  if (value === "true" || value === "false") state.selected = value === "true";
}

function orientation(el: Element, state: State): void {
  const value = attr(el, "aria-orientation");
  if (value === "horizontal" || value === "vertical") state.orientation = value;
}

function number(raw: string | null): number | undefined {
  if (raw === null || raw.trim() === "") return undefined;
  const value = Number(raw);
  return Number.isFinite(value) ? value : undefined;
}

/** Return whether an element has no height by its style: libraries keep such a bar in a field until it loads. */
function isFlat(el: Element): boolean {
  const height = styleMapOf(el).get("height");
  return height instanceof CSSUnitValue && height.value === 0;
}

function readRange(el: Element, role: UIRole, state: State, secret: boolean): void {
  const html = isHtml(el);
  const tag = html ? localName(el) : "";
  const set = (key: "min" | "max" | "step" | "numericValue", value: number | undefined): void => {
    if (value !== undefined) state[key] = value;
  };
  if (tag === "input") {
    set("min", number(attr(el, "min")));
    set("max", number(attr(el, "max")));
    set("step", number(attr(el, "step")));
    if (!secret) set("numericValue", number((el as HTMLInputElement).value));
    if ((el as HTMLInputElement).type === "range") state.textValue = (el as HTMLInputElement).value;
    return;
  }
  if (tag === "progress") {
    const progress = el as HTMLProgressElement;
    set("max", progress.max);
    if (progress.position >= 0) set("numericValue", progress.value);
    else state.loading = true;
    return;
  }
  if (tag === "meter") {
    const meter = el as HTMLMeterElement;
    set("min", meter.min);
    set("max", meter.max);
    set("numericValue", meter.value);
    return;
  }
  if (role === "progress" && attr(el, "aria-hidden") === "true" && isFlat(el)) state.visible = false;
  set("min", number(attr(el, "aria-valuemin")));
  set("max", number(attr(el, "aria-valuemax")));
  const now = number(attr(el, "aria-valuenow"));
  set("numericValue", now);
  const text = attr(el, "aria-valuetext");
  if (text) state.textValue = clean(text);
  if (attr(el, "role") === "progressbar" && now === undefined) state.loading = true;
}

function readEditing(el: Element, role: Role, state: State, secret: boolean): void {
  const tag = isHtml(el) ? localName(el) : "";
  const readonly = attr(el, "aria-readonly") === "true" ||
    ((tag === "input" || tag === "textarea") && (el as HTMLInputElement).readOnly);
  if (readonly) state.readonly = true;
  if (EDITS.has(role.role)) state.editable = !readonly && state.enabled !== false;
  if (role.role === "textarea") state.multiline = true;
  if (attr(el, "aria-required") === "true") state.required = true;
  if (tag === "input" || tag === "textarea" || tag === "select") {
    const field = el as HTMLInputElement;
    if (field.required) state.required = true;
    readValidity(field, state);
  }
  const placeholder = attr(el, "placeholder") ?? attr(el, "aria-placeholder");
  if (placeholder) state.placeholder = clean(placeholder);
  if (secret) {
    state.sensitive = true;
    state.obscured = true;
  }
  const value = valueOf(el);
  if (secret && value !== "") return; // that a field is empty is no secret
  if (value !== null) state.textValue = value;
}

function readValidity(field: HTMLInputElement, state: State): void {
  if (state.invalid === undefined && field.willValidate && !field.validity.valid) state.invalid = true;
}

/** Return the value of a control as text, or null when it has none. The caller handles masked fields. */
export function valueOf(el: Element): string | null {
  const tag = isHtml(el) ? localName(el) : "";
  if (tag === "input" || tag === "textarea") {
    if (tag === "input" && inputType(el) === "file") {
      return [...((el as HTMLInputElement).files ?? [])].map((file) => clean(file.name)).join(", ");
    }
    return cleanValue(drawnLines(el)?.join("\n") ?? (el as HTMLInputElement).value);
  }
  if (tag === "select") {
    const select = el as HTMLSelectElement;
    if (select.multiple) return [...select.selectedOptions].map((option) => clean(option.label)).join(", ");
    const option = select.options[select.selectedIndex];
    return option ? clean(option.label) : "";
  }
  const role = attr(el, "role");
  if (tag && hasEditContext(el)) return cleanValue(drawnLines(el)?.join("\n") ?? contentOf(el));
  if (isEditingHost(el) || role === "textbox" || role === "searchbox") return cleanValue(contentOf(el));
  if (role === "combobox") {
    const text = attr(el, "aria-valuetext");
    return text ? clean(text) : clean(contentOf(el));
  }
  return null;
}

function readOpen(el: Element, role: Role, state: State): void {
  const tag = isHtml(el) ? localName(el) : "";
  if (tag === "details") state.open = (el as HTMLDetailsElement).open;
  else if (tag === "summary") {
    const details = parentElement(el);
    if (details instanceof HTMLDetailsElement) state.expanded = details.open;
  } else if (role.role === "dialog" || role.role === "drawer") {
    state.open = true;
    if (isModal(el)) state.modal = true;
  } else if (role.role === "popover") state.open = true;
  if (role.role === "spinner") state.loading = true;
}

export function isModal(el: Element): boolean {
  if (attr(el, "aria-modal") === "true") return true;
  return isHtml(el) && localName(el) === "dialog" && matches(el, ":modal");
}

export function isPopoverOpen(el: Element): boolean {
  return hasAttr(el, "popover") && matches(el, ":popover-open");
}
