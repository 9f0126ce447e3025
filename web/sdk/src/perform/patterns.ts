/** How the pattern of a control is used: what opens an item, and where a dragged item is. This module only reads. */

import { attr, contains, contentOf, isConnected, isFocusableNow, isHtml, localName, matches, parentElement, queryAll } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { clean } from "../graph/text.ts";
import { done, idOf, type Op } from "./outcome.ts";

const ITEMS = "[role=treeitem],[role=row],[role=gridcell],[role=listitem],li,tr";
const NESTED = "[role=treeitem],[role=row],[role=listitem],li,tr";
const DISCLOSERS = "button,[role=button],[aria-expanded],summary";
const OPENING_NAMES = /\b(expand|collapse|toggle|open|close|show|hide|more|less|aufklappen|zuklappen|öffnen|schließen)\b/iu;

function isOpen(el: Element): boolean | null {
  if (isHtml(el) && localName(el) === "details") return (el as HTMLDetailsElement).open;
  const state = attr(el, "aria-expanded");
  return state === null ? null : state === "true";
}

/** Return the part of an item that opens it: a control with its own state, or one whose name says so. */
function discloserOf(el: Element, page: Page): Element | undefined {
  const own = [...queryAll(el, DISCLOSERS)].filter((one) => isOwnPart(one, el) && idOf(one, page) !== "");
  return own.find((one) => attr(one, "aria-expanded") !== null || attr(one, "aria-controls") !== null || localName(one) === "summary") ?? own.find((one) => OPENING_NAMES.test(nameOf(one, page)));
}

/** Return whether a part belongs to the item itself, and not to another item inside it. */
function isOwnPart(part: Element, item: Element): boolean {
  for (let node = parentElement(part); node; node = parentElement(node)) {
    if (node === item) return true;
    if (matches(node, NESTED) || localName(node) === "details") return false;
  }
  return false;
}

function nameOf(el: Element, page: Page): string {
  return page.store.entries.get(el)?.element.name ?? clean(attr(el, "aria-label") ?? contentOf(el));
}

/** Return how an element, or the one that replaced it, is opened: by a control inside it, by arrow keys, or by a press; and whether it is open. */
export const opener: Op = (el, _request, page) => {
  const open = isOpen(el);
  const control = matches(el, ITEMS) || localName(el) === "details" ? discloserOf(el, page) : undefined;
  const id = idOf(el, page);
  if (control) return done(false, { id, open, by: "control", control: idOf(control, page) });
  const keyed = matches(el, "[role=treeitem],[role=row],[role=gridcell]") && isFocusableNow(el);
  return done(false, { id, open, by: keyed ? "keys" : "press", popup: matches(el, "[role=combobox],[aria-haspopup]") });
};

/**
 * Return where an item is compared with another element: inside it, or its position next to it. `text` is the text of
 * the other element, so that a target that only counts what it gets is recognised too.
 */
export const placed: Op = (el, request, page) => {
  const to = request.option ? page.find(request.option)?.el : undefined;
  if (!to || !isConnected(to)) return done(false, { gone: true });
  const name = nameOf(el, page);
  const copies = [...queryAll(to, "*")].filter((one) => one !== el && clean(contentOf(one)) === name).length;
  const siblings = [...(parentElement(to)?.children ?? [])];
  return done(false, { inside: contains(to, el), copies, at: siblings.indexOf(el) - siblings.indexOf(to), beside: siblings.includes(el), text: clean(contentOf(to)) });
};
