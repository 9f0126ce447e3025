/**
 * Options of lists that are not native: find one, locate it, and read the selection afterwards.
 *
 * This module presses nothing. It returns published ids, so that the driver can guard the press.
 */

import {
  activeElement, attr, byId, checkVisibility, closestMatch, composedContains, contains, contentOf, eachFlatChild, isConnected, isElement, isHtml, localName, matches, parentElement, previousElement, queryAll, rectOf, rootElement, styleOf,
} from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { valueOf } from "../graph/states.ts";
import { clean } from "../graph/text.ts";
import { drawnList } from "./own_surface.ts";
import { idOf, refuse, done, type Op, type Request } from "./outcome.ts";

const OPTION = "[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=radio],[role=tab],[role=treeitem],[role=gridcell],input[type=radio]";
const POPUP = "[role=listbox],[role=menu],[role=tree],[role=grid],[role=dialog],[popover]";
const CONTROL = "input,select,textarea,button,[role=combobox],[role=button],[role=textbox]";
const MAX_LABELS = 20;
const MAX_OPTIONS = 20_000;

/** The popups that were open before the list was opened. A popup that is not in it belongs to the list. */
let popupsBefore: ReadonlySet<Element> = new Set();
let publishedBefore: ReadonlySet<string> = new Set();

const isVisible = (el: Element): boolean => checkVisibility(el, { visibilityProperty: true });

function popups(page: Page): Element[] {
  const root = rootElement(page.doc);
  const found = root ? [...queryAll(root, POPUP)] : [];
  for (const { el, element } of page.store.published.values()) if (element.shadowHostInstanceId && matches(el, POPUP)) found.push(el);
  return found.filter(isVisible);
}

/** Return the elements below `list` that match, as they are drawn: with those in slots and in open shadow roots. */
function drawnBelow(list: Element, selector: string): Element[] {
  const found: Element[] = [];
  const stack: Element[] = [];
  const push = (el: Element): void => {
    const children: Element[] = [];
    eachFlatChild(el, (node) => {
      if (isElement(node)) children.push(node);
    });
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index]!);
  };
  push(list);
  for (let el = stack.pop(); el && found.length < MAX_OPTIONS; el = stack.pop()) {
    if (matches(el, selector)) found.push(el);
    push(el);
  }
  return found;
}

/** Remember the open popups, so that a popup without a reference to its control can be recognised later. */
export const mark: Op = (_el, _request, page) => {
  popupsBefore = new Set(popups(page));
  publishedBefore = new Set(page.store.published.keys());
  return done(false, {});
};

function listsOf(el: Element, page: Page): Element[] {
  const drawn = drawnField(el);
  if (drawn) return listsOf(drawn, page);
  const named = ["aria-controls", "aria-owns"].flatMap((name) => (attr(el, name) ?? "").split(/\s+/));
  const inner = attr(el, "role") === "combobox" ? [...queryAll(el, "input")] : [];
  const more = inner.flatMap((input) => (attr(input, "aria-controls") ?? "").split(/\s+/));
  const owned = [...named, ...more].filter(Boolean).map((id) => byId(el, id)).filter((found) => found !== null);
  const active = byId(el, attr(el, "aria-activedescendant") ?? "");
  const around = active ? closestMatch(active, POPUP) : null;
  const fresh = popups(page).filter((popup) => !popupsBefore.has(popup) && !composedContains(popup, el));
  return [...new Set([el, ...owned, ...(around ? [around] : []), ...fresh])];
}

function optionsOf(el: Element, page: Page): Element[] {
  const found: Element[] = [];
  for (const list of listsOf(el, page)) {
    if (list !== el && isCollapsed(list)) continue;
    const inner = drawnBelow(list, "[role=listbox]").filter(isVisible);
    // A box with a list inside shows its present choices beside the list.
    for (const option of (inner.length > 0 ? inner : [list]).flatMap((one) => drawnBelow(one, OPTION))) if (isVisible(option) || hasVisibleLabel(option)) found.push(option);
  }
  return found.length > 0 ? [...new Set(found)] : newOptions(el, page);
}

/**
 * Return whether a list has no visible box: some libraries keep a few options for screen readers next to a list without
 * roles.
 */
function isCollapsed(list: Element): boolean {
  const box = rectOf(list);
  return (box.width === 0 || box.height === 0) && styleOf(list).overflow !== "visible";
}

/** Return whether an option is in a list without a visible box: such options are only read out. */
function isInCollapsedList(option: Element): boolean {
  const list = closestMatch(option, "[role=listbox],[role=menu],[role=tree]");
  return list !== null && isCollapsed(list);
}

const CHOICES: ReadonlySet<string> = new Set(["option", "radio", "menuitem", "treeitem"]);

/** Return the choices that appeared after the list was opened, else everything new that can be pressed: it has no roles. */
function newOptions(el: Element, page: Page): Element[] {
  const fresh = [...page.store.published].filter(([id, entry]) => !publishedBefore.has(id) && !contains(entry.el, el)).map(([, entry]) => entry);
  const choices = fresh.filter((entry) => CHOICES.has(entry.element.role) && !isInCollapsedList(entry.el));
  const found = choices.length > 0 ? choices : fresh.filter((entry) => entry.element.affordances.includes("activate"));
  return found.map((entry) => entry.el);
}

/** Return whether a radio input is hidden and drawn by its visible label. */
function hasVisibleLabel(option: Element): boolean {
  return isHtml(option) && localName(option) === "input" && [...((option as HTMLInputElement).labels ?? [])].some(isVisible);
}

function nameOf(option: Element, page: Page): string {
  return page.store.entries.get(option)?.element.name ?? clean(attr(option, "aria-label") ?? contentOf(option));
}

function matchesOption(option: Element, requested: string, by: Request["by"], page: Page): boolean {
  const value = attr(option, "data-value") ?? attr(option, "value");
  if (by === "value") return value === requested || (value === null && clean(nameOf(option, page)) === clean(requested));
  // The text alone counts too: a style sheet may add words such as “Press to select” to the name.
  return [nameOf(option, page), contentOf(option)].some((text) => clean(text) === clean(requested));
}

export function isPicked(option: Element): boolean {
  if (isHtml(option) && localName(option) === "input") return (option as HTMLInputElement).checked;
  return attr(option, "aria-selected") === "true" || attr(option, "aria-checked") === "true";
}

/** Return the name of an option, or its text alone if that is what was asked for. */
function labelOf(option: Element, requested: string, page: Page): string {
  return clean(contentOf(option)) === clean(requested) ? clean(requested) : nameOf(option, page);
}

/**
 * Return whether an option is chosen already. Many lists mark the option under the cursor as selected, so a native list
 * behind the drawn one counts more than the mark.
 */
function isChosen(el: Element, option: Element, page: Page): boolean {
  const native = nativeBehind(el);
  if (native) return hasSelected(native, clean(contentOf(option)));
  return isPicked(option) && (!isUnderCursor(el, option) || isShownAsChoice(el, option, page));
}

/** Return whether `aria-selected` may mark the keyboard cursor and not the choice, as in a list of suggestions. */
function isUnderCursor(el: Element, option: Element): boolean {
  if (!isEditable(fieldOf(el) ?? el) || attr(option, "aria-checked") !== null) return false;
  const list = closestMatch(option, "[role=listbox],[role=grid],[role=tree]");
  if (list === null || attr(list, "aria-multiselectable") !== "true") return true;
  const id = attr(option, "id");
  const isActive = id !== null && [fieldOf(el) ?? el, list].some((one) => attr(one, "aria-activedescendant") === id);
  return isActive && queryAll(list, "[aria-selected=true]").length === 1;
}

/** Return whether the control shows an option as its choice: in its value, or in the text around it, outside of the list. */
function isShownAsChoice(el: Element, option: Element, page: Page): boolean {
  const label = nameOf(option, page);
  if (clean(valueOf(fieldOf(el) ?? el) ?? "") === label) return true;
  for (let node: Element | null = el, level = 0; node && level < 4 && !contains(node, option); node = parentElement(node), level++) {
    if (clean((node as HTMLElement).innerText ?? "").includes(label)) return true;
  }
  return false;
}

/** Return the native list that a library keeps for the drawn one: inside it, or directly before it. */
function nativeBehind(el: Element): HTMLSelectElement | null {
  if (el instanceof HTMLSelectElement) return el;
  const [inner, another] = queryAll(el, "select");
  if (inner) return another ? null : (inner as HTMLSelectElement);
  for (let node: Element | null = el, level = 0; node && level < 4; node = parentElement(node), level++) {
    const before = previousElement(node);
    if (before instanceof HTMLSelectElement) return drawnList(before) ? before : null;
  }
  return null;
}

const hasSelected = (select: HTMLSelectElement, label: string): boolean => [...select.selectedOptions].some((one) => clean(one.label) === label);

/** Find the requested option: `one`, `none`, or `several` when more than one matches. It never guesses. */
export const find: Op = (el, request, page) => {
  const all = optionsOf(el, page);
  const requested = request.values?.[0] ?? "";
  const fitting = request.by === "index" ? all.slice(Number(requested), Number(requested) + 1) : all.filter((option) => matchesOption(option, requested, request.by, page));
  const exact = fitting.filter((option) => option !== el);
  const labels = all.slice(0, MAX_LABELS).map((option) => nameOf(option, page));
  const control = drawnField(el) ?? el;
  const open = attr(control, "aria-expanded") === "true" || listsOf(el, page).some((list) => list !== control && isVisible(list) && !isCollapsed(list));
  const [one, other] = exact;
  const field = searchField(el, page) ?? drawnField(el) ?? fieldOf(el);
  if (!one) return done(false, { found: "none", open, labels, opens: opensOnPress(el), editable: isEditable(field ?? el), field: field ? idOf(field, page) : "" });
  if (other) return done(false, { found: "several", open, labels });
  return done(false, {
    found: "one", open, labels, option: idOf(one, page), label: labelOf(one, requested, page), picked: isChosen(el, one, page),
    menu: attr(one, "role")?.startsWith("menuitem") === true && !isPicked(one),
    disabled: attr(one, "aria-disabled") === "true" || (isHtml(one) && (one as HTMLInputElement).disabled === true),
  });
};

/** Return the field of a combobox that only wraps one. The field is pressed and typed into, not the box around it. */
function fieldOf(el: Element): Element | undefined {
  const [field, another] = attr(el, "role") === "combobox" ? queryAll(el, "input") : [];
  return another ? undefined : field;
}

/** Return the control that a library draws for a native list. */
const drawnField = (el: Element): Element | undefined => (localName(el) === "select" && isHtml(el) ? (drawnList(el) ?? undefined) : undefined);

/** Return the field in an opened list that has got the focus: its options are searched there. */
function searchField(el: Element, page: Page): Element | undefined {
  const focused = activeElement(page.doc);
  if (!focused || focused === el || isEditable(el) || !isEditable(focused)) return undefined;
  const id = idOf(focused, page);
  return id !== "" && !publishedBefore.has(id) ? focused : undefined;
}

/**
 * Return whether a press opens the list. An open list is never pressed: the press would hit the option in its middle.
 */
function opensOnPress(el: Element): boolean {
  if (drawnField(el)) return true;
  if (matches(el, "[role=listbox][aria-expanded=false]")) return true;
  if (matches(el, "[role=listbox],[role=radiogroup],[role=menu],[role=tree],[role=tablist],[role=group],fieldset,ul,ol")) return false;
  return matches(el, "[role=combobox],[aria-haspopup],[aria-expanded],button,[role=button],summary") || queryAll(el, OPTION).length === 0;
}

function isEditable(el: Element): boolean {
  return isHtml(el) && localName(el) === "input" && !(el as HTMLInputElement).readOnly;
}

/** Return the ids of the selected options of an open list. */
export const selection: Op = (el, _request, page) => done(false, { picked: optionsOf(el, page).filter(isPicked).map((option) => idOf(option, page)) });

/** Scroll the list that holds the options by one page; `changed` is false at its end. */
export const turn: Op = (el, _request, page) => {
  const [first] = optionsOf(el, page);
  for (let node = first ? parentElement(first) : null; node; node = parentElement(node)) {
    if (node.scrollHeight <= node.clientHeight + 1) continue;
    const top = node.scrollTop;
    node.scrollTop = top + Math.max(20, node.clientHeight - 20);
    return done(node.scrollTop !== top, {});
  }
  return done(false, {});
};

/** Check that the control now shows this choice. `weak`: only nearby text or the closed list shows it. */
export const chosen: Op = (el, request, page) => {
  const label = clean(request.text ?? "");
  const option = request.option ? page.find(request.option)?.el : undefined;
  if (clean(valueOf(el) ?? "") === label) return done(false, { held: true, how: "value" });
  const native = nativeBehind(el);
  if (native && native.options.length > 0) return hasSelected(native, label) ? done(false, { held: true, weak: true, how: "selected" }) : refuse("differs");
  if (option && isConnected(option) && isPicked(option)) return done(false, { held: true, weak: true, how: "selected" });
  const inner = attr(el, "role") === "combobox" ? queryAll(el, "input")[0] : undefined;
  if (inner && clean((inner as HTMLInputElement).value) === label) return done(false, { held: true, weak: true, how: "shown" });
  const hidden = !option || !isConnected(option) || !isVisible(option);
  if (hidden && isTextNearby(el, label, page)) return done(false, { held: true, weak: true, how: "shown" });
  if (hidden && request.menu) return done(false, { held: true, weak: true, how: "closed" });
  return refuse("differs");
};

/** Return whether a control was added with a choice, such as the remove button of a chip. */
function appearedWithChoice(control: Element, page: Page): boolean {
  const id = page.store.entries.get(control)?.element.instanceId;
  return id === undefined || !publishedBefore.has(id);
}

/** Return whether the text around the control, up to the next control, contains the label. */
function isTextNearby(el: Element, label: string, page: Page): boolean {
  let node: Element | null = el;
  for (let level = 0; node && level < 5; level++, node = parentElement(node)) {
    const others = [...queryAll(node, CONTROL)].filter((control) => control !== el && !contains(el, control) && attr(control, "type") !== "hidden" && attr(control, "tabindex") !== "-1");
    if (others.some((control) => !appearedWithChoice(control, page))) return false;
    if (clean((node as HTMLElement).innerText ?? "").includes(label)) return true;
  }
  return false;
}
