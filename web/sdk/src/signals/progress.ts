/**
 * Signals for loading that began or ended: aria-busy, indeterminate progress, spinners (MDM-R3b), as `x.uiap.loading`.
 */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import type { ElementNode, Signal } from "../types.ts";

const isLoading = (element: ElementNode | undefined): boolean => element?.state.busy === true || element?.state.loading === true;

function loadingSignal(element: ElementNode, loading: boolean): Signal {
  return { kind: "custom", name: "x.uiap.loading", payload: { loading, instanceId: element.instanceId, role: element.role } };
}

export function* progressSignals(changes: Changes, page: Page): Generator<Signal> {
  for (const { element } of changes.removed(page.store)) if (isLoading(element)) yield loadingSignal(element!, false);
  for (const { element } of changes.added(page.store)) if (isLoading(element)) yield loadingSignal(element, true);
  for (const [{ element: old }, { element }] of changes.kept(page.store)) {
    if (isLoading(old) !== isLoading(element)) yield loadingSignal(element, isLoading(element));
  }
}
