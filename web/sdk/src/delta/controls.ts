/** Controls that change without a mutation (`value`, `checked`, `selectedIndex`, validity): re-read in bounded slices. */

import { localName } from "../dom.ts";
import { isControl } from "../graph/page.ts";
import type { Entry } from "../graph/store.ts";
import { masked } from "../graph/sensitive.ts";

export class Controls {
  private readonly known = new Map<Element, string>();
  private cursor: Iterator<Element> | null = null;

  add(entry: Entry): void {
    if (isControl(entry.el)) this.known.set(entry.el, digest(entry.el));
  }

  delete(el: Element): void {
    this.known.delete(el);
  }

  clear(): void {
    this.known.clear();
    this.cursor = null;
  }

  get size(): number {
    return this.known.size;
  }

  changed(el: Element): boolean {
    const before = this.known.get(el);
    if (before === undefined) return false;
    const now = digest(el);
    if (now === before) return false;
    this.known.set(el, now);
    return true;
  }

  /** Looks at the next `count` controls, round and round; those that changed come back. */
  slice(count: number): Element[] {
    const found: Element[] = [];
    for (let left = Math.min(count, this.known.size); left > 0; left--) {
      this.cursor ??= this.known.keys();
      const next = this.cursor.next();
      if (next.done) {
        this.cursor = null;
        continue;
      }
      if (this.changed(next.value)) found.push(next.value);
    }
    return found;
  }

  /** Radio buttons that a choice in `el`'s group may have cleared. */
  group(el: Element): Element[] {
    if (!(el instanceof HTMLInputElement) || el.type !== "radio") return [];
    const found: Element[] = [];
    for (const other of this.known.keys()) {
      if (other instanceof HTMLInputElement && other.type === "radio" && other.name === el.name && other.form === el.form) found.push(other);
    }
    return found;
  }
}

function digest(el: Element): string {
  const valid = (el as HTMLInputElement).validity.valid ? "v" : "i";
  if (localName(el) === "select") {
    const select = el as HTMLSelectElement;
    if (!select.multiple) return `${valid}${select.selectedIndex}`;
    return valid + [...select.selectedOptions].map((option) => option.index).join(",");
  }
  const input = el as HTMLInputElement;
  if (localName(el) === "input" && (input.type === "checkbox" || input.type === "radio")) {
    return `${valid}${input.checked}${input.indeterminate}${input.disabled}`;
  }
  return masked(el) ? `${valid}${input.value === ""}` : valid + input.value;
}
