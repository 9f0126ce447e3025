/** Signals for dialogs, drawers and popovers that a flush found opened or closed. */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import { DIALOGS } from "../graph/scopes.ts";
import { dialogLevel } from "./level.ts";
import type { ScopeNode, Signal } from "../types.ts";

function dialogSignal(kind: string, scope: ScopeNode): Signal {
  return { kind, scopeId: scope.scopeId, ...(scope.stableId && { stableId: scope.stableId }) };
}

function* opened(el: Element, scope: ScopeNode): Generator<Signal> {
  yield dialogSignal("dialog.opened", scope);
  const level = dialogLevel(el);
  if (level) yield { kind: "custom", name: "message.dialog", payload: { scopeId: scope.scopeId, level } };
}

export function* dialogSignals(changes: Changes, page: Page): Generator<Signal> {
  for (const { scope } of changes.removed(page.store)) {
    if (scope && DIALOGS.has(scope.kind) && !page.store.scopes.has(scope.scopeId)) yield dialogSignal("dialog.closed", scope);
  }
  for (const entry of changes.added(page.store)) if (entry.scope && DIALOGS.has(entry.scope.kind)) yield* opened(entry.el, entry.scope);
  for (const [old, entry] of changes.kept(page.store)) {
    const was = old.scope && DIALOGS.has(old.scope.kind);
    const is = entry.scope && DIALOGS.has(entry.scope.kind);
    if (was && !is) yield dialogSignal("dialog.closed", old.scope!);
    else if (!was && is) yield* opened(entry.el, entry.scope!);
  }
}
