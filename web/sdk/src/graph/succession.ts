/** A re-created node stands for an earlier one when exactly one old node had its semantic and record key (HOUSE 4). */

import type { Changes } from "../delta/diff.ts";
import type { ElementNode, ScopeNode } from "../types.ts";
import type { Page } from "./page.ts";
import type { Entry } from "./store.ts";

/** Removed elements are remembered this long and this many, for frameworks that remove first and add later. */
const KEEP_MS = 2_000;
const KEEP = 2_000;

interface Gone {
  id: string;
  key: string;
  at: number;
}

export class Succession {
  private gone: Gone[] = [];
  /** Scopes that went in the flush at hand. */
  private lost = new Map<string, ScopeNode>();

  constructor(private readonly page: Page) {}

  name(changes: Changes): void {
    const now = performance.now();
    const came = [...changes.came(this.page.store)].filter((entry) => !this.page.identity.was.has(entry.el));
    this.gone = this.gone.filter((old) => now - old.at < KEEP_MS);
    this.lost.clear();
    for (const { scope } of changes.gone(this.page.store)) if (scope) this.lost.set(scope.scopeId, scope);
    for (const old of changes.gone(this.page.store)) {
      const key = old.element && this.key(old.element);
      if (key) this.gone.push({ id: old.element!.instanceId, key, at: now });
    }
    if (this.gone.length > KEEP) this.gone = this.gone.slice(-KEEP);
    if (came.length > 0 && this.gone.length > 0) this.match(came);
  }

  private match(came: Entry[]): void {
    const old = countBy(this.gone, (gone) => gone.key);
    const fresh = countBy(came, (entry) => this.key(entry.element));
    for (const [key, entries] of fresh) {
      const before = old.get(key);
      if (!key || entries.length !== 1 || before?.length !== 1) continue;
      const [entry] = entries;
      const was = before[0]!.id;
      if (was === entry!.element.instanceId) continue;
      this.page.identity.was.set(entry!.el, was);
      entry!.element = { ...entry!.element, metadata: { ...entry!.element.metadata, was } };
      this.gone = this.gone.filter((gone) => gone.id !== was);
    }
  }

  /** Scope path by kind and name, role, meaning or name, record: what outlives the node. */
  private key(element: ElementNode): string {
    const said = element.meaning ?? element.name;
    if (!said) return "";
    const record = (element.metadata?.["record"] as string | undefined) ?? "";
    return [this.path(element.scopeId), element.role, said, record].join("\n");
  }

  private path(scopeId: string | undefined): string {
    let path = "";
    for (let id = scopeId, steps = 0; id !== undefined && steps < 100; steps++) {
      const scope: ScopeNode | undefined = this.page.store.scopes.get(id)?.scope ?? this.lost.get(id);
      if (!scope) break;
      path += `/${scope.kind}:${scope.name ?? ""}`;
      id = scope.parentScopeId;
    }
    return path;
  }
}

function countBy<T>(items: T[], key: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) {
    const name = key(item);
    const known = found.get(name);
    if (known) known.push(item);
    else found.set(name, [item]);
  }
  return found;
}
