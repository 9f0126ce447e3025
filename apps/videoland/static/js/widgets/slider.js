// A role=slider without an input: keyboard and pointer move it, aria-valuenow is its value.

import { h } from "../dom.js";

export function slider({ id, label, value, min = 0, max = 100, step = 1, attributes }) {
  const fill = h("div.slider-fill");
  const thumb = h("div.slider-thumb", {
    id, role: "slider", tabindex: "0", "aria-labelledby": label, "aria-valuemin": min, "aria-valuemax": max,
    "aria-orientation": "horizontal", ...attributes,
  });
  const track = h("div.slider", {}, h("div.slider-rail", {}, fill), thumb);
  let now = value;

  function set(next) {
    now = Math.min(max, Math.max(min, Math.round(next / step) * step));
    const share = `${((now - min) / (max - min)) * 100}%`;
    thumb.setAttribute("aria-valuenow", now);
    thumb.setAttribute("aria-valuetext", `${now} %`);
    thumb.style.left = share;
    fill.style.width = share;
    track.dispatchEvent(new CustomEvent("slide", { detail: now }));
  }

  const big = step * 10;
  thumb.addEventListener("keydown", (event) => {
    const next = {
      ArrowRight: now + step, ArrowUp: now + step, ArrowLeft: now - step, ArrowDown: now - step,
      PageUp: now + big, PageDown: now - big, Home: min, End: max,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    set(next);
  });

  function follow(event) {
    const box = track.getBoundingClientRect();
    set(min + ((event.clientX - box.left) / box.width) * (max - min));
  }
  track.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    track.setPointerCapture(event.pointerId);
    thumb.focus();
    follow(event);
    track.addEventListener("pointermove", follow);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    track.addEventListener(end, () => track.removeEventListener("pointermove", follow));
  }
  set(value);
  return { element: track, value: () => now };
}
