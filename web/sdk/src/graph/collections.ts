/** Collections: how many items are rendered, how many there are, and a signature of their order. */

import { attr, eachFlatChild, isElement, isHtml, localName } from "../dom.ts";
import type { UIRole } from "../types.ts";

export const COLLECTIONS: Partial<Record<UIRole, { role: string; item: ReadonlySet<UIRole> }>> = {
  list: { role: "list", item: new Set<UIRole>(["listitem"]) },
  table: { role: "table", item: new Set<UIRole>(["row"]) },
  grid: { role: "grid", item: new Set<UIRole>(["row"]) },
  tree: { role: "tree", item: new Set<UIRole>(["treeitem"]) },
  listbox: { role: "listbox", item: new Set<UIRole>(["option"]) },
  menu: { role: "menu", item: new Set<UIRole>(["menuitem"]) },
  tablist: { role: "tablist", item: new Set<UIRole>(["tab"]) },
};

/** Items in order, without descending into items or nested owners; wrappers such as tbody are passed through. */
export function eachItem(owner: Element, stops: (el: Element) => "item" | "stop" | "pass", visit: (el: Element) => void): void {
  const stack: Element[] = [];
  const push = (el: Element): void => {
    const children: Element[] = [];
    eachFlatChild(el, (child) => {
      if (isElement(child)) children.push(child);
    });
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index]!);
  };
  push(owner);
  for (let el = stack.pop(); el; el = stack.pop()) {
    const kind = stops(el);
    if (kind === "item") visit(el);
    else if (kind === "pass") push(el);
  }
}

export function totalOf(owner: Element, firstItem: Element | undefined): number | undefined {
  const rows = whole(attr(owner, "aria-rowcount"));
  if (rows !== undefined) return rows;
  return firstItem ? whole(attr(firstItem, "aria-setsize")) : undefined;
}

function whole(raw: string | null): number | undefined {
  if (raw === null) return undefined;
  const value = Number.parseInt(raw, 10);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

export function isHeaderRow(el: Element): boolean {
  const parent = el.parentElement;
  if (parent && isHtml(parent) && localName(parent) === "thead") return true;
  let cells = 0;
  for (let child = el.firstElementChild; child; child = child.nextElementSibling) {
    const tag = localName(child);
    if (tag !== "th" && attr(child, "role") !== "columnheader") return false;
    cells++;
  }
  return cells > 0;
}

/** Order-sensitive 106-bit digest of item keys: compared for equality only, so speed counts and secrecy does not. */
export class Signature {
  private a = 0xdeadbeef;
  private b = 0x41c6ce57;
  private c = 0x9e3779b9;
  private d = 0x85ebca6b;

  add(hash: number): void {
    this.a = Math.imul(this.a ^ hash, 2654435761);
    this.b = Math.imul(this.b ^ (hash >>> 3), 1597334677) + this.a;
    this.c = Math.imul(this.c ^ hash, 2246822507) + 1;
    this.d = Math.imul(this.d ^ (hash << 5), 3266489909) ^ this.c;
  }

  text(): string {
    return [this.a, this.b, this.c, this.d].map((part) => (part >>> 0).toString(16).padStart(8, "0")).join("");
  }
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  return hash | 0;
}
