/** The text of a node, whether it is attached or not. */

import { attr, dataOf, isElement, isHtml, isText, lastChild, localName, previousSibling } from "../dom.ts";
import { isMasked } from "../graph/sensitive.ts";
import { clean } from "../graph/text.ts";

const SILENT: ReadonlySet<string> = new Set(["script", "style", "noscript", "template"]);
export const MAX_TEXT = 1_000;

/** Return the text of a node, attached or not. Parts that are marked as hidden or hold private data are left out. */
export function textOf(root: Node): string {
  if (isText(root)) return clean(dataOf(root), MAX_TEXT);
  let text = "";
  const stack: Node[] = [root];
  for (let node = stack.pop(); node && text.length < MAX_TEXT * 4; node = stack.pop()) {
    if (isText(node)) text += dataOf(node);
    else if (isElement(node) || node === root) {
      if (isElement(node) && isMasked(node)) continue;
      if (isElement(node) && node !== root && (SILENT.has(localName(node)) || attr(node, "aria-hidden") === "true" || attr(node, "hidden") !== null)) continue;
      if (isElement(node) && node !== root && isHtml(node) && /^(div|p|li|button|h\d|br|section)$/.test(localName(node))) text += " ";
      for (let child = lastChild(node); child; child = previousSibling(child)) stack.push(child);
    }
  }
  return clean(text, MAX_TEXT);
}
