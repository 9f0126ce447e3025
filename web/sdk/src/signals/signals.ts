/** Web signals (companions 4.7): pushed the moment they are seen, so that what vanishes at once is not lost. */

import type { Changes } from "../delta/diff.ts";
import type { Page } from "../graph/page.ts";
import type { Delta, RouteInfo, Signal } from "../types.ts";
import { dialogSignals } from "./dialog.ts";
import { elementSignals } from "./element.ts";
import { Entities } from "./entity.ts";
import { progressSignals } from "./progress.ts";
import { Toasts } from "./toast.ts";
import { Validation } from "./validation.ts";

export class Signals {
  private readonly toasts: Toasts;
  private readonly validation: Validation;

  constructor(
    private readonly page: Page,
    private readonly emit: (signal: Signal) => void,
  ) {
    this.toasts = new Toasts(page, emit);
    this.validation = new Validation(page);
    new Entities(emit).listen();
  }

  /** A whole reading: what is there now is not news. */
  read(): void {
    this.toasts.settle();
    this.validation.settle();
  }

  /** In the observer's own microtask: a toast may be gone before the next flush. */
  mutations(records: MutationRecord[]): void {
    this.toasts.mutations(records);
  }

  route(from: RouteInfo, to: RouteInfo): void {
    this.emit({ kind: "route.changed", from, to });
  }

  changes(changes: Changes, delta: Delta): void {
    this.toasts.revealed(changes);
    for (const signal of dialogSignals(changes, this.page)) this.emit(signal);
    for (const signal of elementSignals(changes, this.page)) this.emit(signal);
    for (const signal of progressSignals(changes, this.page)) this.emit(signal);
    for (const signal of this.validation.changes(changes)) this.emit(signal);
    if (delta.focus !== undefined) this.emit({ kind: "focus.changed", focus: delta.focus ?? {} });
  }
}
