/**
 * Which labels name which control, one look per tree: `control.labels` is a live list that searches the whole document
 * for every control after every change.
 */

import { isElement, rootOf } from "../dom.ts";

class Labels {
  private trees = new WeakMap<Node, Map<Element, Element[]>>();
  private stale = false;

  /** To be called when labels, their `for`, or ids may have changed. */
  forget(): void {
    this.trees = new WeakMap();
    this.stale = true;
  }

  /** Whether anything was forgotten since the last time of asking. */
  forgotten(): boolean {
    const was = this.stale;
    this.stale = false;
    return was;
  }

  of(control: Element): readonly Element[] {
    const root = rootOf(control);
    let index = this.trees.get(root);
    if (!index) this.trees.set(root, (index = read(root)));
    return index.get(control) ?? [];
  }
}

function read(root: Node): Map<Element, Element[]> {
  const index = new Map<Element, Element[]>();
  const list = isElement(root)
    ? Element.prototype.querySelectorAll.call(root, "label")
    : (root as Document | ShadowRoot) instanceof Document
      ? Document.prototype.querySelectorAll.call(root, "label")
      : DocumentFragment.prototype.querySelectorAll.call(root, "label");
  for (const label of list) {
    const control = (label as HTMLLabelElement).control;
    if (!control) continue;
    const known = index.get(control);
    if (known) known.push(label);
    else index.set(control, [label]);
  }
  return index;
}

export const labelIndex = new Labels();
