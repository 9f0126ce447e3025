/**
 * Accessible names and descriptions by the W3C rules (accname 1.2, HTML-AAM).
 *
 * Each result lists the elements outside its own subtree that it was read from, so that a change there finds its
 * readers. This module knows nothing of publishing. The tests compare it with Chromium's accessibility tree.
 */

import {
  attr, attributeNames, byId, closestMatch, contains, contentOf, dataOf, eachFlatChild, firstChild, hasAttr, hasAttributes,
  isElement, isHtml, isText, localName, namespace, nextSibling, nodeType, shadowOf, styleOf, SVG,
} from "../dom.ts";
import { labelIndex } from "./labels.ts";
import { ariaRole, isEditingHost, inputType } from "./roles.ts";
import { isMasked } from "./sensitive.ts";
import { clean, NAME_CAP } from "./text.ts";
import { isConcealed, Visibility, visibilityOf } from "./visibility.ts";
import { pseudoText } from "./pseudo.ts";

export interface Name {
  text: string;
  /** True when the subtree, or part of it, is the name, so that changes inside change the name. */
  content: boolean;
  /** False when the text cannot be seen: aria-label, alt, title, clipped or hidden text. */
  visible: boolean;
  /** Elements outside the subtree that the name was read from. */
  from: Element[];
  /** Ids that the name refers to, whether they exist or not. */
  ids: string[];
}

interface Walk {
  visited: Set<Element>;
  from: Element[];
  ids: string[];
  content: boolean;
  visible: boolean;
  /** True inside a reference: a second one is not followed. */
  referenced: boolean;
  /** True when hidden nodes count, because the referenced node itself is hidden. */
  hidden: boolean;
  root: Element;
  depth: number;
  left: number;
  /** The number of clipped or off-screen elements around the current node, and whether any text was outside of them. */
  concealed: number;
  sawVisible: boolean;
  /**
   * `skipped`: a part with its own name was left out. `whole`: such parts are included, because nothing else names the
   * element.
   */
  skipped: boolean;
  whole: boolean;
}

const MAX_DEPTH = 60;

const CONTENT_ROLES: ReadonlySet<string> = new Set([
  "button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem", "menuitemcheckbox",
  "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip", "treeitem",
]);
const CONTENT_TAGS: ReadonlySet<string> = new Set([
  "button", "summary", "option", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "tr", "legend", "caption", "figcaption",
]);
/** Roles that have their own name inside a control: the branch of a tree item, the menu of a menu item. */
const SEPARATE_ROLES: ReadonlySet<string> = new Set([
  "alert", "alertdialog", "application", "article", "banner", "blockquote", "combobox", "complementary", "contentinfo", "dialog",
  "document", "feed", "figure", "grid", "group", "listbox", "log", "main", "marquee", "menu", "menubar", "navigation", "note",
  "progressbar", "radiogroup", "row", "rowgroup", "search", "status", "table", "tablist", "tabpanel", "timer", "toolbar", "tree", "treegrid",
]);
const SEPARATE_TAGS: ReadonlySet<string> = new Set([
  "nav", "main", "article", "aside", "header", "form", "fieldset", "figure", "dialog", "blockquote", "search", "hgroup", "output", "progress",
]);
const NO_TEXT: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "head", "datalist"]);
const LABELABLE: ReadonlySet<string> = new Set(["input", "textarea", "select", "meter", "progress", "output", "button"]);

function walkFor(root: Element): Walk {
  return { visited: new Set(), from: [], ids: [], content: false, visible: true, referenced: false, hidden: false, root, depth: 0, left: NAME_CAP * 4, concealed: 0, sawVisible: false, skipped: false, whole: false };
}

/** Return the text of an element whose only child is a text node: the common case of cells and buttons. */
export function onlyText(el: Element): string | null {
  const first = firstChild(el);
  if (first === null || nextSibling(first) !== null || !isText(first) || shadowOf(el) !== null) return null;
  return dataOf(first);
}

const NONE: never[] = [];

/** Return the name when only one text node can give it: the common case of links, buttons and headings. */
export function plainName(el: Element, aria: string): Name | null {
  if (pseudoText.active || !isHtml(el)) return null;
  const tag = localName(el);
  if (tag === "input") return plainLabel(el);
  if (!isNamedByContent(el, aria)) return null;
  const only = onlyText(el);
  if (only === null || (LABELABLE.has(tag) && labelIndex.of(el).length > 0) || hasAttr(el, "label") || tag.includes("-")) return null;
  const text = clean(only);
  return text === "" ? null : { text, content: true, visible: true, from: NONE, ids: NONE };
}

/** Attributes of a label that do not change its text. */
const PLAIN_ATTRIBUTES: ReadonlySet<string> = new Set(["for", "class", "id"]);

/** Return the name of a field that has one label containing only text and the field itself. */
function plainLabel(el: Element): Name | null {
  const [label, another] = labelIndex.of(el);
  if (!label || another || attributeNames(label).some((name) => !PLAIN_ATTRIBUTES.has(name)) || visibilityOf(label) !== Visibility.Full) return null;
  let words = "";
  for (let child = firstChild(label); child; child = nextSibling(child)) {
    if (isText(child)) words += dataOf(child);
    else if (child !== el) return null;
  }
  const text = words.length > NAME_CAP ? "" : clean(words);
  return text === "" ? null : { text, content: false, visible: true, from: [label], ids: NONE };
}

export function nameOf(el: Element, aria: string): Name {
  const walk = walkFor(el);
  const text = clean(compute(el, walk, aria));
  return { text, content: walk.content, visible: walk.visible, from: walk.from, ids: walk.ids };
}

function compute(el: Element, walk: Walk, aria: string): string {
  walk.visited.add(el);
  const labelled = references(el, "aria-labelledby", walk);
  if (labelled) return labelled;
  const label = attr(el, "aria-label");
  if (label && label.trim()) {
    walk.visible = clean(label) === clean(contentOf(el));
    return label;
  }
  const native = nativeName(el, walk, aria);
  if (native !== null && native.trim()) return native;
  if (isNamedByContent(el, aria)) {
    let content = fromContent(el, walk);
    walk.content = true;
    if (walk.skipped && !content.trim()) {
      // A card that fills a link: its own text is the only visible name.
      walk.whole = true;
      walk.visited = new Set([el]);
      content = fromContent(el, walk);
    }
    if (content.trim()) {
      walk.visible = walk.sawVisible;
      return content;
    }
  }
  return tooltip(el, aria, walk);
}

function isNamedByContent(el: Element, aria: string): boolean {
  if (CONTENT_ROLES.has(aria)) return !(isHtml(el) && (localName(el) === "input" || localName(el) === "select"));
  if (aria === "generic" && hasAttr(el, "onclick")) return true;
  return isHtml(el) && ariaRole(el) === null && CONTENT_TAGS.has(localName(el));
}

function tooltip(el: Element, aria: string, walk?: Walk): string {
  const title = attr(el, "title");
  const placeholder = isTextField(el, aria) ? (attr(el, "placeholder") ?? attr(el, "aria-placeholder")) : null;
  if (title && title.trim()) {
    if (walk) walk.visible = false;
    return title;
  }
  return placeholder ?? "";
}

function isTextField(el: Element, aria: string): boolean {
  return aria === "textbox" || aria === "searchbox" || aria === "spinbutton" || aria === "combobox" ||
    (isHtml(el) && (localName(el) === "textarea" || localName(el) === "input"));
}

function references(el: Element, name: string, walk: Walk): string {
  const raw = attr(el, name);
  if (raw === null || walk.referenced) return "";
  const parts: string[] = [];
  for (const id of raw.split(/\s+/).filter(Boolean)) {
    if (walk.ids.length > 200) break;
    walk.ids.push(id);
    const target = byId(el, id);
    if (!target) continue;
    if (target !== walk.root) walk.from.push(target);
    const part = referencedText(target, walk).trim();
    if (part) parts.push(part);
  }
  return parts.join(" ");
}

function referencedText(target: Element, walk: Walk): string {
  const inner: Walk = { ...walk, visited: new Set(), referenced: true, hidden: visibilityOf(target) !== Visibility.Full, depth: walk.depth + 1 };
  const text = partText(target, inner);
  walk.content ||= inner.content;
  if (inner.hidden && text.trim()) walk.visible = false;
  return text;
}

/**
 * Return the text that one node contributes to the name of another: aria-label, embedded value, native name, content.
 */
function partText(el: Element, walk: Walk): string {
  if (walk.visited.has(el) || walk.depth > MAX_DEPTH) return "";
  walk.visited.add(el);
  const tag = isHtml(el) ? localName(el) : "";
  if (NO_TEXT.has(tag) && !walk.hidden) return "";
  const aria = ariaRole(el) ?? "";
  if (!walk.referenced) {
    const labelled = references(el, "aria-labelledby", walk);
    if (labelled) return labelled;
  }
  const embedded = el === walk.root ? null : embeddedValue(el, aria);
  const label = attr(el, "aria-label");
  if (label && label.trim() && embedded === null) return label;
  if (embedded !== null) return embedded;
  const native = walk.depth > 0 || el !== walk.root ? nativePart(el, walk, tag) : null;
  if (native !== null && native.trim()) return native;
  if (tag === "input") return inputType(el) === "hidden" ? "" : tooltip(el, aria);
  if (!walk.whole && !walk.referenced && el !== walk.root && (aria === "" ? SEPARATE_TAGS.has(tag) : SEPARATE_ROLES.has(aria))) {
    walk.skipped = true;
    return attr(el, "title") ?? "";
  }
  const content = fromContent(el, walk);
  if (content.trim()) return content;
  return attr(el, "title") ?? "";
}

/** Return the value of a control inside a label (accname step 2C); a masked control contributes nothing. */
function embeddedValue(el: Element, aria: string): string | null {
  const tag = isHtml(el) ? localName(el) : "";
  if (aria === "" || aria === "textbox" || aria === "searchbox" || aria === "spinbutton" || aria === "slider" || aria === "combobox" || aria === "listbox") {
    if (tag === "textarea") return isMasked(el) ? "" : (el as HTMLTextAreaElement).value;
    if (tag === "select") return [...(el as HTMLSelectElement).selectedOptions].map((o) => o.label).join(" ");
    if (tag === "input") {
      const type = inputType(el);
      if (/^(button|submit|reset|image|checkbox|radio|hidden|file|color)$/.test(type)) return null;
      return isMasked(el) ? "" : (el as HTMLInputElement).value;
    }
  }
  if (aria === "textbox" || aria === "searchbox" || (aria === "" && isEditingHost(el))) return isMasked(el) ? "" : contentOf(el);
  if (aria === "slider" || aria === "spinbutton" || aria === "scrollbar") return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow") ?? "";
  return null;
}

function nativePart(el: Element, walk: Walk, tag: string): string | null {
  if (tag === "img" || tag === "area") return attr(el, "alt") ?? attr(el, "title");
  if (tag === "input") {
    const type = inputType(el);
    if (type === "button" || type === "submit" || type === "reset" || type === "image") return buttonInput(el, type);
    return null;
  }
  if (tag === "fieldset" || tag === "table" || tag === "figure") return null;
  if (namespace(el) === SVG) return svgTitle(el, walk);
  return null;
}

function nativeName(el: Element, walk: Walk, aria: string): string | null {
  if (namespace(el) === SVG) return svgTitle(el, walk);
  if (!isHtml(el)) return null;
  const tag = localName(el);
  if (tag === "input") {
    const type = inputType(el);
    if (type === "submit" || type === "reset" || type === "button" || type === "image") {
      const labelled = labels(el, walk);
      return labelled || buttonInput(el, type);
    }
  }
  if (LABELABLE.has(tag)) {
    const labelled = labels(el, walk);
    if (labelled) return labelled;
    return null;
  }
  switch (tag) {
    case "img":
    case "area":
      walk.visible = false;
      return attr(el, "alt");
    case "fieldset":
      return firstChildText(el, "legend", walk);
    case "table":
      return firstChildText(el, "caption", walk) ?? attr(el, "summary");
    case "figure":
      return firstChildText(el, "figcaption", walk);
    case "option":
    case "optgroup":
      return attr(el, "label");
    case "details":
      return aria === "group" ? firstChildText(el, "summary", walk) : null;
    default:
      return customLabels(el, walk);
  }
}

function buttonInput(el: Element, type: string): string {
  if (type === "image") return attr(el, "alt") ?? attr(el, "value") ?? attr(el, "title") ?? "Submit";
  const value = (el as HTMLInputElement).value;
  if (value.trim()) return value;
  const title = attr(el, "title");
  if (hasAttr(el, "value") || type === "button") return title ?? "";
  return title ?? (type === "submit" ? "Submit" : "Reset");
}

/** Form-associated custom elements have labels too, through `label[for]`. Only a wrapping label is found here. */
function customLabels(el: Element, walk: Walk): string | null {
  if (!localName(el).includes("-")) return null;
  const label = closestMatch(el, "label");
  return label ? labelText(label, walk) : null;
}

function labels(el: Element, walk: Walk): string {
  const list = labelIndex.of(el);
  if (list.length === 0) return "";
  const parts: string[] = [];
  for (const label of list) parts.push(labelText(label, walk));
  return parts.filter(Boolean).join(" ");
}

function labelText(label: Element, walk: Walk): string {
  walk.from.push(label);
  return referencedText(label, walk).trim();
}

function firstChildText(el: Element, tag: string, walk: Walk): string | null {
  for (let child = firstChild(el); child; child = nextSibling(child)) {
    if (isElement(child) && localName(child) === tag) {
      walk.from.push(child);
      if (visibilityOf(child) === Visibility.None) return null;
      return clean(partText(child, { ...walk, depth: walk.depth + 1, visited: new Set(walk.visited) })) || null;
    }
  }
  return null;
}

function svgTitle(el: Element, walk: Walk): string | null {
  for (let child = firstChild(el); child; child = nextSibling(child)) {
    if (isElement(child) && localName(child) === "title") {
      if (el === walk.root) walk.content = true;
      return contentOf(child);
    }
  }
  return attr(el, "xlink:title");
}

function fromContent(el: Element, walk: Walk): string {
  const only = onlyText(el);
  if (only !== null && !pseudoText.active) {
    if (walk.concealed === 0) walk.sawVisible = true;
    return only;
  }
  let text = pseudoText.before(el);
  eachFlatChild(el, (child) => {
    if (walk.left <= 0) return false;
    if (isText(child)) {
      const data = dataOf(child);
      walk.left -= data.length;
      text += data;
      if (walk.concealed === 0 && data.trim() !== "") walk.sawVisible = true;
    } else if (nodeType(child) === 1) text += childText(child as Element, walk);
    return;
  });
  text += ownedText(el, walk);
  return text + pseudoText.after(el);
}

function childText(child: Element, walk: Walk): string {
  if (isHtml(child) && localName(child) === "br") return " ";
  // A control inside its own label adds no words to its own name.
  if (child === walk.root && walk.referenced) return "";
  if (!walk.hidden && (attr(child, "aria-hidden") === "true" || visibilityOf(child) === Visibility.None)) return "";
  const visible = walk.hidden || visibilityOf(child) !== Visibility.Inside;
  const concealed = hasAttributes(child) && isConcealed(child) ? 1 : 0;
  walk.depth++;
  walk.concealed += concealed;
  const text = visible ? partText(child, walk) : hiddenPart(child, walk);
  walk.concealed -= concealed;
  walk.depth--;
  if (text === "") return "";
  return isInline(child) ? text : ` ${text} `;
}

/** Return the text below an element with `visibility: hidden`: only elements inside it can be visible. */
function hiddenPart(el: Element, walk: Walk): string {
  let text = "";
  if (walk.depth > MAX_DEPTH) return text;
  eachFlatChild(el, (child) => {
    if (isElement(child)) text += childText(child, walk);
  });
  return text;
}

function ownedText(el: Element, walk: Walk): string {
  const raw = attr(el, "aria-owns");
  if (raw === null) return "";
  let text = "";
  for (const id of raw.split(/\s+/).filter(Boolean)) {
    const owned = byId(el, id);
    if (owned && !contains(owned, el)) text += ` ${childText(owned, walk)} `;
  }
  return text;
}

const INLINE_DISPLAY = /^(inline|contents|ruby|none)/;
const REPLACED: ReadonlySet<string> = new Set(["img", "svg", "button", "input", "select", "textarea"]);

export function isInline(el: Element): boolean {
  if (REPLACED.has(localName(el))) return false;
  const display = styleOf(el).display;
  return INLINE_DISPLAY.test(display) && display !== "inline-block" && display !== "inline-flex" && display !== "inline-grid" && display !== "inline-table";
}

/** Return the description: aria-describedby, aria-description, or a title that is not already the name. */
export function descriptionOf(el: Element, name: string): Name {
  const walk = walkFor(el);
  let text = references(el, "aria-describedby", walk);
  if (!text) text = attr(el, "aria-description") ?? "";
  if (!text) {
    const title = attr(el, "title");
    if (title && clean(title) !== name) text = title;
  }
  return { text: clean(text), content: walk.content, visible: walk.visible, from: walk.from, ids: walk.ids };
}

/** Return the text inside a control whose name comes from another source. */
export function visibleText(el: Element, aria: string): string {
  return isNamedByContent(el, aria) ? clean(fromContent(el, walkFor(el))) : "";
}
