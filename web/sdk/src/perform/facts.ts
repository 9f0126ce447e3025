/**
 * Fresh facts of an element, read in the caller's task. Guard, probe and perform compare them with the published ones.
 */

import { attr, composedParent, contentOf, flatParent, isConnected, isElement, localName, matches, queryAll, rootElement } from "../dom.ts";
import type { Reader } from "../graph/document.ts";
import { ROOT_CONTEXT } from "../graph/document.ts";
import { elementNumber } from "../graph/identity.ts";
import type { Page } from "../graph/page.ts";
import type { Entry, Context } from "../graph/store.ts";
import { Store } from "../graph/store.ts";
import { isMasked } from "../graph/sensitive.ts";
import { clean, token } from "../graph/text.ts";
import { isInert, Visibility, visibilityOf } from "../graph/visibility.ts";
import { isEnabled, isModal } from "../graph/states.ts";
import type { Guard } from "../guard/guard.ts";

export interface Described {
  instanceId?: string;
  tag: string;
  role?: string;
  name?: string;
  /** The element in words, for a message: `dialog “Set-up”`, `a box with the text “Welcome”`. */
  words: string;
}

const WORDS_CAP = 60;
const BUSY = "[role=progressbar],[role=status],[aria-busy=true],progress";
/** A number that stands alone, as a counter does; not `user-50`. */
const COUNTER = /(?<=^|[\s([:·])\d[\d.,:]*[%smh]?(?=$|[\s)\].,…])/gu;
/** The name without counters and signs. */
const wordsOf = (name: string): string => name.toLowerCase().replace(COUNTER, "").replace(/[\s\p{P}\p{S}]+/gu, " ").trim();

export class Facts {
  constructor(readonly page: Page) {}

  element(instanceId: string): Element | null {
    return this.page.find(instanceId)?.el ?? null;
  }

  /** Return the elements that a hint finds in this document; none where it is not valid. */
  find(kind: "css" | "xpath", value: string): Element[] {
    const { doc } = this.page;
    const root = rootElement(doc);
    try {
      if (kind === "css") return root ? [...(matches(root, value) ? [root] : []), ...queryAll(root, value)] : [];
      const found = doc.evaluate(value, doc, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
      return Array.from({ length: found.snapshotLength }, (_, index) => found.snapshotItem(index)).filter(isElement);
    } catch {
      return [];
    }
  }

  /** Read the element as it is now. Return null when it would not be published. */
  fresh(el: Element): Entry | null {
    const scratch = new Store();
    const reader: Reader = this.page.reader;
    const ctx = this.contextNow(el, scratch);
    if (ctx === null) return null;
    return reader.readOne(el, ctx, scratch);
  }

  /** Read the ancestors again, top down, so that a recycled row does not contribute its old record key. */
  private contextNow(el: Element, scratch: Store): Context | null {
    const path: Element[] = [];
    for (let node = composedParent(el); node; node = composedParent(node)) path.push(node);
    if (path.length > 0 && path[path.length - 1] !== rootElement(this.page.doc)) return null;
    let ctx: Context = ROOT_CONTEXT;
    for (let index = path.length - 1; index >= 0; index--) {
      ctx = this.page.reader.contextOf(path[index]!, ctx, scratch, this.page.store);
    }
    return ctx;
  }

  /** Return null when the element still matches the guard, else the reason. */
  mismatch(guard: Pick<Guard, "instanceId" | "role" | "name" | "record">, el = this.element(guard.instanceId)): string | null {
    if (!el || !isConnected(el)) return "detached";
    const entry = this.fresh(el);
    if (entry === null) return "hidden";
    if (guard.role != null && entry.element.role !== guard.role) return "role_changed";
    if (guard.name != null && !this.isSameName(guard.name, entry)) return "name_changed";
    if (guard.record != null && ((entry.element.metadata?.["record"] as string | undefined) ?? "") !== guard.record) return "record_changed";
    return this.unusableReason(el);
  }

  /**
   * Return whether the name is the same, apart from a counter or a progress indicator in it, and from upper case, which
   * a style sheet may add at any time. A number counts as a part of the name where other elements have the same name
   * with another number.
   */
  private isSameName(before: string, entry: Entry): boolean {
    const now = entry.element.name ?? "";
    if (now.toLowerCase() === before.toLowerCase()) return true;
    const [words, others] = [wordsOf(before), wordsOf(now)];
    if (!words || !others) return false;
    const busy = (words.startsWith(others) || others.startsWith(words)) && queryAll(entry.el, BUSY).length > 0;
    return words === others ? !this.isNumbered(words, entry) : busy;
  }

  private isNumbered(words: string, entry: Entry): boolean {
    for (const other of this.page.store.published.values()) {
      const { role, name } = other.element;
      if (other.el !== entry.el && role === entry.element.role && name && wordsOf(name) === words) return true;
    }
    return false;
  }

  /**
   * Return the element at an event that the page put in the place of the guarded one: it appeared after `issued` ids
   * were given, and has the same role, name and record.
   */
  successor(guard: Pick<Guard, "role" | "name" | "record">, at: Element, issued: number): Element | null {
    for (let node: Element | null = at; node; node = composedParent(node)) {
      const entry = this.fresh(node);
      if (!entry) continue;
      const { instanceId, role, name, metadata } = entry.element;
      if (elementNumber(instanceId) <= issued) continue;
      const same = role === (guard.role ?? role) && (name ?? "") === (guard.name ?? name ?? "");
      if (!same || (guard.record != null && metadata?.["record"] !== guard.record)) continue;
      return node;
    }
    return null;
  }

  /** Return null when the element is attached, enabled, not inert and not below a modal, else the reason. */
  unusableReason(el: Element): string | null {
    if (!isConnected(el)) return "detached";
    if (!isEnabled(el)) return "disabled";
    if (this.isBlocked(el)) return "blocked";
    return null;
  }

  isBlocked(el: Element): boolean {
    for (let node: Element | null = el; node; node = shownIn(node)) if (isInert(node)) return true;
    const top = this.topModal();
    return top !== null && !isWithin(el, top) && !isOpenedFrom(el, top);
  }

  private topModal(): Element | null {
    const ids = this.page.modalStack();
    for (let index = ids.length - 1; index >= 0; index--) {
      for (const { scope, el } of this.page.store.dialogs) {
        if (scope?.scopeId === ids[index] && isConnected(el) && isModal(el) && visibilityOf(el) === Visibility.Full) return el;
      }
    }
    return null;
  }

  describe(el: Element): Described {
    const described: Described = { tag: localName(el), words: boxWords(el) };
    for (let node: Element | null = el; node; node = composedParent(node)) {
      const entry = this.page.store.entries.get(node);
      if (!entry) continue;
      described.instanceId = entry.element.instanceId;
      described.role = entry.element.role;
      const { role, name, text } = entry.element;
      const shown = name || text;
      if (name) described.name = name;
      if (role !== "app" && role !== "custom" && (shown || node === el)) described.words = shown ? `${role} “${clean(shown, WORDS_CAP)}”` : role;
      break;
    }
    return described;
  }
}

/** Return an element that is not in the graph in words: by its text, or by its tag, id and class. */
function boxWords(el: Element): string {
  const isPrivate = isMasked(el) || [...queryAll(el, "*")].some(isMasked);
  const text = isPrivate ? "" : clean(contentOf(el), WORDS_CAP);
  if (text) return `a box with the text “${text}”`;
  const id = attr(el, "id");
  const first = (attr(el, "class") ?? "").trim().split(/\s+/)[0];
  return `an empty box (${token(`${localName(el)}${id ? `#${id}` : ""}${first ? `.${first}` : ""}`)})`;
}

/** Return whether the element is in a surface that an expanded control of the modal names, such as the list of a field. */
function isOpenedFrom(el: Element, modal: Element): boolean {
  const named = new Set<string>();
  for (const control of queryAll(modal, "[aria-expanded=true]")) {
    for (const name of ["aria-controls", "aria-owns"]) for (const id of (attr(control, name) ?? "").split(/\s+/)) if (id) named.add(id);
  }
  if (named.size === 0) return false;
  for (let node: Element | null = el; node; node = shownIn(node)) if (named.has(attr(node, "id") ?? "")) return true;
  return false;
}

function isWithin(el: Element, outer: Element): boolean {
  for (let node: Element | null = el; node; node = shownIn(node)) if (node === outer) return true;
  return false;
}

/** Return the element that an element is shown in. A slot shows its content inside the layer around the slot. */
function shownIn(el: Element): Element | null {
  return flatParent(el) ?? composedParent(el);
}

