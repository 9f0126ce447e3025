/** The page as a whole: the store of the current reading, route, focus, modal stack, collections and stable ids. */

import {
  isParsing,
  activeElement, bodyOf, composedParent, flatParent, hasAttr, isHtml, localName, precedes, queryAll, rootElement, titleOf,
} from "../dom.ts";
import type { Config, DocumentNode, FocusInfo, Graph, RouteInfo, Truncated, ViewportInfo } from "../types.ts";
import { Annotations } from "./annotations.ts";
import { collectionOf, eachItem, isHeaderRow, totalOf } from "./collections.ts";
import { Reader, ROOT_CONTEXT } from "./document.ts";
import { Identity } from "./identity.ts";
import { hashText, Items } from "./items.ts";
import { labelIndex } from "./labels.ts";
import { owners } from "./owners.ts";
import { useAnnotations } from "./sensitive.ts";
import { styledText } from "./styled_text.ts";
import { type Context, type Entry, Store } from "./store.ts";
import { clean, token } from "./text.ts";
import { setBeside } from "./twins.ts";
import { Visibility } from "./visibility.ts";

export class Page {
  readonly identity: Identity;
  readonly annotations: Annotations;
  readonly reader: Reader;
  store = new Store();
  private modals: string[] = [];

  constructor(
    readonly config: Config,
    readonly doc: Document,
  ) {
    this.identity = new Identity(config.frameKey);
    this.annotations = new Annotations(config.annotationPrefix);
    useAnnotations(this.annotations);
    this.reader = new Reader(config, this.identity, this.annotations);
  }

  /** Read annotations with this prefix, and these attributes, from the next reading on. */
  useAnnotations(prefix: string, attributes: string[]): void {
    this.config.annotationPrefix = prefix;
    this.config.attributes = attributes;
    this.annotations.use(prefix);
  }

  /** Read the whole document again. Nodes keep their ids. */
  read(): Entry[] {
    this.store = new Store();
    styledText.refresh(this.doc);
    owners.reset(this.doc);
    labelIndex.reset();
    this.reader.focused = activeElement(this.doc);
    const root = rootElement(this.doc);
    const found = root ? this.reader.walk(root, ROOT_CONTEXT, this.store) : [];
    for (const id of this.store.stableIds.keys()) this.resolveStableId(id);
    for (const entry of found) if (entry.collection) this.countItems(entry);
    for (const [entry, text] of this.store.twins.differing(this.store)) setBeside(entry, text);
    return found;
  }

  /** Record that the pointer is over `el`. Return the published elements whose state has changed. */
  hover(el: Element | null): Element[] {
    const before = this.reader.hovered;
    let over = el;
    while (over && !this.store.entries.has(over)) over = composedParent(over);
    this.reader.hovered = over;
    return over === before ? [] : [before, over].filter((one) => one !== null);
  }

  /**
   * Give a stable id that several elements claim to the first of them in the document. Return the entries that changed.
   */
  resolveStableId(stableId: string): Entry[] {
    const holders = this.store.stableIds.get(stableId);
    if (!holders) return [];
    const entries = [...holders].map((el) => this.store.entries.get(el)).filter((e): e is Entry => e !== undefined);
    entries.sort((a, b) => (a === b ? 0 : precedes(a.el, b.el) ? -1 : 1));
    const changed: Entry[] = [];
    entries.forEach((entry, index) => {
      const isFirst = index === 0;
      const wasFirst = entry.element.stableId === stableId;
      if (isFirst === wasFirst) return;
      changed.push(entry);
      this.setStableId(entry, stableId, isFirst);
    });
    return changed;
  }

  private setStableId(entry: Entry, stableId: string, isFirst: boolean): void {
    const element = { ...entry.element };
    const { duplicateStableId: _, ...metadata } = (element.metadata ?? {}) as Record<string, unknown>;
    if (isFirst) element.stableId = stableId;
    else {
      delete element.stableId;
      metadata["duplicateStableId"] = stableId;
    }
    if (Object.keys(metadata).length > 0) element.metadata = metadata;
    else delete element.metadata;
    entry.element = element;
    if (entry.scope) {
      entry.scope = { ...entry.scope };
      if (isFirst) entry.scope.stableId = stableId;
      else delete entry.scope.stableId;
    }
  }

  /** Count the items of a collection from the start and compute its signature. */
  countItems(entry: Entry): void {
    const kind = collectionOf(entry);
    if (!kind || !entry.collection) return;
    const items = new Items();
    eachItem(entry.el, (el) => this.itemKind(el, kind.item), (el) => {
      items.append(el, hashText(itemKey(this.store.entries.get(el)!)));
      this.store.itemOwner.set(el, entry.el);
    });
    this.store.items.set(entry.el, items);
    this.updateCount(entry);
  }

  /**
   * Copy count, total and signature of the items into a new collection object, so that the delta can compare it with
   * the old one.
   */
  updateCount(entry: Entry): void {
    const items = this.store.items.get(entry.el);
    if (!items || !entry.collection) return;
    const total = totalOf(entry.el, items.head);
    const { totalCount: _, stableId: __, ...rest } = entry.collection;
    entry.collection = { ...rest, count: items.count, signature: items.signature };
    if (total !== undefined) entry.collection.totalCount = total;
    if (entry.element.stableId) entry.collection.stableId = entry.element.stableId;
  }

  private itemKind(el: Element, items: ReadonlySet<string>): "item" | "stop" | "pass" {
    const entry = this.store.entries.get(el);
    if (!entry) return ((this.store.appearance.get(el) ?? 0) & 3) === Visibility.None ? "stop" : "pass";
    if (items.has(entry.role.role)) return entry.role.role === "row" && isHeaderRow(el) ? "stop" : "item";
    return entry.collection ? "stop" : "pass";
  }

  /**
   * Return the context in which `el` is read, or null if it is not rendered. The nearest ancestor that changes the context
   * has stored it; the two lowest bits of an appearance are its visibility.
   */
  contextFor(el: Element): Context | null {
    const parent = flatParent(el);
    if (parent === null) return el === rootElement(this.doc) ? ROOT_CONTEXT : null;
    for (let node: Element | null = parent; node; node = flatParent(node)) {
      const appearance = this.store.appearance.get(node);
      if (node === parent && (appearance === undefined || (appearance & 3) === Visibility.None)) return null;
      const found = this.store.innerContexts.get(node);
      if (found) return found;
    }
    return ROOT_CONTEXT;
  }

  route(): RouteInfo {
    const hash = location.hash;
    const route: RouteInfo = { url: clean(location.href, 4_000), path: clean(hash.startsWith("#/") ? hash.slice(1) : location.pathname, 2_000) };
    const title = clean(titleOf(this.doc));
    if (title) route.title = title;
    const root = rootElement(this.doc);
    const name = `${this.config.annotationPrefix}route`;
    if (root) {
      const host = hasAttr(root, name) ? root : queryAll(root, `[${CSS.escape(name)}]`)[0];
      const routeId = host && this.annotations.value(host, "route");
      if (routeId) route.routeId = routeId;
    }
    if (isParsing(this.doc)) route.status = "loading";
    return route;
  }

  viewport(): ViewportInfo {
    return { width: innerWidth, height: innerHeight, devicePixelRatio };
  }

  document(): DocumentNode {
    const node: DocumentNode = {
      documentId: this.config.frameKey, kind: this.config.root ? "root" : "frame", url: clean(location.href, 4_000),
      origin: token(self.origin), access: this.config.root || self.origin === this.config.rootOrigin ? "full" : "bridged",
    };
    const title = clean(titleOf(this.doc));
    if (title) node.title = title;
    return node;
  }

  focus(): FocusInfo | null {
    const active = activeElement(this.doc);
    if (!active || active === bodyOf(this.doc) || active === rootElement(this.doc)) return null;
    const info: FocusInfo = { documentId: this.config.frameKey };
    const entry = this.store.entries.get(active);
    const scopeId = entry ? entry.outer.scopeId : (this.store.innerContexts.get(active) ?? this.contextFor(active))?.scopeId;
    if (scopeId) info.scopeId = scopeId;
    if (!entry) return info;
    info.target = entry.element.instanceId;
    if (entry.element.stableId) info.stableId = entry.element.stableId;
    return info;
  }

  /**
   * Return the open modals, bottom to top, in the order they opened. Those open at the first reading come in document
   * order.
   */
  modalStack(): string[] {
    const open: string[] = [];
    const dialogs = [...this.store.dialogs].sort((a, b) => (a === b ? 0 : precedes(a.el, b.el) ? -1 : 1));
    for (const entry of dialogs) {
      const scope = entry.scope!;
      if (scope.state?.modal || (scope.kind === "popover" && entry.role.aria !== "tooltip")) open.push(scope.scopeId);
    }
    const still = this.modals.filter((id) => open.includes(id));
    this.modals = [...still, ...open.filter((id) => !still.includes(id))];
    return this.modals;
  }

  graph(found: Entry[]): Graph {
    const graph: Graph = {
      route: this.route(), viewport: this.viewport(), documents: [this.document()], scopes: [], elements: [],
      collections: [], opaqueRegions: [], focus: this.focus(), modalStack: this.modalStack(),
    };
    for (const entry of found) {
      graph.elements.push(entry.element);
      if (entry.scope) graph.scopes.push(entry.scope);
      if (entry.collection) graph.collections.push(entry.collection);
      if (entry.opaque) graph.opaqueRegions.push(entry.opaque);
    }
    const truncated = this.truncated();
    if (truncated) graph.truncated = truncated;
    return graph;
  }

  truncated(): Truncated | null {
    const { size } = this.store.omitted;
    return size > 0 ? { reason: "max_elements", omittedElements: size } : null;
  }

  /** True when enough elements were removed that omitted ones may fit below the cap again. */
  get hasRoom(): boolean {
    return this.store.omitted.size > 0 && this.store.published.size < this.config.maxElements * 0.9;
  }

  find(instanceId: string): Entry | undefined {
    return this.store.published.get(instanceId);
  }

  /** Return the element with this id, or the one that replaced it. */
  current(instanceId: string): Entry | undefined {
    const found = this.find(instanceId);
    if (found) return found;
    for (const entry of this.store.published.values()) {
      if (this.identity.replacedIds.get(entry.el) === instanceId) return entry;
    }
    return undefined;
  }
}

export function itemKey(entry: Entry): string {
  return entry.stableId ?? (entry.element.metadata?.["record"] as string | undefined) ?? entry.element.name ?? entry.element.text ?? "";
}

export function isControl(el: Element): boolean {
  if (!isHtml(el)) return false;
  const tag = localName(el);
  return tag === "input" || tag === "textarea" || tag === "select";
}
