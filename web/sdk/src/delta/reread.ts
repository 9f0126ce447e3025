/**
 * From dirt to changes: which parts of the store must be read again, and reading just those.
 *
 * Every rule here answers one question: what else did this node's facts flow into? Names flow to controls around it and
 * to whoever refers to it, loose text to its owner, row text to the record key of everything in the row, items to counts.
 */

import {
  attr, byId, composedParent, dataOf, eachElement, firstElement, flatParent, hostOf, isConnected,
  isElement, isHtml, isShadowRoot, isText, localName, nextElement, nodeType, parentOf,
  rootElement, shadowOf,
} from "../dom.ts";
import { labelIndex } from "../graph/labels.ts";
import { looseText } from "../graph/loose.ts";
import { itemKey, type Page } from "../graph/page.ts";
import { recordKey } from "../graph/records.ts";
import { INTERACTIVE } from "../graph/roles.ts";
import type { Context, Entry } from "../graph/store.ts";
import { look, Shown } from "../graph/visibility.ts";
import type { Controls } from "./controls.ts";
import { Counting } from "./counting.ts";
import { Changes } from "./diff.ts";
import type { Dirt, Touch } from "./dirty.ts";
import { inOrder } from "./order.ts";
import type { Restless } from "./restless.ts";

const STYLE: ReadonlySet<string> = new Set(["class", "style", "width", "height"]);
/** Attributes whose meaning reaches everything below. */
const DEEP: ReadonlySet<string> = new Set([
  "role", "hidden", "inert", "open", "aria-hidden", "aria-modal", "slot", "popover", "multiple", "size", "contenteditable",
  "data-id", "data-key", "scope", "aria-live",
]);

export class Reread {
  private readonly changes = new Changes();
  private readonly trees = new Set<Element>();
  private readonly nodes = new Set<Element>();
  private readonly texts = new Set<Element>();
  private readonly records = new Set<Element>();
  private readonly stable = new Set<string>();
  private readonly climbed = new Set<Element>();
  private readonly done = new Set<Element>();
  private readonly movedRoots = new Set<Element>();
  private readonly handled = new Set<Element>();
  private labelled = false;
  /** Nodes into which text was put. */
  private readonly spoken = new Set<Node>();
  private readonly counting: Counting;

  constructor(
    private readonly page: Page,
    private readonly controls: Controls,
    private readonly restless: Restless,
  ) {
    this.counting = new Counting(page, this.changes);
  }

  run(dirt: Dirt): Changes {
    if (dirt.all) this.everything();
    else {
      for (const node of dirt.added) this.speaks(node);
      for (const node of dirt.removed) this.left(node);
      for (const [node, touch] of dirt.touched) this.classify(node, touch);
      for (const node of dirt.added) this.arrived(node, dirt.removed.has(node));
      for (const el of dirt.trees) this.trees.add(el);
      for (const el of dirt.nodes) this.valued(el);
      for (const el of dirt.passes) this.pass(el);
      this.checkRecords();
    }
    this.readTrees();
    while (this.checkLabels()) this.readNodes();
    this.tellPlaces();
    this.readTexts();
    this.counting.run();
    for (const id of this.stable) this.settle(id);
    return this.changes;
  }

  private get store() {
    return this.page.store;
  }

  private everything(): void {
    labelIndex.forget();
    this.store.omitted.clear();
    for (const entry of [...this.store.published.values()]) if (!isConnected(entry.el)) this.drop(entry);
    const root = rootElement(this.page.doc);
    if (root) this.trees.add(root);
  }

  // ---------------------------------------------------------------- what the observer said

  private left(node: Node): void {
    if (isConnected(node)) return;
    if (!isElement(node)) return;
    eachElement(node, (el) => this.clear(el));
  }

  private arrived(node: Node, moved: boolean): void {
    if (!isElement(node) || !isConnected(node)) return;
    if (moved) this.movedRoots.add(node);
    this.trees.add(node);
  }

  /** Text that came stands directly in its parent. */
  private speaks(node: Node): void {
    const parent = isText(node) && dataOf(node).trim() !== "" ? parentOf(node) : null;
    if (parent) this.spoken.add(parent);
  }

  private classify(node: Node, touch: Touch): void {
    const el = isElement(node) ? node : elementAbove(node);
    if (!el || !isConnected(el)) return;
    if (touch.attributes) for (const [name, old] of touch.attributes) this.attribute(el, name, old);
    if (!touch.children && !touch.text) return;
    this.climb(el);
    const owner = this.ownerOf(el);
    if (owner && (touch.text || this.looseInside(node))) this.texts.add(owner);
    if (touch.children) {
      this.counting.rowAt(el);
      const shadow = isElement(node) ? shadowOf(node) : null;
      // A light child moves between slots without being moved itself.
      if (shadow || localName(el) === "slot") this.trees.add(el);
    }
  }

  /** Whether text stands directly in a node whose children changed; elements speak for themselves when they are read. */
  private looseInside(node: Node): boolean {
    return this.store.textOwner.has(node as Element) || this.spoken.has(node);
  }

  private attribute(el: Element, name: string, old: string | null): void {
    if (attr(el, name) === old && !STYLE.has(name)) return;
    if (name.startsWith(this.page.annotations.prefix) || DEEP.has(name)) {
      this.trees.add(el);
      this.climb(el);
      const parent = flatParent(el);
      if (parent) this.textsAround(parent);
      return;
    }
    if (STYLE.has(name)) {
      this.pass(el);
      this.touchNode(el);
      for (const reader of this.store.readers.get(el) ?? []) this.nodes.add(reader);
      return;
    }
    if (this.restless.styles(name)) this.pass(el);
    if (name === "disabled" && /^(fieldset|optgroup|select)$/.test(localName(el))) this.trees.add(el);
    if (name === "id" || name === "for") this.renamed(el, name, old);
    // A hidden field cannot be labelled.
    if (name === "type") labelIndex.checkFor(attr(el, "id") ?? "");
    if (name === "href" || name === "id") this.recordsAround(el);
    // A caption or legend is loose text again once something else names its owner.
    if (name === "aria-label" || name === "aria-labelledby") this.texts.add(el);
    this.touchNode(el);
    this.climb(el);
    if (name === "aria-setsize" || name === "aria-rowcount") this.counting.totals(el);
  }

  private renamed(el: Element, name: string, old: string | null): void {
    if (name === "for" && localName(el) === "label") labelIndex.check(el);
    for (const id of [old, attr(el, name)]) {
      if (!id) continue;
      if (name === "id") labelIndex.checkFor(id);
      for (const reader of this.store.idReaders.get(id) ?? []) this.nodes.add(reader);
      const target = byId(el, id);
      if (target) this.nodes.add(target);
    }
    for (const reader of this.store.readers.get(el) ?? []) this.nodes.add(reader);
    if (name === "for" && (el as HTMLLabelElement).control) this.nodes.add((el as HTMLLabelElement).control!);
    if (name === "for") this.textsAround(el);
  }

  /** A control's value can be part of a name around it. */
  private valued(el: Element): void {
    this.touchNode(el);
    if (isConnected(el)) this.climb(el);
  }

  private textsAround(el: Element): void {
    const owner = this.ownerOf(el);
    if (owner) this.texts.add(owner);
  }

  private touchNode(el: Element): void {
    this.nodes.add(el);
    if (localName(el) === "select") {
      for (const option of (el as HTMLSelectElement).options) if (this.store.entries.has(option)) this.nodes.add(option);
    }
    if (localName(el) === "details") for (let child = firstElement(el); child; child = nextElement(child)) this.nodes.add(child);
  }

  /** Everything above that could have read this node's content. */
  private climb(from: Element): void {
    for (let el: Element | null = from; el; el = composedParent(el)) {
      if (this.climbed.has(el)) return;
      this.climbed.add(el);
      const entry = this.store.entries.get(el);
      if (entry && (entry.name.content || INTERACTIVE.has(entry.role.role) || entry.role.customRole === "x.host")) this.touchNode(el);
      for (const reader of this.store.readers.get(el) ?? []) this.nodes.add(reader);
      if (this.store.recordHosts.has(el)) this.records.add(el);
      const tag = localName(el);
      if (tag === "label" && isHtml(el)) {
        labelIndex.check(el);
        const control = (el as HTMLLabelElement).control;
        if (control) this.nodes.add(control);
      } else if (tag === "option" || tag === "optgroup") this.nodes.add(el);
    }
  }

  private recordsAround(from: Element): void {
    for (let el: Element | null = from; el; el = composedParent(el)) {
      if (this.store.recordHosts.has(el) || this.store.entries.get(el)?.element.metadata?.["record"] !== undefined) this.records.add(el);
    }
  }

  /** Published descendants may have appeared or gone by style; whatever looks different is read again. */
  private pass(root: Element): void {
    if (!isConnected(root)) return;
    eachElement(root, (el) => {
      const before = this.store.shown.get(el);
      const now = look(el);
      if (before === undefined) {
        if (now === Shown.None || this.parentUnwalked(el)) return false;
        this.trees.add(el);
        return false;
      }
      if (before === now) return now !== Shown.None;
      if (before === Shown.None && this.ignored(el)) return false;
      this.trees.add(el);
      const parent = flatParent(el);
      if (parent) this.climb(parent);
      return false;
    });
  }

  private parentUnwalked(el: Element): boolean {
    const parent = flatParent(el);
    return parent === null || !this.store.shown.get(parent);
  }

  private ignored(el: Element): boolean {
    return this.page.annotations.has(el, "ignore") || UNWALKED.has(localName(el));
  }

  // ---------------------------------------------------------------- reading again

  private checkRecords(): void {
    for (const host of this.records) {
      if (!isConnected(host)) continue;
      const known = this.store.recordHosts.get(host);
      const { key } = recordKey(host, this.page.annotations);
      if ((known ?? this.store.entries.get(host)?.element.metadata?.["record"] ?? "") !== (key ?? "")) this.trees.add(host);
    }
  }

  /** Labels whose control is another one now: both controls are renamed, and the label's words change owner. */
  private checkLabels(): boolean {
    const changed = labelIndex.changed();
    if (!changed) {
      const first = !this.labelled;
      this.labelled = true;
      return first;
    }
    this.labelled = true;
    for (const control of changed.controls) {
      this.handled.delete(control);
      this.nodes.add(control);
    }
    for (const label of changed.labels) if (isConnected(label)) this.textsAround(label);
    return true;
  }

  private readTrees(): void {
    for (const root of inOrder([...this.trees])) {
      if (this.done.has(root) || !isConnected(root)) continue;
      if (this.underAnother(root)) continue;
      this.readTree(root);
    }
  }

  private underAnother(el: Element): boolean {
    for (let node = composedParent(el); node; node = composedParent(node)) if (this.trees.has(node)) return true;
    return false;
  }

  private readTree(root: Element): void {
    this.done.add(root);
    const known = this.store.shown.has(root);
    const wasPublished = this.store.entries.has(root);
    const ctx = this.page.contextFor(root);
    eachElement(root, (el) => this.clear(el));
    if (ctx === null) return;
    const found = this.page.reader.walk(root, ctx, this.store);
    eachElement(root, (el) => this.awaited(el));
    for (const entry of found) this.read(entry);
    const published = this.store.entries.has(root);
    const mixes = !published || (known && !wasPublished);
    if (mixes && (known || looseText(root, this.store) !== "")) this.textsAround(flatParent(root) ?? root);
    const above = flatParent(root);
    if (above) this.climb(above);
    if (above) this.counting.rowAt(above);
  }

  /** The topmost of what moved; everything below keeps its place under them. */
  private tellPlaces(): void {
    for (const root of this.movedRoots) {
      eachElement(root, (el) => {
        const entry = this.store.entries.get(el);
        if (entry) this.changes.moved.add(entry.element.instanceId);
        return entry === undefined;
      });
    }
  }

  private read(entry: Entry): void {
    this.changes.fresh(entry);
    this.controls.add(entry);
    if (entry.stableId !== undefined) this.stable.add(entry.stableId);
    this.counting.read(entry);
  }

  /** A node that arrives may be the one a name, a label or an id was waiting for. */
  private awaited(el: Element): void {
    const id = attr(el, "id");
    if (id) for (const reader of this.store.idReaders.get(id) ?? []) if (!this.done.has(reader)) this.nodes.add(reader);
  }

  /** Forget what was read at and below a node, keeping for the delta what the consumer knows. */
  private clear(el: Element): void {
    const entry = this.store.entries.get(el);
    if (entry) this.drop(entry);
    for (const reader of this.store.readers.get(el) ?? []) this.nodes.add(reader);
    const owner = this.store.textOwner.get(el);
    if (owner) {
      this.texts.add(owner);
      this.store.textOwner.delete(el);
    }
    const id = attr(el, "id");
    if (id !== null) labelIndex.checkFor(id);
    if (localName(el) === "label" && isHtml(el)) labelIndex.check(el);
    this.store.omitted.delete(el);
    this.store.shown.delete(el);
    this.store.inners.delete(el);
    this.store.recordHosts.delete(el);
  }

  private drop(entry: Entry): void {
    this.changes.touch(entry);
    this.store.remove(entry);
    this.controls.delete(entry.el);
    if (entry.stableId !== undefined) this.stable.add(entry.stableId);
    this.counting.uncount(entry.el);
  }

  private readNodes(): void {
    // Reading one node can show that another depends on it; each is read once, and again when its label turns out to be another.
    for (const el of this.nodes) {
      if (this.handled.has(el)) continue;
      this.handled.add(el);
      if (!isConnected(el) || this.changes.knows(this.store.entries.get(el)?.element.instanceId ?? "") && this.inDone(el)) continue;
      if (!this.store.shown.has(el) && !this.store.entries.has(el)) continue;
      this.readNode(el);
    }
  }

  private inDone(el: Element): boolean {
    for (let node: Element | null = el; node; node = composedParent(node)) if (this.done.has(node)) return !this.names(el);
    return false;
  }

  /** A name read during this flush may have been read before the label index was whole. */
  private names(el: Element): boolean {
    return (this.store.entries.get(el)?.name.from.length ?? 0) > 0 || LABELABLE.has(localName(el));
  }

  private readNode(el: Element): void {
    const ctx = this.page.contextFor(el);
    const old = this.store.entries.get(el);
    const how = this.store.shown.get(el);
    const inner = this.store.inners.get(el);
    if (ctx === null) {
      this.readTree(el);
      return;
    }
    if (old) this.changes.touch(old);
    if (old) this.store.remove(old);
    const found: Entry[] = [];
    this.page.reader.visit(el, ctx, this.store, found);
    const entry = found[0];
    if (entry && old) carry(old, entry);
    if (this.store.shown.get(el) !== how || !sameContext(inner, this.store.inners.get(el)) || (old === undefined) !== (entry === undefined) ||
      (old && entry && old.owner !== entry.owner)) {
      // Not `drop`: the consumer never heard of this reading.
      if (entry) this.store.remove(entry);
      this.readTree(el);
      return;
    }
    if (!entry || !old) return;
    this.changes.fresh(entry);
    this.controls.add(entry);
    if (entry.stableId !== old.stableId || entry.stableId !== undefined) this.settleLater(old, entry);
    if (!old.collection) this.counting.afresh(entry);
    if (itemKey(entry) !== itemKey(old)) this.counting.rekey(entry);
    // Text is told only where it differs from the name.
    if (entry.owner && entry.name.text !== old.name.text) this.texts.add(el);
  }

  private settleLater(old: Entry, entry: Entry): void {
    if (old.stableId !== undefined) this.stable.add(old.stableId);
    if (entry.stableId !== undefined) this.stable.add(entry.stableId);
  }

  private readTexts(): void {
    for (const el of this.texts) {
      const entry = this.store.entries.get(el);
      if (!entry || !entry.owner) continue;
      this.changes.touch(entry);
      const before = itemKey(entry);
      entry.element = { ...entry.element };
      this.page.reader.readText(entry, this.store);
      if (itemKey(entry) !== before) this.counting.rekey(entry);
    }
  }

  private settle(stableId: string): void {
    for (const el of this.store.stable.get(stableId) ?? []) {
      const entry = this.store.entries.get(el);
      if (entry) this.changes.touch(entry);
    }
    for (const entry of this.page.settle(stableId)) if (entry.collection) this.page.tally(entry);
  }

  private ownerOf(from: Element): Element | null {
    for (let el: Element | null = from; el; el = flatParent(el)) {
      const entry = this.store.entries.get(el);
      if (entry) return entry.owner ? el : null;
    }
    return null;
  }
}

const LABELABLE: ReadonlySet<string> = new Set(["input", "select", "textarea", "button", "meter", "progress", "output"]);
const UNWALKED: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "head"]);

function elementAbove(node: Node): Element | null {
  if (isShadowRoot(node)) return hostOf(node);
  const parent = parentOf(node);
  if (parent === null) return null;
  return isShadowRoot(parent) ? hostOf(parent) : nodeType(parent) === 1 ? (parent as Element) : null;
}

/** What a second look at one element does not look at: its loose text and its items. */
function carry(old: Entry, entry: Entry): void {
  if (entry.owner && old.element.text !== undefined && old.owner) entry.element.text = old.element.text;
  if (entry.collection && old.collection) {
    const { count, signature, totalCount } = old.collection;
    entry.collection.count = count;
    if (signature !== undefined) entry.collection.signature = signature;
    if (totalCount !== undefined) entry.collection.totalCount = totalCount;
    if (entry.element.stableId) entry.collection.stableId = entry.element.stableId;
  }
}

function sameContext(a: Context | undefined, b: Context | undefined): boolean {
  if (a === b) return true;
  if (!a || !b) return false;
  for (const key of Object.keys(a) as (keyof Context)[]) {
    if (key === "roles") {
      if (a.roles.table !== b.roles.table || a.roles.list !== b.roles.list || a.roles.sectioning !== b.roles.sectioning) return false;
    } else if (a[key] !== b[key]) return false;
  }
  return true;
}
