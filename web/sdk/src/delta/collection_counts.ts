/**
 * Keeps the item counts of collections up to date while items are added, removed and changed. A collection is counted
 * from the start where an update is not possible.
 */

import { flatParent } from "../dom.ts";
import { collectionOf, isHeaderRow } from "../graph/collections.ts";
import { hashText } from "../graph/items.ts";
import { itemKey, type Page } from "../graph/page.ts";
import type { Entry } from "../graph/store.ts";
import type { UIRole } from "../types.ts";
import type { Changes } from "./diff.ts";
import { itemBefore } from "./order.ts";

const ITEMS: ReadonlySet<UIRole> = new Set<UIRole>(["row", "listitem", "treeitem", "option", "menuitem", "tab"]);

export class CollectionCounts {
  /** Collections to count from the start, and collections whose items or totals changed. */
  private readonly toRecount = new Set<Element>();
  private readonly toUpdate = new Set<Element>();
  /** Items read in this flush, and rows that may have become header rows or items. */
  private readonly items = new Set<Element>();

  constructor(
    private readonly page: Page,
    private readonly changes: Changes,
  ) {}

  private get store() {
    return this.page.store;
  }

  /** Record that an element was read with everything below it. */
  read(entry: Entry): void {
    this.recount(entry);
    if (ITEMS.has(entry.role.role)) this.items.add(entry.el);
  }

  recount(entry: Entry): void {
    if (entry.collection) this.toRecount.add(entry.el);
  }

  /** Check a row again: a row with only header cells is not an item. */
  checkRow(el: Element): void {
    if (this.store.entries.get(el)?.role.role === "row") this.items.add(el);
  }

  /** `aria-setsize` of an item, or `aria-rowcount` of the collection itself. */
  checkTotal(el: Element): void {
    for (const one of [el, this.store.itemOwner.get(el)]) if (one) this.toUpdate.add(one);
  }

  updateKey(item: Entry): void {
    const owner = this.store.itemOwner.get(item.el);
    if (owner && this.store.items.get(owner)?.updateKey(item.el, hashText(itemKey(item)))) this.toUpdate.add(owner);
  }

  removeItem(el: Element): void {
    const owner = this.store.itemOwner.get(el);
    if (!owner) return;
    this.store.itemOwner.delete(el);
    this.store.items.get(owner)?.remove(el);
    this.toUpdate.add(owner);
  }

  /** Update the counts, after everything was read. */
  run(): void {
    for (const el of this.items) this.countItem(el);
    for (const el of this.toRecount) this.update(el, (entry) => this.page.countItems(entry));
    for (const el of this.toUpdate) if (!this.toRecount.has(el)) this.update(el, (entry) => this.page.updateCount(entry));
  }

  private update(owner: Element, apply: (entry: Entry) => void): void {
    const entry = this.store.entries.get(owner);
    if (!entry?.collection) return;
    this.changes.touch(entry);
    apply(entry);
  }

  private countItem(el: Element): void {
    const item = this.store.entries.get(el);
    const owner = item && this.collectionAround(item);
    if (!item || !owner || this.toRecount.has(owner.el)) return;
    const items = this.store.items.get(owner.el);
    if (!items || (item.role.role === "row" && isHeaderRow(el))) {
      if (items) this.removeItem(el);
      return;
    }
    if (items.has(el)) {
      this.updateKey(item);
      return;
    }
    const previous = itemBefore(el, owner, items, this.store);
    if (previous === undefined) {
      this.toRecount.add(owner.el);
      return;
    }
    items.insert(el, hashText(itemKey(item)), previous);
    this.store.itemOwner.set(el, owner.el);
    this.toUpdate.add(owner.el);
  }

  /** Return the collection that counts an item: the nearest one, unless another item lies between. */
  private collectionAround(item: Entry): Entry | null {
    const between: UIRole[] = [];
    for (let el = flatParent(item.el); el; el = flatParent(el)) {
      const entry = this.store.entries.get(el);
      const kind = entry?.collection && collectionOf(entry);
      if (entry && kind) return kind.item.has(item.role.role) && !between.some((role) => kind.item.has(role)) ? entry : null;
      if (entry) between.push(entry.role.role);
    }
    return null;
  }
}
