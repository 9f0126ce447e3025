/**
 * Options of lists that are not native: which one is meant, where it is now, and what the list says afterwards.
 *
 * It presses nothing. What it finds is named by its published id, so that the press can be guarded.
 */

import { attr, byId, checkVisibility, closestMatch, contains, contentOf, isConnected, isHtml, localName, matches, parentElement, queryAll, rectOf, rootElement, styleOf } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { valueOf } from "../graph/states.ts";
import { clean } from "../graph/text.ts";
import { idOf, refuse, told, type Op, type Request } from "./outcome.ts";

const OPTION = "[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=radio],[role=tab],[role=treeitem],input[type=radio]";
const POPUP = "[role=listbox],[role=menu],[role=tree],[role=grid],[role=dialog],[popover]";
const CONTROL = "input,select,textarea,button,[role=combobox],[role=button],[role=textbox]";
const MANY = 20;

/** What stood open before the list was opened: what comes after it is its own. */
let before: ReadonlySet<Element> = new Set();
let published: ReadonlySet<string> = new Set();

const shown = (el: Element): boolean => checkVisibility(el, { visibilityProperty: true });

function popups(page: Page): Element[] {
  const root = rootElement(page.doc);
  return root ? [...queryAll(root, POPUP)].filter(shown) : [];
}

/** Remembers what stands open, so that a popup without a word of whose it is can be recognised when it comes. */
export const mark: Op = (_el, _request, page) => {
  before = new Set(popups(page));
  published = new Set(page.store.published.keys());
  return told(false, {});
};

function lists(el: Element, page: Page): Element[] {
  const named = ["aria-controls", "aria-owns"].flatMap((name) => (attr(el, name) ?? "").split(/\s+/));
  const inner = attr(el, "role") === "combobox" ? [...queryAll(el, "input")] : [];
  const more = inner.flatMap((input) => (attr(input, "aria-controls") ?? "").split(/\s+/));
  const owned = [...named, ...more].filter(Boolean).map((id) => byId(el, id)).filter((found) => found !== null);
  const active = byId(el, attr(el, "aria-activedescendant") ?? "");
  const around = active ? closestMatch(active, POPUP) : null;
  const fresh = popups(page).filter((popup) => !before.has(popup) && !contains(popup, el));
  return [...new Set([el, ...owned, ...(around ? [around] : []), ...fresh])];
}

function options(el: Element, page: Page): Element[] {
  const found: Element[] = [];
  for (const list of lists(el, page)) {
    if (list !== el && folded(list)) continue;
    for (const option of queryAll(list, OPTION)) if (shown(option) || labelled(option)) found.push(option);
  }
  return found.length > 0 ? [...new Set(found)] : boxes(el, page);
}

/** Drawn as nothing: a few options kept for screen readers beside a list that is drawn without roles. */
function folded(list: Element): boolean {
  const box = rectOf(list);
  return (box.width === 0 || box.height === 0) && styleOf(list).overflow !== "visible";
}

/** A list without any roles: what can be pressed and was not there before it was opened. */
function boxes(el: Element, page: Page): Element[] {
  const found: Element[] = [];
  for (const [id, entry] of page.store.published) {
    if (published.has(id) || contains(entry.el, el) || !entry.element.affordances.includes("activate")) continue;
    found.push(entry.el);
  }
  return found;
}

/** A radio that is drawn by its label. */
function labelled(option: Element): boolean {
  return isHtml(option) && localName(option) === "input" && [...((option as HTMLInputElement).labels ?? [])].some(shown);
}

function nameOf(option: Element, page: Page): string {
  return page.store.entries.get(option)?.element.name ?? clean(attr(option, "aria-label") ?? contentOf(option));
}

function fits(option: Element, wanted: string, by: Request["by"], page: Page): boolean {
  const value = attr(option, "data-value") ?? attr(option, "value");
  if (by === "value") return value === wanted || (value === null && clean(nameOf(option, page)) === clean(wanted));
  return clean(nameOf(option, page)) === clean(wanted);
}

export function picked(option: Element): boolean {
  if (isHtml(option) && localName(option) === "input") return (option as HTMLInputElement).checked;
  return attr(option, "aria-selected") === "true" || attr(option, "aria-checked") === "true";
}

/** The option that is meant: `one`, or why there is none. `several`: more than one fits, and none is guessed. */
export const find: Op = (el, request, page) => {
  const all = options(el, page);
  const wanted = request.values?.[0] ?? "";
  const fitting = request.by === "index" ? all.slice(Number(wanted), Number(wanted) + 1) : all.filter((option) => fits(option, wanted, request.by, page));
  const exact = fitting.filter((option) => option !== el);
  const labels = all.slice(0, MANY).map((option) => nameOf(option, page));
  const open = attr(el, "aria-expanded") === "true" || lists(el, page).some((list) => list !== el && shown(list) && !folded(list));
  const [one, other] = exact;
  if (!one) return told(false, { found: "none", open, labels, opens: opens(el), editable: editable(el) });
  if (other) return told(false, { found: "several", open, labels });
  return told(false, {
    found: "one", open, labels, option: idOf(one, page), label: nameOf(one, page), picked: picked(one),
    menu: attr(one, "role")?.startsWith("menuitem") === true && !picked(one),
    disabled: attr(one, "aria-disabled") === "true" || (isHtml(one) && (one as HTMLInputElement).disabled === true),
  });
};

/** A press on it opens its list. A list that stands open is never pressed itself: the middle of it is some option. */
function opens(el: Element): boolean {
  if (matches(el, "[role=listbox],[role=radiogroup],[role=menu],[role=tree],[role=tablist],[role=group],fieldset,ul,ol")) return false;
  return matches(el, "[role=combobox],[aria-haspopup],[aria-expanded],button,[role=button],summary") || queryAll(el, OPTION).length === 0;
}

function editable(el: Element): boolean {
  return isHtml(el) && localName(el) === "input" && !(el as HTMLInputElement).readOnly;
}

/** Which options of an open list say that they are picked, by id. */
export const selection: Op = (el, _request, page) => told(false, { picked: options(el, page).filter(picked).map((option) => idOf(option, page)) });

/** Scrolls the list that holds the options one page on; false at its end. */
export const turn: Op = (el, _request, page) => {
  const [first] = options(el, page);
  for (let node = first ? parentElement(first) : null; node; node = parentElement(node)) {
    if (node.scrollHeight <= node.clientHeight + 1) continue;
    const top = node.scrollTop;
    node.scrollTop = top + Math.max(20, node.clientHeight - 20);
    return told(node.scrollTop !== top, {});
  }
  return told(false, {});
};

/** Does the control now say that this is its choice? `weak`: only by what can be read beside it, or by having closed. */
export const chosen: Op = (el, request, page) => {
  const label = clean(request.text ?? "");
  const option = request.option ? page.find(request.option)?.el : undefined;
  if (clean(valueOf(el) ?? "") === label) return told(false, { held: true, how: "value" });
  if (option && isConnected(option) && picked(option)) return told(false, { held: true, weak: true, how: "selected" });
  const inner = attr(el, "role") === "combobox" ? queryAll(el, "input")[0] : undefined;
  if (inner && clean((inner as HTMLInputElement).value) === label) return told(false, { held: true, weak: true, how: "shown" });
  const gone = !option || !isConnected(option) || !shown(option);
  if (gone && beside(el, label, page)) return told(false, { held: true, weak: true, how: "shown" });
  if (gone && request.menu) return told(false, { held: true, weak: true, how: "closed" });
  return refuse("differs");
};

/** A control that came with a choice, as the cross on the chip of each: it does not begin anything else. */
function cameAlong(control: Element, page: Page): boolean {
  const id = page.store.entries.get(control)?.element.instanceId;
  return id === undefined || !published.has(id);
}

/** The text right around the control, as far as no other control begins. */
function beside(el: Element, label: string, page: Page): boolean {
  let node: Element | null = el;
  for (let level = 0; node && level < 5; level++, node = parentElement(node)) {
    const others = [...queryAll(node, CONTROL)].filter((control) => control !== el && !contains(el, control) && attr(control, "type") !== "hidden" && attr(control, "tabindex") !== "-1");
    if (others.some((control) => !cameAlong(control, page))) return false;
    if (clean((node as HTMLElement).innerText ?? "").includes(label)) return true;
  }
  return false;
}
