/**
 * The focus that a press moves before its click. The page may then format, check or save the field that was left, or
 * explain the control that was entered. Any press would lead to such changes, so they carry tokens of their own.
 */

import { attr, composedContains, inEditable, isElement, listen } from "../dom.ts";

/** Added to the token of a press: the rest of the task handles a focus that was lost, or gained. */
const FOCUS_MARK = "~";
const LEFT = `${FOCUS_MARK}left`;
const ENTERED = `${FOCUS_MARK}entered`;

/** A press whose pointer is down. */
export interface PointerPress {
  readonly token: string;
  readonly el: Element | null;
  readonly role: string;
  /** It is the key that closes what is open, so a layer that it closes is its effect. */
  readonly closes: boolean;
}

/** `change` is sent to a text field when it is left. */
const LEAVING = ["change", "blur", "focusout"];
const ENTERING = ["focus", "focusin"];
/** Controls that exist to be pressed. Others, such as tabs and options, may be chosen by the focus alone. */
const PRESSED_ONLY: ReadonlySet<string> = new Set(["", "button", "link", "checkbox", "switch"]);
const OPENERS = ["aria-haspopup", "aria-expanded", "aria-controls", "popovertarget"];

/** Return whether an element says that it opens something. */
export function isOpener(el: Element): boolean {
  return OPENERS.some((name) => attr(el, name) !== null);
}

/** Return whether an event is the key that puts away menus, hints and dialogs. */
export function isClosingKey(event: Event): boolean {
  return event instanceof KeyboardEvent && event.key === "Escape";
}

function isOnlyPressed({ el, role }: PointerPress, target: EventTarget | undefined): boolean {
  if (!(target instanceof Node) || !isElement(target)) return false;
  if (!el || !composedContains(el, target)) return true;
  return PRESSED_ONLY.has(role) && !inEditable(target) && !isOpener(el);
}

/** Mark what the page does because of a moved focus. `current` returns the press whose pointer is down. */
export function markFocusMoves(current: () => PointerPress | null, mark: (token: string) => void): void {
  const on = (types: string[], capture: boolean, run: (press: PointerPress, event: Event) => void): void => {
    const receive = (event: Event): void => {
      const press = event.isTrusted && event.target !== globalThis ? current() : null;
      if (press) run(press, event);
    };
    for (const type of types) listen(globalThis, type, receive, { capture, passive: true });
  };
  on(LEAVING, true, ({ token }) => mark(token + LEFT));
  on(ENTERING, true, (press, event) => mark(isOnlyPressed(press, event.composedPath()[0]) ? press.token + ENTERED : press.token));
  // A handler of the press may move the focus itself. Its further code is the effect of the press again.
  on(["focusout", "focusin"], false, ({ token }) => mark(token));
}

/** Return the changes to send first: those of an input before those of the focus that it moved. */
export function firstToSend<T>(caused: ReadonlyMap<string, T>): [string, T] | undefined {
  const waiting = [...caused];
  return waiting.find(([token]) => !token.includes(FOCUS_MARK)) ?? waiting[0];
}
