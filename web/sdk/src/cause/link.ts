/**
 * The link to the tracer in the page's own world (`src/tracer`): which input the running code belongs to, and which work
 * of it has not ended. Without a tracer it stays unconnected, and only the task of the input itself is attributed.
 */

import type { OutgoingMessage } from "../channel.ts";
import { listeners } from "../graph/listeners.ts";

export interface CauseListener {
  /** From now on the running code belongs to this input, or to none. */
  onCause(token: string | null): void;
  /** A task of this input has ended. */
  onWork(token: string, work: unknown): void;
  /** The tracer saw an answer to an input, or an effect outside of the document. */
  onReport(report: OutgoingMessage): void;
  /** These elements have other listeners of presses than before. */
  onListeners(elements: Element[]): void;
}

const REPORTS = new Set(["answer", "outside"]);

class CauseLink {
  private cell: Text | null = null;
  private listener: CauseListener | null = null;

  /** Ask the tracer for its cell, by a name that the page does not know. */
  connect(name: string): void {
    addEventListener(`${name}:cell`, (event) => this.accept(event), { once: true });
    dispatchEvent(new Event(`${name}:ask`));
  }

  attach(listener: CauseListener): void {
    this.listener = listener;
  }

  get connected(): boolean {
    return this.cell !== null;
  }

  private accept(event: Event): void {
    const cell = (event as FocusEvent).relatedTarget;
    if (this.cell || !(cell instanceof Text)) return;
    this.cell = cell;
    cell.addEventListener("tag", () => this.listener?.onCause(cell.data || null));
    cell.addEventListener("work", () => {
      const token = cell.data;
      this.listener?.onWork(token, this.pending(token));
    });
    cell.addEventListener("report", () => this.report(cell.data));
    cell.addEventListener("listeners", (event) => this.listeners(event as InputEvent));
  }

  private listeners(event: InputEvent): void {
    const elements = event.getTargetRanges().map((range) => range.startContainer as Element);
    listeners.set(elements, event.data ?? "");
    this.listener?.onListeners(elements);
  }

  /** Take the listeners that the tracer has recorded. From then on it reports new ones by itself. */
  takeListeners(): void {
    this.cell?.dispatchEvent(new Event("presses"));
  }

  private report(text: string): void {
    try {
      const report = JSON.parse(text) as OutgoingMessage;
      if (REPORTS.has(report.t)) this.listener?.onReport(report);
    } catch {
      // Only our tracer writes here. A text that it cannot have written is dropped.
    }
  }

  /** Attribute the rest of this task, and everything that it sets going, to the input. */
  enter(token: string): void {
    if (!this.cell) return;
    this.cell.data = token;
    this.cell.dispatchEvent(new Event("enter"));
  }

  /**
   * Return for how long no callback of the page is due, after how long those due soon have run, in ms, and whether
   * content is on its way over a socket.
   */
  schedule(): [number, number, boolean] {
    const [quiet, starting, coming] = (this.ask("schedule") ?? []) as unknown[];
    return [Number(quiet) || 0, Number(starting) || 0, coming === true];
  }

  /** Return the work of an input that has not ended: `[kind, age in ms, detail, source]` each. */
  pending(token: string): unknown {
    return this.ask("pending", token);
  }

  private ask(what: string, about = ""): unknown {
    if (!this.cell) return null;
    this.cell.data = about;
    this.cell.dispatchEvent(new Event(what));
    try {
      return JSON.parse(this.cell.data);
    } catch {
      return null;
    }
  }
}

export const causeLink = new CauseLink();
