/** The answers to requests of an input: their status, and the beginning of their text, read from a copy. */

import { reportAnswer, MAX_TEXT } from "./reports.ts";
import { tags, type Tag, type Work } from "./tags.ts";
import { apply } from "./wrap.ts";

export interface Asked {
  token: Tag;
  method: string;
  address: string;
}

/** Texts that may refuse. Documents, streams and media are not read. */
const READABLE = /^(?:application\/(?:[\w.+-]*\+)?(?:json|xml)|text\/(?:json|plain|xml)|)(?:;|$)/i;

// Taken before any page script runs. The page may replace these later.
const { clone } = Response.prototype;
const { getReader } = ReadableStream.prototype;
const { read, cancel } = ReadableStreamDefaultReader.prototype;
const { then } = Promise.prototype;
const { get: headerOf } = Headers.prototype;
const { getResponseHeader } = XMLHttpRequest.prototype;
const { stringify } = JSON;
const getterOf = (owner: object, name: string): unknown => Object.getOwnPropertyDescriptor(owner, name)?.get;
const bodyOf = getterOf(Response.prototype, "body");
const textOf = getterOf(XMLHttpRequest.prototype, "responseText");
const valueOf = getterOf(XMLHttpRequest.prototype, "response");

/** Return what a fetch asks. A request that the page sends without caring for its answer is not followed. */
export function askedBy(token: Tag, address: string, input: unknown, init: unknown): Asked | null {
  const given = (input instanceof Request ? input : {}) as { method?: string; keepalive?: boolean; mode?: string };
  const { method, keepalive, mode } = { ...(init as typeof given | undefined) };
  if ((keepalive ?? given.keepalive) || (mode ?? given.mode) === "no-cors") return null;
  return { token, method: String(method ?? given.method ?? "GET"), address };
}

export function readResponse({ token, method, address }: Asked, response: unknown): void {
  if (!(response instanceof Response) || response.type === "opaque" || response.type === "opaqueredirect") return;
  const mediaType = String(apply(headerOf, response.headers, ["content-type"]) ?? "");
  const { status } = response;
  const finish = (text: string): void => reportAnswer(token, { road: "request", method, address, status, mediaType, text });
  if (!READABLE.test(mediaType) || apply(bodyOf, response, []) === null) {
    finish("");
    return;
  }
  try {
    readText(apply(clone, response, []) as Response, token, finish);
  } catch {
    finish("");
  }
}

/** Read the beginning of the body. The input's work has not ended before it is read. */
function readText(copy: Response, token: Tag, finish: (text: string) => void): void {
  const reader = apply(getReader, apply(bodyOf, copy, []), []) as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  const work: Work | null = tags.beginFor(token, "body", "");
  let text = "";
  const end = (): void => {
    finish(text);
    tags.end(work);
  };
  const next = (): void => void apply(then, apply(read, reader, []), [
    ({ done, value }: ReadableStreamReadResult<Uint8Array>) => {
      if (!done) text += decoder.decode(value, { stream: true });
      if (!done && text.length < MAX_TEXT) return next();
      if (!done) apply(then, apply(cancel, reader, []), [() => undefined, () => undefined]);
      end();
    },
    end,
  ]);
  next();
}

export function readXhr({ token, method, address }: Asked, request: XMLHttpRequest): void {
  const { status } = request;
  if (status === 0) return;
  const mediaType = String(apply(getResponseHeader, request, ["content-type"]) ?? "");
  reportAnswer(token, { road: "request", method, address, status, mediaType, text: READABLE.test(mediaType) ? xhrText(request) : "" });
}

function xhrText(request: XMLHttpRequest): string {
  try {
    if (request.responseType === "" || request.responseType === "text") return String(apply(textOf, request, []));
    return request.responseType === "json" ? (stringify(apply(valueOf, request, [])) ?? "") : "";
  } catch {
    return "";
  }
}

/** The network gave no answer. A request that the page itself gave up is none of that. */
export function reportNoAnswer({ token, method, address }: Asked, reason: unknown): void {
  if (reason instanceof DOMException && reason.name === "AbortError") return;
  reportAnswer(token, { road: "request", method, address, failed: true });
}
