/**
 * The surface of a control that a component draws around or over it: a placeholder, an arrow, a frame.
 *
 * Libraries make the real field of a list transparent and let the box around it take the presses. A press on that box is
 * a press on the control, as long as the box holds no other control.
 */

import {
  attr, closestMatch, composedContains, composedParent, isHtml, localName, matches, nextElement, queryAll, rectOf, styleOf,
} from "../dom.ts";
import { listeners } from "../graph/listeners.ts";
import { ariaRole } from "../graph/roles.ts";
import { isConcealed, isTransparent } from "../graph/visibility.ts";

const CONTROLS = "input:not([type=hidden]),select,textarea,button,a[href],summary,[role],[tabindex],[contenteditable],[onclick]";
const FIELD_ROLES: ReadonlySet<string> = new Set(["combobox", "searchbox", "textbox", "spinbutton"]);
const MAX_LEVELS = 4;
const MAX_HEIGHTS = 3;

/** Return whether `hit` belongs to the box that draws the field `el`, and to no other control. */
export function isOwnSurface(el: Element, hit: Element): boolean {
  const surface = isField(el) ? surfaceOf(el) : drawnBox(el);
  return surface !== null && composedContains(surface, hit);
}

/** Return the visible box that draws a hidden native check box or radio button: its label, or a pressable box around it. */
export function drawnBox(el: Element): Element | null {
  if (localName(el) === "select" && isHtml(el)) return drawnList(el);
  if (!isHtml(el) || localName(el) !== "input" || !matches(el, "[type=checkbox],[type=radio]")) return null;
  const box = rectOf(el);
  const label = box.width === 0 || box.height === 0 || isConcealed(el) ? [...((el as HTMLInputElement).labels ?? [])].find(hasBox) : undefined;
  if (label) return label;
  let hidden = isConcealed(el) || isTransparent(el);
  let around = composedParent(el);
  for (let level = 0; around && level < MAX_LEVELS; level++, around = composedParent(around)) {
    if (matches(around, "body,form,fieldset,label") || queryAll(around, CONTROLS).length > 1) return null;
    const unseen = isConcealed(around) || isTransparent(around);
    if (hidden && !unseen && hasBox(around) && isPressed(around)) return around;
    hidden ||= unseen;
  }
  return null;
}

const LISTS = "[role=combobox],[role=listbox],[aria-haspopup],[tabindex]";

/** Return the list that a library draws for a native one that it hides: around it, or directly after it. */
export function drawnList(select: Element): Element | null {
  if (!(isConcealed(select) || isTransparent(select) || rectOf(select).width <= 1)) return null;
  const around = closestMatch(select, "[role=combobox],[role=listbox]");
  if (around) return around;
  const next = nextElement(select);
  if (!next || !hasBox(next)) return null;
  const list = matches(next, LISTS) ? next : (queryAll(next, LISTS)[0] ?? null);
  return list !== null && hasBox(list) ? list : null;
}

function hasBox(el: Element): boolean {
  const { width, height } = rectOf(el);
  return width > 0 && height > 0;
}

function isPressed(el: Element): boolean {
  return listeners.listensItself(el) || styleOf(el).cursor === "pointer";
}

function isField(el: Element): boolean {
  const role = ariaRole(el);
  if (role !== null) return FIELD_ROLES.has(role);
  return isHtml(el) && localName(el) === "input" && matches(el, ":not([type=checkbox],[type=radio],[type=range],[type=file])");
}

/** Return the largest box around a field that holds no other control and is hardly higher than the field. */
function surfaceOf(el: Element): Element | null {
  const height = Math.max(1, rectOf(el).height) * MAX_HEIGHTS;
  let found: Element | null = null;
  let around = composedParent(el);
  for (let level = 0; around && level < MAX_LEVELS; level++, around = composedParent(around)) {
    if (matches(around, "body,form,fieldset,td,th,label") || rectOf(around).height > height) break;
    if (isControl(around) || [...queryAll(around, CONTROLS)].some((one) => isOther(one, el))) break;
    found = around;
  }
  return found;
}

/** Return whether a box can be used by itself. A negative `tabindex` alone only lets a script focus it. */
function isControl(el: Element): boolean {
  if (!matches(el, CONTROLS)) return false;
  const role = ariaRole(el);
  const passive = role === null || role === "none" || role === "presentation" || role === "group";
  return !(passive && (attr(el, "tabindex") ?? "-1").startsWith("-")) || matches(el, "input,select,textarea,button,a[href],summary");
}

function isOther(one: Element, el: Element): boolean {
  return one !== el && !composedContains(el, one) && isControl(one) && closestMatch(one, "[aria-hidden=true]") === null;
}
