/**
 * Turns a dirty set into changes: decides which parts of the store to read again, and reads only those.
 *
 * Every rule follows a fact to the other elements that depend on it. Names reach the controls around a node and the
 * elements that refer to it. Own text reaches its owner, row text the record key of everything in the row, and items
 * the counts.
 */

import {
  assignedNodes, attr, byId, composedParent, dataOf, eachElement, elementAbove, firstElement, flatParent, isConnected,
  isElement, isHtml, isText, localName, namespace, nextElement, parentOf,
  rootElement, shadowOf, SVG,
} from "../dom.ts";
import { nameless } from "../graph/beside.ts";
import { counters } from "../graph/counters.ts";
import { controlsOfIcon } from "../graph/icons.ts";
import { labelIndex } from "../graph/labels.ts";
import { owners } from "../graph/owners.ts";
import { ownText } from "../graph/own_text.ts";
import { itemKey, type Page } from "../graph/page.ts";
import { recordKey } from "../graph/records.ts";
import { INTERACTIVE } from "../graph/roles.ts";
import { styledText } from "../graph/styled_text.ts";
import { keepTextAndCount, sameContext, type Entry } from "../graph/store.ts";
import { setBeside } from "../graph/twins.ts";
import { appearanceOf, Visibility } from "../graph/visibility.ts";
import type { Controls } from "./controls.ts";
import { CollectionCounts } from "./collection_counts.ts";
import { Changes } from "./diff.ts";
import type { DirtySet, Touch } from "./dirty.ts";
import { inOrder } from "./order.ts";
import type { DynamicStyles } from "./dynamic_styles.ts";

const STYLE: ReadonlySet<string> = new Set(["class", "style", "width", "height"]);
/** Attributes that affect everything below the element. */
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
  private readonly stableIds = new Set<string>();
  private readonly markedAncestors = new Set<Element>();
  private readonly readRoots = new Set<Element>();
  private readonly movedRoots = new Set<Element>();
  private readonly readOnce = new Set<Element>();
  private labelsChecked = false;
  /** Nodes that text was added to. */
  private readonly textParents = new Set<Node>();
  private readonly counts: CollectionCounts;

  constructor(
    private readonly page: Page,
    private readonly controls: Controls,
    private readonly dynamicStyles: DynamicStyles,
  ) {
    this.counts = new CollectionCounts(page, this.changes);
  }

  run(dirt: DirtySet): Changes {
    if (dirt.all) this.markAll();
    else {
      for (const node of dirt.added) this.onTextAdded(node);
      for (const node of dirt.removed) this.onRemoved(node);
      for (const [node, touch] of dirt.touched) this.classify(node, touch);
      for (const node of dirt.added) this.onAdded(node, dirt.removed.has(node));
      for (const el of dirt.trees) this.trees.add(el);
      for (const el of dirt.nodes) this.onValue(el);
      for (const el of dirt.restyled) this.checkAppearance(el);
      this.markCounters(dirt);
      this.checkRecords();
    }
    this.readTrees();
    for (const el of nameless.changed((field) => this.store.entries.get(field)?.element.metadata?.["beside"])) this.nodes.add(el);
    while (this.checkLabels()) this.readNodes();
    this.markMoved();
    this.readTexts();
    for (const [entry, text] of this.store.twins.changed(dirt, this.store)) {
      this.changes.touch(entry);
      setBeside(entry, text);
    }
    this.counts.run();
    for (const id of this.stableIds) this.resolveStableId(id);
    return this.changes;
  }

  /** Mark the elements whose name contains a counter: an element added or removed before them changes it. */
  private markCounters(dirt: DirtySet): void {
    counters.reset();
    if (dirt.added.size + dirt.removed.size + dirt.trees.size === 0) return;
    for (const el of counters.readers) {
      if (!isConnected(el)) counters.readers.delete(el);
      else this.markAncestors(el);
    }
  }

  private get store() { return this.page.store; }

  private markAll(): void {
    labelIndex.reset();
    this.store.omitted.clear();
    for (const entry of [...this.store.published.values()]) if (!isConnected(entry.el)) this.drop(entry);
    const root = rootElement(this.page.doc);
    if (root) this.trees.add(root);
  }

  // ---------------------------------------------------------------- observed changes

  private onRemoved(node: Node): void {
    if (isConnected(node)) return;
    if (!isElement(node)) return;
    eachElement(node, (el) => this.clear(el));
  }

  private onAdded(node: Node, moved: boolean): void {
    if (!isElement(node) || !isConnected(node)) return;
    if (moved) this.movedRoots.add(node);
    this.trees.add(node);
  }

  /** Remember the parent of added text. */
  private onTextAdded(node: Node): void {
    const parent = isText(node) && dataOf(node).trim() !== "" ? parentOf(node) : null;
    if (parent) this.textParents.add(parent);
  }

  private classify(node: Node, touch: Touch): void {
    const el = isElement(node) ? node : elementAbove(node);
    if (!el || !isConnected(el)) return;
    if (touch.attributes) for (const [name, old] of touch.attributes) this.onAttribute(el, name, old);
    if (!touch.children && !touch.text) return;
    this.markAncestors(el);
    const owner = this.ownerOf(el);
    if (owner && (touch.text || this.hasOwnText(node))) this.texts.add(owner);
    if (touch.children) {
      this.counts.checkRow(el);
      // The title of a drawing is a child of its own.
      if (namespace(el) === SVG) this.nodes.add(el);
      const shadow = isElement(node) ? shadowOf(node) : null;
      // A light child changes its slot without being moved itself.
      if (shadow || localName(el) === "slot") this.trees.add(el);
    }
  }

  /** Return whether a node with changed children has text directly inside. Elements inside are read themselves. */
  private hasOwnText(node: Node): boolean {
    return this.store.textOwner.has(node as Element) || this.textParents.has(node);
  }

  private onAttribute(el: Element, name: string, old: string | null): void {
    if (attr(el, name) === old && !STYLE.has(name)) return;
    // Another slot shows the node in another position, without moving it.
    if (name === "slot") this.movedRoots.add(el);
    if (name === "name" && localName(el) === "slot") for (const node of assignedNodes(el as HTMLSlotElement)) if (isElement(node)) this.movedRoots.add(node);
    if (name.startsWith(this.page.annotations.prefix) || DEEP.has(name)) {
      this.trees.add(el);
      this.markAncestors(el);
      const parent = flatParent(el);
      if (parent) this.markTextOwner(parent);
      return;
    }
    if (STYLE.has(name)) {
      if (name === "style") styledText.checkAttribute(attr(el, name));
      this.checkAppearance(el);
      this.touchNode(el);
      if (name === "class") for (const control of controlsOfIcon(el, this.store)) this.nodes.add(control);
      for (const reader of this.store.readers.get(el) ?? []) this.nodes.add(reader);
      return;
    }
    if (this.dynamicStyles.usesAttribute(name)) this.checkAppearance(el);
    if (name === "disabled" && /^(fieldset|optgroup|select)$/.test(localName(el))) this.trees.add(el);
    if (name === "id" || name === "for") this.onIdChange(el, name, old);
    // A hidden field cannot be labelled.
    if (name === "type") labelIndex.checkFor(attr(el, "id") ?? "");
    if (name === "aria-owns") this.onOwnsChange(el, old);
    if (name === "href" || name === "id") this.markRecords(el);
    // A caption or legend belongs to the own text again when another source names its owner.
    if (name === "aria-label" || name === "aria-labelledby") this.texts.add(el);
    this.touchNode(el);
    this.markAncestors(el);
    if (name === "aria-setsize" || name === "aria-rowcount") this.counts.checkTotal(el);
  }

  private onIdChange(el: Element, name: string, old: string | null): void {
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
    if (name === "for") this.markTextOwner(el);
  }

  /** Reread owned elements and their ancestors: ownership moves their text to the owner, and may make them list items. */
  private onOwnsChange(el: Element, old: string | null): void {
    owners.add(el);
    for (const id of `${old ?? ""} ${attr(el, "aria-owns") ?? ""}`.split(/\s+/)) {
      const owned = id ? byId(el, id) : null;
      if (!owned) continue;
      this.nodes.add(owned);
      this.markAncestors(owned);
    }
  }

  /** The value of a control can be part of a name around it. */
  private onValue(el: Element): void {
    this.touchNode(el);
    if (isConnected(el)) this.markAncestors(el);
  }

  private markTextOwner(el: Element): void {
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

  /** Mark every ancestor that may have read the content of this node. */
  private markAncestors(from: Element): void {
    for (let el: Element | null = from; el; el = composedParent(el)) {
      if (this.markedAncestors.has(el)) return;
      this.markedAncestors.add(el);
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

  private markRecords(from: Element): void {
    for (let el: Element | null = from; el; el = composedParent(el)) {
      if (this.store.recordHosts.has(el) || this.store.entries.get(el)?.element.metadata?.["record"] !== undefined) this.records.add(el);
    }
  }

  /** Mark descendants whose appearance changed by style, so that they are read again. */
  private checkAppearance(root: Element): void {
    if (!isConnected(root)) return;
    eachElement(root, (el) => {
      const before = this.store.appearance.get(el);
      const now = appearanceOf(el);
      if (before === undefined) {
        if (now === Visibility.None || this.isParentUnwalked(el)) return false;
        this.trees.add(el);
        return false;
      }
      if (before === now) return now !== Visibility.None;
      if (before === Visibility.None && this.isIgnored(el)) return false;
      this.trees.add(el);
      const parent = flatParent(el);
      if (parent) this.markAncestors(parent);
      return false;
    });
  }

  private isParentUnwalked(el: Element): boolean {
    const parent = flatParent(el);
    return parent === null || !this.store.appearance.get(parent);
  }

  private isIgnored(el: Element): boolean {
    return this.page.annotations.has(el, "ignore") || UNWALKED.has(localName(el));
  }

  // ---------------------------------------------------------------- reading again

  private checkRecords(): void {
    for (const host of this.records) {
      if (!isConnected(host)) continue;
      const previous = this.store.recordHosts.get(host);
      const { key } = recordKey(host, this.page.annotations);
      if ((previous ?? this.store.entries.get(host)?.element.metadata?.["record"] ?? "") !== (key ?? "")) this.trees.add(host);
    }
  }

  /**
   * Mark the controls of labels that changed their control, and the owner of the label's text. Return whether nodes
   * must be read: always at the first check of a flush, later only if a label changed.
   */
  private checkLabels(): boolean {
    const changed = labelIndex.takeChanges();
    if (!changed) {
      const first = !this.labelsChecked;
      this.labelsChecked = true;
      return first;
    }
    this.labelsChecked = true;
    for (const control of changed.controls) {
      this.readOnce.delete(control);
      this.nodes.add(control);
    }
    for (const label of changed.labels) if (isConnected(label)) this.markTextOwner(label);
    return true;
  }

  private readTrees(): void {
    for (const root of inOrder([...this.trees])) {
      if (this.readRoots.has(root) || !isConnected(root)) continue;
      if (this.isBelowAnother(root)) continue;
      this.readTree(root);
    }
  }

  private isBelowAnother(el: Element): boolean {
    for (let node = composedParent(el); node; node = composedParent(node)) if (this.trees.has(node)) return true;
    return false;
  }

  private readTree(root: Element): void {
    this.readRoots.add(root);
    const wasWalked = this.store.appearance.has(root);
    const wasPublished = this.store.entries.has(root);
    const ctx = this.page.contextFor(root);
    eachElement(root, (el) => this.clearWithSlotted(el));
    if (ctx === null) return;
    const found = this.page.reader.walk(root, ctx, this.store);
    eachElement(root, (el) => this.markIdReaders(el));
    for (const entry of found) this.read(entry);
    const published = this.store.entries.has(root);
    const mixes = !published || (wasWalked && !wasPublished);
    if (mixes && (wasWalked || ownText(root, this.store) !== "")) this.markTextOwner(flatParent(root) ?? root);
    const above = flatParent(root);
    if (above) this.markAncestors(above);
    if (above) this.counts.checkRow(above);
  }

  /** Mark the topmost published elements of moved subtrees; elements below keep their position. */
  private markMoved(): void {
    for (const root of this.movedRoots) {
      eachElement(root, (el) => {
        const entry = this.store.entries.get(el);
        if (entry) this.changes.moved.add(entry.element.instanceId);
        return entry === undefined;
      });
    }
  }

  /** Record that this flush has read an element. */
  private read(entry: Entry): void {
    this.changes.markRead(entry);
    this.controls.add(entry);
    if (entry.stableId !== undefined) this.stableIds.add(entry.stableId);
    this.counts.read(entry);
  }

  /** Mark the elements that refer to the id of an added node. */
  private markIdReaders(el: Element): void {
    const id = attr(el, "id");
    if (id) for (const reader of this.store.idReaders.get(id) ?? []) if (!this.readRoots.has(reader)) this.nodes.add(reader);
  }

  /** The nodes that a slot shows are read with it, but lie outside of it. */
  private clearWithSlotted(el: Element): void {
    this.clear(el);
    if (localName(el) !== "slot" || !(el instanceof HTMLSlotElement)) return;
    for (const node of assignedNodes(el)) eachElement(node, (inner) => this.clear(inner));
  }

  /** Forget the reading of one node, and keep the published state for the delta. */
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
    this.store.appearance.delete(el);
    this.store.innerContexts.delete(el);
    this.store.recordHosts.delete(el);
  }

  private drop(entry: Entry): void {
    this.changes.touch(entry);
    this.store.remove(entry);
    this.controls.delete(entry.el);
    if (entry.stableId !== undefined) this.stableIds.add(entry.stableId);
    this.counts.removeItem(entry.el);
  }

  private readNodes(): void {
    // Reading one node can reveal that another depends on it. Each node is read once, and again when its label changes.
    for (const el of this.nodes) {
      if (this.readOnce.has(el)) continue;
      this.readOnce.add(el);
      if (!isConnected(el) || this.changes.has(this.store.entries.get(el)?.element.instanceId ?? "") && this.isAlreadyRead(el)) continue;
      if (!this.store.appearance.has(el) && !this.store.entries.has(el)) continue;
      this.readNode(el);
    }
  }

  private isAlreadyRead(el: Element): boolean {
    for (let node: Element | null = el; node; node = composedParent(node)) if (this.readRoots.has(node)) return !this.readsLabels(el);
    return false;
  }

  /** Return whether a name depends on labels: it may have been read before the label index was complete. */
  private readsLabels(el: Element): boolean {
    return (this.store.entries.get(el)?.name.from.length ?? 0) > 0 || LABELABLE.has(localName(el));
  }

  private readNode(el: Element): void {
    const ctx = this.page.contextFor(el);
    const old = this.store.entries.get(el);
    const appearance = this.store.appearance.get(el);
    const inner = this.store.innerContexts.get(el);
    if (ctx === null) {
      this.readTree(el);
      return;
    }
    if (old) this.changes.touch(old);
    if (old) this.store.remove(old);
    const found: Entry[] = [];
    this.page.reader.visit(el, ctx, this.store, found);
    const entry = found[0];
    if (entry && old) keepTextAndCount(old, entry);
    if (this.store.appearance.get(el) !== appearance || !sameContext(inner, this.store.innerContexts.get(el)) || (old === undefined) !== (entry === undefined) ||
      (old && entry && old.owner !== entry.owner)) {
      // Not `drop`: this reading was never published.
      if (entry) this.store.remove(entry);
      this.readTree(el);
      return;
    }
    if (!entry || !old) return;
    this.changes.markRead(entry);
    this.controls.add(entry);
    if (entry.stableId !== old.stableId || entry.stableId !== undefined) this.markStableIds(old, entry);
    if (!old.collection) this.counts.recount(entry);
    if (itemKey(entry) !== itemKey(old)) this.counts.updateKey(entry);
    // Text is published only where it differs from the name.
    if (entry.owner && entry.name.text !== old.name.text) this.texts.add(el);
  }

  private markStableIds(old: Entry, entry: Entry): void {
    if (old.stableId !== undefined) this.stableIds.add(old.stableId);
    if (entry.stableId !== undefined) this.stableIds.add(entry.stableId);
  }

  private readTexts(): void {
    for (const el of this.texts) {
      const entry = this.store.entries.get(el);
      if (!entry || !entry.owner) continue;
      this.changes.touch(entry);
      const before = itemKey(entry);
      entry.element = { ...entry.element };
      this.page.reader.readText(entry, this.store);
      if (itemKey(entry) !== before) this.counts.updateKey(entry);
    }
  }

  private resolveStableId(stableId: string): void {
    for (const el of this.store.stableIds.get(stableId) ?? []) {
      const entry = this.store.entries.get(el);
      if (entry) this.changes.touch(entry);
    }
    for (const entry of this.page.resolveStableId(stableId)) if (entry.collection) this.page.updateCount(entry);
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
