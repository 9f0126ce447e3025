/**
 * An index of the labels of each control, updated one label at a time.
 *
 * The native `control.labels` is a live list. It searches the whole document for every control after every change.
 */

import { attr, isConnected, isElement, precedes, rootOf } from "../dom.ts";

class Labels {
  private trees = new WeakSet<Node>();
  private byControl = new WeakMap<Element, Element[]>();
  private controls = new WeakMap<Element, Element | null>();
  private byFor = new Map<string, Set<Element>>();
  private forIds = new WeakMap<Element, string>();
  private readonly changedControls = new Set<Element>();
  private readonly changedLabels = new Set<Element>();

  /** Start a whole reading: every tree is indexed again. */
  reset(): void {
    this.trees = new WeakSet();
    this.byControl = new WeakMap();
    this.controls = new WeakMap();
    this.byFor.clear();
    this.forIds = new WeakMap();
    this.changedControls.clear();
    this.changedLabels.clear();
  }

  of(control: Element): readonly Element[] {
    const root = rootOf(control);
    if (!this.trees.has(root)) this.index(root);
    return this.byControl.get(control) ?? NO_LABELS;
  }

  /**
   * Record that a label was added, removed or changed. Mark the control it named and the control it names now as
   * changed.
   */
  check(label: Element): void {
    const before = this.controls.get(label) ?? null;
    const now = this.record(label);
    if (before === now) return;
    this.changedLabels.add(label);
    for (const control of [before, now]) if (control) this.changedControls.add(control);
  }

  /** Check the labels of an id whose element was added, removed, or can no longer be labelled. */
  checkFor(id: string): void {
    for (const label of [...(this.byFor.get(id) ?? NO_LABELS)]) this.check(label);
  }

  /** Return the controls whose labels changed and the labels whose control changed, since the last call. */
  takeChanges(): { controls: Element[]; labels: Element[] } | null {
    if (this.changedControls.size === 0 && this.changedLabels.size === 0) return null;
    const found = { controls: [...this.changedControls], labels: [...this.changedLabels] };
    this.changedControls.clear();
    this.changedLabels.clear();
    return found;
  }

  private index(root: Node): void {
    this.trees.add(root);
    for (const label of allLabels(root)) this.record(label);
  }

  /** Record the current control of a label and return it. */
  private record(label: Element): Element | null {
    const attached = isConnected(label);
    const control = attached ? (label as HTMLLabelElement).control : null;
    this.recordFor(label, attached ? attr(label, "for") : null);
    const before = this.controls.get(label) ?? null;
    if (before && before !== control) this.unlink(label, before);
    if (control) this.link(label, control);
    this.controls.set(label, control);
    return control;
  }

  private recordFor(label: Element, id: string | null): void {
    const before = this.forIds.get(label);
    if (before === (id ?? undefined)) return;
    if (before !== undefined) {
      const others = this.byFor.get(before);
      others?.delete(label);
      if (others?.size === 0) this.byFor.delete(before);
      this.forIds.delete(label);
    }
    if (id === null) return;
    this.forIds.set(label, id);
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
    const others = this.byControl.get(control);
    if (!others) this.byControl.set(control, [label]);
    else {
      const sorted = others.includes(label) ? [...others] : [...others, label];
      if (sorted.length > 1) sorted.sort((a, b) => (a === b ? 0 : precedes(a, b) ? -1 : 1));
      if (sorted.some((one, place) => one !== others[place]) && others.length === sorted.length) this.changedControls.add(control);
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
