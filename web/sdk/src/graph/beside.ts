/** The text beside a field that has no name: what a person takes for its label, though nothing connects the two. */

import {
  attr, closestMatch, contentOf, dataOf, firstElement, hostOf, isConnected, isElement, isText, localName, matches, nextElement, nextSibling,
  parentElement, parentOf, previousSibling, queryAll,
} from "../dom.ts";
import type { State } from "../types.ts";
import type { Role } from "./roles.ts";
import { isMasked } from "./sensitive.ts";
import { clean } from "./text.ts";
import { showsContent, visibilityOf } from "./visibility.ts";

const FIELDS: ReadonlySet<string> = new Set([
  "textbox", "textarea", "searchbox", "combobox", "listbox", "spinbutton", "slider", "datepicker", "timepicker", "fileinput",
  "checkbox", "radio", "switch",
]);
/** Boxes whose text stands behind them. */
const BOXES: ReadonlySet<string> = new Set(["checkbox", "radio", "switch"]);
const OUTER: ReadonlySet<string> = new Set(["form", "fieldset", "table", "tbody", "body", "main", "section", "dialog"]);
const LABELS = "label,th,dt,legend";
const CONTROLS = "input,select,textarea,button,[role=textbox],[role=combobox],[contenteditable]";
/** The handle of a drawn slider lies some boxes deep. Another control on the way ends the search. */
const MAX_DEPTH = 6;
/** A number or a sign beside a field, such as the mark of a scale, is no label. */
const WORD = /\p{L}/u;
const CAP = 100;
const MAX_FIELDS = 100;

/** Return the role that decides where the label of a nameless field is. A button that opens a list or a calendar is a field. */
export function fieldRole(role: Role, state: State): string {
  if (role.customRole === "x.color") return "textbox";
  return role.role === "button" && (state.hasPopup === "listbox" || state.hasPopup === "dialog") ? "combobox" : role.role;
}

class NamelessFields {
  private readonly roles = new Map<Element, string>();

  /** Return the text beside a field without a name, and remember the field. A page with very many has no text for the rest. */
  read(el: Element, role: string): string {
    if (!FIELDS.has(role)) return "";
    if (this.roles.size >= MAX_FIELDS && !this.roles.has(el)) return "";
    this.roles.set(el, role);
    return besideOf(el, role);
  }

  forget(el: Element): void {
    this.roles.delete(el);
  }

  /** Yield the fields whose text is another one now: any change on the page may move or hide a text. */
  *changed(textOf: (el: Element) => unknown): Iterable<Element> {
    for (const [el, role] of this.roles) {
      if (!isConnected(el)) this.roles.delete(el);
      else if (besideOf(el, role) !== (textOf(el) ?? "")) yield el;
    }
  }
}

export const nameless = new NamelessFields();

/**
 * Return the header of its column, or the text beside a field: before it, or behind it if it is a box to tick.
 *
 * The text beside a private field may repeat its value, so only one that the page marks as a label counts.
 */
function besideOf(el: Element, role: string): string {
  const header = columnHeader(el);
  if (header) return header;
  const labelsOnly = isMasked(el);
  const step = BOXES.has(role) ? nextSibling : previousSibling;
  let node: Element = el;
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const parent = parentOf(node);
    if (!parent) return "";
    const text = firstText(node, step, labelsOnly);
    if (text === null) return "";
    if (text) return text.length <= CAP ? text : "";
    const outer = isElement(parent) ? parent : parent instanceof ShadowRoot ? hostOf(parent) : null;
    if (outer === null || OUTER.has(localName(outer))) return "";
    node = outer;
  }
  return "";
}

const TABLE = "table,[role=table],[role=grid],[role=treegrid]";
const CELL = "td,th,[role=cell],[role=gridcell]";
const PLAIN_CELL = "td,[role=cell],[role=gridcell]";
const HEADER = "th,[role=columnheader]";
const ROW = "tr,[role=row]";

/** Return the header of the column of a field: its cell holds nothing else, and the first row has only headers. */
function columnHeader(el: Element): string {
  const cell = closestMatch(el, CELL);
  const row = cell && parentElement(cell);
  const table = row && closestMatch(row, TABLE);
  const first = table && queryAll(table, ROW)[0];
  if (!first || first === row || first.childElementCount !== row.childElementCount || queryAll(first, PLAIN_CELL).length > 0) return "";
  let header = firstElement(first);
  for (let one = firstElement(row); one && one !== cell; one = nextElement(one)) header = header && nextElement(header);
  if (!header || !matches(header, HEADER) || WORD.test(contentOf(cell).replace(contentOf(el), ""))) return "";
  const text = clean(contentOf(header));
  return WORD.test(text) && text.length <= CAP ? text : "";
}

/** Return the first text in one direction among the siblings; "" if there is none, null if another control comes first. */
function firstText(from: Element, step: (node: Node) => Node | null, labelsOnly: boolean): string | null {
  for (let node = step(from); node; node = step(node)) {
    if (isText(node)) {
      const text = clean(dataOf(node));
      if (WORD.test(text)) return labelsOnly ? null : text;
    } else if (isElement(node) && showsContent(visibilityOf(node))) {
      if (isControl(node) || isMasked(node)) return null;
      const text = clean(contentOf(node));
      if (text.length <= CAP && [...queryAll(node, "*")].some(isMasked)) return null;
      if (WORD.test(text)) return labelsOnly && !isLabel(node, text) ? null : text;
    }
  }
  return "";
}

/** Return whether all text of an element is a label in its markup. */
function isLabel(el: Element, text: string): boolean {
  return [el, ...queryAll(el, LABELS)].some((one) => matches(one, LABELS) && clean(contentOf(one)) === text);
}

/** Return whether an element is or holds a control. One that is hidden from assistive technology belongs to its neighbour. */
function isControl(el: Element): boolean {
  return [el, ...queryAll(el, CONTROLS)].some((one) => matches(one, CONTROLS) && attr(one, "aria-hidden") !== "true");
}
