/** Dialogs, drawers and popovers that opened or closed, from what a flush found. */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import { DIALOGS } from "../graph/scopes.ts";
import type { ScopeNode, Signal } from "../types.ts";

function said(kind: string, scope: ScopeNode): Signal {
  return { kind, scopeId: scope.scopeId, ...(scope.stableId && { stableId: scope.stableId }) };
}

export function* dialogSignals(changes: Changes, page: Page): Generator<Signal> {
  for (const { scope } of changes.gone(page.store)) {
    if (scope && DIALOGS.has(scope.kind) && !page.store.scopes.has(scope.scopeId)) yield said("dialog.closed", scope);
  }
  for (const { scope } of changes.came(page.store)) if (scope && DIALOGS.has(scope.kind)) yield said("dialog.opened", scope);
  for (const [old, entry] of changes.stayed(page.store)) {
    const was = old.scope && DIALOGS.has(old.scope.kind);
    const is = entry.scope && DIALOGS.has(entry.scope.kind);
    if (was && !is) yield said("dialog.closed", old.scope!);
    else if (!was && is) yield said("dialog.opened", entry.scope!);
  }
}
