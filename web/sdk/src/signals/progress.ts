/** Loading that began or ended: aria-busy, indeterminate progress, spinners (MDM-R3b), as `x.uiap.loading`. */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import type { ElementNode, Signal } from "../types.ts";

const loads = (element: ElementNode | undefined): boolean => element?.state.busy === true || element?.state.loading === true;

function said(element: ElementNode, loading: boolean): Signal {
  return { kind: "custom", name: "x.uiap.loading", payload: { loading, instanceId: element.instanceId, role: element.role } };
}

export function* progressSignals(changes: Changes, page: Page): Generator<Signal> {
  for (const { element } of changes.gone(page.store)) if (loads(element)) yield said(element!, false);
  for (const { element } of changes.came(page.store)) if (loads(element)) yield said(element, true);
  for (const [{ element: old }, { element }] of changes.stayed(page.store)) {
    if (loads(old) !== loads(element)) yield said(element, loads(element));
  }
}
