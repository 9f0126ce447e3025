/**
 * The walk: one pass over the flat tree that turns nodes into published elements, scopes and opaque regions.
 *
 * Iterative, so that depth costs no stack. Reads style, never layout. Knows nothing of deltas: the same walk reads the
 * whole document and any dirty part of it.
 */

import {
  attr, bodyOf, eachFlatChild, hasAttr, hasAttributes, isElement, isHtml, localName, ownerDocument,
  rootElement, shadowOf,
} from "../dom.ts";
import type { Config, ElementNode, OpaqueRegion, ScopeNode, State } from "../types.ts";
import { affordancesOf } from "./affordances.ts";
import { Annotations } from "./annotations.ts";
import { collectionOf } from "./collections.ts";
import type { Identity } from "./identity.ts";
import { looseText, UNREAD } from "./loose.ts";
import { descriptionOf, nameOf, visibleText, type Name } from "./names.ts";
import { frameOrigin, isFrame, maybeClosed, opaqueKind, type OpaqueKind } from "./opaque.ts";
import { isRecordHost, recordKey } from "./records.ts";
import { innerContext, INTERACTIVE, roleOf, type Role } from "./roles.ts";
import { scopeKindOf, TEXT_OWNERS } from "./scopes.ts";
import { secretKind } from "./sensitive.ts";
import { modal, popoverOpen, stateOf } from "./states.ts";
import type { Context, Entry, Store } from "./store.ts";
import { href, token } from "./text.ts";
import { inClosedSelect, inert, look, Shown, UNSEEN } from "./visibility.ts";

interface Frame {
  nodes: Element[];
  index: number;
  ctx: Context;
}

export const ROOT_CONTEXT: Context = {
  scopeId: undefined, parentId: undefined, shadowHostId: undefined, record: undefined,
  inert: false, ariaHidden: false, userContent: false, control: false, concealed: false,
  roles: { table: "none", list: false, sectioning: false },
};

const NO_NAME: Name = { text: "", content: false, visible: true, from: [], ids: [] };

export class Reader {
  focused: Element | null = null;
  /** Open shadow roots met on the way, for whoever must watch them. */
  shadows: ShadowRoot[] = [];

  constructor(
    readonly config: Config,
    readonly identity: Identity,
    readonly annotations: Annotations,
  ) {}

  /** Reads `root` and all below it into `store`; entries come back in document order. */
  walk(root: Element, ctx: Context, store: Store): Entry[] {
    const found: Entry[] = [];
    const stack: Frame[] = [{ nodes: [root], index: 0, ctx }];
    while (stack.length > 0) {
      const frame = stack[stack.length - 1]!;
      if (frame.index >= frame.nodes.length) {
        stack.pop();
        continue;
      }
      const el = frame.nodes[frame.index++]!;
      const inner = this.visit(el, frame.ctx, store, found);
      if (inner === null) continue;
      const nodes: Element[] = [];
      eachFlatChild(el, (child) => {
        if (isElement(child)) nodes.push(child);
      });
      if (nodes.length > 0) stack.push({ nodes, index: 0, ctx: inner });
    }
    for (const entry of found) if (entry.owner) this.readText(entry, store);
    return found;
  }

  /** One element: what it is, and the context of its children; null prunes the subtree. */
  visit(el: Element, ctx: Context, store: Store, found: Entry[]): Context | null {
    if (UNREAD.has(localName(el)) || (hasAttributes(el) && this.annotations.has(el, "ignore"))) {
      store.shown.set(el, Shown.None);
      return null;
    }
    const how = look(el);
    store.shown.set(el, how);
    if (localName(el) === "label" && isHtml(el)) store.labels.set(el, (el as HTMLLabelElement).control);
    if (how === Shown.None) return null;
    const outer = this.inherit(el, ctx, how);
    const role = this.roleFor(el, outer);
    const record = this.recordFor(el, outer, role, store);
    const opaque = opaqueKind(el, this.annotations);
    let entry: Entry | null = null;
    if ((how & 3) !== Shown.Inside && this.worth(el, role, outer, opaque)) {
      if (store.published.size >= this.config.maxElements) store.omitted++;
      else entry = this.publish(el, role ?? this.fallbackRole(el, opaque), outer, record, opaque, store, found);
    }
    const inner = this.innerOf(el, outer, role, record, entry);
    if (inner !== ctx) store.inners.set(el, inner);
    else store.inners.delete(el);
    if (opaque !== null || isFrame(el)) return null;
    return inner;
  }

  /** One element read on its own, for a fresh look; null when it would not be published. */
  readOne(el: Element, ctx: Context, store: Store): Entry | null {
    const found: Entry[] = [];
    this.visit(el, ctx, store, found);
    return found[0] ?? null;
  }

  /** Context below `el`, roles and records read afresh; ids of published ancestors come from `known`. */
  contextOf(el: Element, ctx: Context, scratch: Store, known: Store): Context {
    const outer = this.inherit(el, ctx, look(el));
    const role = this.roleFor(el, outer);
    const record = this.recordFor(el, outer, role, scratch);
    return this.innerOf(el, outer, role, record, known.entries.get(el) ?? null);
  }

  private publish(
    el: Element, role: Role, outer: Context, record: string | undefined, opaque: OpaqueKind | null, store: Store, found: Entry[],
  ): Entry {
    const entry = this.evaluate(el, role, outer, record, opaque, store);
    store.add(entry);
    found.push(entry);
    return entry;
  }

  /** What `el` itself adds to what its ancestors said. */
  private inherit(el: Element, ctx: Context, how: number): Context {
    if (!hasAttributes(el)) return ctx;
    const isInert = ctx.inert || inert(el);
    const hidden = ctx.ariaHidden || attr(el, "aria-hidden") === "true";
    const user = ctx.userContent || this.annotations.has(el, "user-content");
    const unseen = ctx.concealed || (how & UNSEEN) !== 0;
    if (isInert === ctx.inert && hidden === ctx.ariaHidden && user === ctx.userContent && unseen === ctx.concealed) return ctx;
    return { ...ctx, inert: isInert, ariaHidden: hidden, userContent: user, concealed: unseen };
  }

  private innerOf(el: Element, outer: Context, role: Role | null, record: string | undefined, entry: Entry | null): Context {
    const roles = innerContext(el, outer.roles, role);
    const shadow = shadowOf(el);
    if (shadow) this.shadows.push(shadow);
    const shadowHostId = shadow ? entry?.element.instanceId : outer.shadowHostId;
    const control = outer.control || (entry !== null && entry.name.content && INTERACTIVE.has(entry.role.role));
    const scopeId = entry?.scope?.scopeId ?? outer.scopeId;
    const parentId = entry?.element.instanceId ?? outer.parentId;
    if (
      roles === outer.roles && record === outer.record && shadowHostId === outer.shadowHostId && control === outer.control &&
      scopeId === outer.scopeId && parentId === outer.parentId
    ) return outer;
    return { ...outer, roles, record, shadowHostId, control, scopeId, parentId };
  }

  roleFor(el: Element, ctx: Context): Role | null {
    const doc = ownerDocument(el);
    if (el === (bodyOf(doc) ?? rootElement(doc))) return { role: "app", aria: "document", source: "native" };
    const annotated = hasAttributes(el) ? this.annotations.role(el) : undefined;
    const derived = roleOf(el, ctx.roles);
    if (annotated) return { role: annotated, aria: derived?.aria ?? annotated, source: "annotation" };
    if (isFrame(el)) return { role: "custom", customRole: "x.frame", aria: "iframe", source: "native" };
    return derived;
  }

  private fallbackRole(el: Element, opaque: OpaqueKind | null): Role {
    if (this.annotations.has(el, "route")) return { role: "route", aria: "generic", source: "annotation" };
    if (this.annotations.any(el)) return { role: "custom", aria: "generic", source: "annotation" };
    return { role: "custom", customRole: opaque ? "x.opaque" : "x.host", aria: "generic", source: "heuristic" };
  }

  recordFor(el: Element, ctx: Context, role: Role | null, store: Store): string | undefined {
    if (!isRecordHost(el, role, this.annotations)) return ctx.record;
    const found = recordKey(el, this.annotations);
    const content = found.content;
    const key = content && ctx.concealed ? undefined : found.key;
    if (content) store.recordHosts.set(el, key ?? "");
    else store.recordHosts.delete(el);
    return key ?? ctx.record;
  }

  /** Inclusion (companions 4.3): interactive, structure that carries text or scope, feedback, annotated, opaque. */
  private worth(el: Element, role: Role | null, ctx: Context, opaque: OpaqueKind | null): boolean {
    if (opaque !== null) return true;
    if (role === null) return (hasAttributes(el) && this.annotations.any(el)) || maybeClosed(el);
    if (role.source === "annotation") return true;
    switch (role.role) {
      case "image":
        return !ctx.control && (hasAttr(el, "alt") || hasAttr(el, "aria-label") || hasAttr(el, "aria-labelledby") || hasAttr(el, "title"));
      case "label":
        return !ctx.control;
      case "popover":
        return role.aria === "tooltip" || popoverOpen(el);
      case "option":
        return !inClosedSelect(el) || optionIndex(el) < MAX_OPTIONS;
      default:
        return true;
    }
  }

  /** Everything published about one element except its loose text. */
  evaluate(el: Element, role: Role, ctx: Context, record: string | undefined, opaque: OpaqueKind | null, store: Store): Entry {
    const annotations = this.annotations;
    const annotated = hasAttributes(el) && annotations.any(el);
    const instanceId = this.identity.instance(el);
    const secret = secretKind(el);
    const state = stateOf(el, role, { inert: ctx.inert, focused: this.focused });
    if (inClosedSelect(el)) delete state.visible;
    const name = this.nameFor(el, role, secret !== null, annotated);
    const interactive = INTERACTIVE.has(role.role) || state.focusable === true;
    const described = interactive || role.role === "dialog" ? descriptionOf(el, name.text) : null;
    const element: ElementNode = { instanceId, documentId: this.config.frameKey, role: role.role, state, affordances: [] };
    if (ctx.scopeId) element.scopeId = ctx.scopeId;
    if (ctx.parentId) element.parentInstanceId = ctx.parentId;
    if (ctx.shadowHostId) element.shadowHostInstanceId = ctx.shadowHostId;
    if (role.role === "custom" && role.customRole) element.customRole = role.customRole;
    if (name.text) element.name = name.text;
    if (described?.text) element.description = described.text;
    if (interactive && secret === null && name.text && !name.visible) {
      // H6: what a person reads may differ from the accessible name; both are told.
      const seen = visibleText(el, role.aria);
      if (seen && seen !== name.text) element.text = seen;
    }
    element.affordances = (annotated && annotations.affordances(el)) || affordancesOf(el, role, state);
    if (role.source !== "native") element.source = role.source;
    if (secret !== null) this.mask(element, secret);
    const stableId = annotated ? this.annotate(el, element) : undefined;
    const metadata = this.metadataFor(el, role, ctx, record, name, interactive);
    if (metadata) element.metadata = { ...element.metadata, ...metadata };
    const entry: Entry = {
      el, outer: ctx, element, role, name, description: described, stableId,
      owner: secret === null && opaque === null && TEXT_OWNERS.has(role.role) && !(role.role === "label" && name.content),
    };
    const scope = this.scopeFor(el, entry, annotated, state, store);
    if (scope) entry.scope = scope;
    if (opaque !== null) entry.opaque = this.opaqueFor(el, entry, opaque);
    const collects = collectionOf(entry);
    if (collects) {
      entry.collection = {
        collectionId: (annotated && annotations.value(el, "collection")) || `${instanceId}c`,
        ownerInstanceId: instanceId, role: collects.role, count: 0,
      };
    }
    return entry;
  }

  private nameFor(el: Element, role: Role, secret: boolean, annotated: boolean): Name {
    const given = annotated ? this.annotations.name(el) : undefined;
    if (given) return { ...NO_NAME, text: given, visible: false };
    if (role.role === "app" || role.role === "row") return labelOnly(el);
    if (role.role === "cell" && role.aria !== "columnheader" && role.aria !== "rowheader") return labelOnly(el);
    const name = nameOf(el, role.aria);
    return secret && name.content ? NO_NAME : name;
  }

  private mask(element: ElementNode, secret: string): void {
    delete element.state.textValue;
    delete element.state.numericValue;
    element.state.sensitive = true;
    element.state.obscured = true;
    element.dataClasses = [secret];
    element.redaction = { mode: "omit", keys: ["textValue"], dataClass: secret };
  }

  private annotate(el: Element, element: ElementNode): string | undefined {
    const a = this.annotations;
    const set = <K extends keyof ElementNode>(key: K, value: ElementNode[K] | undefined): void => {
      if (value !== undefined) element[key] = value;
    };
    set("meaning", a.value(el, "meaning"));
    set("defaultAction", a.value(el, "action"));
    set("supportedActions", a.words(el, "actions"));
    set("risk", a.risk(el));
    set("success", a.success(el));
    const classes = a.dataClasses(el);
    if (classes) element.dataClasses = [...new Set([...(element.dataClasses ?? []), ...classes])];
    const entity = a.value(el, "entity");
    if (entity) element.metadata = { ...element.metadata, entity };
    const stableId = a.value(el, "id");
    // 4.3: the earlier in the document keeps the id; which one that is, is settled after the walk.
    if (stableId !== undefined) element.stableId = stableId;
    return stableId;
  }

  private metadataFor(
    el: Element, role: Role, ctx: Context, record: string | undefined, name: Name, interactive: boolean,
  ): Record<string, unknown> | undefined {
    const metadata: Record<string, unknown> = {};
    let any = false;
    const set = (key: string, value: unknown): void => {
      metadata[key] = value;
      any = true;
    };
    if (record !== undefined && (interactive || isRecordHost(el, role, this.annotations))) set("record", record);
    if (role.role === "link") {
      const raw = attr(el, "href");
      if (raw !== null) set("href", href(raw));
    }
    if (role.aria === "heading") set("level", headingLevel(el));
    if (role.role === "cell" && role.aria.endsWith("header")) set("header", role.aria === "rowheader" ? "row" : "column");
    if (ctx.ariaHidden) set("ariaHidden", true);
    const unseen = ctx.concealed || (name.text !== "" && !name.visible);
    if (unseen || ctx.userContent) {
      const text: Record<string, unknown> = { visible: !unseen };
      if (ctx.userContent) text["userGenerated"] = true;
      set("text", text);
    }
    if (role.customRole === "x.host") set("closedShadowCandidate", true);
    const was = this.identity.was.get(el);
    if (was) set("was", was);
    return any ? metadata : undefined;
  }

  private scopeFor(el: Element, entry: Entry, annotated: boolean, state: State, store: Store): ScopeNode | undefined {
    const given = annotated ? this.annotations.value(el, "scope") : undefined;
    let kind = (annotated && this.annotations.scopeKind(el)) || scopeKindOf(entry.role.role, entry.element.name ?? "");
    if (given && !kind) kind = "custom";
    if (!kind) return undefined;
    if (kind === "app" && !this.config.root) kind = "frame";
    let scopeId = given;
    const holder = given ? store.scopeIds.get(given) : undefined;
    if (!given || (holder && holder !== el)) scopeId = this.identity.scope(el);
    if (given && !holder) store.scopeIds.set(given, el);
    const scope: ScopeNode = { scopeId: scopeId!, kind, documentId: this.config.frameKey, hostInstanceId: entry.element.instanceId };
    if (entry.outer.scopeId) scope.parentScopeId = entry.outer.scopeId;
    if (entry.stableId) scope.stableId = entry.stableId;
    if (entry.element.name) scope.name = entry.element.name;
    if (annotated) {
      const route = this.annotations.value(el, "route");
      if (route) scope.routeId = route;
    }
    scope.state = { visible: true };
    if (state.open !== undefined) scope.state.open = state.open;
    if (state.busy) scope.state.busy = true;
    if (modal(el)) scope.state.modal = true;
    if (given) scope.source = "annotation";
    if (given && holder && holder !== el) scope.metadata = { duplicateScopeId: given };
    return scope;
  }

  private opaqueFor(el: Element, entry: Entry, kind: OpaqueKind): OpaqueRegion {
    const region: OpaqueRegion = {
      regionId: `${entry.element.instanceId}o`, kind, documentId: this.config.frameKey, hostInstanceId: entry.element.instanceId,
    };
    if (entry.outer.scopeId) region.scopeId = entry.outer.scopeId;
    if (entry.element.name) region.name = entry.element.name;
    if (kind === "cross_origin_frame") {
      const origin = frameOrigin(el);
      if (origin) {
        region.origin = token(origin);
        if (this.config.bridgedOrigins.includes(origin)) region.bridgeAvailable = true;
      }
    }
    return region;
  }

  /** Loose text of an owner; a concealed owner publishes none (H5). */
  readText(entry: Entry, store: Store): void {
    const text = entry.outer.concealed ? "" : looseText(entry.el, store);
    if (text && text !== entry.element.name) entry.element.text = text;
    else delete entry.element.text;
  }
}

const MAX_OPTIONS = 500;

function optionIndex(el: Element): number {
  return el instanceof HTMLOptionElement ? el.index : 0;
}

function headingLevel(el: Element): number {
  const stated = Number.parseInt(attr(el, "aria-level") ?? "", 10);
  if (stated > 0) return stated;
  const tag = /^h([1-6])$/.exec(localName(el));
  return tag ? Number(tag[1]) : 2;
}

function labelOnly(el: Element): Name {
  if (!hasAttr(el, "aria-label") && !hasAttr(el, "aria-labelledby")) return NO_NAME;
  return nameOf(el, "none");
}

