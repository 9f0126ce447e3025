/** Loose text: what stands outside controls and headings, given to the nearest scope, row, cell or feedback element. */

import {
  attr, dataOf, eachFlatChild, hasAttr, isElement, isHtml, isText, localName, parentOf,
} from "../dom.ts";
import { isInline, soleText } from "./names.ts";
import { masked } from "./sensitive.ts";
import type { Store } from "./store.ts";
import { clean, TEXT_CAP } from "./text.ts";
import { Shown, SIGHT, UNSEEN } from "./visibility.ts";

export const UNREAD: ReadonlySet<string> = new Set([
  "script", "style", "noscript", "template", "head", "datalist", "title", "link", "meta", "base", "source", "track", "param", "colgroup",
]);

interface Frame {
  nodes: Node[];
  index: number;
  block: boolean;
  /** `visibility: hidden`: its own text is not seen, its children's may be. */
  silent: boolean;
}

const BLANK = /^\s*$/;

/** Text of `owner`, one walk that stops at whatever owns its own text, and at the cap. */
export function looseText(owner: Element, store: Store): string {
  if (masked(owner)) return "";
  const sole = soleText(owner);
  if (sole !== null) {
    if (folded(owner) || BLANK.test(sole)) return "";
    store.textOwner.set(owner, owner);
    return clean(sole, TEXT_CAP);
  }
  let text = "";
  const stack: Frame[] = [frameOf(owner, false, folded(owner))];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!;
    if (frame.index >= frame.nodes.length || text.length > TEXT_CAP * 2) {
      stack.pop();
      if (frame.block) text += " ";
      continue;
    }
    const node = frame.nodes[frame.index++]!;
    if (isText(node)) {
      if (frame.silent) continue;
      const data = dataOf(node);
      if (!BLANK.test(data)) noteOwner(node, owner, store);
      text += data;
    } else if (isElement(node)) {
      if (!readable(node, owner, store)) {
        text += " ";
        continue;
      }
      if (isHtml(node) && localName(node) === "br") text += " ";
      const block = text !== "" && !isInline(node);
      if (block) text += " ";
      stack.push(frameOf(node, block, ((store.shown.get(node) ?? 0) & SIGHT) === Shown.Inside || folded(node)));
    }
  }
  return clean(text, TEXT_CAP);
}

function noteOwner(node: Node, owner: Element, store: Store): void {
  const parent = parentOf(node);
  if (parent && isElement(parent)) store.textOwner.set(parent, owner);
}

function frameOf(el: Element, block: boolean, silent: boolean): Frame {
  const nodes: Node[] = [];
  eachFlatChild(el, (child) => {
    nodes.push(child);
  });
  return { nodes, index: 0, block, silent };
}

/** Its elements are not rendered and say so themselves; text directly inside cannot be asked. */
function folded(el: Element): boolean {
  if (localName(el) === "details" && isHtml(el)) return !(el as HTMLDetailsElement).open;
  return attr(el, "hidden") === "until-found";
}

function readable(el: Element, owner: Element, store: Store): boolean {
  if (store.entries.has(el)) return false;
  const how = store.shown.get(el);
  if (how === undefined || (how & UNSEEN) !== 0 || how === Shown.None) return false;
  if (UNREAD.has(localName(el)) || attr(el, "aria-hidden") === "true") return false;
  return !isNamingPart(el, owner);
}

/** A label that names a control, or the caption of its owner: already said as a name. */
function isNamingPart(el: Element, owner: Element): boolean {
  if (!isHtml(el)) return false;
  switch (localName(el)) {
    case "label":
      return (el as HTMLLabelElement).control !== null;
    case "legend":
    case "caption":
      return parentOf(el) === owner && localName(owner) === (localName(el) === "legend" ? "fieldset" : "table") && !hasAttr(owner, "aria-label") && !hasAttr(owner, "aria-labelledby");
    default:
      return false;
  }
}
