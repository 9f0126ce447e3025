/** Web signals, pushed as soon as they are detected, so that a short-lived message is not lost. */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import type { Delta, RouteInfo, Signal } from "../types.ts";
import { ApplicationEvents } from "./application.ts";
import { dialogSignals } from "./dialog.ts";
import { elementSignals } from "./element.ts";
import { Messages } from "./messages.ts";
import { progressSignals } from "./progress.ts";
import { Toasts } from "./toast.ts";
import { UnsentForms } from "./unsent.ts";
import { Validation } from "./validation.ts";

export class Signals {
  private readonly toasts: Toasts;
  private readonly messages: Messages;
  private readonly validation: Validation;
  /** A recording wants the messages that follow the inputs of a person, too. */
  followsPerson = false;

  /** `cause` returns the token of the input that the running code belongs to. */
  constructor(
    private readonly page: Page,
    private readonly emit: (signal: Signal) => void,
    private readonly cause: () => string | null,
  ) {
    this.messages = new Messages(page, emit);
    this.toasts = new Toasts(page, emit);
    this.validation = new Validation(page);
    new ApplicationEvents(emit).listen();
    new UnsentForms(page, emit, cause).listen();
  }

  /** Reset to the current state of the page after a whole reading: existing messages are not new. */
  reset(): void {
    this.toasts.reset();
    this.validation.reset();
  }

  /** Runs in the observer's microtask: a toast may be removed before the next flush. */
  onMutations(records: MutationRecord[]): void {
    this.toasts.onMutations(records);
    if (this.followsPerson || this.cause() !== null) this.messages.onMutations(records);
  }

  /** The first graph of a page was sent, or its start has gone on since: some messages fade in. */
  onLoaded(): void {
    this.messages.loaded();
  }

  onRoute(from: RouteInfo, to: RouteInfo): void {
    this.emit({ kind: "route.changed", from, to });
  }

  onChanges(onChanges: Changes, delta: Delta): void {
    this.toasts.onRevealed(onChanges);
    for (const signal of dialogSignals(onChanges, this.page)) this.emit(signal);
    for (const signal of elementSignals(onChanges, this.page)) this.emit(signal);
    for (const signal of progressSignals(onChanges, this.page)) this.emit(signal);
    for (const signal of this.validation.changes(onChanges)) this.emit(signal);
    if (delta.focus !== undefined) this.emit({ kind: "focus.changed", focus: delta.focus ?? {} });
  }
}
