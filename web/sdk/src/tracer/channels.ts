/** Messages: ports, windows, workers, sockets, server-sent events, broadcasts, storage. */

import { Conversation } from "./conversation.ts";
import { tags } from "./tags.ts";
import { callNative, listen, prototypeOf, wrapConstructor, wrapMethod, type Call } from "./wrap.ts";

const EXPECTED_MS = 1_000;
const MAX_EXPECTED = 1_000;

/** Messages that arrive once and in order: the task of each belongs to the tag it was sent under. */
class Queue {
  private readonly sent: { enter: () => void; at: number }[] = [];

  push(enter: () => void): void {
    this.sent.push({ enter, at: tags.now() });
    if (this.sent.length > MAX_EXPECTED) this.sent.shift();
  }

  /** Enter the tag of the message that arrives now, or none. Return whether one was expected. */
  arrive(): boolean {
    const oldest = tags.now() - EXPECTED_MS;
    while (this.sent.length > 0 && this.sent[0]!.at < oldest) this.sent.shift();
    const next = this.sent.shift();
    if (next) next.enter();
    return next !== undefined;
  }
}

const dataOf = (event: Event): unknown => (event as MessageEvent).data;

// ---------------------------------------------------------------- ports

interface Port {
  inbox: Queue;
  conversation: Conversation;
  peer: Port | null;
}

const ports = new WeakMap<object, Port>();

function tracePort(object: object, kind: "worker" | null = null): Port {
  const port: Port = { inbox: new Queue(), conversation: new Conversation(kind), peer: null };
  ports.set(object, port);
  // The other end may have moved to a worker or frame. Then nothing is expected, and its messages are answers.
  listen(object, "message", (event) => {
    if (!port.inbox.arrive()) port.conversation.received(dataOf(event));
  });
  return port;
}

function tracePorts(): void {
  wrapConstructor("MessageChannel", {
    made(object) {
      const { port1, port2 } = object as MessageChannel;
      const [one, other] = [tracePort(port1), tracePort(port2)];
      one.peer = other;
      other.peer = one;
    },
  });
  wrapMethod(MessagePort.prototype, "postMessage", (target, self, args) => {
    const port = ports.get(self as object);
    port?.peer?.inbox.push(tags.entry(tags.begin("port", "")));
    if (port && (tags.current !== null || !port.peer)) port.conversation.sent(args[0]);
    return callNative(target, self, args);
  });
}

// ---------------------------------------------------------------- windows

/**
 * Messages of this origin to this window. A wrapper would change the source of the event. So the property returns the
 * native function, and each read of the property counts as one message that will arrive.
 */
function traceWindow(): void {
  const property = Object.getOwnPropertyDescriptor(window, "postMessage");
  const native: unknown = property?.value;
  if (!property?.configurable || typeof native !== "function") return;
  const inbox = new Queue();
  Object.defineProperty(window, "postMessage", {
    configurable: true,
    enumerable: property.enumerable ?? true,
    get: () => {
      inbox.push(tags.entry(tags.begin("port", "")));
      return native;
    },
    set: (value: unknown) => Object.defineProperty(window, "postMessage", { ...property, value }),
  });
  const here = self.origin;
  listen(window, "message", (event) => {
    const { origin, source } = event as MessageEvent;
    const ours = source === window || (origin === here && here !== "null");
    if (!ours || !inbox.arrive()) tags.enter(null);
  }, { capture: true });
}

// ---------------------------------------------------------------- far ends

const conversations = new WeakMap<object, Conversation>();
const sockets = new Set<Conversation>();

/** Return whether the content of the page is on its way over a socket. */
export function isContentComing(): boolean {
  for (const socket of sockets) if (socket.answersPageNow) return true;
  return false;
}

function converse(kind: "socket" | "worker", object: object): Conversation {
  const conversation = new Conversation(kind);
  conversations.set(object, conversation);
  listen(object, "message", (event) => conversation.received(dataOf(event)));
  return conversation;
}

const send: Call = (target, self, args) => {
  conversations.get(self as object)?.sent(args[0]);
  return callNative(target, self, args);
};

const close: Call = (target, self, args) => {
  conversations.get(self as object)?.close();
  return callNative(target, self, args);
};

function traceSockets(): void {
  wrapConstructor("WebSocket", {
    made(object) {
      const conversation = converse("socket", object);
      sockets.add(conversation);
      const enter = tags.entry();
      listen(object, "open", enter);
      for (const type of ["error", "close"]) {
        listen(object, type, () => {
          conversation.close();
          sockets.delete(conversation);
          enter();
        });
      }
    },
  });
  wrapMethod(prototypeOf("WebSocket"), "send", send);
  wrapMethod(prototypeOf("WebSocket"), "close", close);
}

function traceWorkers(): void {
  wrapConstructor("Worker", { made: (object) => void converse("worker", object) });
  wrapMethod(prototypeOf("Worker"), "postMessage", send);
  wrapMethod(prototypeOf("Worker"), "terminate", close);
  wrapConstructor("SharedWorker", { made: (object) => void tracePort((object as SharedWorker).port, "worker") });
  const serviceWorker = serviceWorkers();
  if (!serviceWorker) return;
  const conversation = converse("worker", serviceWorker);
  wrapMethod(prototypeOf("ServiceWorker"), "postMessage", (target, self, args) => {
    conversation.sent(args[0]);
    return callNative(target, self, args);
  });
}

function serviceWorkers(): ServiceWorkerContainer | null {
  try {
    return (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker ?? null;
  } catch {
    return null; // a sandboxed document must not use it
  }
}

// ---------------------------------------------------------------- server-sent events

const eventSources = new Set<Conversation>();

const READS = /^(?:GET|HEAD|OPTIONS)$/i;

/** A tagged request may be answered by an event of any open stream. Only a request that writes is waited for. */
export function askEventSources(address: string, method: string, body: unknown): void {
  const message = `${address} ${typeof body === "string" ? body : ""}`;
  for (const stream of eventSources) stream.sent(message, !READS.test(method));
}

function traceEventSources(): void {
  const owner = prototypeOf("EventSource");
  if (!owner) return;
  const types = new WeakMap<object, Set<unknown>>();
  const follow = (object: object, type: string): void => {
    const known = types.get(object);
    const conversation = conversations.get(object);
    if (!known || !conversation || known.has(type)) return;
    known.add(type);
    listen(object, type, (event) => conversation.received(`${type} ${String(dataOf(event))}`, dataOf(event)));
  };
  wrapConstructor("EventSource", {
    made(object) {
      const conversation = new Conversation("events");
      conversations.set(object, conversation);
      eventSources.add(conversation);
      types.set(object, new Set(["open", "error"]));
      const enter = tags.entry();
      for (const type of ["open", "error"]) listen(object, type, enter);
      follow(object, "message");
    },
  });
  wrapMethod(owner, "close", (target, self, args) => {
    const conversation = conversations.get(self as object);
    conversation?.close();
    if (conversation) eventSources.delete(conversation);
    return callNative(target, self, args);
  });
  // Events of a stream have names of their own. Ours must be the first listener of each.
  const native = EventTarget.prototype.addEventListener;
  const value = new Proxy(native, {
    apply(target, self, args: unknown[]) {
      if (typeof args[0] === "string") follow(self as object, args[0]);
      return callNative(target as never, self, args);
    },
  });
  Object.defineProperty(owner, "addEventListener", { value, configurable: true, enumerable: true, writable: true });
}

// ---------------------------------------------------------------- other documents of this origin

/** Channels of one name are one conversation. */
function traceBroadcasts(): void {
  wrapConstructor("BroadcastChannel", {
    made(object) {
      const { name } = object as BroadcastChannel;
      const conversation = (tags.broadcasts.get(name) as Conversation | undefined) ?? new Conversation("port");
      tags.broadcasts.set(name, conversation);
      conversations.set(object, conversation);
      listen(object, "message", (event) => conversation.received(dataOf(event)));
    },
  });
  wrapMethod(prototypeOf("BroadcastChannel"), "postMessage", send);
}

/** A frame of this origin gets an event for a stored value. An event from another tab has no tag. */
function traceStorage(): void {
  const { stored } = tags;
  const changed = (key: (args: unknown[]) => string): Call => (target, self, args) => {
    if (tags.current !== null) {
      if (stored.size > 100) stored.clear();
      // The event comes to the other documents of this origin only, after this task.
      const work = tags.documents > 1 ? tags.begin("port", "") : null;
      stored.set(key(args), { enter: tags.entry(work), at: tags.now() });
    }
    return callNative(target, self, args);
  };
  wrapMethod(Storage.prototype, "setItem", changed((args) => String(args[0])));
  wrapMethod(Storage.prototype, "removeItem", changed((args) => String(args[0])));
  wrapMethod(Storage.prototype, "clear", changed(() => ""));
  listen(window, "storage", (event) => {
    const found = stored.get((event as StorageEvent).key ?? "");
    if (found && tags.now() - found.at < EXPECTED_MS) found.enter();
    else tags.enter(null);
  }, { capture: true });
}

export function traceChannels(): void {
  tracePorts();
  traceWindow();
  traceSockets();
  traceWorkers();
  traceEventSources();
  traceBroadcasts();
  traceStorage();
}
