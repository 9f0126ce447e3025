/**
 * Compares the objects that a flush touched, before and after, and builds the delta (removed, added, merge patches).
 */

import type { Delta, ElementNode, NodeDelta } from "../types.ts";
import type { Entry, Store } from "../graph/store.ts";

type Parts = Pick<Entry, "element" | "scope" | "collection" | "opaque">;
type Plain = Record<string, unknown>;
type Kind = "elements" | "scopes" | "collections" | "opaqueRegions";

const KINDS: readonly [Kind, keyof Parts, string][] = [
  ["scopes", "scope", "scopeId"],
  ["elements", "element", "instanceId"],
  ["collections", "collection", "collectionId"],
  ["opaqueRegions", "opaque", "regionId"],
];

export class Changes {
  private readonly before = new Map<string, Partial<Parts> | null>();
  private readonly readOrder = new Set<string>();
  /** Elements that moved among their siblings. */
  readonly moved = new Set<string>();

  /** Keep the published state of an entry, before its first change. */
  touch(entry: Entry): void {
    const id = entry.element.instanceId;
    if (this.before.has(id)) return;
    const { element, scope, collection, opaque } = entry;
    this.before.set(id, { element, ...(scope && { scope }), ...(collection && { collection }), ...(opaque && { opaque }) });
  }

  /** Record an entry that this flush read, in document order: parents before children. */
  markRead(entry: Entry): void {
    const id = entry.element.instanceId;
    this.readOrder.delete(id);
    this.readOrder.add(id);
    if (!this.before.has(id)) this.before.set(id, null);
  }

  has(id: string): boolean {
    return this.before.has(id);
  }

  wasPublished(id: string): boolean {
    return (this.before.get(id) ?? null) !== null;
  }

  *removed(store: Store): Generator<Partial<Parts>> {
    for (const [id, old] of this.before) if (old && !store.published.has(id)) yield old;
  }

  *added(store: Store): Generator<Entry> {
    for (const [id, old] of this.before) {
      const entry = store.published.get(id);
      if (entry && old === null) yield entry;
    }
  }

  *kept(store: Store): Generator<[Partial<Parts>, Entry]> {
    for (const [id, old] of this.before) {
      const entry = store.published.get(id);
      if (entry && old) yield [old, entry];
    }
  }

  compile(store: Store, after: (entry: Entry) => string | null | undefined): Delta {
    const delta: Delta = {};
    for (const [kind, part, key] of KINDS) {
      const change = this.compare(store, part, key, kind === "elements" ? after : undefined);
      if (change) (delta as Record<string, unknown>)[kind] = change;
    }
    return delta;
  }

  private hasMoved(was: ElementNode, now: ElementNode): boolean {
    return this.moved.has(now.instanceId) || was.parentInstanceId !== now.parentInstanceId;
  }

  private compare(store: Store, part: keyof Parts, key: string, after?: (entry: Entry) => string | null | undefined): NodeDelta<object> | null {
    const removed: string[] = [];
    const added: object[] = [];
    const updated: NodeDelta<object>["updated"] = [];
    const keyOf = (node: object): string => (node as Record<string, string>)[key]!;
    for (const id of new Set([...this.readOrder, ...this.before.keys()])) {
      const entry = store.published.get(id);
      const was = this.before.get(id)?.[part];
      const now = entry?.[part];
      const moved = after !== undefined && was !== undefined && now !== undefined && this.hasMoved(was as ElementNode, now as ElementNode);
      if (was && (!now || keyOf(was) !== keyOf(now) || moved)) removed.push(keyOf(was));
      if (now && (!was || keyOf(was) !== keyOf(now) || moved)) added.push(after ? withPosition(now as ElementNode, after(entry!)) : now);
      else if (was && now) {
        const patch = mergePatch(was as object as Plain, now as object as Plain);
        if (patch) updated.push({ key: keyOf(now), patch });
      }
    }
    if (removed.length + added.length + updated.length === 0) return null;
    if (after) sortForInsertion(added as ElementNode[]);
    return { ...(removed.length && { removed }), ...(added.length && { added }), ...(updated.length && { updated }) };
  }
}

/**
 * Sort parents before children, and each element after the sibling it names, so that the driver can insert them one by
 * one.
 */
function sortForInsertion(added: ElementNode[]): void {
  const waiting = new Map<string, ElementNode[]>();
  const left = new Set(added.map((element) => element.instanceId));
  const queue = [...added];
  added.length = 0;
  const emit = (first: ElementNode): void => {
    const ready = [first];
    for (let element = ready.pop(); element; element = ready.pop()) {
      const needs = [element.parentInstanceId, element.metadata?.["after"] as string | null | undefined];
      const missing = needs.find((id) => id != null && left.has(id));
      if (missing != null) {
        const others = waiting.get(missing);
        if (others) others.push(element);
        else waiting.set(missing, [element]);
        continue;
      }
      added.push(element);
      left.delete(element.instanceId);
      ready.push(...(waiting.get(element.instanceId) ?? []).reverse());
      waiting.delete(element.instanceId);
    }
  };
  for (const element of queue) emit(element);
}

/** Add the sibling before it. A new published parent is a move too, and only an addition can carry a position. */
function withPosition(element: ElementNode, after: string | null | undefined): ElementNode {
  return after === undefined ? element : { ...element, metadata: { ...element.metadata, after } };
}

/**
 * Return a merge patch (RFC 7396): null removes, objects merge, everything else is replaced. Return null when nothing
 * differs.
 */
export function mergePatch(was: Plain, now: Plain): Plain | null {
  if (was === now) return null;
  let patch: Plain | null = null;
  for (const key of Object.keys(now)) {
    const a = was[key];
    const b = now[key];
    if (a === b) continue;
    if (isObject(a) && isObject(b)) {
      const inner = mergePatch(a, b);
      if (inner) (patch ??= {})[key] = inner;
    } else if (!sameArray(a, b)) (patch ??= {})[key] = b;
  }
  for (const key of Object.keys(was)) if (!(key in now)) (patch ??= {})[key] = null;
  return patch;
}

function isObject(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sameArray(a: unknown, b: unknown): boolean {
  return Array.isArray(a) && Array.isArray(b) && a.length === b.length && JSON.stringify(a) === JSON.stringify(b);
}
