/** The text of a node, whether it is attached or not. */

import { attr, dataOf, isElement, isHtml, isShadowRoot, isText, lastChild, localName, previousSibling, shadowOf } from "../dom.ts";
import { isMasked } from "../graph/sensitive.ts";
import { clean } from "../graph/text.ts";

const SILENT: ReadonlySet<string> = new Set(["script", "style", "noscript", "template"]);
export const MAX_TEXT = 1_000;

const CLOSING = /^\W*(?:ok|okay|close|dismiss|got it|x)?\W*$/i;

/** Return the text of a message without the buttons that close it: their "OK" is no word of the message. */
export function wordsOf(root: Node): string {
  return textOf(root, false) || textOf(root);
}

/** Return the text of a node, attached or not. Parts that are marked as hidden or hold private data are left out. */
export function textOf(root: Node, withClosing = true): string {
  if (isText(root)) return clean(dataOf(root), MAX_TEXT);
  let text = "";
  const stack: Node[] = [root];
  for (let node = stack.pop(); node && text.length < MAX_TEXT * 4; node = stack.pop()) {
    if (isText(node)) text += dataOf(node);
    else if (isElement(node) || isShadowRoot(node) || node === root) {
      if (isElement(node) && isMasked(node)) continue;
      if (isElement(node) && node !== root && (isSilent(node) || (!withClosing && isClosing(node)))) continue;
      if (isElement(node) && node !== root && isHtml(node) && /^(div|p|li|button|h\d|br|section)$/.test(localName(node))) text += " ";
      for (let child = lastChild(node); child; child = previousSibling(child)) stack.push(child);
      const shadow = isElement(node) ? shadowOf(node) : null;
      if (shadow) stack.push(shadow);
    }
  }
  return clean(text, MAX_TEXT);
}

function isSilent(el: Element): boolean {
  if (SILENT.has(localName(el)) || attr(el, "aria-hidden") === "true" || attr(el, "hidden") !== null) return true;
  return isHtml(el) && (el as HTMLElement).style?.display === "none";
}

function isClosing(el: Element): boolean {
  return (localName(el) === "button" || attr(el, "role") === "button") && CLOSING.test(textOf(el));
}
