/**
 * Changes of other code that a flush reads along with those of an input. A class on the root makes the publisher read
 * everything, and so also what a timer changed a moment before. Such changes must not count as effects of the input.
 */

import { eachElement, elementAbove, isElement } from "../dom.ts";
import type { Store } from "../graph/store.ts";
import type { Changes } from "./diff.ts";
import type { DirtySet } from "./dirty.ts";

const MAX_REMOVED = 200;

export class ForeignChanges {
  private readonly removed: string[] = [];

  /** Created before the changes of `own` are read: what was removed is known only until then. */
  constructor(
    private readonly own: DirtySet,
    private readonly others: readonly DirtySet[],
    private readonly store: Store,
  ) {
    for (const other of others) for (const node of [...other.removed].slice(0, MAX_REMOVED)) this.keepRemoved(node);
  }

  private keepRemoved(node: Node): void {
    if (!isElement(node) || this.own.removed.has(node)) return;
    eachElement(node, (el) => {
      const entry = this.store.entries.get(el);
      if (entry) this.removed.push(entry.element.instanceId);
    });
  }

  /** Return the ids of elements and scopes that other code changed. */
  ids(changes: Changes): string[] {
    const found = [...this.removed];
    const add = ({ element, scope }: { element: { instanceId: string }; scope?: { scopeId: string } }): void => {
      found.push(element.instanceId, ...(scope ? [scope.scopeId] : []));
    };
    for (const entry of changes.added(this.store)) if (this.isAddedByOthers(entry.el)) add(entry);
    for (const [, entry] of changes.kept(this.store)) if (this.isTouchedByOthers(entry.el)) add(entry);
    return found;
  }

  private isAddedByOthers(el: Element): boolean {
    for (let above: Element | null = el; above; above = elementAbove(above)) {
      if (this.own.added.has(above) || this.own.trees.has(above)) return false;
      if (this.others.some((other) => other.added.has(above))) return true;
    }
    return false;
  }

  private isTouchedByOthers(el: Element): boolean {
    const touches = (set: DirtySet): boolean =>
      set.touched.has(el) || set.nodes.has(el) || [...el.childNodes].some((node) => set.touched.has(node) || set.added.has(node));
    return !touches(this.own) && this.others.some(touches);
  }
}
