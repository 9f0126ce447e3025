/**
 * semanticUi operations: check and act in one task, through the element's own setters, so that nothing can change
 * between the two.
 */

import { eventGuard } from "../guard/guard.ts";
import { attr, clickOn, focusOn, inEditable, isConnected, isHtml, localName, matches, parentElement, rootElement } from "../dom.ts";
import { isEditingHost } from "../graph/roles.ts";
import { clean } from "../graph/text.ts";
import { adjust, read } from "./adjust.ts";
import type { Facts } from "./facts.ts";
import { chosen, find, mark, selection, turn } from "./options.ts";
import { DONE, type Op, type Outcome, refuse, type Request, UNCHANGED, done } from "./outcome.ts";
import { closer, dismiss, files, scroll, submit, submitter } from "./surfaces.ts";
import { synthesize } from "./synthesize.ts";

export type { Outcome, Request } from "./outcome.ts";

const valueSetter = (proto: object): ((this: Element, value: string) => void) =>
  Object.getOwnPropertyDescriptor(proto, "value")!.set as (this: Element, value: string) => void;
const setInput = valueSetter(HTMLInputElement.prototype);
const setArea = valueSetter(HTMLTextAreaElement.prototype);

function isTextField(el: Element): el is HTMLInputElement | HTMLTextAreaElement {
  if (!isHtml(el)) return false;
  const tag = localName(el);
  return tag === "textarea" || (tag === "input" && !/^(button|submit|reset|image|checkbox|radio|hidden|file)$/.test((el as HTMLInputElement).type));
}

/** Compare the text of a field without returning it. This is the only way to verify a masked field. */
function holds(el: Element, request: Request): Outcome {
  const text = isTextField(el) ? el.value : isEditable(el) ? (el.textContent ?? "") : null;
  return text === (request.text ?? "") ? UNCHANGED : refuse("differs");
}

function setText(el: Element, request: Request): Outcome {
  const text = request.text ?? "";
  if (isTextField(el)) {
    if (el.readOnly || attr(el, "aria-readonly") === "true") return refuse("readonly");
    el.focus();
    if (el.value === text) return UNCHANGED;
    if (!el.dispatchEvent(inputEvent("beforeinput", text, true))) return refuse("prevented");
    (localName(el) === "textarea" ? setArea : setInput).call(el, text);
    if (el.value !== text && (el as HTMLInputElement).type !== "email") {
      if (el.value === "" && text !== "") return refuse("rejected");
    }
    el.dispatchEvent(inputEvent("input", text, false));
    el.dispatchEvent(new Event("change", { bubbles: true }));
    return DONE;
  }
  if (isEditable(el)) return editText(el as HTMLElement, text);
  return refuse("not_editable");
}

function inputEvent(type: string, data: string, cancelable: boolean): InputEvent {
  return new InputEvent(type, { bubbles: true, composed: true, cancelable, inputType: data === "" ? "deleteContentBackward" : "insertText", data: data === "" ? null : data });
}

function isEditable(el: Element): boolean {
  return isEditingHost(el) || inEditable(el);
}

/** Use the editing command of the browser, so that beforeinput, input and undo work as they do for a person. */
function editText(el: HTMLElement, text: string): Outcome {
  if (attr(el, "aria-readonly") === "true") return refuse("readonly");
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

function select(el: Element, request: Request): Outcome {
  if (!(el instanceof HTMLSelectElement)) return refuse("not_a_select");
  const requested = request.values ?? [];
  const options: HTMLOptionElement[] = [];
  for (const value of requested) {
    const found = findOption(el, value, request.by);
    if (!found) return refuse("no_such_option");
    if (found.disabled || (found.parentElement instanceof HTMLOptGroupElement && found.parentElement.disabled)) return refuse("option_disabled");
    options.push(found);
  }
  if (!el.multiple && options.length !== 1) return refuse("one_option_expected");
  const before = [...el.selectedOptions];
  options.sort((one, other) => one.index - other.index); // the order in which the control reports its selection
  const label = options.map((option) => clean(option.label)).join(", ");
  if (before.length === options.length && options.every((option) => before.includes(option))) return done(false, { native: true, label, already: true });
  el.focus();
  if (el.multiple) for (const option of el.options) option.selected = options.includes(option);
  else el.selectedIndex = options[0]!.index;
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return done(true, { native: true, label });
}

function findOption(el: HTMLSelectElement, requested: string, by: Request["by"]): HTMLOptionElement | undefined {
  const all = [...el.options];
  if (by === "index") return all[Number(requested)];
  if (by === "value") return all.find((option) => option.value === requested);
  if (by === "label") return all.find((option) => clean(option.label) === clean(requested));
  return findOption(el, requested, "value") ?? findOption(el, requested, "label");
}

function check(el: Element, request: Request): Outcome {
  const requested = request.checked ?? true;
  if (el instanceof HTMLInputElement && (el.type === "checkbox" || el.type === "radio")) {
    if (el.checked === requested && !el.indeterminate) return UNCHANGED;
    if (el.type === "radio" && !requested) return refuse("radio_stays_checked");
    el.focus();
    el.click();
    return el.checked === requested ? DONE : refuse("prevented");
  }
  const state = attr(el, "aria-checked") ?? attr(el, "aria-pressed") ?? attr(el, "aria-selected");
  if (state === null) return refuse("not_checkable");
  if (state === String(requested)) return UNCHANGED;
  clickOn(el);
  return DONE;
}

function toggle(el: Element, request: Request): Outcome {
  const details = el instanceof HTMLDetailsElement ? el : parentElement(el);
  if (!(details instanceof HTMLDetailsElement)) return refuse("not_details");
  const requested = request.open ?? true;
  if (details.open === requested) return UNCHANGED;
  details.open = requested;
  return DONE;
}

const OPS: Readonly<Record<string, Op>> = {
  focus: (el) => {
    focusOn(el);
    return matches(el, ":focus") || matches(el, ":focus-within") ? DONE : refuse("not_focusable");
  },
  click: (el) => {
    clickOn(el);
    return DONE;
  },
  setText,
  holds,
  clear: (el) => setText(el, { op: "clear", text: "" }),
  select,
  check,
  toggle,
  adjust,
  chosen,
  closer,
  dismiss,
  files,
  find,
  mark,
  note: () => UNCHANGED,
  read,
  scroll,
  selection,
  submit,
  submitter,
  synthesize,
  turn,
};

/** Operations that only read. They also work on elements below a modal; the element only has to be attached. */
const QUERIES: ReadonlySet<string> = new Set(["chosen", "closer", "files", "find", "mark", "read", "selection", "submitter", "turn"]);

export class Performer {
  constructor(
    private readonly facts: Facts,
    private readonly markCause: (token: string) => void,
  ) {}

  perform(request: Request): Outcome {
    const op = request.op === "attend" ? () => this.attend(request) : OPS[request.op];
    if (!op) return refuse("unknown_op");
    const { instanceId } = request;
    const query = instanceId === undefined || QUERIES.has(request.op);
    const reason = query ? null : this.facts.mismatch({ ...request, instanceId });
    if (reason !== null) return refuse(reason);
    const el = instanceId === undefined ? rootElement(this.facts.page.doc) : this.facts.element(instanceId);
    if (!el || !isConnected(el)) return refuse("detached");
    if (QUERIES.has(request.op)) return op(el, request, this.facts.page);
    eventGuard.disarm();
    if (request.token && request.op !== "attend") this.markCause(request.token);
    return op(el, request, this.facts.page);
  }

  /** Attribute the tasks in which a page function starts and ends to the token. Each sends an event with this name. */
  private attend(request: Request): Outcome {
    const { text: mark, token } = request;
    if (!mark || !token) return refuse("unknown_op");
    let left = 2;
    const onMark = (): void => {
      this.markCause(token);
      if (--left === 0) document.removeEventListener(mark, onMark, true);
    };
    document.addEventListener(mark, onMark, true);
    return UNCHANGED;
  }
}
