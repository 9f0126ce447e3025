/** Messages: ports, workers, sockets, and a window's messages to itself. */

import { tags, type Tag, type Work } from "./tags.ts";
import { callNative, wrapConstructor, wrapMethod, type Call } from "./wrap.ts";

const addEventListener = EventTarget.prototype.addEventListener;
const listen = (target: object, type: string, run: (event: Event) => void): void =>
  void Reflect.apply(addEventListener, target, [type, run]);

// ---------------------------------------------------------------- one message out, the same message in

interface Sent {
  enter: () => void;
}

/** A message of a port or window arrives once, in order: its task belongs to the tag it was sent under. */
class Queue {
  private readonly sent: Sent[] = [];

  push(kind: "port"): void {
    this.sent.push({ enter: tags.entry(tags.begin(kind, "")) });
    if (this.sent.length > 1_000) this.sent.shift();
  }

  arrive(): void {
    this.sent.shift()?.enter();
  }
}

const inboxes = new WeakMap<object, Queue>();

function inbox(port: object): Queue {
  let queue = inboxes.get(port);
  if (!queue) inboxes.set(port, (queue = new Queue()));
  return queue;
}

const peers = new WeakMap<object, object>();

function tracePorts(): void {
  wrapConstructor("MessageChannel", (object) => {
    const { port1, port2 } = object as MessageChannel;
    peers.set(port1, port2);
    peers.set(port2, port1);
    for (const port of [port1, port2]) listen(port, "message", () => inbox(port).arrive());
  });
  const post: Call = (target, self, args) => {
    const peer = peers.get(self as object);
    if (peer) inbox(peer).push("port");
    return callNative(target, self, args);
  };
  wrapMethod(MessagePort.prototype, "postMessage", post);
}

/**
 * A window that posts to itself. A wrapper would change the source of the event, so the native function is returned, and
 * reading it under a tag announces a message.
 */
function traceWindow(): void {
  const property = Object.getOwnPropertyDescriptor(window, "postMessage");
  const native: unknown = property?.value;
  if (!property?.configurable || typeof native !== "function") return;
  let expected: { enter: () => void; at: number } | null = null;
  Object.defineProperty(window, "postMessage", {
    configurable: true,
    enumerable: property.enumerable ?? true,
    get: () => {
      if (tags.current !== null) expected = { enter: tags.entry(), at: performance.now() };
      return native;
    },
    set: (value: unknown) => Object.defineProperty(window, "postMessage", { ...property, value }),
  });
  Reflect.apply(addEventListener, window, [
    "message",
    (event: Event) => {
      if (!expected || (event as MessageEvent).source !== window) return;
      if (performance.now() - expected.at < 1_000) expected.enter();
      expected = null;
    },
    { capture: true },
  ]);
}

// ---------------------------------------------------------------- a conversation: which answer belongs to which message?

const REPLY_MS = 5_000;
const MAX_SHAPES = 200;

interface Question {
  tag: Tag;
  enter: () => void;
  words: Set<string>;
  at: number;
  work: Work | null;
}

/**
 * A socket or worker. An answer belongs to a tagged message if it repeats a word of it that nothing unsolicited held, or
 * if it has a shape that never came unsolicited. Otherwise its cause is not known, and it runs without a tag.
 */
class Conversation {
  private readonly unsolicited = new Set<string>();
  private readonly background = new Set<string>();
  private questions: Question[] = [];

  constructor(private readonly kind: "socket" | "worker") {}

  sent(message: unknown): void {
    if (tags.current === null) return;
    const work = tags.begin(this.kind, "");
    this.questions.push({ tag: tags.current, enter: tags.entry(), words: wordsOf(message), at: performance.now(), work });
    if (this.questions.length > 20) tags.end(this.questions.shift()!.work);
  }

  received(message: unknown): void {
    const now = performance.now();
    for (const old of this.questions.filter(({ at }) => now - at >= REPLY_MS)) tags.end(old.work);
    this.questions = this.questions.filter(({ at }) => now - at < REPLY_MS);
    const shape = shapeOf(message);
    const words = wordsOf(message);
    const found = this.questions.find((one) => [...one.words].some((word) => words.has(word) && !this.background.has(word)))
      ?? (this.unsolicited.has(shape) ? undefined : this.questions[0]);
    if (found) {
      tags.end(found.work);
      found.work = null;
      found.enter();
      return;
    }
    if (this.unsolicited.size < MAX_SHAPES) this.unsolicited.add(shape);
    for (const word of words) if (this.background.size < 2_000) this.background.add(word);
    if (tags.current !== null) tags.enter(null);
  }
}

/** Return the words that may identify a message: numbers and strings of some length. */
function wordsOf(message: unknown): Set<string> {
  const text = textOf(message);
  const found = new Set<string>();
  for (const [word] of text.slice(0, 20_000).matchAll(/[\p{L}\p{N}_-]{4,64}/gu)) {
    if (/\d/.test(word) || word.length >= 8) found.add(word);
    if (found.size >= 200) break;
  }
  return found;
}

/** Return the form of a message without its data: the keys of an object and its short constant strings. */
function shapeOf(message: unknown): string {
  const text = textOf(message);
  let value: unknown = message;
  if (typeof message === "string") {
    try {
      value = JSON.parse(message);
    } catch {
      return text.slice(0, 200).replace(/\d+/g, "0").replace(/[\p{L}]{12,}/gu, "x").slice(0, 60);
    }
  }
  return form(value, 0);
}

function form(value: unknown, depth: number): string {
  if (Array.isArray(value)) return `[${value.slice(0, 8).map((one) => form(one, depth + 1)).join()}]`;
  if (typeof value === "object" && value !== null) {
    if (depth > 3) return "{}";
    const entries = Object.entries(value as Record<string, unknown>).slice(0, 20);
    return `{${entries.map(([key, one]) => `${key}:${constant(key, one) ?? form(one, depth + 1)}`).join()}}`;
  }
  return typeof value === "string" && depth === 1 && /^[a-z_:.-]{2,24}$/i.test(value) ? value : typeof value;
}

const CONSTANT_KEYS = /^(type|event|kind|op|action|topic|channel|method|t|e|cmd|name|target)$/i;

function constant(key: string, value: unknown): string | null {
  return CONSTANT_KEYS.test(key) && typeof value === "string" && value.length <= 40 ? value.replace(/\d+/g, "0") : null;
}

function textOf(message: unknown): string {
  if (typeof message === "string") return message;
  try {
    return JSON.stringify(message) ?? "";
  } catch {
    return "";
  }
}

function traceConversations(): void {
  const conversations = new WeakMap<object, Conversation>();
  const made = (kind: "socket" | "worker", types: string[]) => (object: object): void => {
    const conversation = new Conversation(kind);
    conversations.set(object, conversation);
    for (const type of types) listen(object, type, (event) => conversation.received((event as MessageEvent).data));
    if (kind === "socket") for (const type of ["open", "error", "close"]) listen(object, type, tags.entry());
  };
  const send: Call = (target, self, args) => {
    conversations.get(self as object)?.sent(args[0]);
    return callNative(target, self, args);
  };
  wrapConstructor("WebSocket", made("socket", ["message"]));
  wrapMethod(WebSocket.prototype, "send", send);
  wrapConstructor("Worker", made("worker", ["message"]));
  wrapMethod(Worker.prototype, "postMessage", send);
  if (typeof SharedWorker === "function") {
    wrapConstructor("SharedWorker", (object) => {
      const { port } = object as SharedWorker;
      made("worker", ["message"])(port);
    });
  }
}

export function traceChannels(): void {
  tracePorts();
  traceWindow();
  traceConversations();
}
