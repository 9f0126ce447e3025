/**
 * The guard: on trusted input, checks that the event reaches the armed element, and that the element is still as
 * observed.
 *
 * Its listeners are on window, in the capture phase, from document start, so no page listener runs before them. A
 * mismatch stops the event and everything after it until disarm. The check runs in the same task as the page's
 * handlers, so nothing can change between the two.
 */

import type { Channel } from "../channel.ts";
import {
  attr, checkVisibility, closest, composedContains, composedParent, elementAt, firstElement, isConnected, isElement, isHtml, listen, localName, matches,
  nextElement, ownerDocument,
} from "../dom.ts";
import type { Facts } from "../perform/facts.ts";
import { isOwnSurface } from "../perform/own_surface.ts";
import { isClosingKey, markFocusMoves, type PointerPress } from "./focus.ts";

export interface Guard {
  instanceId: string;
  role?: string;
  name?: string;
  record?: string | null;
  token: string;
  /** The gesture moves after the press: changes during the move are its effect, and it ends where it is released. */
  moves?: boolean;
  /** The pointer only moves onto the element: what the page does then is its effect, and nothing is stopped. */
  hovers?: boolean;
  /** The only other element where it may be released. */
  drop?: string;
  /** Many keys follow. Each must reach the field or its successor; the first one is checked completely. */
  typing?: boolean;
}

const EVENTS = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "contextmenu", "dblclick", "keydown", "keypress", "beforeinput", "keyup"];
const POINTER_DOWN: ReadonlySet<string> = new Set(["pointerdown", "mousedown"]);
const POINTER_STARTS: ReadonlySet<string> = new Set(["pointerdown", "mousedown", "keydown", "beforeinput"]);
/** The rest of a key press. It belongs to its `keydown`, wherever the page has put the focus meanwhile. */
const KEY_ENDS: ReadonlySet<string> = new Set(["keypress", "keyup"]);
const FIELD = "input:not([type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio]),textarea,[role=textbox],[role=combobox],[role=searchbox]";
const MAX_SHOWN = 400;
const HOVERS = ["pointerout", "pointerover", "mouseover", "pointermove", "mousemove"];
const MOVES = ["pointermove", "mousemove", "dragstart", "dragenter", "dragover", "drop", "dragend", "touchmove", "touchend"];

export interface GuardHost {
  channel: Channel;
  facts: Facts;
  /** Called before page handlers run for an event that passed. */
  markCause(token: string, at?: number): void;
  /** Called after the page's click handlers have run and before anything is painted. */
  onHandled(): void;
}

class EventGuard {
  private armed: Guard | null = null;
  private failed = false;
  private announced = false;
  private wasOpen = false;
  /** The visible children of the elements around the armed one, when the gesture began. */
  private shown = new Set<Element>();
  private host: GuardHost | null = null;
  /** The element that replaced the armed one during the gesture. */
  private followed: Element | null = null;
  private issued = 0;
  private pointerDown = false;
  /** The element of the last press, and its token. */
  pressed: PointerPress | null = null;

  constructor() {
    for (const type of EVENTS) listen(globalThis, type, (event) => this.check(event), { capture: true, passive: false });
    markFocusMoves(() => this.pointerPress, (token) => this.host?.markCause(token));
  }

  private get pointerPress(): PointerPress | null {
    const guard = this.armed;
    return guard && this.pointerDown && !this.failed && !guard.moves && !guard.typing ? this.pressed : null;
  }

  attach(host: GuardHost): void {
    this.host = host;
  }

  /** Whether input events are those of a gesture of the driver. */
  get isArmed(): boolean {
    return this.armed !== null;
  }

  arm(guard: Guard): string | null {
    this.armed = guard;
    if (guard.moves) for (const type of MOVES) addEventListener(type, this.onMove, { capture: true, passive: false });
    if (guard.hovers) for (const type of HOVERS) addEventListener(type, this.onHover, { capture: true, passive: true });
    this.failed = false;
    this.announced = false;
    this.pointerDown = false;
    this.pressed = null;
    this.followed = null;
    this.issued = this.host?.facts.page.identity.issued ?? 0;
    if (!this.host) return "not_booted";
    return guard.hovers ? null : this.host.facts.mismatch(guard);
  }

  disarm(): void {
    if (this.armed?.moves) for (const type of MOVES) removeEventListener(type, this.onMove, { capture: true });
    if (this.armed?.hovers) for (const type of HOVERS) removeEventListener(type, this.onHover, { capture: true });
    this.armed = null;
    this.failed = false;
  }

  private check(event: Event): void {
    const guard = this.armed;
    if (!guard || guard.hovers || !this.host || !event.isTrusted) return;
    if (this.failed) {
      stop(event);
      return;
    }
    if (KEY_ENDS.has(event.type)) {
      if (this.announced) this.host.markCause(guard.token, event.timeStamp);
      return;
    }
    const target = event.composedPath()[0];
    const reason = this.refusal(guard, target instanceof Element ? target : null, event);
    if (reason !== null) {
      this.failed = true;
      stop(event);
      const got = target instanceof Node && isElement(target) ? this.host.facts.describe(target) : null;
      this.host.channel.push({ t: "guard", ok: false, token: guard.token, node: guard.instanceId, event: event.type, reason, got });
      return;
    }
    const el = this.followed ?? this.host.facts.element(guard.instanceId);
    if (!this.announced) this.remember(el);
    this.pointerDown = POINTER_DOWN.has(event.type);
    this.pressed = { token: guard.token, el, role: guard.role ?? "", closes: isClosingKey(event) };
    const seq = this.host.channel.next();
    this.host.markCause(guard.token, event.timeStamp);
    if (!this.announced || event.type === "click") {
      this.announced = true;
      this.host.channel.push({ t: "guard", ok: true, token: guard.token, node: guard.instanceId, event: event.type, seq });
    }
    // Added during the dispatch, in the bubble phase: it runs after every listener of the page.
    if (event.type === "click") addEventListener("click", this.onClickEnd, { once: true, passive: true });
  }

  /** Remember what was there before the press: a surface that it opens may lie under the pointer at the release. */
  private remember(el: Element | null): void {
    this.wasOpen = isOpen(el);
    this.shown = new Set();
    for (let node = el && composedParent(el); node; node = composedParent(node)) {
      for (let child = firstElement(node); child && this.shown.size < MAX_SHOWN; child = nextElement(child)) {
        if (checkVisibility(child, { visibilityProperty: true })) this.shown.add(child);
      }
    }
  }

  /** Return whether the press has put the focus into a field, which is all that a press on a field does. */
  private isEntered(el: Element): boolean {
    return matches(el, FIELD) && matches(el, ":focus, :focus-within");
  }

  /** Return whether the branch of the page that holds `target` was visible before the press. */
  private wasShown(el: Element, target: Element): boolean {
    if (this.shown.size >= MAX_SHOWN) return true;
    for (let node: Element | null = target; node; node = composedParent(node)) {
      const parent = composedParent(node);
      if (parent === null || composedContains(parent, el)) return this.shown.has(node);
    }
    return true;
  }

  private readonly onClickEnd = (): void => queueMicrotask(() => this.host?.onHandled());

  private readonly onMove = (event: Event): void => {
    const guard = this.armed;
    if (!guard?.moves || !this.host || !event.isTrusted || !this.announced) return;
    const target = event.composedPath()[0];
    if (this.failed || (event.type === "drop" && !this.mayDrop(guard, target instanceof Element ? target : null, event))) {
      this.failed = true;
      stop(event);
      return;
    }
    this.host.markCause(guard.token, event.timeStamp);
  };

  private readonly onHover = (event: Event): void => {
    const guard = this.armed;
    if (guard?.hovers && event.isTrusted) this.host?.markCause(guard.token, event.timeStamp);
  };

  private mayDrop(guard: Guard, target: Element | null, event: Event): boolean {
    if (guard.drop === undefined) return true;
    const [from, to] = [this.host!.facts.element(guard.instanceId), this.host!.facts.element(guard.drop)];
    // A list that captured the pointer receives the release itself: then the element under the pointer counts.
    const captured = target !== null && from !== null && target !== from && composedContains(target, from);
    const hit = captured ? underPointer(target, event) : target;
    return hit !== null && [from, to].some((el) => el !== null && composedContains(el, hit));
  }

  private refusal(guard: Guard, target: Element | null, event: Event): string | null {
    const { type } = event;
    if (guard.moves && this.announced && !POINTER_STARTS.has(type)) {
      // The browser sends the click after a drag to the common ancestor of both ends.
      return type.endsWith("click") || this.mayDrop(guard, target, event) ? null : "other_target";
    }
    if (type === "beforeinput" && this.announced && !guard.typing) return null;
    const el = this.follow(guard, target);
    if (!el) return "detached";
    if (guard.typing && this.announced) return target && composedContains(el, target) ? null : "focus_moved";
    const reason = this.targetMismatch(guard, el, target, type);
    // Lists that open on pointer down lie under the pointer when it is released. The press was accepted; later events
    // are stopped.
    if (reason === null || !this.announced || POINTER_STARTS.has(type)) return reason;
    const opened = (!this.wasOpen && isOpen(el)) || (reason === "other_target" && target !== null && this.isEntered(el) && !this.wasShown(el, target));
    return opened ? "opened" : reason;
  }

  /** Return the armed element, or the one that the page put in its place; null if it is gone. */
  private follow(guard: Guard, target: Element | null): Element | null {
    const el = this.followed ?? this.host!.facts.element(guard.instanceId);
    if (el && isConnected(el)) return el;
    if (!this.announced || !target) return null;
    this.followed = this.host!.facts.successor(guard, target, this.issued);
    return this.followed;
  }

  private targetMismatch(guard: Guard, el: Element, target: Element | null, type: string): string | null {
    const host = this.host!;
    if (!target) return "other_target";
    if (!composedContains(el, target) && !isLabelOf(target, el) && !isOwnSurface(el, target)) return "other_target";
    // A press may change the element (focus styles, a toggled name). The element was checked when the press began.
    if (this.announced && !POINTER_STARTS.has(type)) return host.facts.unusableReason(el);
    return host.facts.mismatch(guard, el);
  }
}

/** Return the element that a pointer event is over, whatever captured the pointer. */
function underPointer(around: Element, event: Event): Element | null {
  return event instanceof MouseEvent ? elementAt(ownerDocument(around), event.clientX, event.clientY) : null;
}

function isOpen(el: Element | null): boolean {
  return el !== null && attr(el, "aria-expanded") === "true";
}

function isLabelOf(target: Element, control: Element): boolean {
  const label = closest(target, (el) => isHtml(el) && localName(el) === "label");
  return label !== null && (label as HTMLLabelElement).control === control;
}

function stop(event: Event): void {
  event.stopImmediatePropagation();
  event.preventDefault();
}

export const eventGuard = new EventGuard();
