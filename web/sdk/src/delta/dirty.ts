/** The changes since the last flush, as the observer reported them. Nothing is read here, and the memory is bounded. */

export interface Touch {
  children: boolean;
  text: boolean;
  attributes: Map<string, string | null> | null;
}

/**
 * Beyond this number of remembered nodes a whole reading is cheaper. It also bounds memory when a page mutates without
 * end.
 */
const MAX_NODES = 5_000;

export class DirtySet {
  readonly touched = new Map<Node, Touch>();
  readonly added = new Set<Node>();
  readonly removed = new Set<Node>();
  /** Subtrees to read again. */
  readonly trees = new Set<Element>();
  /** Single elements to read again. */
  readonly nodes = new Set<Element>();
  /** Subtrees whose appearance may have changed by style. */
  readonly restyled = new Set<Element>();
  all = false;
  focus = false;
  route = false;
  viewport = false;

  get empty(): boolean {
    return (
      !this.all && !this.focus && !this.route && !this.viewport && this.touched.size === 0 && this.added.size === 0 &&
      this.removed.size === 0 && this.trees.size === 0 && this.nodes.size === 0 && this.restyled.size === 0
    );
  }

  record(mutation: MutationRecord): void {
    if (this.all) return;
    const touch = this.touch(mutation.target);
    if (mutation.type === "attributes") {
      touch.attributes ??= new Map();
      const name = mutation.attributeName!;
      if (!touch.attributes.has(name)) touch.attributes.set(name, mutation.oldValue);
      return;
    }
    if (mutation.type === "characterData") {
      touch.text = true;
      return;
    }
    touch.children = true;
    for (const node of mutation.addedNodes) this.added.add(node);
    for (const node of mutation.removedNodes) this.removed.add(node);
    if (this.touched.size + this.added.size + this.removed.size > MAX_NODES) this.overflow();
  }

  private touch(node: Node): Touch {
    let touch = this.touched.get(node);
    if (!touch) this.touched.set(node, (touch = { children: false, text: false, attributes: null }));
    return touch;
  }

  private overflow(): void {
    this.all = true;
    this.touched.clear();
    this.added.clear();
    this.removed.clear();
    this.trees.clear();
    this.nodes.clear();
    this.restyled.clear();
  }
}
