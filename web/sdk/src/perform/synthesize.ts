/**
 * inputSynthesis: pointer and key events made by a script, used only on request and as the last resort.
 *
 * The events are not trusted. Features that need a user gesture stay closed to them (ACT-10.4).
 */

import { rectOf } from "../dom.ts";
import { DONE, type Outcome, type Request } from "./outcome.ts";

const HOVER = ["pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove"];
const PRESS = ["pointerdown", "mousedown", "pointerup", "mouseup"];
const BUBBLES_NOT: ReadonlySet<string> = new Set(["pointerenter", "mouseenter"]);

export function synthesize(el: Element, request: Request): Outcome {
  const send = sender(el, request.button ?? 0);
  HOVER.forEach((type) => send(type, 0));
  const last = request.button === 2 ? "contextmenu" : request.button === 1 ? "auxclick" : "click";
  for (let count = 1; count <= (request.count ?? 1); count++) {
    for (const type of PRESS) {
      const allowed = send(type, count);
      if (type === "mousedown" && allowed && el instanceof HTMLElement) el.focus();
    }
    send(last, count);
  }
  if ((request.count ?? 1) === 2) send("dblclick", 2);
  return DONE;
}

/** Send the events of one key. They insert no text, because they are not trusted. */
export function synthesizeKey(el: Element, request: Request): Outcome {
  const pressed = new Set(request.values ?? []);
  const init = {
    key: request.text ?? "", bubbles: true, cancelable: true, composed: true,
    ctrlKey: pressed.has("Control"), shiftKey: pressed.has("Shift"), altKey: pressed.has("Alt"), metaKey: pressed.has("Meta"),
  };
  if (el instanceof HTMLElement) el.focus();
  for (const type of ["keydown", "keyup"]) el.dispatchEvent(new KeyboardEvent(type, init));
  return DONE;
}

function sender(el: Element, button: number): (type: string, detail: number) => boolean {
  const rect = rectOf(el);
  const where = { clientX: rect.x + rect.width / 2, clientY: rect.y + rect.height / 2 };
  return (type, detail) => {
    const init = { ...where, bubbles: !BUBBLES_NOT.has(type), cancelable: true, composed: true, view: window, button, detail };
    const down = type.endsWith("down") ? { buttons: button === 2 ? 2 : 1 } : {};
    const made = type.startsWith("pointer")
      ? new PointerEvent(type, { ...init, ...down, pointerId: 1, pointerType: "mouse", isPrimary: true })
      : new MouseEvent(type, { ...init, ...down });
    return el.dispatchEvent(made);
  };
}
