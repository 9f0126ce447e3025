/**
 * Reports the inputs of a person, while a recording wants them. Inputs under an armed guard are those of an agent.
 *
 * The report is sent before the page reacts, so it describes the element that the person saw. A value of a masked field
 * is never part of it.
 */

import type { Channel } from "../channel.ts";
import { composedParent, inEditable, isElement, isHtml, listen, localName } from "../dom.ts";
import { isMasked } from "../graph/sensitive.ts";
import { valueOf } from "../graph/states.ts";
import type { Facts } from "../perform/facts.ts";
import type { Publisher } from "../publisher.ts";
import type { EarlyInputs } from "./early_inputs.ts";
import { eventGuard } from "./guard.ts";

/** `pick`: the next press names an element and does nothing else. */
export type InputMode = "off" | "report" | "pick";

const EVENTS = ["pointerdown", "pointerup", "click", "dblclick", "contextmenu", "input", "keydown"] as const;
const PRESSES: Readonly<Record<string, string>> = { click: "press", dblclick: "double", contextmenu: "secondary" };
const SWALLOWED = ["pointerdown", "mousedown", "pointerup", "mouseup", "keydown", "keyup"];
const PASSIVE: ReadonlySet<string> = new Set(["read", "focus", "scroll", "drag", "drop", "resize"]);
const TYPED = /^(text|search|email|url|tel|number|password|date|time|month|week|datetime-local|)$/;
const NAMED_KEYS = /^(Enter|Escape|Arrow(Up|Down|Left|Right)|Delete|Home|End|Page(Up|Down)|F\d+)$/;
const MAX_VALUE = 10_000;
/** A pointer that moved further was a drag, in CSS pixels. */
const STILL = 8;

/** The element under a pointer that is down, and where it went down. */
interface Down {
  readonly node: Element;
  readonly id: string;
  readonly x: number;
  readonly y: number;
}

export class Inputs {
  private mode: InputMode = "off";
  private listening = false;
  private down: Down | null = null;

  constructor(
    private readonly facts: Facts,
    private readonly channel: Channel,
    private readonly publisher: Publisher,
    early: EarlyInputs | null,
  ) {
    if (!early) return;
    this.set("report");
    publisher.onceSent(() => this.reportEarly(early));
  }

  /** Report what a person did before the first graph was sent, in order. */
  private reportEarly(early: EarlyInputs): void {
    for (const { event, target } of early.take()) if (this.mode === "report") this.handle(event, target);
  }

  set(mode: InputMode): void {
    this.mode = mode;
    this.publisher.followPerson(mode !== "off");
    if (mode === "off" || this.listening) return;
    this.listening = true;
    for (const type of EVENTS) listen(globalThis, type, (event) => this.receive(event), { capture: true, passive: false });
    for (const type of SWALLOWED) listen(globalThis, type, (event) => this.swallow(event), { capture: true, passive: false });
  }

  private swallow(event: Event): void {
    if (this.mode !== "pick" || !event.isTrusted || eventGuard.isArmed) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  }

  private receive(event: Event): void {
    if (this.mode === "off" || !event.isTrusted || eventGuard.isArmed) return;
    const target = event.composedPath()[0];
    const el = target instanceof Node && isElement(target) ? target : null;
    if (!el) return;
    if (this.mode === "pick") {
      this.swallow(event);
      if (event.type === "click") this.report(el, "pick", {});
    } else this.handle(event, el);
  }

  private handle(event: Event, el: Element): void {
    if (event.type === "input") this.reportValue(el);
    else if (event.type === "keydown") this.reportKey(el, event as KeyboardEvent);
    else if (event.type === "pointerdown") this.beginPress(el, event as PointerEvent);
    else if (event.type === "pointerup") this.endPress(event as PointerEvent);
    else this.reportPress(el, event as MouseEvent);
  }

  /** Report the element before the page reacts to the pointer. It may replace the element then, so that no click follows. */
  private beginPress(el: Element, event: PointerEvent): void {
    const node = event.button === 0 ? this.published(el, "down") : null;
    const id = node && this.report(node, "down", {});
    this.down = node && id ? { node, id, x: event.clientX, y: event.clientY } : null;
  }

  private endPress(event: PointerEvent): void {
    const { down } = this;
    if (!down) return;
    if (Math.hypot(event.clientX - down.x, event.clientY - down.y) > STILL) this.down = null;
    else setTimeout(() => this.reportDown(down), 0); // a click comes first
  }

  /** Report the press of a pointer that no click on its element followed. */
  private reportDown(down: Down): void {
    if (this.down !== down) return;
    this.down = null;
    this.channel.push({ t: "input", kind: "press", node: down.id, role: "", name: "" });
  }

  private reportPress(el: Element, event: MouseEvent): void {
    const { down } = this;
    if (event.type === "click" && event.detail !== 0 && down && !this.published(el, "press")) return this.reportDown(down);
    this.down = null;
    this.report(el, PRESSES[event.type]!, event.type === "click" && event.detail === 0 ? { byKey: true } : {});
  }

  private reportValue(el: Element): void {
    const control = editedBy(el);
    if (isHtml(control) && /^(checkbox|radio)$/.test((control as HTMLInputElement).type ?? "")) return; // its press is reported
    const secret = isMasked(control);
    const isFile = localName(control) === "input" && (control as HTMLInputElement).type === "file";
    const value = secret || isFile ? undefined : valueOf(control)?.slice(0, MAX_VALUE);
    this.report(control, "value", { secret, ...(value !== undefined && { value }) });
  }

  private reportKey(el: Element, event: KeyboardEvent): void {
    const chord = [event.ctrlKey && "Control", event.altKey && "Alt", event.metaKey && "Meta"].filter(Boolean);
    if (event.isComposing || event.repeat || (!NAMED_KEYS.test(event.key) && (chord.length === 0 || event.key.length > 1))) return;
    if (chord.length === 0 && isTyped(el) && !this.leavesField(el, event.key)) return;
    if (isTyped(el) && chord.length > 0 && event.key !== "Enter") return; // copy, paste, select all: the value says it
    this.report(el, "key", { inputKey: [...chord, event.shiftKey && "Shift", event.key].filter(Boolean).join("+") });
  }

  private leavesField(el: Element, key: string): boolean {
    return key === "Escape" || (key === "Enter" && localName(el) !== "textarea" && !inEditable(el));
  }

  /** Return the id of the element that was reported; none if the input is on nothing that can be acted on. */
  private report(el: Element, kind: string, members: object): string | undefined {
    const node = this.published(el, kind);
    if (!node) return undefined;
    const entry = this.facts.fresh(node);
    const id = this.facts.page.store.entries.get(node)?.element.instanceId ?? "";
    this.publisher.flushNow(true); // so that the driver knows the element
    const { role = "", name = "" } = entry?.element ?? {};
    this.channel.push({ t: "input", kind, node: id, role, name, ...members });
    return id;
  }

  /** Return the element that a person means: the nearest one that can be acted on, or for a pick the nearest one at all. */
  private published(el: Element, kind: string): Element | null {
    for (let node: Element | null = el; node; node = composedParent(node)) {
      const entry = this.facts.page.store.entries.get(node);
      if (entry && (kind === "pick" || entry.element.affordances.some((one) => !PASSIVE.has(one)))) return node;
    }
    return null;
  }
}

function isTyped(el: Element): boolean {
  const tag = localName(el);
  return tag === "textarea" || inEditable(el) || (tag === "input" && TYPED.test((el as HTMLInputElement).type));
}

/** Return the control whose value changed: for rich text, the whole editable area. */
function editedBy(el: Element): Element {
  if (!inEditable(el)) return el;
  let top = el;
  for (let node = composedParent(el); node && inEditable(node); node = composedParent(node)) top = node;
  return top;
}
