/** A form that the browser did not send: it was pressed to be sent, and a field of it is not valid. */

import { closestMatch, isElement, listen } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { isMasked } from "../graph/sensitive.ts";
import { clean } from "../graph/text.ts";
import type { Signal } from "../types.ts";

const SUBMITS = "button:not([type]),button[type=submit],input[type=submit],input[type=image]";

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export class UnsentForms {
  /** The form that the current task was asked to send. */
  private sending: HTMLFormElement | null = null;

  constructor(
    private readonly page: Page,
    private readonly emit: (signal: Signal) => void,
    private readonly cause: () => string | null,
  ) {}

  listen(): void {
    const options = { capture: true, passive: true };
    listen(globalThis, "click", (event) => this.onClick(event), options);
    listen(globalThis, "invalid", (event) => this.onInvalid(event.target), options);
  }

  private onClick(event: Event): void {
    const target = event.composedPath()[0];
    const button = target && isElement(target as Node) ? closestMatch(target as Element, SUBMITS) : null;
    this.sending = button ? (button as HTMLButtonElement).form : null;
    if (this.sending) setTimeout(() => (this.sending = null), 0); // the browser checks the fields in the task of the click
  }

  private onInvalid(target: EventTarget | null): void {
    const field = target as Field | null;
    if (!field || !this.sending || field.form !== this.sending || this.cause() === null) return;
    this.sending = null; // the first field says why
    const words = field.validationMessage;
    const message = clean(isMasked(field) ? words.replace(/"[^"]*"/g, "") : words);
    const name = this.page.store.entries.get(field)?.element.name;
    this.emit({ kind: "toast.shown", text: name ? `${name}: ${message}` : message, level: "error" });
  }
}
