/**
 * The word of an icon, for a control that has no name: `trash` of `<i class="fa fa-trash">`.
 *
 * It is a hint from the markup and no name: the page shows only a picture.
 */

import { attr, composedParent, contentOf, localName, queryAll } from "../dom.ts";
import type { Role } from "./roles.ts";
import type { Store } from "./store.ts";
import { clean } from "./text.ts";

const MAX_PARTS = 6;
const MAX_DEPTH = 6;
const CAP = 30;
/** Icon fonts whose ligature is the word of the icon. */
const LIGATURES = /(^|[\s-])(material-icons|material-symbols|mat-icon|q-icon|notranslate)/;
const LIGATURE = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;
/** `fa-trash`, `bi-trash`, `lucide-trash-2`, `icon-trash`: the family, then the icon. */
const FAMILY = /^(?:fa[bsrldt]?|bi|mdi|ti|ri|la[bsr]?|pi|ph|bx[sl]?|uil|ion|eva|ci|gg|icon|icons|glyphicon|lucide|feather|octicon|codicon|anticon|heroicon|tabler-icon|svg-inline--fa|el-icon|k-icon|ui-icon|dashicons|typcn|zmdi|entypo|lnr)-([a-z][a-z0-9-]*)$/;
/** Parts of class names that say how large or how an icon is drawn. */
const MANNER = /^(fw|lg|sm|xs|md|xl|\d*x|\d+|spin|pulse|fill|filled|line|outline|outlined|regular|solid|light|thin|bold|rounded|sharp|icon|icons|inverse|stack|border|wrapper|only|button|btn|small|large|medium|default|root|container|svg)$/;
const PARTS = "i,span,svg,use,img,mat-icon,[data-icon]";

/** Publish the word of the icon in a control without a name. */
export function iconFacts(el: Element, role: Role, set: (key: string, value: unknown) => void): void {
  const icon = isPictured(role) ? iconOf(el) : "";
  if (icon) set("icon", icon);
}

/** Return whether an icon can be all that a control shows. */
function isPictured({ role, customRole }: Role): boolean {
  return role === "button" || role === "link" || role === "menuitem" || role === "tab" || customRole === "x.clickable";
}

/** Yield the controls without a name around an icon: its class may be all that says what they do. */
export function* controlsOfIcon(icon: Element, store: Store): Iterable<Element> {
  let el = composedParent(icon);
  for (let depth = 0; el && depth < MAX_DEPTH; depth++, el = composedParent(el)) {
    const entry = store.entries.get(el);
    if (entry && entry.name.text === "" && isPictured(entry.role)) yield el;
  }
}

/** Return the word of the icon; "" if the markup names none. */
function iconOf(el: Element): string {
  const parts = [el, ...[...queryAll(el, PARTS)].slice(0, MAX_PARTS)];
  for (const part of parts) {
    const found = ligature(part) || wordsOf(attr(part, "data-icon")) || symbol(part) || testId(part) || className(part) || file(part);
    if (found) return clean(found, CAP);
  }
  return "";
}

function ligature(part: Element): string {
  if (!LIGATURES.test(attr(part, "class") ?? "") && localName(part) !== "mat-icon") return "";
  const text = contentOf(part).trim();
  return LIGATURE.test(text) ? text.replaceAll("_", " ") : "";
}

/** `<use href="sprite.svg#icon-trash">` */
function symbol(part: Element): string {
  if (localName(part) !== "use") return "";
  const href = attr(part, "href") ?? attr(part, "xlink:href") ?? "";
  const id = href.slice(href.indexOf("#") + 1);
  return wordsOf(id.replace(/^(icon|icons|svg|sprite|symbol)[-_]/, ""));
}

/** `<svg data-testid="DeleteIcon">` */
function testId(part: Element): string {
  const found = /^([A-Z][A-Za-z0-9]*?)(Outlined|Rounded|Sharp|TwoTone)?Icon$/.exec(attr(part, "data-testid") ?? "");
  return found ? wordsOf(found[1]!) : "";
}

function className(part: Element): string {
  for (const one of (attr(part, "class") ?? "").split(/\s+/)) {
    const found = FAMILY.exec(one);
    const words = found ? wordsOf(found[1]!) : "";
    if (words) return words;
  }
  return "";
}

function file(part: Element): string {
  if (localName(part) !== "img") return "";
  const found = /([A-Za-z][A-Za-z_-]{2,29})\.(svg|png|gif|webp)$/.exec((attr(part, "src") ?? "").split(/[?#]/)[0]!);
  return found ? wordsOf(found[1]!) : "";
}

/** Return an identifier as words, without those that say how an icon is drawn. */
function wordsOf(id: string | null): string {
  const words = (id ?? "").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z0-9]+/);
  return words.filter((word) => word && !MANNER.test(word)).join(" ");
}
