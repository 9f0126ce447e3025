/** Roles: from an annotation, ARIA, native HTML, then a few heuristics. This module knows no names and no states. */

import {
  attr, byId, firstElement, hasAttr, hasAttributes, isHtml, localName, matches, namespace, nextElement, parentElement, SVG,
} from "../dom.ts";
import type { Source, UIRole } from "../types.ts";
import { Has } from "./attributes.ts";
import { owners } from "./owners.ts";

export interface Role {
  role: UIRole;
  /** The ARIA role behind it, as in Chromium's accessibility tree. */
  aria: string;
  source: Source;
  customRole?: string;
}

/** The facts about ancestors that a role depends on. */
export interface RoleContext {
  table: "none" | "table" | "grid" | "layout";
  list: boolean;
  /** Inside an article, aside, main, nav or section. */
  sectioning: boolean;
  /** The same without main. */
  section: boolean;
}

const FROM_ARIA: Readonly<Record<string, UIRole>> = {
  alert: "alert", alertdialog: "dialog", application: "app", article: "group",
  banner: "region", complementary: "region", contentinfo: "region", main: "region", navigation: "region",
  region: "region", search: "region",
  button: "button", cell: "cell", gridcell: "cell", columnheader: "cell", rowheader: "cell",
  checkbox: "checkbox", combobox: "combobox", dialog: "dialog", directory: "list", feed: "list", form: "form",
  grid: "grid", treegrid: "grid", group: "group", heading: "label", image: "image", img: "image", link: "link",
  list: "list", listbox: "listbox", listitem: "listitem", log: "status", marquee: "status", menu: "menu",
  menubar: "menu", menuitem: "menuitem", menuitemcheckbox: "menuitem", menuitemradio: "menuitem",
  meter: "progress", option: "option", progressbar: "progress", radio: "radio", radiogroup: "group", row: "row",
  scrollbar: "slider", searchbox: "searchbox", slider: "slider", spinbutton: "spinbutton", status: "status",
  switch: "switch", tab: "tab", table: "table", tablist: "tablist", tabpanel: "tabpanel", textbox: "textbox",
  timer: "status", toolbar: "toolbar", tooltip: "popover", tree: "tree", treeitem: "treeitem",
};

const KNOWN_ARIA: ReadonlySet<string> = new Set([
  ...Object.keys(FROM_ARIA),
  "none", "presentation", "generic", "rowgroup", "separator", "definition", "term", "document", "figure", "math",
  "note", "paragraph", "blockquote", "caption", "code", "deletion", "emphasis", "insertion", "strong", "subscript",
  "superscript", "time", "mark", "suggestion", "comment",
]);

const INPUTS: Readonly<Record<string, [UIRole, string]>> = {
  button: ["button", "button"], submit: ["button", "button"], reset: ["button", "button"],
  image: ["button", "button"],
  checkbox: ["checkbox", "checkbox"], radio: ["radio", "radio"], range: ["slider", "slider"],
  number: ["spinbutton", "spinbutton"], search: ["searchbox", "searchbox"],
  date: ["datepicker", "date"], "datetime-local": ["datepicker", "date"], month: ["datepicker", "date"],
  week: ["datepicker", "date"], time: ["timepicker", "time"], file: ["fileinput", "button"],
};

export const INTERACTIVE: ReadonlySet<UIRole> = new Set<UIRole>([
  "link", "menuitem", "tab", "button", "textbox", "textarea", "searchbox", "combobox", "listbox", "option",
  "checkbox", "radio", "switch", "slider", "spinbutton", "datepicker", "timepicker", "fileinput", "treeitem",
]);

export const FEEDBACK: ReadonlySet<UIRole> = new Set<UIRole>(["alert", "toast", "status", "progress", "spinner"]);

const LANDMARKS: Readonly<Record<string, string>> = { main: "main", search: "search" };

const TOAST_CLASS = /(^|[\s_-])(toast|snack-?bar|notification|notyf|growl|flash)(?=$|[\s_-]|s\b|__|--)/i;
const SPINNER_CLASS = /(^|[\s_-])(spinner|loader|loading)(?=$|[\s_-]|__|--)/i;
const DRAWER_CLASS = /(^|[\s_-])(drawer|off-?canvas|side-?sheet)(?=$|[\s_-]|__|--)/i;

export function classes(el: Element): string {
  return attr(el, "class") ?? "";
}

export function looksLikeToast(el: Element): boolean {
  return TOAST_CLASS.test(classes(el));
}

/**
 * Return the first known ARIA role token that applies. `presentation` does not apply to elements that can take focus,
 * and `region` and `form` do not apply to elements without a name.
 */
export function ariaRole(el: Element): string | null {
  const raw = attr(el, "role");
  if (raw === null) return null;
  for (const word of raw.toLowerCase().split(/\s+/)) {
    if (!KNOWN_ARIA.has(word)) continue;
    if ((word === "none" || word === "presentation") && (isFocusable(el) || hasGlobalAria(el))) continue;
    if ((word === "region" || word === "form") && !isNamedByAuthor(el)) continue;
    return word;
  }
  return null;
}

const GLOBAL_ARIA: readonly string[] = [
  "aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-description", "aria-details",
  "aria-flowto", "aria-keyshortcuts", "aria-label", "aria-labelledby", "aria-live", "aria-owns", "aria-relevant",
  "aria-roledescription",
];

function hasGlobalAria(el: Element): boolean {
  return GLOBAL_ARIA.some((name) => hasAttr(el, name));
}

/** Return whether `aria-labelledby`, `aria-label` or `title` names an element. */
export function isNamedByAuthor(el: Element): boolean {
  if (!hasAttributes(el)) return false;
  if (isPresent(attr(el, "aria-label")) || isPresent(attr(el, "title"))) return true;
  const ids = attr(el, "aria-labelledby");
  return ids !== null && ids.split(/\s+/).some((id) => id !== "" && byId(el, id) !== null);
}

function isPresent(text: string | null): boolean {
  return text !== null && text.trim() !== "";
}

/** Return whether an element is focusable by HTML's rules, even if it is disabled or not rendered. */
export function isFocusable(el: Element): boolean {
  if (hasAttr(el, "tabindex")) return true;
  if (!isHtml(el)) return localName(el) === "a" && (hasAttr(el, "href") || hasAttr(el, "xlink:href"));
  switch (localName(el)) {
    case "a":
    case "area":
      return hasAttr(el, "href");
    case "input":
      return inputType(el) !== "hidden";
    case "button":
    case "select":
    case "textarea":
    case "iframe":
      return true;
    case "summary":
      return isSummary(el);
    case "audio":
    case "video":
      return hasAttr(el, "controls");
    default:
      return isEditingHost(el);
  }
}

export function inputType(el: Element): string {
  return (el as HTMLInputElement).type;
}

export function isEditingHost(el: Element): boolean {
  const value = attr(el, "contenteditable");
  return value !== null && value.toLowerCase() !== "false";
}

function isSummary(el: Element): boolean {
  const parent = parentElement(el);
  return parent !== null && localName(parent) === "details" && matches(el, "details > summary:first-of-type");
}

function fromAria(aria: string, el: Element): Role | null {
  let role = FROM_ARIA[aria];
  if (!role) return null;
  if (aria === "textbox" && attr(el, "aria-multiline") === "true") role = "textarea";
  if (role === "dialog" && DRAWER_CLASS.test(classes(el))) role = "drawer";
  if (aria === "navigation") role = navigationRole(el);
  if ((role === "alert" || role === "status") && looksLikeToast(el)) role = "toast";
  if ((role === "progress" || role === "status") && SPINNER_CLASS.test(classes(el)) && !hasAttr(el, "aria-valuenow")) role = "spinner";
  return { role, aria, source: "aria" };
}

function navigationRole(el: Element): UIRole {
  const label = `${attr(el, "aria-label") ?? ""} ${classes(el)}`;
  if (/bread-?crumb/i.test(label)) return "breadcrumb";
  if (/paginat/i.test(label)) return "pagination";
  return "region";
}

function nativeRole(el: Element, ctx: RoleContext): Role | null {
  const make = (role: UIRole, aria: string): Role => ({ role, aria, source: "native" });
  const tag = localName(el);
  switch (tag) {
    case "button":
      return make("button", "button");
    case "a":
    case "area":
      return hasAttr(el, "href") ? make("link", "link") : null;
    case "input": {
      const type = inputType(el);
      if (type === "hidden") return null;
      if (type === "checkbox" && hasAttr(el, "switch")) return make("switch", "switch");
      if (type === "color") return { role: "custom", customRole: "x.color", aria: "colorwell", source: "native" };
      const mapped = INPUTS[type];
      if (hasAttr(el, "list") && (!mapped || type === "search")) return make("combobox", "combobox");
      return mapped ? make(mapped[0], mapped[1]) : make("textbox", "textbox");
    }
    case "textarea":
      return make("textarea", "textbox");
    case "select": {
      const select = el as HTMLSelectElement;
      return select.multiple || select.size > 1 ? make("listbox", "listbox") : make("combobox", "combobox");
    }
    case "option":
      return make("option", "option");
    case "optgroup":
    case "fieldset":
      return make("group", "group");
    case "details":
      return make("group", "group");
    case "summary":
      return isSummary(el) ? make("button", "button") : null;
    case "form":
      return make("form", "form");
    case "dialog":
      return make(DRAWER_CLASS.test(classes(el)) ? "drawer" : "dialog", "dialog");
    case "nav":
      return make(navigationRole(el), "navigation");
    case "aside":
      return ctx.section && !isNamedByAuthor(el) ? null : make("region", "complementary");
    case "main":
    case "search":
      return make("region", LANDMARKS[tag]!);
    case "header":
      return ctx.sectioning ? null : make("region", "banner");
    case "footer":
      return ctx.sectioning ? null : make("region", "contentinfo");
    case "section":
      return isNamedByAuthor(el) ? make("region", "region") : null;
    case "address":
    case "hgroup":
      return make("group", "group");
    case "figure":
    case "blockquote":
      return isNamedByAuthor(el) ? make("group", tag) : null;
    case "hr":
      return isNamedByAuthor(el) ? { role: "custom", customRole: "x.separator", aria: "separator", source: "native" } : null;
    case "article":
      return make("group", "article");
    case "ul":
    case "ol":
    case "menu":
    case "dir":
      return make("list", "list");
    case "li":
      return ctx.list || isOwnedByList(el) ? make("listitem", "listitem") : null;
    case "table":
      return make("table", "table");
    case "tr":
      return ctx.table === "table" || ctx.table === "grid" ? make("row", "row") : null;
    case "td":
      return ctx.table === "table" || ctx.table === "grid" ? make("cell", "cell") : null;
    case "th":
      if (ctx.table !== "table" && ctx.table !== "grid") return null;
      return make("cell", attr(el, "scope")?.startsWith("row") ? "rowheader" : "columnheader");
    case "output":
      return make("status", "status");
    case "progress":
      return make("progress", "progressbar");
    case "meter":
      return make("progress", "meter");
    case "h1":
    case "h2":
    case "h3":
    case "h4":
    case "h5":
    case "h6":
      return make("label", "heading");
    case "img":
      return attr(el, "alt") === "" && !isNamedByAuthor(el) ? null : make("image", "image");
    case "video":
      return make("video", "video");
    case "audio":
      return hasAttr(el, "controls") ? make("audio", "audio") : null;
    case "canvas":
      return make("canvas", "canvas");
    default:
      return null;
  }
}

/** Return the role of an element with `popover`. Style alone can show it too: then it is only a group. */
function popoverRole(el: Element): Role {
  if (matches(el, ":popover-open")) return { role: "popover", aria: "generic", source: "native" };
  return { role: "group", aria: "group", source: "native" };
}

const TABLE_PARTS = /^(?:thead|tbody|tfoot|colgroup)$/;

function guessRole(el: Element): Role | null {
  const live = attr(el, "aria-live");
  if (live === "assertive") return { role: looksLikeToast(el) ? "toast" : "alert", aria: "generic", source: "aria" };
  if (live === "polite") return { role: looksLikeToast(el) ? "toast" : "status", aria: "generic", source: "aria" };
  if (isEditingHost(el)) return { role: "textarea", aria: "textbox", source: "native" };
  if (hasAttr(el, "popover")) return popoverRole(el);
  const index = attr(el, "tabindex");
  if (hasAttr(el, "onclick")) return { role: "button", aria: "generic", source: "heuristic" };
  if (TABLE_PARTS.test(localName(el))) return null; // it takes the focus for the keys of its rows
  // With a negative index only a script moves the focus there: mostly a box around controls, or a decoration.
  if (index !== null && (parseInt(index, 10) >= 0 || (!Number.isNaN(parseInt(index, 10)) && isNamedByAuthor(el)))) {
    return { role: "custom", customRole: "x.focusable", aria: "generic", source: "heuristic" };
  }
  return null;
}

/** Return the role of structure that is published only if it has a name. */
function namedRole(el: Element, aria: string): Role | null {
  if (!isNamedByAuthor(el)) return null;
  if (aria === "figure" || aria === "blockquote") return { role: "group", aria, source: "aria" };
  return aria === "separator" ? { role: "custom", customRole: "x.separator", aria, source: "aria" } : null;
}

const SHAPES: ReadonlySet<string> = new Set([
  "svg", "image", "use", "circle", "ellipse", "line", "path", "polygon", "polyline", "rect",
]);

/** Return the role of a part of a drawing that its author named (SVG-AAM). */
function drawingRole(el: Element): Role | null {
  const tag = localName(el);
  const isGroup = tag === "g" || tag === "foreignObject";
  if ((!isGroup && !SHAPES.has(tag)) || !(hasTitleElement(el) || isNamedByAuthor(el))) return null;
  return { role: isGroup ? "group" : "image", aria: isGroup ? "group" : "image", source: "native" };
}

function hasTitleElement(el: Element): boolean {
  for (let child = firstElement(el); child; child = nextElement(child)) if (localName(child) === "title") return true;
  return false;
}

function isOwnedByList(el: Element): boolean {
  const owner = owners.ownerOf(el);
  return owner !== null && (matches(owner, "ul,ol,menu") || ariaRole(owner) === "list");
}

const GENERIC: ReadonlySet<string> = new Set([
  "div", "span", "section", "header", "footer", "a", "b", "bdi", "bdo", "data", "i", "pre", "q", "samp", "small", "u",
]);

/** Return the least role of a generic element that can be dragged, takes drops, or has the focus when the page opens (HTML-AAM). */
export function minimumRole(el: Element): Role | null {
  const tag = localName(el);
  if (!isHtml(el) || !(GENERIC.has(tag) || tag.includes("-"))) return null;
  const aria = ariaRole(el);
  if (aria !== null && aria !== "none" && aria !== "presentation" && aria !== "generic") return null;
  const drags = hasAttr(el, "draggable") && attr(el, "draggable") !== "false";
  return drags || hasAttr(el, "autofocus") || hasAttr(el, "ondrop") ? { role: "group", aria: "group", source: "native" } : null;
}

/** Return the role of an element, or null when its role gives no reason to publish it. */
export function roleOf(el: Element, ctx: RoleContext, has: number): Role | null {
  if (!(has & (Has.Role | Has.Aria | Has.Target))) {
    if (isHtml(el)) return nativeRole(el, ctx);
    if (has === Has.Nothing) return namespace(el) === SVG ? drawingRole(el) : null;
  }
  const aria = ariaRole(el);
  if (aria !== null && aria !== "none" && aria !== "presentation" && aria !== "generic") {
    const role = fromAria(aria, el);
    if (role) return role;
    if (aria === "separator" && hasAttr(el, "tabindex")) {
      return { role: "slider", aria: "separator", source: "aria" };
    }
    return guessRole(el) ?? namedRole(el, aria);
  }
  if (namespace(el) === SVG) {
    if (localName(el) === "a" && isFocusable(el)) return { role: "link", aria: "link", source: "native" };
    return guessRole(el) ?? (aria === null ? drawingRole(el) : null);
  }
  if (!isHtml(el)) return null;
  if (aria !== null) return guessRole(el);
  return nativeRole(el, ctx) ?? guessRole(el);
}

const SECTIONS: ReadonlySet<string> = new Set(["article", "aside", "nav", "section"]);
const SECTION_ROLES: ReadonlySet<string> = new Set(["article", "complementary", "navigation", "region"]);

/** Return the facts that the children of this element inherit for their own roles. */
export function innerContext(el: Element, ctx: RoleContext, role: Role | null): RoleContext {
  const tag = localName(el);
  let { table, list, sectioning, section } = ctx;
  if (tag === "table" || role?.role === "table" || role?.role === "grid") {
    table = role === null ? "layout" : role.role === "grid" ? "grid" : role.role === "table" ? "table" : "layout";
    list = false;
  } else if (tag === "td" || tag === "th") list = false;
  if (tag === "ul" || tag === "ol" || tag === "menu" || tag === "dir" || role?.role === "list") list = role?.role === "list";
  else if (tag === "li") list = false;
  if (SECTIONS.has(tag) || (role && SECTION_ROLES.has(role.aria))) sectioning = section = true;
  else if (tag === "main" || role?.aria === "main") sectioning = true;
  if (table === ctx.table && list === ctx.list && sectioning === ctx.sectioning && section === ctx.section) return ctx;
  return { table, list, sectioning, section };
}

export function headingLevel(el: Element): number {
  const stated = Number.parseInt(attr(el, "aria-level") ?? "", 10);
  if (stated > 0) return stated;
  const tag = /^h([1-6])$/.exec(localName(el));
  return tag ? Number(tag[1]) : 2;
}
