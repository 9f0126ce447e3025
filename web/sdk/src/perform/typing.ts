/**
 * Text fields: place the caret for key events, or set the text at once; both accept only what a person could type.
 *
 * `change` is never sent while the field has the focus. The browser, or `setText` on blur, sends it afterwards.
 */

import { attr, focusOn, inEditable, isHtml, localName, matches } from "../dom.ts";
import { drawnLines } from "../graph/drawn_editor.ts";
import { isEditingHost } from "../graph/roles.ts";
import { DONE, done, type Op, type Outcome, refuse, type Request, UNCHANGED } from "./outcome.ts";

const valueSetter = (proto: object): ((this: Element, value: string) => void) =>
  Object.getOwnPropertyDescriptor(proto, "value")!.set as (this: Element, value: string) => void;
const setInput = valueSetter(HTMLInputElement.prototype);
const setArea = valueSetter(HTMLTextAreaElement.prototype);

/** Input types without a plain text caret: keys change only a part of their value, or nothing. */
const PARTS = /^(date|time|month|week|datetime-local|color|range)$/;

type TextField = HTMLInputElement | HTMLTextAreaElement;

function isTextField(el: Element): el is TextField {
  if (!isHtml(el)) return false;
  const tag = localName(el);
  return tag === "textarea" || (tag === "input" && !/^(button|submit|reset|image|checkbox|radio|hidden|file)$/.test((el as HTMLInputElement).type));
}

function isEditable(el: Element): boolean {
  return isEditingHost(el) || inEditable(el);
}

function isReadOnly(el: Element): boolean {
  return attr(el, "aria-readonly") === "true" || (isTextField(el) && el.readOnly);
}

function isTooLong(el: TextField, text: string): boolean {
  return el.maxLength >= 0 && text.length > el.maxLength && text.length > el.value.length;
}

/** Focus the element. Return null, or why it does not have the focus: it was never there, or the page moved it on. */
export function focusRefusal(el: Element): "not_focusable" | "focus_moved" | null {
  let seen = false;
  const note = (): void => void (seen = true);
  for (const type of ["focus", "focusin"]) el.addEventListener(type, note, true);
  focusOn(el);
  for (const type of ["focus", "focusin"]) el.removeEventListener(type, note, true);
  if (matches(el, ":focus") || matches(el, ":focus-within")) return null;
  return seen ? "focus_moved" : "not_focusable";
}

/** Compare the text of a field without returning it. This is the only way to verify a masked field. */
export const holds: Op = (el, request) => {
  const text = isTextField(el) ? el.value : isEditable(el) ? (el.textContent ?? "") : null;
  return text === (request.text ?? "") ? UNCHANGED : refuse("differs");
};

/** Focus the field and select its text (`replace`), or put the caret at its end. Keys follow. */
export const caret: Op = (el, request) => {
  const text = request.text ?? "";
  const field = isTextField(el) ? el : null;
  const lines = drawnLines(el);
  if (!field && !lines && !isEditable(el)) return refuse("not_editable");
  if (isReadOnly(el)) return refuse("readonly");
  if (field ? PARTS.test(field.type) : !lines && text.includes("\n")) return refuse("no_caret");
  if (field && request.replace && isTooLong(field, text)) return refuse("too_long");
  const wasFocused = matches(el, ":focus");
  const refusal = focusRefusal(el);
  if (refusal) return refuse(refusal);
  if (isReadOnly(el)) return refuse("readonly_on_focus");
  if (lines) return done(false, { editor: true, multiline: true, empty: lines.join("") === "" && lines.length < 2 });
  if (!field) return done(false, { editor: true, empty: (el.textContent ?? "") === "" });
  if (request.replace) field.select();
  else if (!wasFocused) toEnd(field);
  return done(false, { multiline: localName(el) === "textarea", empty: field.value === "" });
};

function toEnd(field: TextField): void {
  try {
    field.setSelectionRange(field.value.length, field.value.length);
  } catch {
    // e-mail and number fields have no selection; the browser puts the caret at their end
  }
}

export const setText: Op = (el, request) => {
  const text = request.text ?? "";
  if (isTextField(el)) return setField(el, text);
  if (isEditable(el)) return editText(el as HTMLElement, text);
  return refuse("not_editable");
};

function setField(el: TextField, text: string): Outcome {
  if (isReadOnly(el)) return refuse("readonly");
  if (isTooLong(el, text)) return refuse("too_long");
  el.focus();
  if (isReadOnly(el)) return refuse("readonly_on_focus");
  if (el.value === text) return UNCHANGED;
  if (!el.dispatchEvent(inputEvent("beforeinput", text, true))) return refuse("prevented");
  (localName(el) === "textarea" ? setArea : setInput).call(el, text);
  if (el.value === "" && text !== "" && el.type !== "email") return refuse("rejected");
  commitOnBlur(el);
  el.dispatchEvent(inputEvent("input", text, false));
  return done(true, { typed: true });
}

/** A browser sends `change` only for typed text, so it is sent for the set text when the field is left. */
function commitOnBlur(el: TextField): void {
  const commit = (): void => void el.dispatchEvent(new Event("change", { bubbles: true }));
  if (PARTS.test(el.type) || !matches(el, ":focus")) commit();
  else el.addEventListener("blur", commit, { once: true, capture: true });
}

function inputEvent(type: string, data: string, cancelable: boolean): InputEvent {
  return new InputEvent(type, { bubbles: true, composed: true, cancelable, inputType: data === "" ? "deleteContentBackward" : "insertText", data: data === "" ? null : data });
}

/** Use the editing command of the browser, so that beforeinput, input and undo work as they do for a person. */
function editText(el: HTMLElement, text: string): Outcome {
  if (isReadOnly(el)) return refuse("readonly");
  el.focus();
  const selection = getSelection();
  if (!selection) return refuse("no_selection");
  selection.selectAllChildren(el);
  // Editing commands send no `beforeinput`. An editor with its own model listens for it and then makes the change
  // itself.
  if (!el.dispatchEvent(inputEvent("beforeinput", text, true))) return DONE;
  const worked = text === "" ? document.execCommand("delete") : document.execCommand("insertText", false, text);
  return worked ? DONE : refuse("rejected");
}

export const clear: Op = (el, request, page) => setText(el, { ...request, text: "" } satisfies Request, page);
