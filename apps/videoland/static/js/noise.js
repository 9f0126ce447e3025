// The noise knob: a clock, a counter and a poll that change the page without an action and without a meaning.

import { get } from "./api.js";
import { knobs, number, t } from "./boot.js";
import { h } from "./dom.js";

const clock = h("span.noise");
const views = h("span.noise");
let ticks = 0;

export function noiseBoxes() {
  return knobs.noise ? [clock, views] : [];
}

export function startNoise() {
  if (!knobs.noise) return;
  tick();
  setInterval(tick, knobs.noise_ms);
}

function tick() {
  ticks += 1;
  clock.textContent = new Date().toISOString().slice(11, 23);
  views.textContent = t("noise.count", { count: number(1000 + ticks * 7) });
  if (ticks % 4 === 0) get("/api/pulse").catch(() => {});
}
