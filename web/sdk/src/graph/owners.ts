/** `aria-owns`: an owned element counts as a child of its owner, and no longer as one of its parent. */

import { attr, byId, closestMatch, contains, isConnected, queryAll, rootElement } from "../dom.ts";
import { Visibility, visibilityOf } from "./visibility.ts";

class Owners {
  private readonly byOwned = new Map<string, Element>();

  /** Index the document again. */
  reset(doc: Document): void {
    this.byOwned.clear();
    const root = rootElement(doc);
    if (root) for (const owner of queryAll(root, "[aria-owns]")) this.add(owner);
  }

  /** Index one element. The first owner of an id keeps it. */
  add(owner: Element): void {
    for (const id of idsOf(owner)) if (!this.isOwner(this.byOwned.get(id), id)) this.byOwned.set(id, owner);
  }

  /** Return the element that owns `el`, or null. */
  ownerOf(el: Element): Element | null {
    if (this.byOwned.size === 0) return null;
    const id = attr(el, "id");
    const owner = id === null ? undefined : this.byOwned.get(id);
    return id !== null && this.isOwner(owner, id) && !contains(el, owner) && byId(owner, id) === el && !isHidden(owner) ? owner : null;
  }

  private isOwner(owner: Element | undefined, id: string): owner is Element {
    return owner !== undefined && isConnected(owner) && idsOf(owner).includes(id);
  }
}

/** Return whether assistive technology cannot see an element: it owns nothing then. */
function isHidden(owner: Element): boolean {
  return visibilityOf(owner) === Visibility.None || closestMatch(owner, "[aria-hidden=true]") !== null;
}

/** Return the ids that an element owns. */
export function idsOf(owner: Element): string[] {
  return (attr(owner, "aria-owns") ?? "").split(/\s+/).filter(Boolean);
}

export const owners = new Owners();
