/**
 * Regions that this script cannot or must not read: frames of another origin, canvas, plug-ins, closed shadow roots.
 */

import { attr, firstChild, hasAttr, isHtml, localName, shadowOf } from "../dom.ts";
import type { OpaqueRegion } from "../types.ts";
import type { Annotations } from "./annotations.ts";

export type OpaqueKind = OpaqueRegion["kind"];

/** Hosts of closed shadow roots, found by the driver; a script cannot detect them. */
export const closedHosts = new WeakSet<Element>();

export function isFrame(el: Element): boolean {
  const tag = localName(el);
  return isHtml(el) && (tag === "iframe" || tag === "frame" || tag === "fencedframe");
}

function isReachable(el: Element): boolean {
  try {
    return (el as HTMLIFrameElement).contentDocument !== null;
  } catch {
    return false;
  }
}

export function opaqueKind(el: Element, annotations: Annotations | null): OpaqueKind | null {
  if (annotations?.has(el, "opaque")) return "unknown";
  if (closedHosts.has(el)) return "closed_shadow";
  if (!isHtml(el)) return null;
  switch (localName(el)) {
    case "iframe":
    case "frame":
      return isReachable(el) ? null : "cross_origin_frame";
    case "fencedframe":
      return "cross_origin_frame";
    case "canvas":
      return "canvas";
    case "object":
    case "embed":
      return hasAttr(el, "data") || hasAttr(el, "src") ? "plugin" : null;
    default:
      return null;
  }
}

/** Return the origin that a frame's markup asks for. Only the driver knows the origin that it shows now. */
export function frameOrigin(el: Element): string | undefined {
  const raw = attr(el, "src") ?? attr(el, "data");
  if (!raw) return undefined;
  try {
    const origin = new URL(raw, location.href).origin;
    return origin === "null" ? undefined : origin;
  } catch {
    return undefined;
  }
}

/** Return whether a custom element may hold a closed shadow root: it has no children and no open root. */
export function mayBeClosed(el: Element): boolean {
  if (!isHtml(el) || !localName(el).includes("-")) return false;
  return shadowOf(el) === null && firstChild(el) === null;
}
