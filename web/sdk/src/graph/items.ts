/**
 * The items of one collection as a chain in document order: one that comes, goes or changes its key costs the same at
 * any length. The signature is a sum over neighbours, so it follows the order and can be kept in step.
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
  private readonly known = new Map<Element, Item>();
  private first: Item | null = null;
  private last: Item | null = null;
  private readonly sums = [0, 0, 0, 0];

  constructor() {
    this.neighbours(null, null, 1);
  }

  get count(): number {
    return this.known.size;
  }

  get head(): Element | undefined {
    return this.first?.el;
  }

  has(el: Element): boolean {
    return this.known.has(el);
  }

  elements(): Iterable<Element> {
    return this.known.keys();
  }

  append(el: Element, hash: number): void {
    this.put(el, hash, this.last);
  }

  /** Behind a known item, or in front of all. */
  insert(el: Element, hash: number, behind: Element | null): void {
    this.put(el, hash, behind ? (this.known.get(behind) ?? this.last) : null);
  }

  remove(el: Element): void {
    const item = this.known.get(el);
    if (!item) return;
    this.known.delete(el);
    const { before, after } = item;
    this.neighbours(before, item, -1);
    this.neighbours(item, after, -1);
    this.neighbours(before, after, 1);
    if (before) before.after = after;
    else this.first = after;
    if (after) after.before = before;
    else this.last = before;
  }

  /** False when the key is what it was. */
  rekey(el: Element, hash: number): boolean {
    const item = this.known.get(el);
    if (!item || item.hash === hash) return false;
    this.neighbours(item.before, item, -1);
    this.neighbours(item, item.after, -1);
    item.hash = hash;
    this.neighbours(item.before, item, 1);
    this.neighbours(item, item.after, 1);
    return true;
  }

  /** Compared for equality only, so speed counts and secrecy does not. */
  get signature(): string {
    return this.sums.map((sum) => (sum >>> 0).toString(16).padStart(8, "0")).join("");
  }

  private put(el: Element, hash: number, before: Item | null): void {
    this.remove(el);
    const after = before ? before.after : this.first;
    const item: Item = { el, hash, before, after };
    this.known.set(el, item);
    this.neighbours(before, after, -1);
    this.neighbours(before, item, 1);
    this.neighbours(item, after, 1);
    if (before) before.after = item;
    else this.first = item;
    if (after) after.before = item;
    else this.last = item;
  }

  private neighbours(left: Item | null, right: Item | null, sign: 1 | -1): void {
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
