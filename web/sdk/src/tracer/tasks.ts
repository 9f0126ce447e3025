/** Tasks that a page schedules: timers, animation frames, idle callbacks, scheduler tasks. */

import { tracePromise } from "./promises.ts";
import { tags, type Work } from "./tags.ts";
import { apply, callNative, prototypeOf, wrapMethod, type Call } from "./wrap.ts";

type Callback = (...args: unknown[]) => unknown;

const byHandle = new Map<string, Work>();

/** When each callback of the page is due, with a tag or without. An entry in the past has run, or is the next to run. */
const dueTimes = new Map<string, number>();
const intervals = new Set<string>();
/** When each frame was requested that has not been drawn. */
const frames = new Map<string, number>();
const MAX_DUE = 200;
/** The browser delays nested timers by up to 4 ms. */
const SOONEST_MS = 5;
const QUIET_MS = 50;
/** A tab that is not drawn has no frames, so a frame is awaited for this long at most. */
const FRAME_MS = 500;
const STARTING_MS = 600;
const IDLE_LIMIT_MS = 100;

function plan(kind: string, handle: unknown, delay: number): void {
  if (dueTimes.size >= MAX_DUE) forgetPast();
  dueTimes.set(`${kind}${String(handle)}`, tags.now() + Math.max(delay, SOONEST_MS));
}

function forgetPast(): void {
  const now = tags.now();
  for (const [key, due] of dueTimes) if (due < now) dueTimes.delete(key);
}

/** Return for how many milliseconds no callback of the page is due: at most 50, and 0 if that is not known. */
export function quietFor(): number {
  if (intervals.size > 0 || dueTimes.size > MAX_DUE || isFrameDue()) return 0;
  return Math.min(QUIET_MS, ...delays());
}

/** Return after how many milliseconds the last callback of the page has run that is due soon. */
export const startingFor = (): number =>
  Math.max(isFrameDue() ? QUIET_MS : 0, ...delays().filter((delay) => delay <= STARTING_MS));

function isFrameDue(): boolean {
  const oldest = tags.now() - FRAME_MS;
  for (const requested of frames.values()) if (requested > oldest) return true;
  return false;
}

function delays(): number[] {
  const now = tags.now();
  return [...dueTimes.values()].filter((due) => due > now).map((due) => due - now);
}

/** Remember the work of a scheduled callback by its handle, until it ends. */
function keep(kind: string, handle: unknown, work: Work | null): void {
  if (!work) return;
  const key = `${kind}${String(handle)}`;
  byHandle.set(key, work);
  work.onEnd = () => byHandle.delete(key);
}

/** Return a wrapper of a function that cancels a scheduled callback by its handle. */
function drop(kind: string): Call {
  return (target, self, args) => {
    const key = `${kind}${String(args[0])}`;
    for (const planned of [dueTimes, intervals, frames]) planned.delete(key);
    if (byHandle.size > 0) tags.end(byHandle.get(key) ?? null);
    return callNative(target, self, args);
  };
}

const textOf = Function.prototype.toString;
const SOURCE_LENGTH = 1_000;

/** Return a short mark of the code of a callback, by which a timer of the same source is known again. */
function sourceOf(run: unknown): string {
  const text = String(apply(textOf, run, [])).slice(0, SOURCE_LENGTH);
  let mark = 5_381;
  for (let i = 0; i < text.length; i++) mark = ((mark * 33) ^ text.charCodeAt(i)) >>> 0;
  return mark.toString(36);
}

/** Return a wrapper of a function that schedules its first argument once. `detail` reads the delay from the arguments. */
function once(kind: "timer" | "frame" | "idle", detail: (args: unknown[]) => number): Call {
  return (target, self, args) => {
    const run = args[0];
    const delay = detail(args);
    const work = typeof run === "function" ? tags.begin(kind, delay) : null;
    if (work && kind === "timer") work.source = sourceOf(run);
    const handle = callNative(target, self, typeof run === "function" ? args.with(0, tags.bind(run as Callback, work)) : args);
    if (kind !== "frame") plan(kind, handle, delay);
    keep(kind, handle, work);
    return handle;
  };
}

const scheduleFrame = once("frame", () => 0);

/** The wrapper of `requestAnimationFrame`. A frame may be late, so it is known as due until it was drawn. */
const frame: Call = (target, self, args) => {
  const run = args[0];
  if (typeof run !== "function") return callNative(target, self, args);
  let key = "";
  const draw = function (this: unknown, ...given: unknown[]): unknown {
    frames.delete(key);
    return apply(run as Callback, this, given);
  };
  const handle = scheduleFrame(target, self, args.with(0, draw));
  key = `frame${String(handle)}`;
  frames.set(key, tags.now());
  return handle;
};

const idleDelay = (args: unknown[]): number => delayOf((args[1] as { timeout?: unknown } | undefined)?.timeout);

/**
 * The wrapper of `requestIdleCallback`. After an input that paints nothing, the browser may never report an idle time.
 * The work of an input therefore gets a time limit, unless the page gave one.
 */
const idle: Call = (target, self, args) => {
  const limited = tags.current === null || idleDelay(args) > 0 ? args : [args[0], { timeout: IDLE_LIMIT_MS }];
  return once("idle", idleDelay)(target, self, limited);
};

/** Return a wrapper of a function whose argument `index` is a callback. It runs under the tag, and nothing waits for it. */
function bound(index: number): Call {
  return (target, self, args) => {
    const run = args[index];
    return callNative(target, self, typeof run === "function" ? args.with(index, tags.bind(run as Callback)) : args);
  };
}

const repeat: Call = (target, self, args) => {
  const handle = bound(0)(target, self, args);
  intervals.add(`timer${String(handle)}`);
  return handle;
};

/** The wrapper of `locks.request`, whose callback is the last argument. */
const lock: Call = (target, self, args) => bound(args.length - 1)(target, self, args);

const delayOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : Number(value) || 0);

const postTask: Call = (target, self, args) => {
  const run = args[0];
  if (typeof run !== "function") return callNative(target, self, args);
  const options = args[1] as { delay?: unknown; signal?: AbortSignal } | undefined;
  const delay = delayOf(options?.delay);
  const work = tags.begin("timer", delay);
  const promise = callNative(target, self, args.with(0, tags.bind(run as Callback, work)));
  plan("task", tags.now(), delay);
  if (work && options?.signal instanceof AbortSignal) options.signal.addEventListener("abort", () => tags.end(work), { once: true });
  return promise;
};

export function traceTasks(): void {
  wrapMethod(globalThis, "setTimeout", once("timer", (args) => delayOf(args[1])));
  wrapMethod(globalThis, "clearTimeout", drop("timer"));
  wrapMethod(globalThis, "setInterval", repeat);
  wrapMethod(globalThis, "clearInterval", drop("timer")); // both kinds of timer share their handles
  wrapMethod(globalThis, "requestAnimationFrame", frame);
  wrapMethod(globalThis, "cancelAnimationFrame", drop("frame"));
  wrapMethod(globalThis, "requestIdleCallback", idle);
  wrapMethod(globalThis, "cancelIdleCallback", drop("idle"));
  wrapMethod(prototypeOf("Scheduler"), "postTask", postTask);
  wrapMethod(prototypeOf("Scheduler"), "yield", tracePromise("timer"));
  wrapMethod(Document.prototype, "startViewTransition", bound(0));
  wrapMethod(prototypeOf("LockManager"), "request", lock);
}
