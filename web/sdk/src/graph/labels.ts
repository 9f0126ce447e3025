/**
 * Which labels name which control, kept in step one label at a time: `control.labels` is a live list that searches the
 * whole document for every control after every change, and so would we.
 */

import { attr, isConnected, isElement, precedes, rootOf } from "../dom.ts";

class Labels {
  private trees = new WeakSet<Node>();
  private byControl = new WeakMap<Element, Element[]>();
  private controls = new WeakMap<Element, Element | null>();
  private byFor = new Map<string, Set<Element>>();
  private fors = new WeakMap<Element, string>();
  private readonly renamed = new Set<Element>();
  private readonly turned = new Set<Element>();

  /** A whole reading begins: every tree is looked at again. */
  forget(): void {
    this.trees = new WeakSet();
    this.byControl = new WeakMap();
    this.controls = new WeakMap();
    this.byFor.clear();
    this.fors = new WeakMap();
    this.renamed.clear();
    this.turned.clear();
  }

  of(control: Element): readonly Element[] {
    const root = rootOf(control);
    if (!this.trees.has(root)) this.index(root);
    return this.byControl.get(control) ?? NO_LABELS;
  }

  /** A label came, went, or holds something else; tells those that it named or names now. */
  check(label: Element): void {
    const before = this.controls.get(label) ?? null;
    const now = this.note(label);
    if (before === now) return;
    this.turned.add(label);
    for (const control of [before, now]) if (control) this.renamed.add(control);
  }

  /** An element with this id came, went, or can no longer be labelled. */
  checkFor(id: string): void {
    for (const label of [...(this.byFor.get(id) ?? NO_LABELS)]) this.check(label);
  }

  /** Controls whose labels changed and labels that changed their control, since the last time of asking. */
  changed(): { controls: Element[]; labels: Element[] } | null {
    if (this.renamed.size === 0 && this.turned.size === 0) return null;
    const found = { controls: [...this.renamed], labels: [...this.turned] };
    this.renamed.clear();
    this.turned.clear();
    return found;
  }

  private index(root: Node): void {
    this.trees.add(root);
    for (const label of allLabels(root)) this.note(label);
  }

  /** Takes down what a label says now; the control it names. */
  private note(label: Element): Element | null {
    const attached = isConnected(label);
    const control = attached ? (label as HTMLLabelElement).control : null;
    this.noteFor(label, attached ? attr(label, "for") : null);
    const before = this.controls.get(label) ?? null;
    if (before && before !== control) this.unlink(label, before);
    if (control) this.link(label, control);
    this.controls.set(label, control);
    return control;
  }

  private noteFor(label: Element, id: string | null): void {
    const before = this.fors.get(label);
    if (before === (id ?? undefined)) return;
    if (before !== undefined) {
      const others = this.byFor.get(before);
      others?.delete(label);
      if (others?.size === 0) this.byFor.delete(before);
      this.fors.delete(label);
    }
    if (id === null) return;
    this.fors.set(label, id);
    const others = this.byFor.get(id);
    if (others) others.add(label);
    else this.byFor.set(id, new Set([label]));
  }

  private unlink(label: Element, control: Element): void {
    const left = (this.byControl.get(control) ?? []).filter((other) => other !== label);
    if (left.length > 0) this.byControl.set(control, left);
    else this.byControl.delete(control);
  }

  private link(label: Element, control: Element): void {
    const known = this.byControl.get(control);
    if (!known) this.byControl.set(control, [label]);
    else {
      const sorted = known.includes(label) ? [...known] : [...known, label];
      if (sorted.length > 1) sorted.sort((a, b) => (a === b ? 0 : precedes(a, b) ? -1 : 1));
      if (sorted.some((one, place) => one !== known[place]) && known.length === sorted.length) this.renamed.add(control);
      this.byControl.set(control, sorted);
    }
  }
}

const NO_LABELS: readonly Element[] = [];

function allLabels(root: Node): Iterable<Element> {
  if (isElement(root)) return Element.prototype.querySelectorAll.call(root, "label");
  return (root as Document | ShadowRoot) instanceof Document
    ? Document.prototype.querySelectorAll.call(root as Document, "label")
    : DocumentFragment.prototype.querySelectorAll.call(root as ShadowRoot, "label");
}

export const labelIndex = new Labels();
