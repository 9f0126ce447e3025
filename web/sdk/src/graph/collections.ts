/** Collections: how many items are rendered, how many exist, and a signature of their order. */

import {
  attr, eachFlatChild, firstElement, isElement, isHtml, localName, nextElement, parentElement,
} from "../dom.ts";
import type { UIRole } from "../types.ts";

const COLLECTIONS: Partial<Record<UIRole, { role: string; item: ReadonlySet<UIRole> }>> = {
  list: { role: "list", item: new Set<UIRole>(["listitem"]) },
  table: { role: "table", item: new Set<UIRole>(["row"]) },
  grid: { role: "grid", item: new Set<UIRole>(["row"]) },
  tree: { role: "tree", item: new Set<UIRole>(["treeitem"]) },
  listbox: { role: "listbox", item: new Set<UIRole>(["option"]) },
  menu: { role: "menu", item: new Set<UIRole>(["menuitem"]) },
  tablist: { role: "tablist", item: new Set<UIRole>(["tab"]) },
};

const OPTIONS = COLLECTIONS.listbox;

/** Return the kind of collection that an element is. A native select is a combobox that holds options. */
export function collectionOf(entry: { el: Element; role: { role: UIRole } }): { role: string; item: ReadonlySet<UIRole> } | undefined {
  if (entry.role.role === "combobox") return isHtml(entry.el) && localName(entry.el) === "select" ? OPTIONS : undefined;
  return COLLECTIONS[entry.role.role];
}

/**
 * Visit the items in order. It does not descend into items or nested collections, but passes through wrappers such as
 * tbody.
 */
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
  const parent = parentElement(el);
  if (parent && isHtml(parent) && localName(parent) === "thead") return true;
  let cells = 0;
  for (let child = firstElement(el); child; child = nextElement(child)) {
    const tag = localName(child);
    if (tag !== "th" && attr(child, "role") !== "columnheader") return false;
    cells++;
  }
  return cells > 0;
}
