/** Requests of a page and their responses: fetch, bodies, streams, XMLHttpRequest. */

import { tags, type Work } from "./tags.ts";
import { callNative, wrapMethod, type Call } from "./wrap.ts";

const then = Promise.prototype.then;

/**
 * Enter the tag before the page's own continuation of a promise: this reaction is registered first, so it runs first.
 * The promise itself stays the page's own.
 */
function follow(promise: unknown, work: Work | null): void {
  if (!(promise instanceof Promise)) return;
  const enter = tags.entry(work);
  Reflect.apply(then, promise, [enter, enter]);
}

function addressOf(input: unknown): string {
  const text = typeof input === "string" ? input : String((input as { url?: unknown; href?: unknown } | null)?.url ?? input);
  return text.slice(0, 200);
}

const fetchCall: Call = (target, self, args) => {
  const work = tags.begin("request", addressOf(args[0]));
  const promise = callNative(target, self, args);
  if (tags.current !== null) follow(promise, work);
  return promise;
};

function promised(kind: "body" | "stream"): Call {
  return (target, self, args) => {
    const work = tags.begin(kind, "");
    const promise = callNative(target, self, args);
    if (tags.current !== null) follow(promise, work);
    return promise;
  };
}

const addEventListener = EventTarget.prototype.addEventListener;

const xhrSend: Call = (target, self, args) => {
  if (tags.current !== null && self instanceof XMLHttpRequest) {
    const work = tags.begin("request", "");
    const enter = tags.entry();
    const last = tags.entry(work);
    for (const type of ["readystatechange", "load", "error", "abort", "timeout", "progress"]) {
      Reflect.apply(addEventListener, self, [type, enter]);
    }
    Reflect.apply(addEventListener, self, ["loadend", last]);
  }
  return callNative(target, self, args);
};

export function traceRequests(): void {
  wrapMethod(globalThis, "fetch", fetchCall);
  for (const owner of [Response.prototype, Request.prototype, Blob.prototype]) {
    for (const name of ["json", "text", "arrayBuffer", "blob", "formData", "bytes"]) wrapMethod(owner, name, promised("body"));
  }
  wrapMethod(ReadableStreamDefaultReader.prototype, "read", promised("stream"));
  wrapMethod(XMLHttpRequest.prototype, "send", xhrSend);
}
