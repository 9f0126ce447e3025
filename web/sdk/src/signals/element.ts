/** Signals for annotated elements that appeared or disappeared; for all others the delta is enough. */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import type { Signal } from "../types.ts";

export function* elementSignals(changes: Changes, page: Page): Generator<Signal> {
  for (const { element } of changes.removed(page.store)) {
    if (element?.stableId) yield { kind: "element.disappeared", instanceId: element.instanceId, stableId: element.stableId };
  }
  for (const { element } of changes.added(page.store)) {
    if (element.stableId) yield { kind: "element.appeared", instanceId: element.instanceId, stableId: element.stableId };
  }
}
