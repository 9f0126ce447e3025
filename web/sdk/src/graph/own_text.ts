/** Own text: the text outside controls and headings, assigned to the nearest scope, row, cell or feedback element. */

import {
  attr, dataOf, eachFlatChild, hasAttr, isElement, isHtml, isText, localName, parentOf,
} from "../dom.ts";
import { isInline } from "./name_sources.ts";
import { onlyText } from "./names.ts";
import { isMasked } from "./sensitive.ts";
import type { Store } from "./store.ts";
import { clean, TEXT_CAP } from "./text.ts";
import { Visibility, VISIBILITY_MASK, INVISIBLE, visibilityOf } from "./visibility.ts";

export const UNREAD_TAGS: ReadonlySet<string> = new Set([
  "script", "style", "noscript", "template", "head", "datalist", "title", "link", "meta", "base", "source", "track", "param", "colgroup",
]);

interface Frame {
  nodes: Node[];
  index: number;
  block: boolean;
  /** `visibility: hidden`: the text of the element itself is invisible, that of its children may be visible. */
  hidden: boolean;
}

const BLANK = /^\s*$/;

/** Return the text of `owner`, in one walk that stops at elements with their own text, and at the cap. */
export function ownText(owner: Element, store: Store): string {
  if (isMasked(owner)) return "";
  const only = onlyText(owner);
  if (only !== null) {
    if (isCollapsed(owner) || BLANK.test(only)) return "";
    store.textOwner.set(owner, owner);
    return clean(only, TEXT_CAP);
  }
  let text = "";
  const stack: Frame[] = [frameOf(owner, false, isCollapsed(owner))];
  while (stack.length > 0) {
    const frame = stack[stack.length - 1]!;
    if (frame.index >= frame.nodes.length || text.length > TEXT_CAP * 2) {
      stack.pop();
      if (frame.block) text += " ";
      continue;
    }
    const node = frame.nodes[frame.index++]!;
    if (isText(node)) {
      if (frame.hidden) continue;
      const data = dataOf(node);
      if (!BLANK.test(data)) recordOwner(node, owner, store);
      text += data;
    } else if (isElement(node)) {
      if (!contributesText(node, owner, store)) {
        text += " ";
        continue;
      }
      if (isHtml(node) && localName(node) === "br") text += " ";
      const block = text !== "" && !isInline(node);
      if (block) text += " ";
      stack.push(frameOf(node, block, ((store.appearance.get(node) ?? 0) & VISIBILITY_MASK) === Visibility.Inside || isCollapsed(node)));
    }
  }
  return clean(text, TEXT_CAP);
}

function recordOwner(node: Node, owner: Element, store: Store): void {
  const parent = parentOf(node);
  if (parent && isElement(parent)) store.textOwner.set(parent, owner);
}

function frameOf(el: Element, block: boolean, hidden: boolean): Frame {
  const nodes: Node[] = [];
  eachFlatChild(el, (child) => {
    nodes.push(child);
  });
  return { nodes, index: 0, block, hidden: hidden };
}

/**
 * Return whether the text directly inside is not rendered. Elements inside are checked for visibility themselves; text
 * nodes cannot be.
 */
function isCollapsed(el: Element): boolean {
  if (localName(el) === "details" && isHtml(el)) return !(el as HTMLDetailsElement).open;
  return attr(el, "hidden") === "until-found";
}

function contributesText(el: Element, owner: Element, store: Store): boolean {
  if (store.entries.has(el)) return false;
  const appearance = store.appearance.get(el);
  if (appearance === undefined || (appearance & INVISIBLE) !== 0 || appearance === Visibility.None) return false;
  if (UNREAD_TAGS.has(localName(el)) || attr(el, "aria-hidden") === "true") return false;
  return !isNamingPart(el, owner);
}

/** Return whether an element is already used as a name: a label with a control, or the caption of the owner. */
function isNamingPart(el: Element, owner: Element): boolean {
  if (!isHtml(el)) return false;
  switch (localName(el)) {
    case "label":
      return namesControl(el as HTMLLabelElement);
    case "legend":
    case "caption":
      return parentOf(el) === owner && localName(owner) === (localName(el) === "legend" ? "fieldset" : "table") && !hasAttr(owner, "aria-label") && !hasAttr(owner, "aria-labelledby");
    default:
      return false;
  }
}

/** Return whether a label names a control that a person sees. Boxes and file inputs are often hidden behind their label. */
function namesControl(label: HTMLLabelElement): boolean {
  const control = label.control;
  if (control === null) return false;
  if (localName(control) === "input" && LABEL_SHOWN.has((control as HTMLInputElement).type)) return true;
  return visibilityOf(control) !== Visibility.None;
}

const LABEL_SHOWN: ReadonlySet<string> = new Set(["checkbox", "radio", "file"]);
