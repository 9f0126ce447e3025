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
  el.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return done(true, { ...readScale(el), before: parseValue(before), final: result !== requested && Number(result) !== Number(requested) });
};

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
  return {
    native: native,
    value: native ? parseValue(el.value) : parseNumber(attr(el, "aria-valuenow")),
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

