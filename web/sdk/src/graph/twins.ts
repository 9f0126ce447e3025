/**
 * Controls with the same role and name in one scope, and the text that tells a person which is which.
 *
 * Rows of lists and tables have a record. Everywhere else a page may repeat "Delete" in plain boxes, and only the text
 * around each says what it deletes. That text is published as `beside`.
 */

import type { DirtySet } from "../delta/dirty.ts";
import { attr, composedParent, dataOf, eachFlatChild, flatParent, isElement, isText, localName, precedes, previousSibling } from "../dom.ts";
import { fieldRole } from "./beside.ts";
import { isInline } from "./name_sources.ts";
import { UNREAD_TAGS } from "./own_text.ts";
import { FEEDBACK, INTERACTIVE } from "./roles.ts";
import { isMasked } from "./sensitive.ts";
import type { Entry, Store } from "./store.ts";
import { clean } from "./text.ts";
import { showsContent, Visibility, VISIBILITY_MASK } from "./visibility.ts";

/** A larger group is a list without markup; naming all of its items would cost more than it tells. */
const MAX_GROUP = 60;
const MAX_TWINS = 400;
const CAP = 80;
/** The text of a box longer than this is content and no label. */
const MAX_LABEL = 240;
const MAX_NODES = 150;
/** With more changed nodes than this, every text is read again. */
const MANY_NODES = 50;
const SINGLE: ReadonlySet<string> = new Set(["option", "tab", "treeitem"]);
/** Controls whose own text says what they do, and not what they belong to. */
const LABELLED_BY_DEED: ReadonlySet<string> = new Set(["button", "select", "textarea", "datalist", "svg", "canvas", "iframe"]);
/** Elements whose name is no text of the page. */
const NAMED_APART: ReadonlySet<string> = new Set(["input", "img"]);
const HEADING = /^(h[1-6]|dt|legend|caption|figcaption|summary)$/;

interface Group {
  members: Set<Entry>;
  /** The lowest element around all members; null until it is read. */
  container: Element | null;
  texts: Map<Element, string>;
}

export class Twins {
  private readonly groups = new Map<string, Group>();
  /** The groups with more than one member. */
  private readonly several = new Set<Group>();
  /** The groups to read again. */
  private readonly stale = new Set<Group>();
  private wereTooMany = false;

  add(entry: Entry): void {
    const key = keyOf(entry);
    if (key === null) return;
    const group = this.groups.get(key);
    if (!group) {
      this.groups.set(key, { members: new Set([entry]), container: null, texts: new Map() });
      return;
    }
    group.members.add(entry);
    this.several.add(group);
    this.stale.add(group);
  }

  delete(entry: Entry): void {
    const key = keyOf(entry);
    const group = key === null ? undefined : this.groups.get(key);
    if (!group?.members.delete(entry)) return;
    this.stale.add(group);
    if (group.members.size < 2) this.several.delete(group);
    if (group.members.size === 0) this.groups.delete(key!);
  }

  /** Yield what `differing` yields, after these changes of the page. */
  changed({ touched, trees, restyled }: DirtySet, store: Store): Iterable<[Entry, string]> {
    this.touch([...touched.keys(), ...trees, ...restyled]);
    return this.differing(store);
  }

  /** Mark the texts that a change of these nodes may have changed. */
  private touch(nodes: readonly Node[]): void {
    for (const group of this.several) {
      const { container } = group;
      if (container === null || nodes.length > MANY_NODES || nodes.some((node) => isAround(node, container) || isAround(container, node))) {
        this.stale.add(group);
      }
    }
  }

  /** Yield the entries whose published text beside them differs from the page, with the right text. */
  *differing(store: Store): Iterable<[Entry, string]> {
    let count = 0;
    for (const { members } of this.several) count += members.size;
    const areTooMany = count > MAX_TWINS;
    const groups = areTooMany === this.wereTooMany ? this.stale : new Set([...this.stale, ...this.several]);
    this.wereTooMany = areTooMany;
    for (const group of groups) {
      const isRead = group.members.size > 1 && group.members.size <= MAX_GROUP && !areTooMany;
      if (isRead) this.read(group, store);
      for (const entry of group.members) {
        const text = isRead ? (group.texts.get(entry.el) ?? "") : "";
        if (text !== (entry.element.metadata?.["beside"] ?? "")) yield [entry, text];
      }
    }
    this.stale.clear();
  }

  private isTwin(entry: Entry): boolean {
    const key = keyOf(entry);
    return key !== null && (this.groups.get(key)?.members.size ?? 0) > 1;
  }

  private read(group: Group, store: Store): void {
    const sorted = [...group.members].map((entry) => entry.el).sort((a, b) => (a === b ? 0 : precedes(a, b) ? -1 : 1));
    const paths = sorted.map(pathOf);
    const reader = new TextReader(store, (entry) => this.isTwin(entry));
    const boxes = sorted.map((el, at) => ({ el, box: boxOf(el, [paths[at - 1], paths[at + 1]]), others: new Set([...(paths[at - 1] ?? []), ...(paths[at + 1] ?? [])]) }));
    let texts = boxes.map((one) => reader.inside(one.box));
    const headings = boxes.map((one) => reader.headingBefore(one));
    if (areTelling(texts) && areTelling(headings)) texts = texts.map((text, at) => clean(`${headings[at]!} ${text}`, 2 * MAX_LABEL));
    if (!areTelling(texts)) texts = gapTexts(boxes, reader);
    group.texts = new Map(areTelling(texts) ? sorted.map((el, at) => [el, clean(texts[at]!, CAP)]) : []);
    group.container = paths[0]!.find((one) => paths[paths.length - 1]!.includes(one)) ?? sorted[0]!;
  }
}

function areTelling(texts: readonly string[]): boolean {
  return new Set(texts).size > 1 && texts.every((text) => text !== "");
}

interface Box {
  el: Element;
  box: Element;
  /** The elements around the neighbours. */
  others: ReadonlySet<Element>;
}

/**
 * Return the texts between the boxes. They stand before each, or behind each if nothing stands before the first. The
 * first has no neighbour that ends its text, so it gets no more parts than another one.
 */
function gapTexts(boxes: readonly Box[], reader: TextReader): string[] {
  const isBefore = reader.gap(boxes[0]!, "before").length > 0;
  const parts = boxes.map((one) => reader.gap(one, isBefore ? "before" : "after"));
  const open = isBefore ? 0 : parts.length - 1;
  const most = Math.max(...parts.filter((_, at) => at !== open).map((one) => one.length));
  return parts.map((one) => (isBefore ? one.slice(-most) : one.slice(0, most)).join(" "));
}

/** Write the text into the published element. The object is a new one, so that a delta can compare it with the old. */
export function setBeside(entry: Entry, text: string): void {
  const { beside: _, ...metadata } = (entry.element.metadata ?? {}) as Record<string, unknown>;
  entry.element = { ...entry.element };
  if (text) entry.element.metadata = { ...metadata, beside: text };
  else if (Object.keys(metadata).length > 0) entry.element.metadata = metadata;
  else delete entry.element.metadata;
}

function keyOf(entry: Entry): string | null {
  const { role, element, name } = entry;
  if (!(INTERACTIVE.has(role.role) || role.customRole === "x.clickable") || SINGLE.has(role.role)) return null;
  // A field without a name is read by `nameless`, and the record around controls says what they belong to. A key of the
  // control itself, such as `data-id`, says nothing that a person sees.
  const field = fieldRole(role, element.state);
  if ((name.text === "" && field !== "button" && field !== "link") || entry.outer.record !== undefined) return null;
  return `${element.scopeId ?? ""}\n${role.role}\n${name.text}`; // no published text has a line break
}

/** Return the element and everything around it, innermost first. */
function pathOf(el: Element): Element[] {
  const path: Element[] = [];
  for (let node: Element | null = el; node; node = flatParent(node)) path.push(node);
  return path;
}

function isAround(outer: Node, inner: Node): boolean {
  for (let node: Node | null = inner; node; node = composedParent(node)) if (node === outer) return true;
  return false;
}

/** Return the largest element around a control that contains none of its neighbours. */
function boxOf(el: Element, neighbours: readonly (Element[] | undefined)[]): Element {
  const shared = new Set(neighbours.flatMap((path) => path ?? []));
  let box = el;
  for (let node = flatParent(el); node && !shared.has(node); node = flatParent(node)) box = node;
  return box;
}

class TextReader {
  constructor(
    private readonly store: Store,
    private readonly isTwin: (entry: Entry) => boolean,
  ) {}

  /** Return the text of a box; of a large one its first heading. */
  inside(box: Element): string {
    const all = this.text(box);
    if (all.length <= MAX_LABEL) return all;
    return this.heading(box);
  }

  /** Return the texts between a box and the next one among its siblings, in their order, up to a heading. */
  gap({ box, others }: Box, side: "before" | "after"): string[] {
    const parent = flatParent(box);
    if (parent === null) return [];
    const siblings: Node[] = [];
    eachFlatChild(parent, (node) => {
      siblings.push(node);
    });
    const at = siblings.indexOf(box);
    const way = side === "before" ? siblings.slice(0, at).reverse() : siblings.slice(at + 1);
    const parts: string[] = [];
    for (const node of way) {
      if (isElement(node) && others.has(node)) break;
      const text = this.text(node);
      if (!text) continue;
      parts.push(text);
      if ((isElement(node) && HEADING.test(localName(node))) || parts.join(" ").length > CAP) break;
    }
    return side === "before" ? parts.reverse() : parts;
  }

  /** Return the heading or term that a box follows, such as `dt` before `dd`. */
  headingBefore({ box, others }: Box): string {
    for (let node = previousSibling(box); node; node = previousSibling(node)) {
      if (!isElement(node)) continue;
      if (others.has(node)) return "";
      if (HEADING.test(localName(node))) return this.text(node);
    }
    return "";
  }

  private heading(box: Element): string {
    const stack: Element[] = [box];
    for (let el = stack.pop(), visited = 0; el && visited < MAX_NODES; el = stack.pop(), visited++) {
      if (!this.isRead(el)) continue;
      if (HEADING.test(localName(el))) {
        const text = this.text(el);
        if (text) return text;
      }
      const inner: Element[] = [];
      eachFlatChild(el, (node) => {
        if (isElement(node)) inner.push(node);
      });
      stack.push(...inner.reverse());
    }
    return "";
  }

  /** Return the visible text of a node without that of buttons and twins, and the names of its fields and images. */
  private text(root: Node): string {
    let text = "";
    const names: string[] = [];
    const stack: (Node | string)[] = [root];
    for (let node = stack.pop(), visited = 0; node !== undefined && visited < MAX_NODES; node = stack.pop(), visited++) {
      if (typeof node === "string") text += node;
      else if (isText(node)) text += dataOf(node);
      else if (isElement(node) && this.isRead(node)) {
        const space = isInline(node) ? "" : " ";
        text += space;
        if (NAMED_APART.has(localName(node))) names.push(this.store.entries.get(node)?.name.text ?? "");
        const inner: Node[] = [];
        eachFlatChild(node, (child) => {
          inner.push(child);
        });
        stack.push(space, ...inner.reverse());
      }
      if (text.length > 2 * MAX_LABEL) break;
    }
    const fresh = names.filter((name) => name && !text.includes(name));
    return clean([text, ...fresh].join(" "), 2 * MAX_LABEL);
  }

  private isRead(el: Element): boolean {
    const tag = localName(el);
    if (UNREAD_TAGS.has(tag) || LABELLED_BY_DEED.has(tag) || attr(el, "role") === "button") return false;
    if (attr(el, "aria-hidden") === "true" || isMasked(el)) return false;
    if (!showsContent((this.store.appearance.get(el) ?? Visibility.None) & VISIBILITY_MASK)) return false;
    const entry = this.store.entries.get(el);
    return entry === undefined || !(this.isTwin(entry) || FEEDBACK.has(entry.role.role));
  }
}
