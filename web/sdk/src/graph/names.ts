/**
 * Accessible names and descriptions by the W3C rules (accname 1.2, HTML-AAM).
 *
 * Each result lists the elements outside its own subtree that it was read from, so that a change there finds its
 * readers. This module knows nothing of publishing. The tests compare it with Chromium's accessibility tree.
 */

import {
  attr, attributeNames, byId, closestMatch, contentOf, dataOf, eachFlatChild, firstChild, hasAttr, hasAttributes,
  hostOf, isElement, isHtml, isShadowRoot, isText, localName, namespace, nextSibling, nodeType, queryAll, rootOf, shadowOf, SVG,
} from "../dom.ts";
import { labelIndex } from "./labels.ts";
import { buttonInput, embeddedValue, isInline } from "./name_sources.ts";
import { ariaRole, inputType } from "./roles.ts";
import { idsOf, owners } from "./owners.ts";
import { styledText } from "./styled_text.ts";
import { clean, NAME_CAP, withoutGlyphs } from "./text.ts";
import { isConcealed, Visibility, visibilityOf } from "./visibility.ts";

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
  /** The element that a reference points to. Its own label names it, as it would name it alone. */
  direct: Element | null;
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
/** Roles that their first heading names (ARIA: name from heading). */
const HEADED_ROLES: ReadonlySet<string> = new Set(["dialog", "alertdialog", "article"]);
const HEADINGS = "h1,h2,h3,h4,h5,h6,[role=heading]";
const NO_TEXT: ReadonlySet<string> = new Set(["script", "style", "noscript", "template", "head", "datalist"]);
const LABELABLE: ReadonlySet<string> = new Set(["input", "textarea", "select", "meter", "progress", "output", "button"]);

function walkFor(root: Element): Walk {
  return { visited: new Set(), from: [], ids: [], content: false, visible: true, referenced: false, hidden: false, root, direct: null, depth: 0, left: NAME_CAP * 4, concealed: 0, sawVisible: false, skipped: false, whole: false };
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
  if (!isHtml(el)) return null;
  const tag = localName(el);
  if (tag === "input") return plainLabel(el);
  if (!isNamedByContent(el, aria)) return null;
  const only = onlyText(el);
  if (only === null || (LABELABLE.has(tag) && labelIndex.of(el).length > 0) || hasAttr(el, "label") || tag.includes("-")) return null;
  const text = clean(renderedText(el, only));
  return text === "" ? null : { text, content: true, visible: true, from: NONE, ids: NONE };
}

/** Attributes of a label that do not change its text. */
const PLAIN_ATTRIBUTES: ReadonlySet<string> = new Set(["for", "class", "id"]);

/** Return the name of a field that has one label containing only text and the field itself. */
function plainLabel(el: Element): Name | null {
  if (styledText.active) return null;
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
  const native = nativeName(el, walk);
  if (native !== null && (native.trim() || isDecorative(el))) return native;
  const heading = HEADED_ROLES.has(aria) ? headingText(el, walk) : "";
  if (heading) return heading;
  if (isNamedByContent(el, aria)) {
    let content = fromContent(el, walk);
    walk.content = true;
    if (walk.skipped && !withoutGlyphs(content).trim()) {
      // A card that fills a link: its own text is the only visible name.
      walk.whole = true;
      walk.visited = new Set([el]);
      content = fromContent(el, walk);
    }
    if (withoutGlyphs(content).trim()) {
      walk.visible = walk.sawVisible;
      return content;
    }
  }
  return tooltip(el, aria, walk) || nameOfPart(el, aria, walk) || nameOfHost(el, aria, walk);
}

const FIELD_ROLES: ReadonlySet<string> = new Set(["textbox", "searchbox", "spinbutton", "combobox", "listbox", "slider", "checkbox", "switch"]);
const FIELDS = "input:not([type=hidden]),select,textarea,[role=combobox],[role=slider],[role=spinbutton],[role=textbox]";

/** Return the name of the component around its only field: its author could not name the field inside. */
function nameOfHost(el: Element, aria: string, walk: Walk): string {
  const root = FIELD_ROLES.has(aria) ? rootOf(el) : null;
  if (!isShadowRoot(root) || root.querySelectorAll(FIELDS).length > 1) return "";
  const host = hostOf(root);
  if (attr(host, "role") !== null) return "";
  walk.from.push(host);
  const label = attr(host, "aria-label") ?? "";
  const text = label.trim() ? label : labelIndex.of(host).map((one) => contentOf(one)).join(" ");
  if (text.trim()) walk.visible = false;
  return text;
}

/** Return the name of the part that stands for its wrapper: the summary of `details`, the field of a combobox. */
function nameOfPart(el: Element, aria: string, walk: Walk): string {
  const isDetails = isHtml(el) && localName(el) === "details";
  const isWrapper = aria === "combobox" && !LABELABLE.has(localName(el));
  if (!isDetails && !isWrapper) return "";
  walk.content = true;
  const [part, another] = queryAll(el, isDetails ? ":scope > summary" : "input,[role=textbox],[role=searchbox]");
  const isAmbiguous = !isDetails && another !== undefined;
  if (!part || isAmbiguous) return "";
  const name = nameOf(part, ariaRole(part) ?? (isDetails ? "button" : "textbox"));
  walk.from.push(...name.from);
  walk.ids.push(...name.ids);
  return name.text;
}

/** Return whether an image states that it has no text alternative. Its title is no name then. */
function isDecorative(el: Element): boolean {
  return isHtml(el) && localName(el) === "img" && attr(el, "alt") === "";
}

/** Return the text of the first heading inside, in document order. */
function headingText(el: Element, walk: Walk): string {
  walk.content = true;
  for (const heading of queryAll(el, HEADINGS)) {
    if (visibilityOf(heading) !== Visibility.Full || closestMatch(heading, "[aria-hidden=true]")) continue;
    const text = partText(heading, { ...walk, depth: walk.depth + 1, visited: new Set() }).trim();
    if (text) return text;
  }
  return "";
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
  const inner: Walk = { ...walk, visited: new Set(walk.direct ? [walk.direct] : NONE), referenced: true, direct: target, hidden: visibilityOf(target) !== Visibility.Full, depth: walk.depth + 1 };
  const text = partText(target, inner);
  walk.content ||= inner.content;
  if ((inner.hidden && text.trim()) || !inner.visible) walk.visible = false;
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
  if (embedded !== null && (embedded !== "" || el !== walk.direct)) return embedded;
  const label = attr(el, "aria-label");
  if (label && label.trim()) {
    if (el === walk.root && clean(label) !== clean(contentOf(el))) walk.visible = false;
    return label;
  }
  const native = el === walk.direct ? nativeName(el, walk) : walk.depth > 0 || el !== walk.root ? nativePart(el, walk, tag) : null;
  if (native !== null && (native.trim() || isDecorative(el))) return native;
  if (tag === "input") return inputType(el) === "hidden" ? "" : tooltip(el, aria);
  if (!walk.whole && !walk.referenced && el !== walk.root && (aria === "" ? SEPARATE_TAGS.has(tag) : SEPARATE_ROLES.has(aria))) {
    walk.skipped = true;
    return attr(el, "title") ?? "";
  }
  const content = fromContent(el, walk);
  if (withoutGlyphs(content).trim()) return content;
  return attr(el, "title") ?? "";
}

function nativePart(el: Element, walk: Walk, tag: string): string | null {
  if (tag === "img" || tag === "area") return attr(el, "alt") ?? attr(el, "title") ?? captionOf(el, walk);
  if (tag === "input") {
    const type = inputType(el);
    if (type === "button" || type === "submit" || type === "reset" || type === "image") return buttonInput(el, type);
    return null;
  }
  if (namespace(el) === SVG) return svgTitle(el, walk);
  return null;
}

function nativeName(el: Element, walk: Walk): string | null {
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
      return attr(el, "alt") ?? (hasAttr(el, "title") ? null : captionOf(el, walk));
    case "fieldset":
      return firstChildText(el, "legend", walk);
    case "table":
      return firstChildText(el, "caption", walk) ?? attr(el, "summary");
    case "option":
    case "optgroup":
      return attr(el, "label");
    default:
      return customLabels(el, walk);
  }
}

/** Return the caption of a figure that contains nothing but this image. */
function captionOf(image: Element, walk: Walk): string | null {
  const figure = closestMatch(image, "figure");
  if (!figure) return null;
  let caption: Element | null = null;
  for (let child = firstChild(figure); child; child = nextSibling(child)) {
    if (isText(child) && dataOf(child).trim() !== "") return null;
    if (!isElement(child) || child === image) continue;
    if (caption || localName(child) !== "figcaption") return null;
    caption = child;
  }
  if (!caption || visibilityOf(caption) === Visibility.None) return null;
  walk.from.push(caption);
  return partText(caption, { ...walk, depth: walk.depth + 1, visited: new Set(walk.visited) });
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

/** Return the text of an element with one text node, as style renders it. */
function renderedText(el: Element, only: string): string {
  if (!styledText.active) return only;
  return styledText.before(el) + styledText.rendered(only, el) + styledText.after(el);
}

function fromContent(el: Element, walk: Walk): string {
  const only = onlyText(el);
  if (only !== null && !hasAttr(el, "aria-owns")) {
    if (walk.concealed === 0) walk.sawVisible = true;
    return renderedText(el, only);
  }
  const before = styledText.before(el);
  let text = before;
  if (before && walk.concealed === 0) walk.sawVisible = true;
  eachFlatChild(el, (child) => {
    if (walk.left <= 0) return false;
    if (isText(child)) {
      const data = dataOf(child);
      walk.left -= data.length;
      text += styledText.rendered(data, el);
      if (walk.concealed === 0 && data.trim() !== "") walk.sawVisible = true;
    } else if (nodeType(child) === 1 && isPartOfName(child as Element, walk)) text += childText(child as Element, walk);
    return;
  });
  text += ownedText(el, walk);
  return text + styledText.after(el);
}

/** Return whether a child counts in the name of its parent: not if another element owns it, or if it is a side action. */
function isPartOfName(child: Element, walk: Walk): boolean {
  if (owners.ownerOf(child)) return false;
  const actions = attr(walk.root, "aria-actions");
  return actions === null || !actions.split(/\s+/).includes(attr(child, "id") ?? "");
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
  let text = "";
  if (!hasAttr(el, "aria-owns")) return text;
  for (const id of idsOf(el)) {
    walk.ids.push(id);
    const owned = byId(el, id);
    if (!owned || owners.ownerOf(owned) !== el) continue;
    walk.from.push(owned);
    text += ` ${childText(owned, walk)} `;
  }
  return text;
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
