/** Tasks that a page schedules: timers, animation frames, idle callbacks, scheduler tasks. */

import { tags, type Work } from "./tags.ts";
import { callNative, wrapMethod, type Call } from "./wrap.ts";

type Callback = (...args: unknown[]) => unknown;

const byHandle = new Map<string, Work>();

function keep(kind: string, handle: unknown, work: Work | null): void {
  if (work) byHandle.set(`${kind}${String(handle)}`, work);
}

function drop(kind: string): Call {
  return (target, self, args) => {
    const key = `${kind}${String(args[0])}`;
    const work = byHandle.get(key);
    if (work) {
      byHandle.delete(key);
      tags.end(work);
    }
    return callNative(target, self, args);
  };
}

/** A callback that runs once. `detail` reads the delay out of the arguments. */
function once(kind: "timer" | "frame" | "idle", detail: (args: unknown[]) => number): Call {
  return (target, self, args) => {
    const run = args[0];
    if (typeof run !== "function") return callNative(target, self, args);
    const work = tags.begin(kind, detail(args));
    const handle = callNative(target, self, [tags.bind(run as Callback, work), ...args.slice(1)]);
    keep(kind, handle, work);
    return handle;
  };
}

const interval: Call = (target, self, args) => {
  const run = args[0];
  if (typeof run !== "function") return callNative(target, self, args);
  return callNative(target, self, [tags.bind(run as Callback), ...args.slice(1)]);
};

const delayOf = (value: unknown): number => (typeof value === "number" && value > 0 ? value : Number(value) || 0);

const postTask: Call = (target, self, args) => {
  const run = args[0];
  if (typeof run !== "function") return callNative(target, self, args);
  const delay = delayOf((args[1] as { delay?: unknown } | undefined)?.delay);
  const work = tags.begin("timer", delay);
  const promise = callNative(target, self, [tags.bind(run as Callback, work), ...args.slice(1)]) as Promise<unknown>;
  if (work) promise.then(undefined, () => tags.end(work)); // an aborted task never runs
  return promise;
};

export function traceTasks(): void {
  wrapMethod(globalThis, "setTimeout", once("timer", (args) => delayOf(args[1])));
  wrapMethod(globalThis, "clearTimeout", drop("timer"));
  wrapMethod(globalThis, "setInterval", interval);
  wrapMethod(globalThis, "requestAnimationFrame", once("frame", () => 0));
  wrapMethod(globalThis, "cancelAnimationFrame", drop("frame"));
  wrapMethod(globalThis, "requestIdleCallback", once("idle", (args) => delayOf((args[1] as { timeout?: unknown } | undefined)?.timeout)));
  wrapMethod(globalThis, "cancelIdleCallback", drop("idle"));
  const scheduler = (globalThis as { Scheduler?: { prototype: object } }).Scheduler;
  if (scheduler) wrapMethod(scheduler.prototype, "postTask", postTask);
}
