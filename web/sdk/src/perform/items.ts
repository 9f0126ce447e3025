/**
 * Items of lists and menus that close when an item is pressed: which controls show an item, and its state afterwards.
 *
 * This module only reads. The driver presses.
 */

import { attr, byId, checkVisibility, closestMatch, contains, isConnected, matches, parentElement, queryAll, rootElement } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { valueOf } from "../graph/states.ts";
import { clean } from "../graph/text.ts";
import { isPicked } from "./options.ts";
import { done, idOf, type Op } from "./outcome.ts";

const POPUP = "[role=listbox],[role=menu],[role=tree],[role=grid],[role=dialog],[popover]";
const OPENER = "[aria-haspopup]:not([aria-haspopup=false]),[aria-expanded],[role=combobox],[popovertarget]";
const MAX_DEPTH = 8;

/** The item that was pressed. A closed list may keep its node, which then still has a state. */
let pressed: Element | null = null;

/** Return the controls that show an item, outermost first, and its name. There are none if its list is always shown. */
export const pathTo: Op = (el, _request, page) => {
  pressed = el;
  const openers = openersOf(el, page, MAX_DEPTH).map((opener) => idOf(opener, page));
  return done(false, { openers: openers.includes("") ? [] : openers, name: nameOf(el, page) });
};

function openersOf(item: Element, page: Page, depth: number): Element[] {
  const popup = depth > 0 ? popupAround(item) : null;
  const opener = popup ? openerOf(popup, page) : undefined;
  if (!popup) return [];
  return opener ? [...openersOf(opener, page, depth - 1), opener] : openersOf(popup, page, depth - 1);
}

function popupAround(el: Element): Element | null {
  const parent = parentElement(el);
  return parent ? closestMatch(parent, POPUP) : null;
}

/** Return the control that opened a popup: by reference, by its label, by its position, or the only one that is open. */
function openerOf(popup: Element, page: Page): Element | undefined {
  const root = rootElement(page.doc);
  const all = root ? [...queryAll(root, OPENER)].filter((one) => !contains(popup, one) && idOf(one, page) !== "") : [];
  const id = attr(popup, "id");
  const labels = (attr(popup, "aria-labelledby") ?? "").split(/\s+/).filter(Boolean).map((label) => byId(popup, label));
  const open = all.filter((one) => attr(one, "aria-expanded") === "true");
  const name = clean(attr(popup, "aria-label") ?? "");
  const before = popup.previousElementSibling ?? parentElement(popup)?.previousElementSibling ?? null;
  return (id ? all.find((one) => refersTo(one, id)) : undefined)
    ?? all.find((one) => labels.includes(one))
    ?? open.find((one) => one === before)
    ?? open.find((one) => name !== "" && nameOf(one, page) === name)
    ?? (open.length === 1 ? open[0] : undefined);
}

function refersTo(el: Element, id: string): boolean {
  return ["aria-controls", "aria-owns", "popovertarget"].some((name) => (attr(el, name) ?? "").split(/\s+/).includes(id));
}

function nameOf(el: Element, page: Page): string {
  return page.store.entries.get(el)?.element.name ?? "";
}

/** Return the state of the pressed item, or of the one that replaced it; `shown` is false after its list has closed. */
export const itemState: Op = (_el, request, page) => {
  const now = (request.option ? page.current(request.option)?.el : undefined) ?? pressed;
  if (!now || !isConnected(now)) return done(false, { shown: false });
  const hasState = matches(now, "[aria-checked],[aria-selected],input");
  return done(false, { shown: checkVisibility(now, { visibilityProperty: true }), ...(hasState ? { picked: isPicked(now) } : {}) });
};

/** Return whether the control of a list shows a choice as its value. */
export const shows: Op = (el, request) => {
  const inner = queryAll(el, "input")[0];
  const value = valueOf(el) || (inner ? valueOf(inner) : null);
  return done(false, { shown: value !== null && clean(value) === clean(request.text ?? "") });
};
