/** Values on a scale: the native setter, and the reading of a scale that is moved by input events. */

import { attr, hasAttr, isHtml, localName, parentElement, rectOf } from "../dom.ts";
import { refuse, done, type Op } from "./outcome.ts";

const SCALES: ReadonlySet<string> = new Set(["range", "number", "date", "time", "month", "week", "datetime-local", "color"]);
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set as (this: Element, value: string) => void;

function isNativeScale(el: Element): el is HTMLInputElement {
  return isHtml(el) && localName(el) === "input" && SCALES.has((el as HTMLInputElement).type);
}

/**
 * Set the value once and return the resulting one. `final`: the control itself changed the value, so another method
 * would not help.
 */
export const adjust: Op = (el, request) => {
  if (!isNativeScale(el)) return refuse("not_native");
  if (el.readOnly || attr(el, "aria-readonly") === "true") return refuse("readonly");
  const before = el.value;
  const requested = String(request.value);
  el.focus();
  if (before === requested) return done(false, readScale(el));
  setValue.call(el, requested);
  const result = el.value;
  if (result === "" && requested !== "") {
    setValue.call(el, before);
    return refuse("no_such_value");
  }
  if (isOutOfRange(el)) {
    setValue.call(el, before);
    return refuse("out_of_range");
  }
  press(el, "down");
  el.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  press(el, "up");
  el.dispatchEvent(new Event("change", { bubbles: true }));
  const synthetic = el.type === "range" ? { synthetic: ["pointerdown", "pointerup"] } : {};
  return done(true, { ...readScale(el), ...synthetic, before: parseValue(before), final: result !== requested && Number(result) !== Number(requested) });
};

/** A person drags a slider, and some applications store its value only when the pointer leaves it. */
function press(el: HTMLInputElement, phase: "down" | "up"): void {
  if (el.type !== "range") return;
  const { x, y, width, height } = rectOf(el);
  const point = { clientX: x + width / 2, clientY: y + height / 2, button: 0, buttons: phase === "down" ? 1 : 0 };
  const at = { ...point, bubbles: true, cancelable: true, composed: true, pointerId: 1, pointerType: "mouse", isPrimary: true };
  el.dispatchEvent(new PointerEvent(`pointer${phase}`, at));
}

/** Return whether the control's own limits exclude its value. A step counts only if the page has set one. */
function isOutOfRange(el: HTMLInputElement): boolean {
  const { rangeUnderflow, rangeOverflow, stepMismatch } = el.validity;
  return rangeUnderflow || rangeOverflow || (stepMismatch && hasAttr(el, "step"));
}

export const read: Op = (el) => done(false, readScale(el));

function readScale(el: Element): Record<string, unknown> {
  const box = rectOf(el);
  const track = parentElement(el);
  const around = track && !isTrack(box) ? rectOf(track) : box;
  const native = isNativeScale(el);
  const text = !native && isHtml(el) && localName(el) === "input" && (el as HTMLInputElement).type !== "checkbox" && !hasAttr(el, "aria-valuenow");
  return {
    native: native,
    value: native ? parseValue(el.value) : parseNumber(attr(el, "aria-valuenow") ?? (text ? (el as HTMLInputElement).value : null)),
    text,
    min: parseNumber(attr(el, native ? "min" : "aria-valuemin")),
    max: parseNumber(attr(el, native ? "max" : "aria-valuemax")),
    vertical: isSeparator(el) ? box.width > box.height : attr(el, "aria-orientation") === "vertical" || (around.height > around.width * 2 && !native),
    length: isSeparator(el) && track ? Math.max(rectOf(track).width, rectOf(track).height) : Math.max(around.width, around.height),
  };
}

/** Return whether this is a window splitter. It moves across its own length, whatever orientation it declares. */
function isSeparator(el: Element): boolean {
  return attr(el, "role") === "separator";
}

/** Return whether the box is long and thin: the track, not the thumb on it. */
function isTrack(box: DOMRectReadOnly): boolean {
  return Math.max(box.width, box.height) >= 4 * Math.min(box.width, box.height);
}

function parseValue(value: string): number | string {
  return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

function parseNumber(raw: string | null): number | null {
  const value = Number(raw);
  return raw === null || raw.trim() === "" || !Number.isFinite(value) ? null : value;
}

