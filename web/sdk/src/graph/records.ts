/**
 * The record that an element belongs to, so that a recycled row is not mistaken for another record.
 *
 * The first one present is used: data-uiap-entity; data-id, data-key, id; an id in a link; row header or first text
 * cell.
 */

import {
  attr, dataOf, eachFlatChild, firstElement, isElement, isHtml, isText, localName, nextElement, parentElement, queryAll,
} from "../dom.ts";
import type { Annotations } from "./annotations.ts";
import { Has } from "./attributes.ts";
import { ariaRole, type Role } from "./roles.ts";
import { clean, token } from "./text.ts";
import { appearanceOf, Visibility, VISIBILITY_MASK } from "./visibility.ts";

const KEY_CAP = 120;
// "row-3", "item12": may name the position and not the record, so the text of the record is part of the key.
const POSITION_LIKE = /^\D*\d{1,4}$/;
// Ids that libraries generate again on each render.
const GENERATED = /^(:r|«r|radix-|react-aria|headlessui-|mui-|ember\d|yui_|ext-|cdk-|mat-|__|ng-|v-\d|input-\d)/;

export function isRecordHost(el: Element, role: Role | null, has: number, annotations: Annotations): boolean {
  if (role) {
    if (role.role === "row" || role.role === "listitem" || role.role === "treeitem" || role.aria === "article") return true;
    if (role.role === "option" || role.role === "menuitem") return false;
  }
  return (has & Has.Key) !== 0 || ((has & Has.Annotation) !== 0 && annotations.has(el, "entity"));
}

export interface RecordKey {
  key: string | undefined;
  /** Whether the key depends on what is inside the host, so that a change there can change the key. */
  content: boolean;
}

/** Return the key of the record in `host`: its entity, else an id attribute, else a link with an id, else its first text. */
export function recordKey(host: Element, annotations: Annotations): RecordKey {
  const entity = annotations.value(host, "entity");
  if (entity) return { key: entity, content: false };
  for (const name of ["data-id", "data-key", "id"]) {
    const raw = attr(host, name);
    const value = raw === null ? "" : token(raw);
    if (!value || (name === "id" && GENERATED.test(value))) continue;
    if (!POSITION_LIKE.test(value)) return { key: `${name}:${value}`, content: false };
    const text = headText(host);
    return { key: text ? `${name}:${value} ${text}` : `${name}:${value}`, content: true };
  }
  const link = linkKey(host);
  if (link) return { key: link, content: true };
  if (isHeaderRow(host)) return { key: undefined, content: true };
  const text = headText(host);
  return { key: text ? `text:${text}` : undefined, content: true };
}

/** A script, a mail address or other data: its digits name no record. */
const NO_ADDRESS = /^\s*(?!https?:)[a-z][a-z0-9+.-]*:/i;

function linkKey(host: Element): string | undefined {
  for (const link of queryAll(host, "a[href]")) {
    const href = attr(link, "href") ?? "";
    if (NO_ADDRESS.test(href)) continue;
    const path = href.split(/[?#]/)[0]!;
    const query = /[?&](id|uuid|key)=([^&#]+)/.exec(href);
    if (query) return `link:${clean(query[2]!, KEY_CAP)}`;
    const segments = path.split("/").filter(Boolean);
    const id = segments.reverse().find((part) => /\d/.test(part) && part.length <= 64);
    if (id) return `link:${clean(id, KEY_CAP)}`;
  }
  return undefined;
}

function isHeaderRow(host: Element): boolean {
  if (!isHtml(host) || localName(host) !== "tr") return false;
  let cells = 0;
  for (let child = firstElement(host); child; child = nextElement(child)) {
    if (localName(child) === "td") return false;
    cells++;
  }
  return cells > 0;
}

/** Return the text of the row header or the first cell with text; for other hosts the first text inside. */
function headText(host: Element): string {
  let first = "";
  for (let child = firstElement(host); child; child = nextElement(child)) {
    const tag = localName(child);
    const role = ariaRole(child);
    if ((tag === "th" && attr(child, "scope") === "row") || role === "rowheader") return plainText(child);
    const cell = tag === "td" || tag === "th" || role === "cell" || role === "gridcell";
    if (cell && !first) first = plainText(child);
  }
  return first || plainText(host);
}

const SIGN = /^[\p{S}\p{P}]{1,2}$/u;
const SKIPPED: ReadonlySet<string> = new Set(["script", "style", "template", "button", "select", "input", "textarea", "svg", "noscript"]);

/** Return the first text outside controls, after visiting at most 200 nodes. */
function plainText(root: Element): string {
  const stack: Node[] = [root];
  let visited = 0;
  for (let node = stack.pop(); node && visited < 200; node = stack.pop()) {
    visited++;
    if (isText(node)) {
      const text = clean(dataOf(node), KEY_CAP);
      // Invisible text is not published, so it is not used as a key either. A sign alone names nothing.
      if (text && !SIGN.test(text) && (appearanceOf(parentElement(node) ?? root) & VISIBILITY_MASK) === Visibility.Full) return text;
      continue;
    }
    if (!isElement(node) || (node !== root && isSkipped(node))) continue;
    const children: Node[] = [];
    eachFlatChild(node, (child) => {
      children.push(child);
      return children.length < 50;
    });
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index]!);
  }
  return "";
}

function isSkipped(el: Element): boolean {
  return SKIPPED.has(localName(el)) || attr(el, "aria-hidden") === "true" || attr(el, "role") === "button" || attr(el, "hidden") !== null;
}
