/**
 * Links a re-created node to the removed node it replaces, when exactly one removed node had the same meaning and
 * record key.
 */

import type { Changes } from "../delta/diff.ts";
import type { ElementNode, ScopeNode } from "../types.ts";
import type { Page } from "./page.ts";
import type { Entry } from "./store.ts";

/** Limits for remembering removed elements. Some frameworks remove an element first and add its replacement later. */
const KEEP_MS = 2_000;
const KEEP = 2_000;

interface RemovedNode {
  id: string;
  key: string;
  at: number;
}

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
      const key = old.element && this.key(old.element);
      if (key) this.removed.push({ id: old.element!.instanceId, key, at: now });
    }
    if (this.removed.length > KEEP) this.removed = this.removed.slice(-KEEP);
    if (added.length > 0 && this.removed.length > 0) this.match(added);
  }

  private match(added: Entry[]): void {
    const old = groupBy(this.removed, (removed) => removed.key);
    const fresh = groupBy(added, (entry) => this.key(entry.element));
    for (const [key, entries] of fresh) {
      const before = old.get(key);
      if (!key || entries.length !== 1 || before?.length !== 1) continue;
      const [entry] = entries;
      const was = before[0]!.id;
      if (was === entry!.element.instanceId) continue;
      this.page.identity.replacedIds.set(entry!.el, was);
      entry!.element = { ...entry!.element, metadata: { ...entry!.element.metadata, was } };
      this.removed = this.removed.filter((removed) => removed.id !== was);
    }
  }

  /** Return the key that survives a re-creation: scope path by kind and name, role, meaning or name, and record. */
  private key(element: ElementNode): string {
    const label = element.meaning ?? element.name;
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
