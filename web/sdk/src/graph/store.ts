/** What one pass over the document found, by node: the shapes the walk fills and the delta compares. */

import type { CollectionNode, ElementNode, OpaqueRegion, ScopeNode } from "../types.ts";
import type { Items } from "./items.ts";
import type { Name } from "./names.ts";
import type { Role, RoleContext } from "./roles.ts";
import { DIALOGS } from "./scopes.ts";

/** What an element inherits from its ancestors in the flat tree. */
export interface Context {
  scopeId: string | undefined;
  parentId: string | undefined;
  shadowHostId: string | undefined;
  record: string | undefined;
  inert: boolean;
  ariaHidden: boolean;
  userContent: boolean;
  /** Inside a control that speaks its content: headings and images there are part of its name. */
  control: boolean;
  /** Clipped, off screen or transparent: rendered, yet nobody sees it. */
  concealed: boolean;
  roles: RoleContext;
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
  /** Owns the loose text inside it. */
  owner: boolean;
  stableId: string | undefined;
}

export class Store {
  readonly entries = new WeakMap<Element, Entry>();
  readonly inners = new WeakMap<Element, Context>();
  /** How each walked element was shown (`Shown`); absent means never walked. */
  readonly shown = new WeakMap<Element, number>();
  /** Hosts whose record key came from text inside them. */
  readonly recordHosts = new WeakMap<Element, string>();
  /** Which owner the loose text directly inside an element was given to. */
  readonly textOwner = new WeakMap<Element, Element>();
  readonly published = new Map<string, Entry>();
  readonly stable = new Map<string, Set<Element>>();
  readonly scopeIds = new Map<string, Element>();
  /** Who reads a name or description from an element, and who asks for an id. */
  readonly readers = new WeakMap<Element, Set<Element>>();
  readonly idReaders = new Map<string, Set<Element>>();
  /** Items of each collection, and the collection each item counts in. */
  readonly items = new WeakMap<Element, Items>();
  readonly itemOwner = new WeakMap<Element, Element>();
  readonly scopes = new Map<string, Entry>();
  readonly dialogs = new Set<Entry>();
  /** Worth publishing, but beyond the cap. */
  readonly omitted = new Set<Element>();

  add(entry: Entry): void {
    if (entry.scope) this.scopes.set(entry.scope.scopeId, entry);
    if (entry.scope && DIALOGS.has(entry.scope.kind)) this.dialogs.add(entry);
    this.entries.set(entry.el, entry);
    this.published.set(entry.element.instanceId, entry);
    this.index(entry, entry.name);
    if (entry.description) this.index(entry, entry.description);
    if (entry.stableId !== undefined) {
      const holders = this.stable.get(entry.stableId);
      if (holders) holders.add(entry.el);
      else this.stable.set(entry.stableId, new Set([entry.el]));
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
    this.dialogs.delete(entry);
    if (entry.scope && this.scopes.get(entry.scope.scopeId) === entry) this.scopes.delete(entry.scope.scopeId);
    this.entries.delete(entry.el);
    this.published.delete(entry.element.instanceId);
    this.unindex(entry, entry.name);
    if (entry.description) this.unindex(entry, entry.description);
    if (entry.stableId !== undefined) {
      const holders = this.stable.get(entry.stableId);
      holders?.delete(entry.el);
      if (holders?.size === 0) this.stable.delete(entry.stableId);
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
