/**
 * Whether a listener handles the press of a real link, so that following its address is not all that the press does.
 *
 * Routers and counters of visits listen on every link. A listener that is on links with different labels to different
 * addresses says nothing about one of them. A listener of one link, or of one kind of links, does.
 */

import { attr, contentOf, isElement, localName } from "../dom.ts";
import { clean, href } from "./text.ts";

const ENOUGH_LINKS = 3;
const MAX_LOOKED = 40;
const MAX_WAITING = 500;
const GENERAL = /^(?:a|area|\[href[^\]]*\])(?:\[(?:href|target|rel|download)[^\]]*\]|:not\([^)]*\)|:(?:any-)?link)*$/i;

/** How a press of a link is handled: by a request, by a listener of its own, by one that it shares, or not at all. */
export type Handling = "request" | "onclick" | "shared" | "";

export function isRealLink(el: Node): el is Element {
  if (!isElement(el)) return false;
  const tag = localName(el);
  return (tag === "a" || tag === "area") && attr(el, "href") !== null;
}

/** Return the stricter one of two kinds of handling. */
export function stricter(one: Handling, other: Handling): Handling {
  const order: readonly Handling[] = ["", "shared", "onclick", "request"];
  return order.indexOf(one) > order.indexOf(other) ? one : other;
}

/** The links of each listener, until there are enough different ones. */
class Kinds {
  private readonly labels = new Set<string>();
  private readonly addresses = new Set<string>();
  private waiting: WeakRef<Element>[] = [];
  isShared = false;

  /** Count a link. Return the links that were read before the listener was known to be shared. */
  add(el: Element): Element[] {
    if (this.isShared) return [];
    const label = labelOf(el);
    if (label) {
      this.labels.add(label);
      this.addresses.add(addressOf(el));
    }
    this.isShared = this.labels.size >= ENOUGH_LINKS && this.addresses.size >= ENOUGH_LINKS;
    if (!this.isShared) {
      if (this.waiting.length < MAX_WAITING) this.waiting.push(new WeakRef(el));
      return [];
    }
    const before = this.waiting.map((one) => one.deref()).filter((one) => one !== undefined && one !== el);
    this.waiting = [];
    this.labels.clear();
    this.addresses.clear();
    return [...new Set(before)] as Element[];
  }
}

class SharedHandlers {
  private readonly kinds = new Map<number, Kinds>();
  private stale: Element[] = [];

  /** Return how a listener with this code handles a link, and count the link. */
  handling(el: Element, code: number | string): Handling {
    if (code === "w") return "request";
    if (typeof code !== "number") return "";
    if (code < 0) return "onclick";
    let kinds = this.kinds.get(code);
    if (!kinds) this.kinds.set(code, (kinds = new Kinds()));
    this.stale.push(...kinds.add(el));
    return kinds.isShared ? "shared" : "onclick";
  }

  /** Return the links to read again, because their listener turned out to be shared. */
  takeStale(): Element[] {
    const found = this.stale;
    this.stale = [];
    return found;
  }
}

export const sharedHandlers = new SharedHandlers();

/** Return whether a selector is for all links of the page, as that of a router is. */
export function isGeneral(selector: string): boolean {
  return selector.split(/,(?![^([]*[)\]])/).every((part) => GENERAL.test(part.trim()));
}

/** Return whether there are links with different labels to different addresses among these. */
export function areDifferent(links: ArrayLike<Element>): boolean {
  const labels = new Set<string>();
  const addresses = new Set<string>();
  for (let at = 0; at < Math.min(links.length, MAX_LOOKED); at++) {
    const el = links[at]!;
    if (!isRealLink(el) || !labelOf(el)) continue;
    labels.add(labelOf(el));
    addresses.add(addressOf(el));
  }
  return labels.size >= ENOUGH_LINKS && addresses.size >= ENOUGH_LINKS;
}

function labelOf(el: Element): string {
  return attr(el, "aria-label") ?? clean(contentOf(el).slice(0, 200));
}

function addressOf(el: Element): string {
  return href(attr(el, "href") ?? "");
}
