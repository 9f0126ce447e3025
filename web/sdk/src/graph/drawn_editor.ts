/**
 * Editors that draw their text themselves and take keys in a hidden text area or an edit context, as CodeMirror, Ace and
 * Monaco do.
 *
 * The hidden field is empty or holds one line, so its value says nothing. The text is what the editor draws: its lines.
 */

import { attr, closestMatch, composedParent, contentOf, isHtml, localName, queryAll, styleMapOf } from "../dom.ts";
import { isConcealed, isTransparent } from "./visibility.ts";

const LINE = /(?:^|[\s_-])line(?=$|\s)/i;
/** Parts that are no text. `cursor-text` names the shape of the pointer. */
const BESIDE_TEXT =
  "[class*=gutter],[class*=margin],[class*=measure],[class*=cursor]:not([class*=cursor-text]),[class*=active-line],[class*=current-line]";
const MAX_LEVELS = 4;
const MAX_LINES = 2_000;

const boxes = new WeakMap<Element, Element>();

/** Return the lines that the editor around a hidden text area draws, or null if it is an ordinary field. */
export function drawnLines(el: Element): string[] | null {
  const box = drawnEditor(el);
  return box && linesIn(box).map((line) => contentOf(line).replace(/[\u200b\ufeff]/g, "").replace(/\u00a0/g, " "));
}

/** Return the box of an editor that draws the text of a field, or null if the field draws it itself. */
export function drawnEditor(el: Element): Element | null {
  if (!isHtml(el) || !(localName(el) === "textarea" || hasEditContext(el))) return null;
  const known = boxes.get(el);
  const box = known ?? (hasEditContext(el) || isHidden(el) ? editorAround(el) : null);
  if (box !== null) boxes.set(el, box);
  return box;
}

/** Return whether keys go to a text model of the page: such an element holds no text of its own. */
export function hasEditContext(el: Element): boolean {
  return Boolean((el as HTMLElement & { editContext?: object | null }).editContext);
}

function isHidden(el: Element): boolean {
  const parent = composedParent(el);
  return isTransparent(el) || isConcealed(el) || (parent !== null && (isConcealed(parent) || isTiny(parent))) || isTiny(el);
}

/** Return whether the declared width is a few pixels. The computed style map forces no layout. */
function isTiny(el: Element): boolean {
  const width = styleMapOf(el).get("width");
  return width instanceof CSSUnitValue && width.unit === "px" && width.value <= 3;
}

function editorAround(el: Element): Element | null {
  let around = composedParent(el);
  for (let level = 0; around && level < MAX_LEVELS; level++, around = composedParent(around)) {
    if (localName(around) === "body") return null;
    if (linesIn(around).length > 0) return isOnlyField(el, around) ? around : null;
  }
  return null;
}

function isOnlyField(el: Element, around: Element): boolean {
  return [...queryAll(around, "textarea,[role=textbox]")].every((one) => one === el || attr(one, "aria-hidden") === "true");
}

function linesIn(box: Element): Element[] {
  const found: Element[] = [];
  for (const el of queryAll(box, "[class*=line i]")) {
    if (found.length < MAX_LINES && LINE.test(attr(el, "class") ?? "") && closestMatch(el, BESIDE_TEXT) === null) found.push(el);
  }
  return found;
}
