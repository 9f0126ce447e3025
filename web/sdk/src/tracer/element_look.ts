/**
 * The look of the elements around a press: a star that is lit, a seat that turns green, a row that is no longer bold.
 *
 * Such an effect is no text and no state, only an attribute that some rule of style reads. The look is read in the click
 * itself, before any handler of the page: the pointer and the focus are there already, so that only code can change it.
 * An attribute that the input changed must lead to the new look. Classes that say that something failed, waits or has the
 * focus prove nothing.
 */

import { isRed } from "../colour.ts";
import { reportOutside } from "./reports.ts";
import { attachHere, type Tag } from "./tags.ts";
import { apply, listen } from "./wrap.ts";

const PROPERTIES = [
  "color", "background-color", "background-image", "border-top-color", "border-bottom-color", "fill", "stroke", "font-weight",
  "box-shadow", "outline", "text-decoration-line", "transform", "translate", "rotate", "left", "opacity", "visibility", "filter",
];
/** Live collections: reading the first elements of one does not walk the whole document. */
const ROWS = ["li", "tr", "article"].map((name) => document.getElementsByTagName(name));
const MAX_ANCESTORS = 4;
const MAX_INSIDE = 6;
const MAX_SIBLINGS = 14;
const MAX_ROWS = 20;
const MAX_CHANGED = 100;
const MAX_PRESSES = 4;
const MAX_ALIKE = 200;
const MAX_SIGN = 200;
/** Words of a class that are no effect: the press itself, work that has not ended, a failure, a locked control. */
const NO_EFFECT =
  /foc|hover|ripple|touch|press|wave|load|busy|wait|pending|progress|spin|sending|saving|disab|err|fail|invalid|wrong|shake|denied|reject|danger|warn|block|lock/i;
const { getComputedStyle } = globalThis;
const { getPropertyValue } = CSSStyleDeclaration.prototype;
const { getAnimations, getAttribute, checkVisibility } = Element.prototype;
const { composedPath } = Event.prototype;
const { getKeyframes } = KeyframeEffect.prototype;

const CHANGES = { attributes: true, attributeOldValue: true, subtree: true };

type Look = readonly string[];
/** The value of a property while an animation moves it. */
const PASSING = "";

/** Return the values that a person sees, with those at the end of the transitions that run. */
function lookOf(el: Element): Look {
  const style = getComputedStyle(el);
  const look = PROPERTIES.map((name) => String(apply(getPropertyValue, style, [name])));
  for (const animation of apply(getAnimations, el, []) as Animation[]) {
    if (!(animation.effect instanceof KeyframeEffect)) continue;
    const last = (apply(getKeyframes, animation.effect, []) as ComputedKeyframe[]).at(-1);
    PROPERTIES.forEach((property, index) => {
      const name = property.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (last?.[name] === undefined) return;
      // A transition ends with its last value; a shake or a pulse leaves nothing behind.
      look[index] = animation instanceof CSSTransition ? String(last[name]) : PASSING;
    });
  }
  for (const pseudo of ["::before", "::after"]) look.push(String(apply(getPropertyValue, getComputedStyle(el, pseudo), ["content"])));
  look.push(String(apply(getAttribute, el, ["src"])), String(apply(getAttribute, el, ["href"])));
  return look;
}

/** Return the elements whose look a press may change: its target, those inside, around and beside it, and rows of lists. */
function around(event: Event): Set<Element> {
  const path = (apply(composedPath, event, []) as EventTarget[]).filter((one) => one instanceof Element);
  const found = new Set(path.slice(0, MAX_ANCESTORS + 1));
  const [target, parent] = path;
  for (const el of [...(target?.querySelectorAll("*") ?? [])].slice(0, MAX_INSIDE)) found.add(el);
  for (const el of [...(parent?.children ?? [])].slice(0, MAX_SIBLINGS)) found.add(el);
  for (const rows of ROWS) for (let index = 0; index < Math.min(rows.length, MAX_ROWS); index++) found.add(rows[index]!);
  found.delete(document.documentElement);
  found.delete(document.body);
  for (const el of found) if (target && isOtherField(el, target)) found.delete(el);
  return found;
}

const FIELDS = "input,select,textarea";

/** Return whether an element is or holds another field than the target. A page that marks it asks for something. */
function isOtherField(el: Element, target: Element): boolean {
  return !isInside(target, el) && !isInside(el, target) && (el.matches(FIELDS) || el.querySelector(FIELDS) !== null);
}

const FRAME = ["border-top-color", "box-shadow", "outline"].map((name) => PROPERTIES.indexOf(name));

/** Return whether a look is another one. A frame that turns red says that something is wrong. */
function differs(before: Look, now: Look): boolean {
  const isNew = (value: string, index: number): boolean => value !== now[index] && value !== PASSING && now[index] !== PASSING;
  return before.some(isNew) && !FRAME.some((index) => isRed(now[index]!) && !isRed(before[index]!));
}

/** The pressed element as it was: a page may render its list again, with another look of the same element. */
class TargetLook {
  private constructor(
    private readonly target: Element,
    private readonly outer: readonly Element[],
    private readonly look: Look,
  ) {}

  static of(event: Event): TargetLook | null {
    const [target, ...outer] = (apply(composedPath, event, []) as EventTarget[]).filter((one) => one instanceof Element);
    return target && signOf(target) ? new TargetLook(target, outer, lookOf(target)) : null;
  }

  get isGone(): boolean {
    return !this.target.isConnected;
  }

  /** Return whether the element in the place of the target has the same text, other attributes and another look. */
  isRestyled(): boolean {
    if (!this.isGone) return false;
    const outer = this.outer.find((one) => one.isConnected);
    if (!outer || outer === document.body) return false;
    const alike = [...outer.querySelectorAll(this.target.localName)].slice(0, MAX_ALIKE).filter((one) => signOf(one) === signOf(this.target));
    const [next] = alike;
    if (!next || alike.length > 1) return false;
    const names = new Set([...next.getAttributeNames(), ...this.target.getAttributeNames()]);
    const before = new Map([...names].map((name) => [name, apply(getAttribute, this.target, [name]) as string | null]));
    return isEffect(next, before) && differs(this.look, lookOf(next));
  }
}

/** Return the text by which an element is known again. */
function signOf(el: Element): string {
  const text = el.textContent ?? "";
  return text.length > MAX_SIGN ? "" : text.trim();
}

/** The looks before one input, and the attributes that it changed. */
class PressWatch {
  private looks: Map<Element, Look> | null = null;
  /** The values that the changed attributes had before the input. */
  private readonly before = new Map<Element, Map<string, string | null>>();
  private changed = false;
  private target: TargetLook | null = null;

  /** The shadow trees around the press: changes in them are reported to their own roots only. */
  roots: ShadowRoot[] = [];

  constructor(readonly input: string) {}

  record(records: MutationRecord[]): void {
    for (const { target, attributeName, oldValue } of records) {
      if (!(target instanceof Element) || attributeName === null || this.before.size >= MAX_CHANGED) continue;
      const known = this.before.get(target) ?? new Map<string, string | null>();
      if (!known.has(attributeName)) known.set(attributeName, oldValue);
      this.before.set(target, known);
    }
  }

  /** Read the looks just before the handlers of the click. */
  take(event: Event): void {
    this.target ??= TargetLook.of(event);
    this.looks ??= new Map([...around(event)].map((el) => [el, lookOf(el)]));
    this.roots = (apply(composedPath, event, []) as EventTarget[]).filter((one) => one instanceof ShadowRoot);
  }

  get isTargetGone(): boolean {
    return this.target?.isGone === true;
  }

  /** Report a look that this input changed, and also that it was changed back. */
  compare(): void {
    const changed = (this.before.size > 0 && this.hasNewLook()) || this.target?.isRestyled() === true;
    if (changed === this.changed) return;
    this.changed = changed;
    reportOutside(changed ? "style" : "style_undone", "", this.input);
  }

  private hasNewLook(): boolean {
    const causes = [...this.before].filter(([el, values]) => isEffect(el, values)).map(([el]) => el);
    if (causes.length === 0 || !this.looks) return false;
    return [...this.looks].some(([el, look]) => isRendered(el) && causes.some((cause) => isInside(el, cause)) && differs(look, lookOf(el)));
  }
}

/** Return whether attributes of an element have other values than before, and not only those of a press or a failure. */
function isEffect(el: Element, values: Map<string, string | null>): boolean {
  return [...values].some(([name, before]) => {
    const now = apply(getAttribute, el, [name]) as string | null;
    if (now === before || /^(?:aria-busy|aria-invalid|disabled|tabindex)$/.test(name)) return false;
    const known = new Set((before ?? "").split(/\s+/));
    const added = (now ?? "").split(/\s+/).filter((word) => !known.has(word));
    return name !== "class" || !added.some((word) => NO_EFFECT.test(word));
  });
}

/** An element without a box has no look: a menu that closed has other computed values, and nobody sees them. */
function isRendered(el: Element): boolean {
  return apply(checkVisibility, el, []) as boolean;
}

function isInside(el: Element, outer: Element): boolean {
  for (let node: Node | null = el; node; node = node instanceof ShadowRoot ? node.host : node.parentNode) if (node === outer) return true;
  return false;
}

/** The last inputs. Work of an earlier one may run between the press of the next and its effect. */
class Presses {
  private readonly watches = new Map<string, PressWatch>();
  private latest = "";

  of(input: string): PressWatch {
    const known = this.watches.get(input) ?? new PressWatch(input);
    if (!this.watches.has(input)) this.latest = input;
    this.watches.set(input, known);
    if (this.watches.size > MAX_PRESSES) for (const oldest of this.watches.keys()) { this.watches.delete(oldest); break; }
    return known;
  }

  take(event: Event): readonly ShadowRoot[] {
    const watch = this.watches.get(this.latest);
    watch?.take(event);
    return watch?.roots ?? [];
  }
}

export function traceElementLook(): void {
  const presses = new Presses();
  let watch: PressWatch | null = null;
  const observer = new MutationObserver((records) => update(records));
  const take = observer.takeRecords.bind(observer);
  const observe = observer.observe.bind(observer);
  const disconnect = observer.disconnect.bind(observer);
  const update = (records: MutationRecord[]): void => {
    if (records.length === 0 && !watch?.isTargetGone) return;
    watch?.record(records);
    watch?.compare();
  };

  attachHere({
    onTag(tag: Tag) {
      update(take());
      disconnect();
      if (tag === null || tag.includes("~")) return; // a look that only follows the focus proves nothing
      watch = presses.of(tag);
      for (const root of [document, ...watch.roots]) observe(root, CHANGES);
    },
    onWork: () => undefined,
  });
  // The press that belongs to the click has entered the tag before.
  listen(window, "click", (event) => {
    if (event.isTrusted) for (const root of presses.take(event)) observe(root, CHANGES);
  }, { capture: true });
}
