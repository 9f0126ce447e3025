/** Own text: the text outside controls and headings, assigned to the nearest scope, row, cell or feedback element. */

import { attr, dataOf, flatChildren, hasAttr, isHtml, localName, nextSibling, nodeType, parentOf } from "../dom.ts";
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
  el: Element;
  next: Node | null;
  /** The nodes that a slot shows, and the index of the next one. */
  assigned: Node[] | null;
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
    const node = text.length > TEXT_CAP * 2 ? null : advance(frame);
    if (node === null) {
      stack.pop();
      if (frame.block) text += " ";
      continue;
    }
    const type: number = nodeType(node);
    if (type === TEXT || type === CDATA) {
      if (frame.hidden) continue;
      const data = dataOf(node);
      if (!BLANK.test(data)) recordOwner(node, frame, owner, store);
      text += data;
    } else if (type === ELEMENT) {
      const el = node as Element;
      if (!contributesText(el, owner, store)) {
        text += " ";
        continue;
      }
      if (isHtml(el) && localName(el) === "br") text += " ";
      const block = text !== "" && !isInline(el);
      if (block) text += " ";
      stack.push(frameOf(el, block, ((store.appearance.get(el) ?? 0) & VISIBILITY_MASK) === Visibility.Inside || isCollapsed(el)));
    }
  }
  return clean(text, TEXT_CAP);
}

const ELEMENT = 1, TEXT = 3, CDATA = 4;

/** Record the owner of the text directly inside an element. Text that a slot shows lies in the host of the slot. */
function recordOwner(node: Node, frame: Frame, owner: Element, store: Store): void {
  const parent = frame.assigned ? parentOf(node) : frame.el;
  if (parent && nodeType(parent) === ELEMENT) store.textOwner.set(parent as Element, owner);
}

function frameOf(el: Element, block: boolean, hidden: boolean): Frame {
  const start = flatChildren(el);
  const assigned = Array.isArray(start) ? start : null;
  return { el, next: assigned ? null : (start as Node | null), assigned, index: 0, block, hidden };
}

function advance(frame: Frame): Node | null {
  if (frame.assigned) return frame.assigned[frame.index++] ?? null;
  const node = frame.next;
  if (node !== null) frame.next = nextSibling(node);
  return node;
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
