/** Tasks that a page schedules: timers, animation frames, idle callbacks, scheduler tasks. */

import { tracePromise } from "./promises.ts";
import { tags, type Work } from "./tags.ts";
import { apply, callNative, prototypeOf, wrapMethod, type Call } from "./wrap.ts";

type Callback = (...args: unknown[]) => unknown;

const byHandle = new Map<string, Work>();

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
    if (byHandle.size > 0) tags.end(byHandle.get(`${kind}${String(args[0])}`) ?? null);
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
    if (typeof run !== "function") return callNative(target, self, args);
    const work = tags.begin(kind, detail(args));
    if (work && kind === "timer") work.source = sourceOf(run);
    const handle = callNative(target, self, [tags.bind(run as Callback, work), ...args.slice(1)]);
    keep(kind, handle, work);
    return handle;
  };
}

/** Return a wrapper of a function whose argument `index` is a callback. It runs under the tag, and nothing waits for it. */
function bound(index: number): Call {
  return (target, self, args) => {
    const run = args[index];
    return callNative(target, self, typeof run === "function" ? args.with(index, tags.bind(run as Callback)) : args);
  };
}

/** The wrapper of `locks.request`, whose callback is the last argument. */
const lock: Call = (target, self, args) => bound(args.length - 1)(target, self, args);

const delayOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : Number(value) || 0);

const postTask: Call = (target, self, args) => {
  const run = args[0];
  if (typeof run !== "function") return callNative(target, self, args);
  const options = args[1] as { delay?: unknown; signal?: AbortSignal } | undefined;
  const work = tags.begin("timer", delayOf(options?.delay));
  const promise = callNative(target, self, [tags.bind(run as Callback, work), ...args.slice(1)]);
  if (work && options?.signal instanceof AbortSignal) options.signal.addEventListener("abort", () => tags.end(work), { once: true });
  return promise;
};

export function traceTasks(): void {
  wrapMethod(globalThis, "setTimeout", once("timer", (args) => delayOf(args[1])));
  wrapMethod(globalThis, "clearTimeout", drop("timer"));
  wrapMethod(globalThis, "setInterval", bound(0));
  wrapMethod(globalThis, "clearInterval", drop("timer")); // both kinds of timer share their handles
  wrapMethod(globalThis, "requestAnimationFrame", once("frame", () => 0));
  wrapMethod(globalThis, "cancelAnimationFrame", drop("frame"));
  wrapMethod(globalThis, "requestIdleCallback", once("idle", (args) => delayOf((args[1] as { timeout?: unknown } | undefined)?.timeout)));
  wrapMethod(globalThis, "cancelIdleCallback", drop("idle"));
  wrapMethod(prototypeOf("Scheduler"), "postTask", postTask);
  wrapMethod(prototypeOf("Scheduler"), "yield", tracePromise("timer"));
  wrapMethod(Document.prototype, "startViewTransition", bound(0));
  wrapMethod(prototypeOf("LockManager"), "request", lock);
}
