/** Values on a scale: the native setter with its read-back, and the reading for whoever moves the control otherwise. */

import { attr, isHtml, localName, parentElement, rectOf } from "../dom.ts";
import { refuse, told, type Op } from "./outcome.ts";

const SCALES: ReadonlySet<string> = new Set(["range", "number", "date", "time", "month", "week", "datetime-local", "color"]);
const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set as (this: Element, value: string) => void;

function native(el: Element): el is HTMLInputElement {
  return isHtml(el) && localName(el) === "input" && SCALES.has((el as HTMLInputElement).type);
}

/** Sets it once and says what it holds then. `final`: the control itself keeps to another value, so no other way helps. */
export const adjust: Op = (el, request) => {
  if (!native(el)) return refuse("not_native");
  if (el.readOnly || attr(el, "aria-readonly") === "true") return refuse("readonly");
  const before = el.value;
  const wanted = String(request.value);
  el.focus();
  if (before === wanted) return told(false, reading(el));
  setValue.call(el, wanted);
  const kept = el.value;
  if (kept === "" && wanted !== "") {
    setValue.call(el, before);
    return refuse("no_such_value");
  }
  el.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
  return told(true, { ...reading(el), before: plain(before), final: kept !== wanted && Number(kept) !== Number(wanted) });
};

export const read: Op = (el) => told(false, reading(el));

function reading(el: Element): Record<string, unknown> {
  const box = rectOf(el);
  const track = parentElement(el);
  const around = track && !isTrack(box) ? rectOf(track) : box;
  const own = native(el);
  return {
    native: own,
    value: own ? plain(el.value) : number(attr(el, "aria-valuenow")),
    min: number(attr(el, own ? "min" : "aria-valuemin")),
    max: number(attr(el, own ? "max" : "aria-valuemax")),
    vertical: attr(el, "aria-orientation") === "vertical" || (around.height > around.width * 2 && !own),
    length: Math.max(around.width, around.height),
  };
}

/** Long and thin: the track itself, and not the thumb on it. */
function isTrack(box: DOMRectReadOnly): boolean {
  return Math.max(box.width, box.height) >= 4 * Math.min(box.width, box.height);
}

function plain(value: string): number | string {
  return value.trim() !== "" && Number.isFinite(Number(value)) ? Number(value) : value;
}

function number(raw: string | null): number | null {
  const value = Number(raw);
  return raw === null || raw.trim() === "" || !Number.isFinite(value) ? null : value;
}

