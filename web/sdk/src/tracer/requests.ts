/** Requests of a page: fetch, bodies, streams, XMLHttpRequest. */

import { askedBy, readResponse, readXhr, reportNoAnswer, type Asked } from "./answers.ts";
import { askEventSources } from "./channels.ts";
import { enterWhenSettled, tracePromise } from "./promises.ts";
import { tags } from "./tags.ts";
import { callNative, listen, prototypeOf, wrapConstructor, wrapMethod, type Call } from "./wrap.ts";

function addressOf(input: unknown): string {
  if (typeof input === "string") return input.slice(0, 200);
  return input instanceof Request ? input.url.slice(0, 200) : input instanceof URL ? input.href.slice(0, 200) : "";
}

const fetchCall: Call = (target, self, args) => {
  if (tags.current === null) return callNative(target, self, args);
  const address = addressOf(args[0]);
  const asked = askedBy(tags.current, address, args[0], args[1]);
  askEventSources(address, asked?.method ?? "GET", (args[1] as { body?: unknown } | undefined)?.body);
  const promise = callNative(target, self, args);
  const enter = tags.entry(tags.begin("request", address));
  return enterWhenSettled(promise, enter, asked && {
    value: (response) => readResponse(asked, response),
    reason: (reason) => reportNoAnswer(asked, reason),
  });
};

const beacon: Call = (target, self, args) => {
  if (tags.current !== null) askEventSources(addressOf(args[0]), "GET", args[1]);
  return callNative(target, self, args);
};

// ---------------------------------------------------------------- requests with events

const XHR_EVENTS = ["readystatechange", "loadstart", "progress", "load", "error", "abort", "timeout"];
const entries = new WeakMap<object, () => void>();
const ends = new WeakMap<object, () => void>();
const opened = new WeakMap<object, { method: string; address: string }>();
const asked = new WeakMap<object, Asked>();

const xhrOpen: Call = (target, self, args) => {
  opened.set(self as object, { method: String(args[0]), address: addressOf(args[1]) });
  return callNative(target, self, args);
};

const xhrSend: Call = (target, self, args) => {
  const request = self as object;
  entries.delete(request); // a request may be sent again
  asked.delete(request);
  if (tags.current !== null && self instanceof XMLHttpRequest) {
    const { method, address } = opened.get(request) ?? { method: "", address: "" };
    asked.set(request, { token: tags.current, method, address });
    askEventSources(address, method, args[0]);
    entries.set(request, tags.entry());
    ends.set(request, tags.entry(tags.begin("request", address)));
  }
  return callNative(target, self, args);
};

/** These listeners are the first of the object, so they run before those of the page. */
function traceXhr(): void {
  const enter = (event: Event): void => entries.get(event.currentTarget!)?.();
  const end = (event: Event): void => {
    const request = event.currentTarget as XMLHttpRequest;
    const question = asked.get(request);
    if (question) readXhr(question, request);
    ends.get(request)?.();
  };
  const fail = (event: Event): void => {
    const question = asked.get(event.currentTarget!);
    if (question) reportNoAnswer(question, null);
  };
  wrapConstructor("XMLHttpRequest", {
    made(object) {
      for (const type of XHR_EVENTS) listen(object, type, enter);
      listen(object, "loadend", end);
      for (const type of ["error", "timeout"]) listen(object, type, fail);
    },
  });
  wrapMethod(XMLHttpRequest.prototype, "open", xhrOpen);
  wrapMethod(XMLHttpRequest.prototype, "send", xhrSend);
}

export function traceRequests(): void {
  wrapMethod(globalThis, "fetch", fetchCall);
  for (const owner of [Response.prototype, Request.prototype, Blob.prototype]) {
    for (const name of ["json", "text", "arrayBuffer", "blob", "formData", "bytes"]) wrapMethod(owner, name, tracePromise("body"));
  }
  wrapMethod(prototypeOf("ReadableStreamDefaultReader"), "read", tracePromise("stream"));
  const values = (ReadableStream.prototype as { values?: () => object }).values;
  if (values) wrapMethod(Object.getPrototypeOf(values.call(new ReadableStream())) as object, "next", tracePromise("stream"));
  wrapMethod(prototypeOf("Navigator"), "sendBeacon", beacon);
  traceXhr();
}
