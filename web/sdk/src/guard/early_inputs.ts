/**
 * The inputs of a person before the first graph of a document. A recording reports them as soon as the graph was sent;
 * without a recording they are dropped when the session begins.
 */

import { isElement, listen } from "../dom.ts";

const EVENTS = ["click", "dblclick", "contextmenu", "input", "keydown"];
const MOST = 100;

export interface EarlyInput {
  readonly event: Event;
  readonly target: Element;
}

export class EarlyInputs {
  private kept: EarlyInput[] | null = [];

  constructor() {
    for (const type of EVENTS) listen(globalThis, type, (event) => this.keep(event), { capture: true, passive: true });
  }

  private keep(event: Event): void {
    if (!this.kept || !event.isTrusted || this.kept.length >= MOST) return;
    const target = event.composedPath()[0];
    if (target instanceof Node && isElement(target)) this.kept.push({ event, target });
  }

  /** Return the inputs so far, and keep no more. */
  take(): EarlyInput[] {
    const found = this.kept ?? [];
    this.kept = null;
    return found;
  }
}
