/** The result of one pass over the document, by node. The walk fills it and the delta compares it. */

import { isConnected } from "../dom.ts";
import type { CollectionNode, ElementNode, OpaqueRegion, ScopeNode } from "../types.ts";
import type { Items } from "./items.ts";
import type { Name } from "./names.ts";
import type { Role, RoleContext } from "./roles.ts";
import { DIALOGS } from "./scopes.ts";
import { Twins } from "./twins.ts";

/** Facts that an element inherits from its ancestors in the flat tree. */
export interface Context {
  scopeId: string | undefined;
  parentId: string | undefined;
  shadowHostId: string | undefined;
  record: string | undefined;
  inert: boolean;
  ariaHidden: boolean;
  userContent: boolean;
  /** Inside a control that is named by its content: headings and images there are part of its name. */
  control: boolean;
  /** Clipped, off screen or transparent: rendered, but not visible to a person. */
  concealed: boolean;
  roles: RoleContext;
}

/** Return whether two contexts give the children the same facts. */
export function sameContext(a: Context | undefined, b: Context | undefined): boolean {
  if (a === b) return true;
  if (!a || !b) return false;
  const keys = Object.keys(a) as (keyof Context)[];
  return sameRoles(a.roles, b.roles) && keys.every((key) => key === "roles" || a[key] === b[key]);
}

function sameRoles(a: RoleContext, b: RoleContext): boolean {
  return a.table === b.table && a.list === b.list && a.sectioning === b.sectioning && a.section === b.section;
}

export interface Entry {
  el: Element;
  outer: Context;
  element: ElementNode;
  scope?: ScopeNode;
  collection?: CollectionNode;
  opaque?: OpaqueRegion;
  role: Role;
  name: Name;
  description: Name | null;
  /** True when the element owns the text inside it. */
  owner: boolean;
  stableId: string | undefined;
}

/** Keep own text and item counts: reading a single element does not read them again. */
export function keepTextAndCount(old: Entry, entry: Entry): void {
  if (entry.owner && old.element.text !== undefined && old.owner) entry.element.text = old.element.text;
  if (entry.collection && old.collection) {
    const { count, signature, totalCount } = old.collection;
    entry.collection.count = count;
    if (signature !== undefined) entry.collection.signature = signature;
    if (totalCount !== undefined) entry.collection.totalCount = totalCount;
    if (entry.element.stableId) entry.collection.stableId = entry.element.stableId;
  }
}

const MAX_LAYERS = 200;

export class Store {
  readonly entries = new WeakMap<Element, Entry>();
  readonly innerContexts = new WeakMap<Element, Context>();
  /** The result of `appearanceOf` for each element of the walk; absent means not walked. */
  readonly appearance = new WeakMap<Element, number>();
  /** Hosts whose record key was read from text inside them. */
  readonly recordHosts = new WeakMap<Element, string>();
  /** The owner of the text directly inside an element. */
  readonly textOwner = new WeakMap<Element, Element>();
  readonly published = new Map<string, Entry>();
  readonly stableIds = new Map<string, Set<Element>>();
  readonly scopeIds = new Map<string, Element>();
  /** Elements that read a name or description from an element, or that refer to an id. */
  readonly readers = new WeakMap<Element, Set<Element>>();
  readonly idReaders = new Map<string, Set<Element>>();
  /** The items of each collection, and the collection that counts each item. */
  readonly items = new WeakMap<Element, Items>();
  readonly itemOwner = new WeakMap<Element, Element>();
  readonly scopes = new Map<string, Entry>();
  readonly dialogs = new Set<Entry>();
  /** Elements that would be published, but are beyond the cap. */
  readonly omitted = new Set<Element>();
  /** Elements that lie over the page; at most `MAX_LAYERS`. */
  readonly layers = new Set<Element>();
  readonly twins = new Twins();

  addLayer(el: Element): void {
    if (this.layers.size >= MAX_LAYERS) for (const one of this.layers) if (!isConnected(one)) this.layers.delete(one);
    if (this.layers.size < MAX_LAYERS) this.layers.add(el);
  }

  add(entry: Entry): void {
    this.twins.add(entry);
    if (entry.scope) this.scopes.set(entry.scope.scopeId, entry);
    if (entry.scope && DIALOGS.has(entry.scope.kind)) this.dialogs.add(entry);
    this.entries.set(entry.el, entry);
    this.published.set(entry.element.instanceId, entry);
    this.index(entry, entry.name);
    if (entry.description) this.index(entry, entry.description);
    if (entry.stableId !== undefined) {
      const holders = this.stableIds.get(entry.stableId);
      if (holders) holders.add(entry.el);
      else this.stableIds.set(entry.stableId, new Set([entry.el]));
    }
  }

  private index(entry: Entry, name: Name): void {
    for (const source of name.from) {
      const readers = this.readers.get(source);
      if (readers) readers.add(entry.el);
      else this.readers.set(source, new Set([entry.el]));
    }
    for (const id of name.ids) {
      const readers = this.idReaders.get(id);
      if (readers) readers.add(entry.el);
      else this.idReaders.set(id, new Set([entry.el]));
    }
  }

  remove(entry: Entry): void {
    this.twins.delete(entry);
    this.dialogs.delete(entry);
    if (entry.scope && this.scopes.get(entry.scope.scopeId) === entry) this.scopes.delete(entry.scope.scopeId);
    this.entries.delete(entry.el);
    this.published.delete(entry.element.instanceId);
    this.unindex(entry, entry.name);
    if (entry.description) this.unindex(entry, entry.description);
    if (entry.stableId !== undefined) {
      const holders = this.stableIds.get(entry.stableId);
      holders?.delete(entry.el);
      if (holders?.size === 0) this.stableIds.delete(entry.stableId);
    }
    if (entry.scope && this.scopeIds.get(entry.scope.scopeId) === entry.el) this.scopeIds.delete(entry.scope.scopeId);
  }

  private unindex(entry: Entry, name: Name): void {
    for (const source of name.from) this.readers.get(source)?.delete(entry.el);
    for (const id of name.ids) {
      const readers = this.idReaders.get(id);
      readers?.delete(entry.el);
      if (readers?.size === 0) this.idReaders.delete(id);
    }
  }
}
