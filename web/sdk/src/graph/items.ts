/**
 * The items of one collection as a linked list in document order. Adding, removing or changing an item costs the same
 * at any length.
 *
 * The signature is a sum over pairs of neighbours, so it depends on the order and can be updated step by step.
 */

interface Item {
  el: Element;
  hash: number;
  before: Item | null;
  after: Item | null;
}

const FRONT = 0x51ed270b;
const END = 0x2545f491;
const LANES: readonly [number, number][] = [
  [0x9e3779b1, 0x85ebca6b], [0xc2b2ae35, 0x27d4eb2f], [0x165667b1, 0xd3a2646d], [0xfd7046c5, 0xb55a4f09],
];

export class Items {
  private readonly items = new Map<Element, Item>();
  private first: Item | null = null;
  private last: Item | null = null;
  private readonly sums = [0, 0, 0, 0];

  constructor() {
    this.addPair(null, null, 1);
  }

  get count(): number {
    return this.items.size;
  }

  get head(): Element | undefined {
    return this.first?.el;
  }

  has(el: Element): boolean {
    return this.items.has(el);
  }

  elements(): Iterable<Element> {
    return this.items.keys();
  }

  append(el: Element, hash: number): void {
    this.put(el, hash, this.last);
  }

  /** Insert after a known item, or at the front. */
  insert(el: Element, hash: number, previous: Element | null): void {
    this.put(el, hash, previous ? (this.items.get(previous) ?? this.last) : null);
  }

  remove(el: Element): void {
    const item = this.items.get(el);
    if (!item) return;
    this.items.delete(el);
    const { before, after } = item;
    this.addPair(before, item, -1);
    this.addPair(item, after, -1);
    this.addPair(before, after, 1);
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
  }

  /** Return false when the key has not changed. */
  updateKey(el: Element, hash: number): boolean {
    const item = this.items.get(el);
    if (!item || item.hash === hash) return false;
    this.addPair(item.before, item, -1);
    this.addPair(item, item.after, -1);
    item.hash = hash;
    this.addPair(item.before, item, 1);
    this.addPair(item, item.after, 1);
    return true;
  }

  /** Compared for equality only: it has to be fast, not cryptographic. */
  get signature(): string {
    return this.sums.map((sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("");
  }

  private put(el: Element, hash: number, before: Item | null): void {
    this.remove(el);
    const after = before ? before.after : this.first;
    const item: Item = { el, hash, before, after };
    this.items.set(el, item);
    this.addPair(before, after, -1);
    this.addPair(before, item, 1);
    this.addPair(item, after, 1);
    if (before) before.after = item;
    else this.first = item;
    if (after) after.before = item;
    else this.last = item;
  }

  private addPair(left: Item | null, right: Item | null, sign: 1 | -1): void {
    const x = left ? left.hash : FRONT;
    const y = right ? right.hash : END;
    for (let lane = 0; lane < LANES.length; lane++) {
      const p = LANES[lane]![0];
      const q = LANES[lane]![1];
      let mixed = Math.imul(x ^ p, q);
      mixed = Math.imul((mixed ^ (mixed >>> 15)) + y, p);
      mixed = Math.imul(mixed ^ (mixed >>> 13), q);
      this.sums[lane] = (this.sums[lane]! + sign * (mixed ^ (mixed >>> 16))) | 0;
    }
  }
}

export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 16777619);
  return hash | 0;
}
