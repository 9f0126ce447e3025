/** Whether an element can be seen, by style alone: nothing here forces layout. */

import {
  attributeNames, checkVisibility, closestMatch, composedParent, hasAttr, hasAttributes, isHtml, localName,
  styleMapOf, styleOf,
} from "../dom.ts";

export const enum Shown {
  /** Not rendered, and neither is anything inside. */
  None = 0,
  /** Not visible itself, but children may be (`visibility: hidden`). */
  Inside = 1,
  /** No box of its own, children rendered as its parent's (`display: contents`). */
  Contents = 2,
  Full = 3,
}

const WITH_VISIBILITY: CheckVisibilityOptions = { visibilityProperty: true };
const WITH_OPACITY: CheckVisibilityOptions = { opacityProperty: true };
const WITH_BOTH: CheckVisibilityOptions = { opacityProperty: true, visibilityProperty: true };

export function shown(el: Element): Shown {
  if (checkVisibility(el, WITH_VISIBILITY)) return Shown.Full;
  if (checkVisibility(el)) return Shown.Inside;
  const style = styleOf(el);
  if (style.display !== "contents") return Shown.None;
  const parent = composedParent(el);
  if (parent && !checkVisibility(parent) && styleOf(parent).display !== "contents") return Shown.None;
  return style.visibility === "visible" ? Shown.Contents : Shown.Inside;
}

/** Set beside `Shown` when an element is rendered but nobody can see what it says. */
export const UNSEEN = 4;

/** Set beside `Shown` when the pointer says that a press does something here, and when the content can be scrolled. */
export const POINTED = 8;
export const SCROLLS = 16;
/** Everything about being seen, and nothing about what can be done. */
export const SIGHT = 7;

/** `Shown`, plus `UNSEEN`, `POINTED` and `SCROLLS`: everything style decides about an element, in one number that can be compared later. */
export function look(el: Element): number {
  // Options of a closed select have no box; they are there to be chosen as long as their select is.
  if (inClosedSelect(el)) return checkVisibility(closestMatch(el, "select")!, WITH_VISIBILITY) ? Shown.Full : Shown.None;
  // One question where nothing is special, which is nearly everywhere.
  const plain = checkVisibility(el, WITH_BOTH);
  const how = plain ? Shown.Full : shown(el);
  if (how === Shown.None || !styled(el, plain)) return how;
  const style = styleOf(el);
  const unseen = (!plain && transparent(el)) || concealed(el, style) ? UNSEEN : 0;
  return how | unseen | (style.cursor === "pointer" ? POINTED : 0) | (SCROLLING.test(style.overflow) ? SCROLLS : 0);
}

/** Rows and items are pressed as often as not, and styled from far away. */
const POINTABLE: ReadonlySet<string> = new Set(["tr", "li"]);
/** What says where something leads or what it holds, and by which no text is hidden. */
const UNSTYLED: ReadonlySet<string> = new Set(["href", "name", "value", "for", "src", "alt", "rel", "target"]);

/** Whether style may say something special of this element: reading it costs more than all else we ask. */
function styled(el: Element, plain: boolean): boolean {
  if (POINTABLE.has(localName(el))) return true;
  if (!plain) return hasAttributes(el);
  for (const name of attributeNames(el)) if (!UNSTYLED.has(name)) return true;
  return false;
}
const SCROLLING = /auto|scroll/;

/** The pointer changes at this element and not further out: `cursor` is inherited. */
export function pointed(el: Element, how: number): boolean {
  if (!(how & POINTED)) return false;
  const parent = composedParent(el);
  return parent === null || styleOf(parent).cursor !== "pointer";
}

export function inClosedSelect(el: Element): boolean {
  const tag = localName(el);
  if ((tag !== "option" && tag !== "optgroup") || !isHtml(el)) return false;
  const select = closestMatch(el, "select") as HTMLSelectElement | null;
  return select !== null && !select.multiple && select.size <= 1;
}

export function transparent(el: Element): boolean {
  return !checkVisibility(el, WITH_OPACITY);
}

/** Text a sighted user cannot see although it is rendered: clipped, moved off screen, shrunk to nothing (H5). */
export function concealed(el: Element, style: CSSStyleDeclaration = styleOf(el)): boolean {
  if (style.fontSize === "0px") return true;
  const position = style.position;
  if (position !== "absolute" && position !== "fixed") {
    return style.textIndent.startsWith("-") && parseFloat(style.textIndent) <= -999;
  }
  if (style.clip !== "auto" && /^rect\(([01]px|0%)/.test(style.clip)) return true;
  if (style.clipPath.startsWith("inset(50%") || style.clipPath.startsWith("inset(100%")) return true;
  return farAway(el, "left") || farAway(el, "top") || farAway(el, "right") || farAway(el, "bottom");
}

function farAway(el: Element, side: "left" | "top" | "right" | "bottom"): boolean {
  // The computed style map gives the declared offset; getComputedStyle would give the used one, and force layout.
  const value = styleMapOf(el).get(side);
  return value instanceof CSSUnitValue && value.unit === "px" && value.value <= -999;
}

export function inert(el: Element): boolean {
  return hasAttr(el, "inert");
}
