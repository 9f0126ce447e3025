/** Promises of the browser: their continuation belongs to the tag of the call. */

import { tags, type WorkKind } from "./tags.ts";
import { apply, callNative, type Call } from "./wrap.ts";

const { then } = Promise.prototype;

/** Sees the outcome of a promise before the page does. */
export interface Seen {
  value(value: unknown): void;
  reason(reason: unknown): void;
}

/**
 * Return a promise with the same outcome that enters the tag first. It is not the browser's own promise: a second reaction
 * on that one would hide a rejection that nobody handles, or report one that is handled.
 */
export function enterWhenSettled(promise: unknown, enter: () => void, seen?: Seen | null): unknown {
  if (!(promise instanceof Promise)) return promise;
  return apply(then, promise, [
    (value: unknown) => {
      seen?.value(value);
      enter();
      return value;
    },
    (reason: unknown) => {
      seen?.reason(reason);
      enter();
      throw reason;
    },
  ]);
}

/** Return a wrapper of a native function that returns a promise: what awaits the promise runs under the tag of the call. */
export function tracePromise(kind: WorkKind): Call {
  return (target, self, args) => {
    if (tags.current === null) return callNative(target, self, args);
    const promise = callNative(target, self, args);
    return enterWhenSettled(promise, tags.entry(tags.begin(kind, kind === "timer" ? 0 : "")));
  };
}
