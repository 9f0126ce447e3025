/**
 * Controls that change without a mutation (`value`, `checked`, `selectedIndex`, validity), read in time-bounded slices.
 */

import { localName } from "../dom.ts";
import { drawnLines } from "../graph/drawn_editor.ts";
import { isControl } from "../graph/page.ts";
import type { Entry } from "../graph/store.ts";

type ValueReader = (el: Element) => string | number;

interface ControlState {
  read: ValueReader;
  value: string | number;
  valid: boolean;
}

/** The number of controls that are read between two checks of the clock. */
const STRIDE = 16;
/** At least this many controls are read, however busy the processor is: a value must not miss the task that set it. */
const MIN_READ = 256;

export class Controls {
  private readonly states = new Map<Element, ControlState>();
  private cursor: Iterator<[Element, ControlState]> | null = null;

  add(entry: Entry): void {
    const { el } = entry;
    if (!isControl(el) && drawnLines(el) === null) return;
    const read = readerFor(el, entry.element.state.sensitive === true);
    this.states.set(el, { read: read, value: read(el), valid: isValid(el) });
  }

  delete(el: Element): void {
    this.states.delete(el);
  }

  clear(): void {
    this.states.clear();
    this.cursor = null;
  }

  /** Read the next controls, in turn, until all were read or the time is up. Return those that changed. */
  changedSlice(budget: number): Element[] {
    const found: Element[] = [];
    const end = performance.now() + budget;
    for (let left = this.states.size, done = 0; left > 0; left--, done++) {
      if (done >= MIN_READ && left % STRIDE === 0 && performance.now() > end) break;
      const [el, state] = this.next();
      if (hasChanged(el, state)) found.push(el);
    }
    return found;
  }

  /** Return the next control in turn. After the last one comes the first: no step is lost between two turns. */
  private next(): [Element, ControlState] {
    const next = this.cursor?.next();
    if (next && !next.done) return next.value;
    this.cursor = this.states.entries();
    return this.cursor.next().value!;
  }

  /** Return the radio buttons of the group of `el`, because a choice in the group clears the others. */
  radioGroup(el: Element): Element[] {
    if (!(el instanceof HTMLInputElement) || el.type !== "radio") return [];
    const found: Element[] = [];
    for (const other of this.states.keys()) {
      if (other instanceof HTMLInputElement && other.type === "radio" && other.name === el.name && other.form === el.form) found.push(other);
    }
    return found;
  }
}

function hasChanged(el: Element, state: ControlState): boolean {
  const value = state.read(el);
  const now = isValid(el);
  if (value === state.value && now === state.valid) return false;
  state.value = value;
  state.valid = now;
  return true;
}

function isValid(el: Element): boolean {
  return (el as HTMLInputElement).validity?.valid ?? true;
}

const textValue: ValueReader = (el) => (el as HTMLInputElement).value;
const areaText: ValueReader = (el) => drawnLines(el)?.join("\n") ?? (el as HTMLTextAreaElement).value ?? "";
/** For a secret only the fact that it is filled is kept. */
const isFilled: ValueReader = (el) => ((el as HTMLInputElement).value === "" ? 0 : 1);
const checkedState: ValueReader = (el) => {
  const input = el as HTMLInputElement;
  return (input.checked ? 1 : 0) + (input.indeterminate ? 2 : 0) + (input.disabled ? 4 : 0);
};
const selectedIndex: ValueReader = (el) => (el as HTMLSelectElement).selectedIndex;
const selectedIndexes: ValueReader = (el) => {
  let found = "";
  for (const option of (el as HTMLSelectElement).selectedOptions) found += `${option.index},`;
  return found;
};

function readerFor(el: Element, secret: boolean): ValueReader {
  if (localName(el) === "select") return (el as HTMLSelectElement).multiple ? selectedIndexes : selectedIndex;
  const input = el as HTMLInputElement;
  if (localName(el) === "input" && (input.type === "checkbox" || input.type === "radio")) return checkedState;
  return secret ? isFilled : localName(el) === "input" ? textValue : areaText;
}
