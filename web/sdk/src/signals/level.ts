/** The level of a message: by words in its classes and marks, and by the colour of an alert. */

import { isRed } from "../colour.ts";
import { attr, closestMatch, contains, firstElement, nextElement, ownerDocument, queryAll, rootElement, styleOf } from "../dom.ts";
import { ariaRole, classes } from "../graph/roles.ts";

/** Attributes in which component libraries name the kind of a message. Their classes may be made of digits alone. */
const MARKS = ["data-testid", "data-test", "data-type", "data-variant", "data-status", "data-severity", "data-level", "data-color"];
const MAX_WORDS = 500;

export function levelOf(el: Element): string | undefined {
  let words = marks(el);
  for (const inner of queryAll(el, "*")) {
    words += ` ${marks(inner)}`;
    if (words.length > MAX_WORDS) break;
  }
  const named = levelIn(words);
  if (named) return named;
  const colour = styleOf(boxOf(el)).backgroundColor;
  if (isRed(colour) && !isBrand(colour, el)) return "error";
  return ariaRole(el) === "alert" && isRed(styleOf(innermost(el)).color) ? "error" : undefined;
}

const BRANDED = "h1,h2,header,nav,a[href]";
const MAX_BRANDED = 8;

/** Return whether a page paints its headings or its links in a colour, so that it says nothing about a message. */
function isBrand(colour: string, el: Element): boolean {
  return [...queryAll(rootElement(ownerDocument(el)) ?? el, BRANDED)].slice(0, MAX_BRANDED).some((one) => {
    const style = styleOf(one);
    return !contains(el, one) && (style.color === colour || style.backgroundColor === colour);
  });
}

function levelIn(words: string): string | undefined {
  if (/error|danger|fail|destructive|\bbg-negative\b/i.test(words)) return "error";
  if (/success|\bbg-positive\b/i.test(words)) return "success";
  if (/warn/i.test(words)) return "warning";
  return /info/i.test(words) ? "info" : undefined;
}

const ICONS = "svg,i,img,[class*=icon i]";

/** Return the level of a dialog: by its own marks and those of its icons. Its buttons may have colours of their own. */
export function dialogLevel(el: Element): string | undefined {
  let words = marks(el);
  for (const icon of queryAll(el, ICONS)) {
    if (!closestMatch(icon, "button,a")) words += ` ${marks(icon)}`;
    if (words.length > MAX_WORDS) break;
  }
  return levelIn(words);
}

function marks(el: Element): string {
  return [classes(el), ...MARKS.map((name) => attr(el, name) ?? "")].join(" ").trim();
}

/** Return the element that draws the box of a message: itself, or the only one inside it. */
function boxOf(el: Element): Element {
  const inner = firstElement(el);
  return inner && !nextElement(inner) && styleOf(el).backgroundColor === "rgba(0, 0, 0, 0)" ? inner : el;
}

/** Return the last element inside an element, which draws the end of its text. */
function innermost(el: Element): Element {
  const inner = queryAll(el, "p,span,div,strong");
  return inner[inner.length - 1] ?? el;
}
