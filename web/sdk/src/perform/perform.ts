/**
 * semanticUi operations: check and act in one task, through the element's own setters, so that nothing can change
 * between the two.
 */

import { eventGuard } from "../guard/guard.ts";
import { attr, clickOn, closestMatch, isConnected, parentElement, rootElement } from "../dom.ts";
import { clean } from "../graph/text.ts";
import { inClosedSelect } from "../graph/visibility.ts";
import { adjust, read } from "./adjust.ts";
import type { Facts } from "./facts.ts";
import { itemState, pathTo, shows } from "./items.ts";
import { chosen, find, mark, selection, turn } from "./options.ts";
import { DONE, type Op, type Outcome, refuse, type Request, UNCHANGED, done } from "./outcome.ts";
import { drawnList } from "./own_surface.ts";
import { opener, placed } from "./patterns.ts";
import { closer, dismiss, files, scroll, submit, submitter } from "./surfaces.ts";
import { synthesize, synthesizeKey } from "./synthesize.ts";
import { caret, clear, focusRefusal, holds, setText } from "./typing.ts";

export type { Outcome, Request } from "./outcome.ts";

function select(el: Element, request: Request): Outcome {
  if (!(el instanceof HTMLSelectElement)) return refuse("not_a_select");
  if (drawnList(el)) return refuse("drawn_by_page");
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

/** Choose an option of a closed native list, which takes no press itself. */
function chooseNative(option: HTMLOptionElement): Outcome {
  const list = closestMatch(option, "select");
  return list ? select(list, { op: "select", values: [String(option.index)], by: "index" }) : refuse("hidden");
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
    const refusal = focusRefusal(el);
    return refusal === null ? DONE : refuse(refusal);
  },
  click: (el) => {
    if (el instanceof HTMLOptionElement && inClosedSelect(el)) return chooseNative(el);
    clickOn(el);
    return DONE;
  },
  caret,
  clear,
  holds,
  setText,
  select,
  check,
  toggle,
  adjust,
  chosen,
  closer,
  dismiss,
  files,
  find,
  itemState,
  mark,
  note: () => UNCHANGED,
  opener,
  pathTo,
  placed,
  read,
  scroll,
  selection,
  shows,
  submit,
  submitter,
  synthesize,
  synthesizeKey,
  turn,
};

/** Operations that only read. They work below a modal too, and on the element that replaced the given one. */
const QUERIES: ReadonlySet<string> = new Set(["chosen", "closer", "files", "find", "itemState", "mark", "opener", "pathTo", "placed", "read", "selection", "shows", "submitter", "turn"]);

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
    if (reason !== null && !(reason === "disabled" && request.op === "scroll")) return refuse(reason);
    const found = instanceId !== undefined && query ? this.facts.page.current(instanceId)?.el : undefined;
    const el = instanceId === undefined ? rootElement(this.facts.page.doc) : (found ?? this.facts.element(instanceId));
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
