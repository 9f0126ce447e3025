/** Reports of the tracer to the publisher: answers to an input, and effects outside of the document. */

import { tags, type Tag } from "./tags.ts";
import { apply, callNative, listen, prototypeOf, wrapMethod } from "./wrap.ts";

const { stringify } = JSON;

/** The beginning of a longer text is enough to see whether it refuses. */
export const MAX_TEXT = 65_536;

export interface Answer {
  road: "request" | "socket" | "events" | "worker";
  method?: string;
  address?: string;
  status?: number;
  mediaType?: string;
  text?: string;
  failed?: boolean;
}

let send: (text: string) => void = () => undefined;

/** Reports of this document go through `report`. */
export function reportTo(report: (text: string) => void): void {
  send = report;
}

export function reportAnswer(token: Tag, answer: Answer): void {
  if (token !== null) send(stringify({ t: "answer", token, answer: { ...answer, text: answer.text?.slice(0, MAX_TEXT) } }));
}

/** An effect outside of the document. One without a token is not ours, which is worth knowing too. */
export function reportOutside(kind: string, detail = "", token = tags.current): void {
  send(stringify({ t: "outside", token, kind, detail: detail.slice(0, 500) }));
}

// ---------------------------------------------------------------- effects outside of the document

interface Navigation {
  destination?: { url?: string; sameDocument?: boolean };
  downloadRequest?: string | null;
}

function traceNavigation(): void {
  const { navigation } = globalThis as { navigation?: EventTarget };
  if (!navigation) return;
  listen(navigation, "navigate", (event) => {
    const { destination, downloadRequest } = event as Event & Navigation;
    if (typeof downloadRequest === "string") reportOutside("download", destination?.url ?? "");
    // A server may answer a navigation with a file. Only the input that asked for it is worth knowing.
    else if (tags.current !== null && !destination?.sameDocument) reportOutside("navigation", destination?.url ?? "");
  });
}

/** A form that a script submits may open a tab. */
function traceForms(): void {
  for (const name of ["submit", "requestSubmit"]) {
    wrapMethod(HTMLFormElement.prototype, name, (target, self, args) => {
      if (self instanceof HTMLFormElement && !/^(?:|_self|_parent|_top)$/i.test(self.target)) reportOutside("tab", self.action);
      return callNative(target, self, args);
    });
  }
}

/** Report a call of a native function before it runs. */
function reportCall(owner: object | undefined, name: string, kind: string, detail: (args: unknown[]) => string = () => ""): void {
  wrapMethod(owner, name, (target, self, args) => {
    reportOutside(kind, detail(args));
    return callNative(target, self, args);
  });
}

function traceClipboard(): void {
  const exec = Object.getOwnPropertyDescriptor(Document.prototype, "execCommand")?.value as unknown;
  if (typeof exec === "function") {
    wrapMethod(Document.prototype, "execCommand", (target, self, args) => {
      const done = callNative(target, self, args);
      if (done === true && /^(copy|cut)$/i.test(String(args[0]))) reportOutside("clipboard");
      return done;
    });
  }
  const owner = prototypeOf("Clipboard");
  for (const name of ["writeText", "write"]) {
    wrapMethod(owner, name, (target, self, args) => {
      const promise = callNative(target, self, args);
      const token = tags.current;
      const written = (): void => send(stringify({ t: "outside", token, kind: "clipboard", detail: "" }));
      if (promise instanceof Promise) apply(Promise.prototype.then, promise, [written, () => undefined]);
      return promise;
    });
  }
}

function urlText(value: unknown): string {
  try {
    return value === undefined ? "" : new URL(String(value), document.baseURI).href;
  } catch {
    return "";
  }
}

export function traceOutside(): void {
  traceNavigation();
  traceForms();
  reportCall(globalThis, "open", "tab", (args) => urlText(args[0]));
  reportCall(globalThis, "print", "print");
  traceClipboard();
}
