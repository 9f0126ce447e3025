/**
 * The walk: one pass over the flat tree that turns nodes into published elements, scopes and opaque regions.
 *
 * It is iterative, so that depth costs no stack. It reads style and never layout. It knows nothing of deltas: the same
 * walk reads the whole document and any dirty part of it.
 */

import {
  assignedNodes, attr, bodyOf, contentOf, firstElement, hasAttr, isElement, isHtml, localName, nextElement, ownerDocument, queryAll,
  rootElement, shadowElement, shadowOf, styleOf,
} from "../dom.ts";
import type { Config, ElementNode, OpaqueRegion, ScopeNode, State, UIAffordance } from "../types.ts";
import { affordancesOf } from "./affordances.ts";
import { Annotations } from "./annotations.ts";
import { attributesOf, Has } from "./attributes.ts";
import { fieldRole, nameless } from "./beside.ts";
import { collectionOf } from "./collections.ts";
import { iconFacts } from "./icons.ts";
import type { Identity } from "./identity.ts";
import { isClickable } from "./listeners.ts";
import { owners } from "./owners.ts";
import { ownText, UNREAD_TAGS } from "./own_text.ts";
import { descriptionOf, nameOf, plainName, visibleText, type Name } from "./names.ts";
import { frameOrigin, isFrame, mayBeClosed, opaqueKind, type OpaqueKind } from "./opaque.ts";
import { namedAttributes, ownAttributes } from "./own_attributes.ts";
import { formFacts, pressFacts } from "./press.ts";
import { isRecordHost, recordKey } from "./records.ts";
import { headingLevel, innerContext, INTERACTIVE, isEditingHost, isNamedByAuthor, minimumRole, roleOf, type Role } from "./roles.ts";
import { scopeKindOf, TEXT_OWNERS } from "./scopes.ts";
import { secretKind } from "./sensitive.ts";
import { isModal, isPopoverOpen, stateOf } from "./states.ts";
import type { Context, Entry, Store } from "./store.ts";
import { marksDropped, token } from "./text.ts";
import { inClosedSelect, appearanceOf, SCROLLABLE, Visibility, visibilityOf, FLOATING, INVISIBLE } from "./visibility.ts";

/** The position of the walk among the children of one element. Nodes assigned to a slot are a list of their own. */
interface Frame {
  next: Element | null;
  assigned: Element[] | null;
  index: number;
  ctx: Context;
}

export const ROOT_CONTEXT: Context = {
  scopeId: undefined, parentId: undefined, shadowHostId: undefined, record: undefined,
  inert: false, ariaHidden: false, userContent: false, control: false, concealed: false,
  roles: { table: "none", list: false, sectioning: false, section: false },
};

const NO_NAME: Name = { text: "", content: false, visible: true, from: [], ids: [] };

export class Reader {
  focused: Element | null = null;
  /** The published element under the pointer. */
  hovered: Element | null = null;
  /** Open shadow roots found by the walk. The publisher takes them and observes them. */
  shadows: ShadowRoot[] = [];

  constructor(
    readonly config: Config,
    readonly identity: Identity,
    readonly annotations: Annotations,
  ) {}

  /** Read `root` and everything below it into `store`. Return the entries in document order. */
  walk(root: Element, ctx: Context, store: Store): Entry[] {
    const found: Entry[] = [];
    const stack: Frame[] = [{ next: null, assigned: [root], index: 0, ctx }];
    while (stack.length > 0) {
      const frame = stack[stack.length - 1]!;
      const el = advance(frame);
      if (el === null) {
        stack.pop();
        continue;
      }
      const inner = this.visit(el, frame.ctx, store, found);
      if (inner === null) continue;
      const below = frameBelow(el, inner);
      if (below) stack.push(below);
    }
    for (const entry of found) if (entry.owner) this.readText(entry, store);
    return found;
  }

  /** Read one element. Return the context of its children, or null to skip the subtree. */
  visit(el: Element, ctx: Context, store: Store, found: Entry[]): Context | null {
    const has = attributesOf(el, this.annotations.prefix);
    if (UNREAD_TAGS.has(localName(el)) || (has & Has.Annotation && this.annotations.has(el, "ignore"))) {
      store.appearance.set(el, Visibility.None);
      return null;
    }
    if (store.published.size >= this.config.maxElements) return this.countOmitted(el, ctx, store, has);
    const appearance = appearanceOf(el);
    store.appearance.set(el, appearance);
    if (appearance === Visibility.None) return null;
    if (appearance & FLOATING) store.addLayer(el);
    const outer = this.inherit(el, ctx, appearance, has);
    const derived = this.roleFor(el, outer, has);
    const clickable = (derived === null || MAYBE_CLICKABLE.has(derived.role)) && isClickable(el, appearance);
    const role = derived ?? this.guessRole(el, outer, appearance, clickable) ?? (has & Has.Least ? minimumRole(el) : null);
    if (has & Has.Aria && hasAttr(el, "aria-owns")) owners.add(el);
    const record = this.recordFor(el, outer, role, store, has);
    const opaque = opaqueKind(el, has & Has.Annotation ? this.annotations : null);
    let entry: Entry | null = null;
    if ((appearance & 3) !== Visibility.Inside && this.isWorthPublishing(el, role, outer, opaque, has)) {
      if (store.published.size >= this.config.maxElements) store.omitted.add(el);
      else entry = this.publish(el, role ?? this.fallbackRole(el, opaque, has), outer, record, opaque, store, found, has);
      if (entry) this.addStyleAffordances(entry, appearance, clickable);
    }
    const inner = this.innerContextOf(el, outer, role, record, entry);
    if (inner !== ctx) store.innerContexts.set(el, inner);
    else store.innerContexts.delete(el);
    if (opaque !== null || isFrame(el)) return null;
    return inner;
  }

  /**
   * Count an element beyond the cap without reading it, so that the size of a page adds little to the cost of a
   * reading.
   */
  private countOmitted(el: Element, ctx: Context, store: Store, has: number): Context | null {
    store.appearance.delete(el);
    if (visibilityOf(el) === Visibility.None) return null;
    const role = this.roleFor(el, ctx, has);
    const opaque = opaqueKind(el, has & Has.Annotation ? this.annotations : null);
    if (this.isWorthPublishing(el, role, ctx, opaque, has)) store.omitted.add(el);
    if (opaque !== null || isFrame(el)) return null;
    return this.innerContextOf(el, ctx, role, ctx.record, null);
  }

  /** Read one element alone, as it is now. Return null when it would not be published. */
  readOne(el: Element, ctx: Context, store: Store): Entry | null {
    const found: Entry[] = [];
    this.visit(el, ctx, store, found);
    return found[0] ?? null;
  }

  /** Return the context below `el`, with roles and records read again. Ids of published ancestors come from `published`. */
  contextOf(el: Element, ctx: Context, scratch: Store, published: Store): Context {
    const has = attributesOf(el, this.annotations.prefix);
    const outer = this.inherit(el, ctx, appearanceOf(el), has);
    const appearance = appearanceOf(el);
    const role = this.roleFor(el, outer, has) ?? this.guessRole(el, outer, appearance, isClickable(el, appearance)) ?? (has & Has.Least ? minimumRole(el) : null);
    const record = this.recordFor(el, outer, role, scratch, has);
    return this.innerContextOf(el, outer, role, record, published.entries.get(el) ?? null);
  }

  private publish(
    el: Element, role: Role, outer: Context, record: string | undefined, opaque: OpaqueKind | null, store: Store, found: Entry[],
    has: number,
  ): Entry {
    const entry = this.evaluate(el, role, outer, record, opaque, store, has);
    store.add(entry);
    found.push(entry);
    return entry;
  }

  /** Return the context of `el`: its own attributes added to the context of its ancestors. */
  private inherit(el: Element, ctx: Context, appearance: number, has: number): Context {
    if (!(has & (Has.Inert | Has.Aria | Has.Annotation)) && !(appearance & INVISIBLE)) return ctx;
    const isInert = ctx.inert || (has & Has.Inert) !== 0;
    const hidden = ctx.ariaHidden || attr(el, "aria-hidden") === "true";
    const user = ctx.userContent || (has & Has.Annotation) !== 0 && this.annotations.has(el, "user-content");
    const concealed = ctx.concealed || (appearance & INVISIBLE) !== 0;
    if (isInert === ctx.inert && hidden === ctx.ariaHidden && user === ctx.userContent && concealed === ctx.concealed) return ctx;
    return { ...ctx, inert: isInert, ariaHidden: hidden, userContent: user, concealed: concealed };
  }

  private innerContextOf(el: Element, outer: Context, role: Role | null, record: string | undefined, entry: Entry | null): Context {
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

  roleFor(el: Element, ctx: Context, has: number): Role | null {
    if (this.isApp(el)) return isEditingHost(el) && !this.config.root ? EDITOR : APP;
    const annotated = has & Has.Annotation ? this.annotations.role(el) : undefined;
    const derived = roleOf(el, ctx.roles, has);
    if (annotated) return { ...annotated, aria: derived?.aria ?? annotated.role, source: "annotation" };
    if (isFrame(el)) return { role: "custom", customRole: "x.frame", aria: "iframe", source: "native" };
    return derived;
  }

  /** Return a guessed role of an element that can be pressed or scrolled. */
  private guessRole(el: Element, ctx: Context, appearance: number, clickable: boolean): Role | null {
    if (!(clickable || appearance & SCROLLABLE) || ctx.control || NEVER_CLICKABLE.has(localName(el))) return null;
    if (clickable) return { role: "custom", customRole: "x.clickable", aria: "generic", source: "heuristic" };
    if (!isHtml(el)) return null;
    return appearance & SCROLLABLE ? { role: "custom", customRole: "x.scrollable", aria: "generic", source: "heuristic" } : null;
  }

  /** Add the affordances that follow from style and not from the role. */
  private addStyleAffordances(entry: Entry, appearance: number, clickable: boolean): void {
    const { element } = entry;
    const mayResize = element.role === "textarea" || (appearance & SCROLLABLE) !== 0;
    if (mayResize && isHtml(entry.el) && styleOf(entry.el).resize !== "none") element.affordances = [...element.affordances, "resize"];
    if (INTERACTIVE.has(element.role) || element.source === "annotation") return;
    const more: UIAffordance[] = [];
    if (clickable && MAYBE_CLICKABLE.has(element.role)) more.push("activate");
    if (appearance & SCROLLABLE) more.push("scroll");
    const fresh = more.filter((one) => !element.affordances.includes(one));
    if (fresh.length > 0) element.affordances = [...element.affordances, ...fresh];
  }

  private isApp(el: Element): boolean {
    const tag = localName(el);
    if (tag !== "body" && tag !== "frameset" && tag !== "html" && isHtml(el)) return false;
    const doc = ownerDocument(el);
    return el === (bodyOf(doc) ?? rootElement(doc));
  }

  private fallbackRole(el: Element, opaque: OpaqueKind | null, has: number): Role {
    if (this.annotations.has(el, "route")) return { role: "route", aria: "generic", source: "annotation" };
    if (has & Has.Annotation) return { role: "custom", aria: "generic", source: "annotation" };
    return { role: "custom", customRole: opaque ? "x.opaque" : "x.host", aria: "generic", source: "heuristic" };
  }

  recordFor(el: Element, ctx: Context, role: Role | null, store: Store, has: number): string | undefined {
    if (!isRecordHost(el, role, has, this.annotations)) return ctx.record;
    const found = recordKey(el, this.annotations);
    const content = found.content;
    const key = content && ctx.concealed ? undefined : found.key;
    if (content) store.recordHosts.set(el, key ?? "");
    else store.recordHosts.delete(el);
    return key ?? ctx.record;
  }

  /** Return whether to publish an element: interactive, structure with text or scope, feedback, annotated or opaque. */
  private isWorthPublishing(el: Element, role: Role | null, ctx: Context, opaque: OpaqueKind | null, has: number): boolean {
    if (opaque !== null) return true;
    if (role === null) return (has & Has.Annotation) !== 0 || mayBeClosed(el);
    if (role.source === "annotation") return true;
    switch (role.role) {
      case "textbox":
      case "textarea":
      case "searchbox":
        return !(ctx.concealed && (attr(el, "tabindex") ?? "0").startsWith("-")); // it carries the value of a drawn one
      case "image":
        return !ctx.control && !isPixel(el);
      case "label":
        return !ctx.control;
      case "group":
        return !ctx.ariaHidden; // a frame drawn around a field, such as the outline of a MUI text field
      case "popover":
        return role.aria === "tooltip" || isPopoverOpen(el);
      case "option":
        return !inClosedSelect(el) || optionIndex(el) < MAX_OPTIONS;
      default:
        return true;
    }
  }

  /** Return everything that is published about one element, except its own text. */
  evaluate(el: Element, role: Role, ctx: Context, record: string | undefined, opaque: OpaqueKind | null, store: Store, has: number): Entry {
    const annotations = this.annotations;
    const annotated = (has & Has.Annotation) !== 0;
    const instanceId = this.identity.instance(el);
    const secret = secretKind(el, annotated);
    const state = stateOf(el, role, { inert: ctx.inert, focused: this.focused, hovered: this.hovered, has, secret: secret !== null });
    if (inClosedSelect(el)) delete state.visible;
    const marksBefore = marksDropped();
    const name = this.nameFor(el, role, secret !== null, has);
    // A field that is hidden from assistive technology belongs to the drawn one, which has the label.
    const beside = name.text === "" && attr(el, "aria-hidden") !== "true" ? nameless.read(el, fieldRole(role, state)) : "";
    if (name.text !== "") nameless.forget(el);
    const interactive = INTERACTIVE.has(role.role) || state.focusable === true || role.customRole === "x.clickable";
    const description = has & (Has.Aria | Has.Title) && (interactive || role.role === "dialog") ? descriptionOf(el, name.text) : null;
    const element: ElementNode = { instanceId, documentId: this.config.frameKey, role: role.role, state, affordances: [] };
    if (ctx.scopeId) element.scopeId = ctx.scopeId;
    if (ctx.parentId) element.parentInstanceId = ctx.parentId;
    if (ctx.shadowHostId) element.shadowHostInstanceId = ctx.shadowHostId;
    if (role.role === "custom" && role.customRole) element.customRole = role.customRole;
    if (name.text) element.name = name.text;
    if (description?.text) element.description = description.text;
    if (interactive && secret === null && name.text && (!name.visible || (name.from.length > 0 && localName(el) === "button"))) {
      // The visible text may differ from the accessible name, as on a list that shows its choice. Both are published.
      const visible = visibleText(el, role.aria);
      if (visible && visible !== name.text) element.text = visible;
    }
    element.affordances = (annotated && annotations.affordances(el)) || affordancesOf(el, role, state, has);
    if (role.source !== "native") element.source = role.source;
    if (secret !== null) this.mask(element, secret);
    const stableId = annotated ? this.annotate(el, element) : undefined;
    if (element.defaultAction && !CORE_ACTION.test(element.defaultAction) && !element.affordances.includes("invoke")) {
      element.affordances = [...element.affordances, "invoke"];
    }
    const metadata = this.metadataFor(el, role, ctx, record, name, interactive, has);
    if (metadata) element.metadata = { ...element.metadata, ...metadata };
    if (beside) element.metadata = { ...element.metadata, beside };
    if (interactive && marksDropped() !== marksBefore) element.metadata = { ...element.metadata, directionMarks: true };
    const entry: Entry = {
      el, outer: ctx, element, role, name, description: description, stableId,
      owner: secret === null && opaque === null && TEXT_OWNERS.has(role.role) && !(role.role === "label" && name.content),
    };
    const scope = this.scopeFor(el, entry, annotated, state, store);
    if (scope) entry.scope = scope;
    if (opaque !== null) entry.opaque = this.opaqueFor(el, entry, opaque);
    const collectionKind = collectionOf(entry);
    if (collectionKind) {
      entry.collection = {
        collectionId: (annotated && annotations.value(el, "collection")) || `${instanceId}c`,
        ownerInstanceId: instanceId, role: collectionKind.role, count: 0,
      };
    }
    return entry;
  }

  private nameFor(el: Element, role: Role, secret: boolean, has: number): Name {
    const given = has & Has.Annotation ? this.annotations.name(el) : undefined;
    if (given) return { ...NO_NAME, text: given, visible: false };
    // The content of a cell is its text, unless the cell itself is a target, such as a day of a calendar.
    const plainCell = role.role === "cell" && role.aria !== "columnheader" && role.aria !== "rowheader" && !(has & Has.Target);
    const namedByAriaOnly = role.role === "app" || role.role === "row" || plainCell;
    if (namedByAriaOnly) return has & Has.Aria ? labelOnly(el) : NO_NAME;
    if (role.customRole === "x.clickable") return nameOf(el, isSmall(el) ? "button" : "generic");
    const name = (has & Has.Aria) === 0 ? (plainName(el, role.aria) ?? nameOf(el, role.aria)) : nameOf(el, role.aria);
    return secret && name.content ? NO_NAME : name;
  }

  private mask(element: ElementNode, secret: string): void {
    if (element.state.textValue !== "") delete element.state.textValue;
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
    // The first element in the document keeps a shared id. `resolveStableId` decides that after the walk.
    if (stableId !== undefined) element.stableId = stableId;
    return stableId;
  }

  private metadataFor(
    el: Element, role: Role, ctx: Context, record: string | undefined, name: Name, interactive: boolean, has: number,
  ): Record<string, unknown> | undefined {
    let metadata: Record<string, unknown> | undefined;
    const set = (key: string, value: unknown): void => {
      (metadata ??= {})[key] = value;
    };
    if (record !== undefined && (interactive || isRecordHost(el, role, has, this.annotations))) set("record", record);
    if (interactive) pressFacts(el, role, has, set);
    if (role.role === "form") formFacts(el, set);
    if (interactive && (has & Has.Own) !== 0) ownAttributes(el, set);
    const { attributes, annotationPrefix } = this.config;
    const named = attributes.length > 0 && has ? namedAttributes(el, attributes, annotationPrefix) : undefined;
    if (named) set("attributes", named);
    if (interactive && name.text === "") iconFacts(el, role, set);
    if (role.aria === "heading") set("level", headingLevel(el));
    if (role.role === "cell" && role.aria.endsWith("header")) {
      set("header", role.aria === "rowheader" ? "row" : "column");
      const sort = attr(el, "aria-sort");
      if (sort !== null && sort !== "none") set("sort", token(sort));
    }
    if (ctx.ariaHidden) set("ariaHidden", true);
    const unseen = ctx.concealed || (name.text !== "" && !name.visible);
    if (unseen || ctx.userContent) {
      const text: Record<string, unknown> = { visible: !unseen };
      if (ctx.userContent) text["userGenerated"] = true;
      set("text", text);
    }
    if (role.customRole === "x.host") set("closedShadowCandidate", true);
    const was = this.identity.replacedIds.get(el);
    if (was) set("was", was);
    return metadata;
  }

  private scopeFor(el: Element, entry: Entry, annotated: boolean, state: State, store: Store): ScopeNode | undefined {
    const given = annotated ? this.annotations.value(el, "scope") : undefined;
    let kind = (annotated && this.annotations.scopeKind(el)) || scopeKindOf(entry.role.role, entry.element.name ?? "");
    if (given && !kind) kind = "custom";
    if (entry.role === EDITOR) kind = "app";
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
    if (isModal(el)) scope.state.modal = true;
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

  /** Read the own text of an element. A concealed element publishes none, because a person cannot see it. */
  readText(entry: Entry, store: Store): void {
    const text = entry.outer.concealed ? "" : ownText(entry.el, store);
    if (text && text !== entry.element.name) entry.element.text = text;
    else delete entry.element.text;
  }
}

/** Elements that name a control, or that have their own way of being operated. */
const NEVER_CLICKABLE: ReadonlySet<string> = new Set(["label", "html", "body", "select", "option", "optgroup", "textarea", "input"]);
const MAYBE_CLICKABLE: ReadonlySet<string> = new Set(["row", "listitem", "cell", "image", "group", "label", "custom"]);
const CONTROLS = "a,button,input,select,textarea,[role],[tabindex],[contenteditable]";

/** Return whether the text of an element can be its name. A card with controls inside is too large for that. */
function isSmall(el: Element): boolean {
  return contentOf(el).length <= 200 && queryAll(el, CONTROLS).length === 0;
}

/** Return whether an image without a name is one pixel large: it reports a visit and shows nothing. */
function isPixel(el: Element): boolean {
  return Number(attr(el, "width") ?? "2") <= 1 && !hasAttr(el, "alt") && !isNamedByAuthor(el);
}

/** The actions of the protocol. All others are actions of the application. */
const CORE_ACTION = /^(?:ui|nav|app|x\.uiap)\./;
/** The body of a frame that an editor writes in. */
const EDITOR: Role = { role: "textarea", aria: "textbox", source: "native" };
const APP: Role = { role: "app", aria: "document", source: "native" };
const MAX_OPTIONS = 500;

function advance(frame: Frame): Element | null {
  if (frame.assigned) return frame.assigned[frame.index++] ?? null;
  const el = frame.next;
  if (el !== null) frame.next = nextElement(el);
  return el;
}

/** Return a frame for the flat-tree children of an element, or null when it has none. */
function frameBelow(el: Element, ctx: Context): Frame | null {
  const shadow = shadowOf(el);
  let next: Element | null;
  if (shadow) next = shadowElement(shadow);
  else {
    if (localName(el) === "slot" && el instanceof HTMLSlotElement) {
      const assigned = assignedNodes(el).filter(isElement);
      if (assigned.length > 0) return { next: null, assigned, index: 0, ctx };
      // A slot with assigned text does not show its own children.
      if (assignedNodes(el).length > 0) return null;
    }
    next = firstElement(el);
  }
  return next === null ? null : { next, assigned: null, index: 0, ctx };
}

function optionIndex(el: Element): number {
  return el instanceof HTMLOptionElement ? el.index : 0;
}

function labelOnly(el: Element): Name {
  if (!hasAttr(el, "aria-label") && !hasAttr(el, "aria-labelledby")) return NO_NAME;
  return nameOf(el, "none");
}

