/** Controls that change without a mutation (`value`, `checked`, `selectedIndex`, validity): re-read in bounded slices. */

import { localName } from "../dom.ts";
import { isControl } from "../graph/page.ts";
import type { Entry } from "../graph/store.ts";

type Look = (el: Element) => string | number;

interface Seen {
  look: Look;
  value: string | number;
  valid: boolean;
}

/** How many controls are looked at between two looks at the clock. */
const STRIDE = 16;

export class Controls {
  private readonly known = new Map<Element, Seen>();
  private cursor: Iterator<[Element, Seen]> | null = null;

  add(entry: Entry): void {
    const { el } = entry;
    if (!isControl(el)) return;
    const look = lookOf(el, entry.element.state.sensitive === true);
    this.known.set(el, { look, value: look(el), valid: valid(el) });
  }

  delete(el: Element): void {
    this.known.delete(el);
  }

  clear(): void {
    this.known.clear();
    this.cursor = null;
  }

  /** Looks at the next controls, round and round, until all were seen or the time is up; those that changed come back. */
  slice(budget: number): Element[] {
    const found: Element[] = [];
    const end = performance.now() + budget;
    for (let left = this.known.size; left > 0; left--) {
      if (left % STRIDE === 0 && performance.now() > end) break;
      this.cursor ??= this.known.entries();
      const next = this.cursor.next();
      if (next.done) this.cursor = null;
      else if (changed(...next.value)) found.push(next.value[0]);
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

function changed(el: Element, seen: Seen): boolean {
  const value = seen.look(el);
  const now = valid(el);
  if (value === seen.value && now === seen.valid) return false;
  seen.value = value;
  seen.valid = now;
  return true;
}

function valid(el: Element): boolean {
  return (el as HTMLInputElement).validity.valid;
}

const text: Look = (el) => (el as HTMLInputElement).value;
/** Of a secret only whether there is one is kept. */
const filled: Look = (el) => ((el as HTMLInputElement).value === "" ? 0 : 1);
const ticked: Look = (el) => {
  const input = el as HTMLInputElement;
  return (input.checked ? 1 : 0) + (input.indeterminate ? 2 : 0) + (input.disabled ? 4 : 0);
};
const chosen: Look = (el) => (el as HTMLSelectElement).selectedIndex;
const allChosen: Look = (el) => {
  let found = "";
  for (const option of (el as HTMLSelectElement).selectedOptions) found += `${option.index},`;
  return found;
};

function lookOf(el: Element, secret: boolean): Look {
  if (localName(el) === "select") return (el as HTMLSelectElement).multiple ? allChosen : chosen;
  const input = el as HTMLInputElement;
  if (localName(el) === "input" && (input.type === "checkbox" || input.type === "radio")) return ticked;
  return secret ? filled : text;
}
