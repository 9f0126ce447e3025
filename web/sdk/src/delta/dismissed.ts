/**
 * Layers over the page, such as menus and popups, that close because a press went elsewhere. Most pages close them on any
 * press, so that a closed layer proves nothing about the pressed control. Escape is pressed to close them.
 */

import { closestMatch, composedContains, composedParent, eachElement, isConnected } from "../dom.ts";
import { isOpener, type PointerPress } from "../guard/focus.ts";
import type { Page } from "../graph/page.ts";
import type { Entry } from "../graph/store.ts";
import { isShown } from "../graph/visibility.ts";

const POPUP = "[role=menu],[role=listbox],[role=tooltip],[role=dialog],[popover]";

export class DismissedLayers {
  /** The control whose press opened each layer. A second press on it closes the layer on purpose. */
  private readonly openers = new WeakMap<Element, Element>();
  private readonly known = new WeakSet<Element>();

  constructor(private readonly page: Pick<Page, "store">) {}

  /** Return the ids of all that a layer held which is closed now. Called before the changes are read. */
  ids(press: PointerPress): string[] {
    const { el } = press;
    if (!el || press.closes || isOpener(el)) return [];
    const closed = [...this.page.store.layers].filter((layer) => !isConnected(layer) || !isShown(layer));
    for (const layer of closed) this.page.store.layers.delete(layer);
    const outer = closed.filter((layer) => !closed.some((other) => other !== layer && composedContains(other, layer)));
    const popups = outer.filter((layer) => !composedContains(layer, el) && this.openers.get(layer) !== el && !isRow(layer, outer));
    return popups.flatMap((layer) => this.inside(layer));
  }

  /** Remember which press opened the layers that are new. Called after the changes were read. */
  remember(press: PointerPress | null): void {
    for (const layer of this.page.store.layers) {
      if (press?.el && !this.known.has(layer)) this.openers.set(layer, press.el);
      this.known.add(layer);
    }
  }

  private inside(layer: Element): string[] {
    const found: string[] = [];
    eachElement(layer, (el) => {
      const entry = this.page.store.entries.get(el);
      if (entry) found.push(...idsOf(entry));
    });
    return found;
  }
}

function idsOf({ element, scope, collection }: Entry): string[] {
  return [element.instanceId, ...(scope ? [scope.scopeId] : []), ...(collection ? [collection.collectionId] : [])];
}

/** Return whether the layer is one of several rows: lists that scroll place each row by itself. */
function isRow(layer: Element, closed: readonly Element[]): boolean {
  if (closestMatch(layer, POPUP)) return false;
  const parent = composedParent(layer);
  return parent !== null && closed.some((other) => other !== layer && composedParent(other) === parent);
}
