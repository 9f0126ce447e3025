/**
 * Which elements listen to a press, by their own listeners, by properties that frameworks set on nodes, or by a listener
 * of an ancestor that names its targets.
 *
 * The browser shows listeners to no script, so registrations are recorded as they happen. Nothing is scanned, except once
 * for a framework whose key is known to nobody else. The publisher takes the elements as ranges of one event, because an
 * event is the only value that crosses the two worlds together with nodes.
 */

import { sourceSends } from "../source_orders.ts";
import { noteAwaitedEnd } from "./elements.ts";
import { apply, callNative, wrapMethod, wrapSetter } from "./wrap.ts";
import { handlerCodes } from "./handler_codes.ts";
import { sourceFacts } from "./listener_source.ts";

/** Events of a press by a person. */
const PRESS = new Set([
  "click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend", "contextmenu",
]);
/** Events that send a form, or press a link by a key. They make no target, and count only if their source writes. */
const SENDS = new Set(["submit", "keydown", "keyup", "keypress", "change", "input"]);
const PROPS = /^on(?:Click|DoubleClick|MouseDown|MouseUp|PointerDown|PointerUp|TouchStart|TouchEnd|ContextMenu)(?:Capture)?$/;
const MAX_WAITING = 20_000;
const MAX_SCANNED = 3_000;
const MAX_SCANS = 5;

// Taken before any page script runs. The page may replace these later.
const { defineProperty, ownKeys, getOwnPropertyDescriptor } = Reflect;
const NativeInputEvent = InputEvent;
const NativeRange = StaticRange;
const enqueue = queueMicrotask;
const { createTreeWalker } = Document.prototype;
const { nextNode } = TreeWalker.prototype;
const textOf = Function.prototype.toString;
const localNameOf = getOwnPropertyDescriptor(Element.prototype, "localName")!.get!;
const nodeTypeOf = getOwnPropertyDescriptor(Node.prototype, "nodeType")!.get!;

type Handler = (...args: unknown[]) => unknown;

/** The handlers of each element, with the number of registrations of each. */
const handlers = new WeakMap<object, Map<unknown, number>>();
const reported = new WeakMap<object, string>();
const waiting = new Set<Element>();
let send: ((event: Event) => void) | null = null;
let isDrainPosted = false;

function isNode(self: unknown): self is Element {
  try {
    const type = apply(nodeTypeOf, self, []);
    return type === 1 || type === 9;
  } catch {
    return false; // a window, a request or another target that is no node
  }
}

function enqueueElement(el: Element): void {
  if (waiting.size >= MAX_WAITING) return;
  waiting.add(el);
  if (send === null || isDrainPosted) return;
  isDrainPosted = true;
  enqueue(drain);
}

function record(el: Element, run: unknown, change: 1 | -1): void {
  let known = handlers.get(el);
  if (!known) handlers.set(el, (known = new Map()));
  const count = (known.get(run) ?? 0) + change;
  if (count > 0) known.set(run, count);
  else known.delete(run);
  enqueueElement(el);
}

// ---------------------------------------------------------------- frameworks

/** The values of properties that frameworks set on nodes, by property. */
const marked = new Map<PropertyKey, WeakMap<object, unknown>>();

/** Record the elements on which a framework sets `key`. The property keeps its value, its place and its enumeration. */
function watchProperty(key: PropertyKey): void {
  if (marked.has(key)) return;
  const values = new WeakMap<object, unknown>();
  const property: PropertyDescriptor = {
    configurable: true,
    enumerable: false,
    get(this: object) {
      return values.get(this);
    },
    set(this: object, value: unknown) {
      if (!values.has(this)) defineProperty(this, key, { ...property, enumerable: true });
      values.set(this, value);
      if (isNode(this)) enqueueElement(this);
    },
  };
  marked.set(key, values);
  defineProperty(Element.prototype, key, property);
}

/** React names its keys by chance, and marks its root before it listens there. The same name is in the key of its properties. */
function watchReact(root: Element): boolean {
  let found = false;
  for (const key of ownKeys(root)) {
    const name = typeof key === "string" ? /^__reactContainer(\$\w+)$/.exec(key)?.[1] : undefined;
    if (name) watchProperty(`__reactProps${name}`);
    found ||= name !== undefined;
  }
  return found;
}

let scans = 0;
/** Solid keeps a delegated handler as `$$click`, Svelte 5 as `__click` or in a table under a symbol. */
const DELEGATED = new Set([...PRESS].flatMap((type) => [`$$${type}`, `__${type}`]));

/** A framework with one listener at the root has come: from now on its properties are watched. */
function watchDelegated(): void {
  scans = MAX_SCANS;
  for (const key of DELEGATED) watchProperty(key);
  enqueueElement(document as unknown as Element);
}

/** Look for handlers that were set before the listener of their framework, and for the symbol of Svelte. */
function scanForHandlers(): void {
  scans--;
  const walker = apply(createTreeWalker, document, [document, 1]) as TreeWalker;
  for (let count = 0; count < MAX_SCANNED; count++) {
    const el = apply(nextNode, walker, []) as Element | null;
    if (!el) return;
    for (const key of ownKeys(el)) {
      const isTable = typeof key === "symbol" && !marked.has(key) && isHandlerTable((el as unknown as Record<symbol, unknown>)[key]);
      if (isTable) watchProperty(key);
      if (marked.has(key)) adopt(el, key);
    }
  }
}

function isHandlerTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && ownKeys(value).some((key) => PRESS.has(String(key)));
}

/** Hand a property that was set before to the accessor that watches it. */
function adopt(el: Element, key: PropertyKey): void {
  const own = getOwnPropertyDescriptor(el, key);
  if (!own || !("value" in own) || !own.configurable) return;
  delete (el as unknown as Record<PropertyKey, unknown>)[key];
  (el as unknown as Record<PropertyKey, unknown>)[key] = own.value;
  scans = 0;
}

/** Return the handlers that a framework keeps in a property of a node. */
function markedHandlers(el: Element): unknown[] {
  const found: unknown[] = [];
  for (const [key, values] of marked) {
    const value = values.get(el);
    if (typeof value === "function" || Array.isArray(value)) found.push(value);
    else if (typeof value === "object" && value !== null) found.push(...handlersIn(value, String(key).startsWith("__react")));
  }
  return found;
}

function handlersIn(table: object, isReact: boolean): unknown[] {
  return ownKeys(table)
    .filter((key) => typeof key === "string" && (isReact ? PROPS.test(key) : PRESS.has(key)))
    .map((key) => (table as Record<PropertyKey, unknown>)[key])
    .filter((value) => value !== undefined && value !== null && value !== false);
}

// ---------------------------------------------------------------- jQuery

interface JqueryEvents {
  events?: Record<string, { selector?: string; handler?: unknown }[] | undefined>;
}

const jqueryNodes = new Set<WeakRef<Element>>();
const jqueryKeys = new WeakMap<Element, string>();
const MAX_JQUERY = 2_000;

/** jQuery listens once for each event, and keeps its handlers and their selectors in a property of the node. */
function watchJquery(el: Element): boolean {
  if (jqueryKeys.has(el)) return true;
  const key = ownKeys(el).find((one) => typeof one === "string" && /^jQuery\d{6,}$/.test(one));
  if (typeof key !== "string") return false;
  jqueryKeys.set(el, key);
  if (jqueryNodes.size < MAX_JQUERY) jqueryNodes.add(new WeakRef(el));
  return true;
}

function jqueryHandlers(el: Element): { selector?: string; handler?: unknown }[] {
  const data = (el as unknown as Record<string, JqueryEvents | undefined>)[jqueryKeys.get(el)!];
  return Object.entries(data?.events ?? {}).flatMap(([type, list]) => (PRESS.has(type) ? [...(list ?? [])] : []));
}

// ---------------------------------------------------------------- reports

function isLocal(el: Element, ...names: string[]): boolean {
  try {
    return names.includes(apply(localNameOf, el, []) as string);
  } catch {
    return false; // the document
  }
}

/** Return what is known of the presses of an element: "" for none, or the facts as JSON. */
function factsOf(el: Element): string {
  const selectors: string[] = [];
  const writing: string[] = [];
  const codes = new Set<number | string>();
  let own = false;
  let usesTarget = false;
  const add = (run: unknown): void => {
    const facts = typeof run === "function" ? sourceFacts(run as Handler) : null;
    const names = facts !== null && facts.selectors.length > 0;
    if (names) selectors.push(...facts.selectors);
    else own = true;
    usesTarget ||= facts?.usesTarget ?? false;
    for (const code of handlerCodes(run)) {
      if (!names) codes.add(code);
      else if (code === "w") writing.push(...facts.selectors);
    }
  };
  const isJquery = jqueryKeys.has(el);
  if (isJquery) {
    for (const { selector, handler } of jqueryHandlers(el)) {
      if (!selector) add(handler);
      else {
        selectors.push(selector);
        if (handlerCodes(handler).includes("w")) writing.push(selector);
      }
    }
  } else for (const run of handlers.get(el)?.keys() ?? []) add(run);
  for (const run of markedHandlers(el)) add(run);
  if (senders.has(el)) codes.add("w");
  if (!own && selectors.length === 0 && codes.size === 0) return "";
  // a press of a link must do no more than follow its address; for other elements only a listener that writes counts
  const kept = [...codes].filter((code) => code === "w" || (code !== "" && isLocal(el, "a", "area"))).slice(0, 10);
  return JSON.stringify([own, usesTarget, [...new Set(selectors)].slice(0, 20), kept, [...new Set(writing)].slice(0, 20)]);
}

/** Send the elements whose presses changed, together with their facts: one event for elements with the same facts. */
function drain(): void {
  isDrainPosted = false;
  if (send === null) return;
  if (scans > 0) scanForHandlers();
  for (const node of jqueryNodes) {
    const el = node.deref();
    if (el) waiting.add(el);
    else jqueryNodes.delete(node);
  }
  if (waiting.size === 0) return;
  const groups = new Map<string, Element[]>();
  for (const el of waiting) {
    const facts = factsOf(el);
    if (facts === (reported.get(el) ?? "")) continue;
    reported.set(el, facts);
    groups.set(facts, [...(groups.get(facts) ?? []), el]);
  }
  waiting.clear();
  for (const [facts, elements] of groups) send(new NativeInputEvent("listeners", { data: facts, targetRanges: elements.map(rangeOf) }));
}

function rangeOf(el: Element): StaticRange {
  return new NativeRange({ startContainer: el, startOffset: 0, endContainer: el, endOffset: 0 });
}

/** Send what was recorded so far, and everything later in the microtask after it. */
export function reportListeners(dispatch: (event: Event) => void): void {
  send = dispatch;
  drain();
}

// ---------------------------------------------------------------- wrappers

function onAdd(self: Element, run: unknown): void {
  if (watchReact(self) || watchJquery(self)) {
    if (jqueryKeys.has(self)) enqueueElement(self);
    return;
  }
  if (typeof run === "function" && sourceFacts(run as Handler).delegates) {
    watchDelegated();
    return;
  }
  record(self, run, 1);
}

export function traceListeners(): void {
  wrapMethod(EventTarget.prototype, "addEventListener", (target, self, args) => {
    const result = callNative(target, self, args);
    const type = args[0] as string;
    noteAwaitedEnd(type);
    if (PRESS.has(type) && args[1]) {
      if (isNode(self)) onAdd(self, args[1]);
      else if (isWindow(self)) onAdd(document as unknown as Element, args[1]);
    } else if (SENDS.has(type) && args[1] && isNode(self)) onSending(self, type, args[1]);
    return result;
  });
  wrapMethod(EventTarget.prototype, "removeEventListener", (target, self, args) => {
    const result = callNative(target, self, args);
    const node = isWindow(self) ? (document as unknown as Element) : self;
    if (PRESS.has(args[0] as string) && isNode(node) && handlers.get(node)?.has(args[1])) record(node, args[1], -1);
    return result;
  });
  wrapSetter(HTMLElement.prototype, "onsubmit", (self, value) => {
    if (isNode(self)) onSending(self, "submit", value);
  });
  for (const prototype of [HTMLElement.prototype, SVGElement.prototype, Document.prototype]) {
    for (const type of PRESS) wrapSetter(prototype, `on${type}`, (self, value) => onProperty(self, `on${type}`, value));
  }
}

/** Return whether a listener is on the window, which also receives the presses of its document. */
function isWindow(self: unknown): boolean {
  return self === undefined || self === null || self === globalThis;
}

function isTick(el: Element): boolean {
  return isLocal(el, "input") && /^(?:checkbox|radio)$/.test((el as HTMLInputElement).type);
}

/** Elements whose form or key is handled by a listener that writes. */
const senders = new WeakSet<object>();

function onSending(el: Element, type: string, run: unknown): void {
  const changes = type === "change" || type === "input";
  if (!(changes ? isLocal(el, "select") || isTick(el) : isLocal(el, "form", "a", "area"))) return;
  if (!(changes ? typeof run === "function" && sourceSends(String(apply(textOf, run, []))) : handlerCodes(run).includes("w"))) return;
  senders.add(el);
  enqueueElement(el);
}

const properties = new WeakMap<object, Record<string, unknown>>();

/** Record a handler that a script sets as a property, such as `onclick`. */
function onProperty(self: object, name: string, value: unknown): void {
  if (!isNode(self)) return;
  const known = properties.get(self) ?? {};
  properties.set(self, known);
  if (known[name]) record(self, known[name], -1);
  known[name] = typeof value === "function" ? value : null;
  if (known[name]) record(self, known[name], 1);
}
