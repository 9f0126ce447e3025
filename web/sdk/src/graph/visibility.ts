/** Whether an element is visible, by style alone. No function of this module forces layout. */

import {
  attributeNames, checkVisibility, closestMatch, composedParent, hasAttr, hasAttributes, isHtml, localName,
  ownerDocument, queryAll, rootElement, styleMapOf, styleOf,
} from "../dom.ts";

export const enum Visibility {
  /** Neither the element nor its content is rendered. */
  None = 0,
  /** Not visible itself, but children may be (`visibility: hidden`). */
  Inside = 1,
  /** No box of its own; children are rendered as children of its parent (`display: contents`). */
  Contents = 2,
  Full = 3,
}

/** Return whether text directly inside an element is painted. A slot and other wrappers have no box of their own. */
export function showsContent(visibility: Visibility): boolean {
  return visibility === Visibility.Full || visibility === Visibility.Contents;
}

const WITH_VISIBILITY: CheckVisibilityOptions = { visibilityProperty: true };
const WITH_OPACITY: CheckVisibilityOptions = { opacityProperty: true };
const WITH_BOTH: CheckVisibilityOptions = { opacityProperty: true, visibilityProperty: true };

export function visibilityOf(el: Element): Visibility {
  if (isArea(el)) return isMapShown(el) ? Visibility.Full : Visibility.None;
  if (checkVisibility(el, WITH_VISIBILITY)) return Visibility.Full;
  if (checkVisibility(el)) return Visibility.Inside;
  const style = styleOf(el);
  if (style.display !== "contents") return Visibility.None;
  const parent = composedParent(el);
  if (parent && !checkVisibility(parent) && styleOf(parent).display !== "contents") return Visibility.None;
  return style.visibility === "visible" ? Visibility.Contents : Visibility.Inside;
}

function isArea(el: Element): boolean {
  return localName(el) === "area" && isHtml(el);
}

/** Return whether a loaded image shows the map of an area. The area itself has no box. */
function isMapShown(area: Element): boolean {
  const name = closestMatch(area, "map")?.getAttribute("name");
  const image = name ? imageOfMap(area, name) : null;
  return image !== null && (image as HTMLImageElement).naturalWidth > 0 && checkVisibility(image, WITH_VISIBILITY);
}

/** Return the first image that uses a map. */
export function imageOfMap(near: Element, name: string): Element | null {
  const root = rootElement(ownerDocument(near));
  return root === null ? null : (queryAll(root, `img[usemap="#${CSS.escape(name)}"]`)[0] ?? null);
}

/** Added to `Visibility` when an element is rendered, but a person cannot see its text. */
export const INVISIBLE = 4;

/** Added to `Visibility` when the element has a pointer cursor, and when its content can be scrolled. */
export const POINTER_CURSOR = 8;
export const SCROLLABLE = 16;
/** Added to `Visibility` when the element lies over the page: a menu, a popup, a tooltip. */
export const FLOATING = 32;
/** The bits that concern visibility, without cursor and scrolling. */
export const VISIBILITY_MASK = 7;

/**
 * Return `Visibility` with `INVISIBLE`, `POINTER_CURSOR` and `SCROLLABLE`: all results of style, in one number that can
 * be compared later.
 */
export function appearanceOf(el: Element): number {
  // Options of a closed select have no box. They can be chosen while their select is visible.
  if (inClosedSelect(el)) return checkVisibility(closestMatch(el, "select")!, WITH_VISIBILITY) ? Visibility.Full : Visibility.None;
  // One call answers for nearly all elements; only special ones need more.
  if (isArea(el)) return visibilityOf(el);
  const plain = checkVisibility(el, WITH_BOTH);
  const visibility = plain ? Visibility.Full : visibilityOf(el);
  if (visibility === Visibility.None || !mayHaveSpecialStyle(el, plain)) return visibility;
  const style = styleOf(el);
  const overflow = style.overflow;
  // An element with `display: contents` has no box, and is never transparent itself.
  const transparent = !plain && style.display !== "contents" && isTransparent(el);
  const invisible = transparent || isConcealed(el, style, overflow) ? INVISIBLE : 0;
  const scrolls = overflow !== "visible" && SCROLLING.test(overflow) ? SCROLLABLE : 0;
  const position = style.position;
  const floats = position === "absolute" || position === "fixed" ? FLOATING : 0;
  return visibility | invisible | (style.cursor === "pointer" ? POINTER_CURSOR : 0) | scrolls | floats;
}

/** Return whether an element is rendered and not transparent. */
export function isShown(el: Element): boolean {
  return checkVisibility(el, WITH_BOTH);
}

/** Rows and items are often clickable, by a rule that no attribute of theirs reveals. */
const OFTEN_CLICKABLE: ReadonlySet<string> = new Set(["tr", "li"]);
/** Attributes that no style sheet uses to hide text. */
const UNSTYLED_ATTRIBUTES: ReadonlySet<string> = new Set(["href", "name", "value", "for", "src", "alt", "rel", "target"]);

/**
 * Return whether style may be special for this element. Reading the computed style is the most expensive step of a
 * reading.
 */
function mayHaveSpecialStyle(el: Element, plain: boolean): boolean {
  if (OFTEN_CLICKABLE.has(localName(el))) return true;
  if (!plain) return hasAttributes(el);
  for (const name of attributeNames(el)) if (!UNSTYLED_ATTRIBUTES.has(name)) return true;
  return false;
}
const SCROLLING = /auto|scroll/;

/** Return whether the pointer cursor begins at this element: `cursor` is inherited. */
export function startsPointerCursor(el: Element, appearance: number): boolean {
  if (!(appearance & POINTER_CURSOR)) return false;
  const parent = composedParent(el);
  return parent === null || styleOf(parent).cursor !== "pointer";
}

export function inClosedSelect(el: Element): boolean {
  const tag = localName(el);
  if ((tag !== "option" && tag !== "optgroup") || !isHtml(el)) return false;
  const select = closestMatch(el, "select") as HTMLSelectElement | null;
  return select !== null && !select.multiple && select.size <= 1;
}

export function isTransparent(el: Element): boolean {
  return !checkVisibility(el, WITH_OPACITY);
}

/** Return whether rendered text is invisible to a person: clipped, moved off screen, or shrunk to nothing. */
export function isConcealed(el: Element, style: CSSStyleDeclaration = styleOf(el), overflow: string = style.overflow): boolean {
  if (style.fontSize === "0px" || isClippedAway(style.clipPath) || isCollapsedBox(el, overflow)) return true;
  const position = style.position;
  if (position !== "absolute" && position !== "fixed") {
    return style.textIndent.startsWith("-") && parseFloat(style.textIndent) <= -999;
  }
  if (style.clip !== "auto" && /^rect\(([01]px|0%)/.test(style.clip)) return true;
  return isFarOutside(el, "left") || isFarOutside(el, "top") || isFarOutside(el, "right") || isFarOutside(el, "bottom");
}

// An inset from both sides that meets in the middle, a circle without a radius, a polygon of one point.
const EMPTY_CLIP = /^(inset\((50|100)%|circle\(0(px|%)|polygon\(0(px|%) 0(px|%)(, 0(px|%) 0(px|%))*\))/;

function isClippedAway(clipPath: string): boolean {
  return clipPath !== "none" && EMPTY_CLIP.test(clipPath);
}

const CLIPPING = /hidden|clip/;

/** Return whether a box without width or height cuts off its content, such as a folded panel. */
function isCollapsedBox(el: Element, overflow: string): boolean {
  if (overflow === "visible" || !CLIPPING.test(overflow)) return false;
  const declared = styleMapOf(el);
  return ["height", "max-height", "width", "max-width"].some((name) => {
    const value = declared.get(name);
    return value instanceof CSSUnitValue && value.value === 0;
  });
}

function isFarOutside(el: Element, side: "left" | "top" | "right" | "bottom"): boolean {
  // The computed style map returns the declared offset. getComputedStyle would return the used one and force layout.
  const value = styleMapOf(el).get(side);
  return value instanceof CSSUnitValue && value.unit === "px" && value.value <= -999;
}

export function isInert(el: Element): boolean {
  return hasAttr(el, "inert");
}
