/** How many items a collection has, kept up to date while items come, go and change; read from the start where that is not enough. */

import { flatParent } from "../dom.ts";
import { collectionOf, isHeaderRow } from "../graph/collections.ts";
import { hashText } from "../graph/items.ts";
import { itemKey, type Page } from "../graph/page.ts";
import type { Entry } from "../graph/store.ts";
import type { UIRole } from "../types.ts";
import type { Changes } from "./diff.ts";
import { itemBefore } from "./order.ts";

const ITEMS: ReadonlySet<UIRole> = new Set<UIRole>(["row", "listitem", "treeitem", "option", "menuitem", "tab"]);

export class Counting {
  /** Collections to be counted from the start, and those whose items or totals changed. */
  private readonly collections = new Set<Element>();
  private readonly tallied = new Set<Element>();
  /** Items that were read in this flush, and rows that may have become heads or items. */
  private readonly items = new Set<Element>();

  constructor(
    private readonly page: Page,
    private readonly changes: Changes,
  ) {}

  private get store() {
    return this.page.store;
  }

  /** An element was read, with everything below it. */
  read(entry: Entry): void {
    this.afresh(entry);
    if (ITEMS.has(entry.role.role)) this.items.add(entry.el);
  }

  afresh(entry: Entry): void {
    if (entry.collection) this.collections.add(entry.el);
  }

  /** A row that holds only heads is no item. */
  rowAt(el: Element): void {
    if (this.store.entries.get(el)?.role.role === "row") this.items.add(el);
  }

  /** `aria-setsize` of an item, or `aria-rowcount` of the collection itself. */
  totals(el: Element): void {
    for (const one of [el, this.store.itemOwner.get(el)]) if (one) this.tallied.add(one);
  }

  rekey(item: Entry): void {
    const owner = this.store.itemOwner.get(item.el);
    if (owner && this.store.items.get(owner)?.rekey(item.el, hashText(itemKey(item)))) this.tallied.add(owner);
  }

  uncount(el: Element): void {
    const owner = this.store.itemOwner.get(el);
    if (!owner) return;
    this.store.itemOwner.delete(el);
    this.store.items.get(owner)?.remove(el);
    this.tallied.add(owner);
  }

  /** Once everything was read. */
  run(): void {
    for (const el of this.items) this.countItem(el);
    for (const el of this.collections) this.retell(el, (entry) => this.page.count(entry));
    for (const el of this.tallied) if (!this.collections.has(el)) this.retell(el, (entry) => this.page.tally(entry));
  }

  private retell(owner: Element, tell: (entry: Entry) => void): void {
    const entry = this.store.entries.get(owner);
    if (!entry?.collection) return;
    this.changes.touch(entry);
    tell(entry);
  }

  private countItem(el: Element): void {
    const item = this.store.entries.get(el);
    const owner = item && this.collectionAround(item);
    if (!item || !owner || this.collections.has(owner.el)) return;
    const items = this.store.items.get(owner.el);
    if (!items || (item.role.role === "row" && isHeaderRow(el))) {
      if (items) this.uncount(el);
      return;
    }
    if (items.has(el)) {
      this.rekey(item);
      return;
    }
    const behind = itemBefore(el, owner, items, this.store);
    if (behind === undefined) {
      this.collections.add(owner.el);
      return;
    }
    items.insert(el, hashText(itemKey(item)), behind);
    this.store.itemOwner.set(el, owner.el);
    this.tallied.add(owner.el);
  }

  /** The collection an item counts in: the nearest one, unless another item stands between. */
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
