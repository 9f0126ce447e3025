/**
 * Links a re-created node to the removed node it replaces.
 *
 * It is the same control if exactly one removed node had the same scope, role, meaning or name, and record. A control
 * with a state of its own (checked, pressed, open, a value) may have no name, or another one than before: then scope,
 * role and record must be the same, and its position among those of the same kind decides.
 */

import type { Changes } from "../delta/diff.ts";
import { precedes } from "../dom.ts";
import type { ElementNode, ScopeNode } from "../types.ts";
import { elementNumber } from "./identity.ts";
import type { Page } from "./page.ts";
import type { Entry } from "./store.ts";

/** Limits for remembering removed elements. Some frameworks remove an element first and add its replacement later. */
const KEEP_MS = 2_000;
const KEEP = 2_000;

interface RemovedNode {
  id: string;
  key: string;
  place: string;
  at: number;
}

const SIGNS_AROUND = /^[\p{S}\p{P}\s]+|[\p{S}\p{P}\s]+$/gu;
const STATES = ["checked", "pressed", "expanded", "textValue", "numericValue"] as const;

export class Replacements {
  private removed: RemovedNode[] = [];
  /** Scopes that the current flush removed. */
  private removedScopes = new Map<string, ScopeNode>();

  constructor(private readonly page: Page) {}

  link(changes: Changes): void {
    const now = performance.now();
    const added = [...changes.added(this.page.store)].filter((entry) => !this.page.identity.replacedIds.has(entry.el));
    this.removed = this.removed.filter((old) => now - old.at < KEEP_MS);
    this.removedScopes.clear();
    for (const { scope } of changes.removed(this.page.store)) if (scope) this.removedScopes.set(scope.scopeId, scope);
    for (const old of changes.removed(this.page.store)) {
      if (!old.element) continue;
      const [key, place] = [this.key(old.element), this.place(old.element)];
      if (key || place) this.removed.push({ id: old.element.instanceId, key, place, at: now });
    }
    if (this.removed.length > KEEP) this.removed = this.removed.slice(-KEEP);
    if (added.length > 0 && this.removed.length > 0) this.match(added);
  }

  private match(added: Entry[]): void {
    const old = groupBy(this.removed, (removed) => removed.key);
    for (const [key, entries] of groupBy(added, (entry) => this.key(entry.element))) {
      const before = old.get(key);
      if (key && entries.length === 1 && before?.length === 1) this.connect(entries[0]!, before[0]!);
    }
    this.matchPlaces(added.filter((entry) => !this.page.identity.replacedIds.has(entry.el)));
  }

  /** Link the controls of one place in their order, if as many were added as removed. */
  private matchPlaces(added: Entry[]): void {
    const old = groupBy(this.removed, (removed) => removed.place);
    for (const [place, entries] of groupBy(added, (entry) => this.place(entry.element))) {
      const before = old.get(place);
      if (!place || before?.length !== entries.length) continue;
      entries.sort((one, other) => (precedes(one.el, other.el) ? -1 : 1));
      before.sort((one, other) => elementNumber(one.id) - elementNumber(other.id));
      entries.forEach((entry, index) => this.connect(entry, before[index]!));
    }
  }

  private connect(entry: Entry, before: RemovedNode): void {
    const was = before.id;
    if (was === entry.element.instanceId) return;
    this.page.identity.replacedIds.set(entry.el, was);
    entry.element = { ...entry.element, metadata: { ...entry.element.metadata, was } };
    this.removed = this.removed.filter((removed) => removed.id !== was);
  }

  /** Return the place of a control with a state: scope path by kind and name, role, and record. */
  private place(element: ElementNode): string {
    if (!STATES.some((name) => element.state[name] !== undefined)) return "";
    const record = (element.metadata?.["record"] as string | undefined) ?? "";
    return [this.path(element.scopeId), element.role, record].join("\n");
  }

  /** Return the key that survives a re-creation: scope path by kind and name, role, meaning or name, and record. */
  private key(element: ElementNode): string {
    const label = element.meaning ?? withoutSigns(element.name ?? "");
    if (!label) return "";
    const record = (element.metadata?.["record"] as string | undefined) ?? "";
    return [this.path(element.scopeId), element.role, label, record].join("\n");
  }

  private path(scopeId: string | undefined): string {
    let path = "";
    for (let id = scopeId, steps = 0; id !== undefined && steps < 100; steps++) {
      const scope: ScopeNode | undefined = this.page.store.scopes.get(id)?.scope ?? this.removedScopes.get(id);
      if (!scope) break;
      path += `/${scope.kind}:${scope.name ?? ""}`;
      id = scope.parentScopeId;
    }
    return path;
  }
}

/** Return a name without the signs around it, such as the arrow of a branch, which changes when it opens. */
function withoutSigns(name: string): string {
  return name.replace(SIGNS_AROUND, "") || name;
}

function groupBy<T>(items: T[], key: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const group = found.get(name);
    if (group) group.push(item);
    else found.set(name, [item]);
  }
  return found;
}
