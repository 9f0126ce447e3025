/** Texts that an animation shows: they may begin transparent, without height or outside of the window. */

import { animationsOf, contentOf, runningAnimations } from "../dom.ts";

const SHOWS = /^(opacity|visibility|display|transform|translate|scale|rotate|top|right|bottom|left|inset.*|margin.*|(max)?height|(max)?width|clip.*|mask.*)$/i;
/** After this long, a slow animation has shown enough of its text. */
const MOST_MS = 500;

/** Return after how many milliseconds the texts of a document are shown that are being shown now. */
export function showingFor(doc: Document): number {
  return Math.max(0, ...runningAnimations(doc).map(showsFor));
}

/** Return whether an element fades in: it may still be transparent, and will not stay so. */
export function fadesIn(el: Element): boolean {
  return animationsOf(el).some((animation) => showsFor(animation) > 0 && !hides(animation.effect as KeyframeEffect));
}

function hides(effect: KeyframeEffect): boolean {
  const last = effect.getKeyframes().at(-1);
  return last?.["opacity"] === "0" || last?.["visibility"] === "hidden";
}

function showsFor(animation: Animation): number {
  const effect = animation.effect as KeyframeEffect | null;
  if (!effect?.target || animation.playState !== "running" || !contentOf(effect.target).trim()) return 0;
  if (!effect.getKeyframes().some((frame) => Object.keys(frame).some((property) => SHOWS.test(property)))) return 0;
  const left = Number(effect.getComputedTiming().endTime) - Number(animation.currentTime);
  return left > 0 && left < Infinity ? Math.min(left, MOST_MS) : 0;
}
