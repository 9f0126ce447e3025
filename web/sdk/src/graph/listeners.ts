/**
 * Which elements a person can press because a listener waits for it. The tracer reports the listeners of the page.
 *
 * A listener alone does not say where the pressed thing ends. A listener that names its parts by selectors makes these
 * the targets. A listener that asks where it was pressed makes equal parts side by side the targets. Any other listener
 * makes its own element a target, unless that holds other targets: then it waits for presses outside of them.
 */

import {
  attr, closestMatch, contains, contentOf, firstChild, firstElement, isElement, isHtml, isText, dataOf, localName, matches, nextElement,
  nextSibling, parentElement, queryAll, rootElement, shadowOf,
} from "../dom.ts";
import { areDifferent, type Handling, isGeneral, isRealLink, sharedHandlers, stricter } from "./handled_links.ts";
import type { Store } from "./store.ts";
import { startsPointerCursor } from "./visibility.ts";

interface Press {
  own: boolean;
  usesTarget: boolean;
  selectors: string[];
  /** The codes of its own listeners: "w" for one that writes, or a number. Other elements than links have only "w". */
  codes: (number | string)[];
  /** The selectors of listeners that write. */
  writing: string[];
}

const CONTROLS = "a[href],button,input,select,textarea,summary,iframe,video,audio,canvas,[role],[tabindex],[contenteditable]";
/** Elements that have their own way of being pressed, or are too large to be one target. */
const NEVER: ReadonlySet<string> = new Set([
  "html", "body", "label", "select", "option", "optgroup", "textarea", "input", "form", "main", "table", "tbody", "ul", "ol", "dl", "iframe",
]);
const MAX_TEXT = 200;
const MAX_INSIDE = 60;
const MAX_HOSTS = 200;
const MAX_SELECTORS = 100;
const MAX_AFFECTED = 500;
const MAX_DEPTH = 40;

class Listeners {
  private readonly presses = new WeakMap<Node, Press>();
  /** The listeners that name their parts, by their element. */
  private readonly roots = new Map<Node, string>();
  /** All selectors of the page in one, or "" if there are none. */
  private selector = "";
  /** Selectors that name links of many kinds, so that they say nothing about one of them. */
  private readonly general = new Set<string>();
  /** Whether the tracer has reported any listener. */
  private any = false;
  /** Whether a listener of any element writes. */
  private anyWrites = false;

  set(elements: Node[], facts: string): void {
    this.any = true;
    const press = facts ? readPress(facts) : null;
    for (const el of elements) {
      if (press) this.presses.set(el, press);
      else this.presses.delete(el);
      if (press && press.selectors.length > 0 && this.roots.size < MAX_SELECTORS) this.roots.set(el, press.selectors.join());
      else this.roots.delete(el);
      this.anyWrites ||= press !== null && (press.codes.includes("w") || press.writing.length > 0);
      if (press && isRealLink(el)) for (const code of press.codes) sharedHandlers.handling(el, code);
    }
    this.selector = [...new Set(this.roots.values())].join();
  }

  /** Return whether a listener makes the element a target. */
  makesTarget(el: Element): boolean {
    if (!this.any || NEVER.has(localName(el))) return false;
    return (this.listensItself(el) || this.isPart(el) || this.isNamed(el)) && this.isOneThing(el);
  }

  /** Return whether the parts of an element are targets, so that a common cursor does not make it one. */
  hasTargets(el: Element): boolean {
    if (!this.any) return false;
    const press = this.presses.get(el);
    if (press?.own && !(press.usesTarget && hasEqualParts(el))) return false;
    if (press?.usesTarget && hasEqualParts(el)) return true;
    return this.someInside(el, (inner) => this.makesTarget(inner));
  }

  /** Return how listeners handle the press of a link: its own, those that name it, and those around it that write. */
  handlingOf(el: Element): Handling {
    if (!this.any) return "";
    let found: Handling = "";
    for (const code of this.presses.get(el)?.codes ?? []) found = stricter(found, sharedHandlers.handling(el, code));
    if (this.selector !== "" && matches(el, this.selector)) {
      for (const root of this.roots.keys()) if (root !== el && contains(root, el)) found = stricter(found, this.namedHandling(root, el));
    }
    if (found !== "request" && this.someInside(el, (inner) => this.presses.get(inner)?.own === true)) {
      found = this.someInside(el, (inner) => this.writes(inner)) ? "request" : "onclick";
    }
    return this.anyWrites && found !== "request" && this.isInWriter(el) ? "request" : found;
  }

  /** Return whether a listener of the element itself sends a request. */
  writes(el: Element): boolean {
    return this.presses.get(el)?.codes.includes("w") ?? false;
  }

  private namedHandling(root: Node, el: Element): Handling {
    let found: Handling = "";
    for (const selector of this.presses.get(root)?.selectors ?? []) {
      if (!matches(el, selector)) continue;
      if (this.presses.get(root)!.writing.includes(selector)) return "request";
      found = stricter(found, this.isGeneralIn(root, selector) ? "" : "onclick");
    }
    return found;
  }

  private isGeneralIn(root: Node, selector: string): boolean {
    if (this.general.has(selector)) return true;
    const whole = !isElement(root) || localName(root) === "html" || localName(root) === "body";
    const top = isElement(root) ? root : rootElement(root as Document);
    const general = (whole && isGeneral(selector)) || (top !== null && areDifferent(queryAll(top, selector)));
    if (general && this.general.size < MAX_SELECTORS) this.general.add(selector);
    return general;
  }

  /** Return whether a listener of an element around it writes, or one that names an element around it. */
  private isInWriter(el: Element): boolean {
    for (const [root] of this.roots) {
      const writing = this.presses.get(root)?.writing ?? [];
      if (writing.length > 0 && contains(root, el) && writing.some((one) => closestMatch(el, one) !== null)) return true;
    }
    let around = parentElement(el);
    for (let depth = 0; around && depth < MAX_DEPTH && !/^(?:body|html)$/.test(localName(around)); depth++) {
      if (this.writes(around)) return true;
      around = parentElement(around);
    }
    return false;
  }

  /** Return the elements to read again because these have other listeners. */
  affected(elements: Element[], store: Store): Element[] {
    const found: Element[] = [];
    const add = (el: Element): void => {
      if (found.length < MAX_AFFECTED && store.appearance.has(el)) found.push(el);
    };
    for (const el of elements) {
      const press = this.presses.get(el);
      if (!isElement(el)) this.addNamed(el, press, add);
      else if (store.entries.has(el) || this.isOneThing(el)) add(el);
      else {
        if (press?.usesTarget && hasEqualParts(el)) eachChild(el, add);
        this.addNamed(el, press, add);
      }
      const link = isElement(el) && press ? closestMatch(el, "a[href]") : null;
      if (link) add(link);
      if (isElement(el) && localName(el) === "form") add(el);
      if (isElement(el) && press?.codes.includes("w")) for (const link of queryAll(el, "a[href]")) add(link);
    }
    return found;
  }

  private addNamed(root: Node, press: Press | undefined, add: (el: Element) => void): void {
    const top = isElement(root) ? root : rootElement(root as Document);
    if (!top || !press || press.selectors.length === 0) return;
    for (const el of queryAll(top, press.selectors.join())) add(el);
  }

  listensItself(el: Element): boolean {
    const press = this.presses.get(el);
    return press !== undefined && press.own && !(press.usesTarget && hasEqualParts(el));
  }

  /** Return whether the listener of the parent asks which of its equal parts was pressed. */
  private isPart(el: Element): boolean {
    const parent = parentElement(el);
    const press = parent ? this.presses.get(parent) : undefined;
    return press !== undefined && press.own && press.usesTarget && contentOf(el).trim() !== "" && hasEqualParts(parent!);
  }

  private isNamed(el: Element): boolean {
    if (this.selector === "" || !matches(el, this.selector)) return false;
    for (const [root, selector] of this.roots) if (root !== el && contains(root, el) && matches(el, selector)) return true;
    return false;
  }

  /** Return whether an element is small and holds no other target, also in its shadow trees. */
  private isOneThing(el: Element): boolean {
    if (contentOf(el).length > MAX_TEXT || queryAll(el, CONTROLS).length > 0) return false;
    if (holdsControlInShadow(el)) return false;
    return !this.someInside(el, (inner) => this.presses.get(inner)?.own === true || this.isNamed(inner));
  }

  private someInside(el: Element, test: (inner: Element) => boolean): boolean {
    const inside = queryAll(el, "*");
    for (let index = 0; index < Math.min(inside.length, MAX_INSIDE); index++) if (test(inside[index]!)) return true;
    return false;
  }
}

/** Return whether a shadow tree of an element, or of one inside it, holds a control. */
function holdsControlInShadow(el: Element): boolean {
  const hosts = [el, ...Array.from(queryAll(el, "*")).slice(0, MAX_INSIDE)];
  for (let index = 0; index < Math.min(hosts.length, MAX_HOSTS); index++) {
    const shadow = shadowOf(hosts[index]!);
    if (!shadow) continue;
    if (shadow.querySelector(CONTROLS) !== null) return true;
    hosts.push(...Array.from(shadow.querySelectorAll("*")).slice(0, MAX_INSIDE));
  }
  return false;
}

function readPress(facts: string): Press {
  const [own, usesTarget, selectors, codes, writing] = JSON.parse(facts) as [boolean, boolean, string[], (number | string)[], string[]];
  return { own, usesTarget, selectors: selectors.filter(isSelector), codes, writing: writing.filter(isSelector) };
}

function isSelector(selector: string): boolean {
  try {
    document.createDocumentFragment().querySelector(selector);
    return true;
  } catch {
    return false; // a selector of jQuery's own, or a part of a template
  }
}

function eachChild(el: Element, visit: (child: Element) => void): void {
  for (let child = firstElement(el); child; child = nextElement(child)) visit(child);
}

/** Return whether an element consists of two or more parts of one kind, with text, and of nothing else. */
function hasEqualParts(el: Element): boolean {
  const first = firstElement(el);
  if (!first || !isHtml(first)) return false;
  let count = 0;
  for (let node = firstChild(el); node; node = nextSibling(node)) {
    if (isText(node) && dataOf(node).trim() !== "") return false;
    if (!isElement(node)) continue;
    if (localName(node) !== localName(first) || contentOf(node).trim() === "") return false;
    count++;
  }
  return count >= 2;
}

export const listeners = new Listeners();

/** Return whether a listener or the cursor says that the element can be pressed. A listener knows its own parts better. */
export function isClickable(el: Element, appearance: number): boolean {
  if (listeners.makesTarget(el)) return !namesItsItem(el);
  return isHtml(el) && startsPointerCursor(el, appearance) && !listeners.hasTargets(el);
}

const ITEM = "[role=treeitem],[role=option],[role=menuitem],[role=tab],[role=button],[role=link],button,a[href]";

/** Return whether an element is the visible name of the item around it: a press on it is a press on the item. */
function namesItsItem(el: Element): boolean {
  const item = closestMatch(el, ITEM);
  if (item === null || item === el) return false;
  const id = attr(el, "id");
  return (id !== null && attr(item, "aria-labelledby") === id) || attr(item, "aria-label")?.trim() === contentOf(el).trim();
}
