/** Events of elements: loaded resources, animations and transitions, observers, the address. */

import { enterWhenSettled } from "./promises.ts";
import { attachHere, tags, type Work } from "./tags.ts";
import { apply, callNative, listen, prototypeOf, wrapConstructor, wrapMethod, wrapSetter } from "./wrap.ts";


// ---------------------------------------------------------------- resources

const RESOURCES = new Set(["IMG", "SCRIPT", "LINK", "IFRAME"]);
const entries = new WeakMap<object, () => void>();

/** The loading of an element that was made or given an address under a tag belongs to it. */
function followLoad(element: object): void {
  const known = entries.has(element);
  if (tags.current === null && !known) return;
  entries.set(element, tags.entry());
  if (!known) for (const type of ["load", "error"]) listen(element, type, () => entries.get(element)?.());
}

function traceResources(): void {
  wrapMethod(Document.prototype, "createElement", (target, self, args) => {
    const element = callNative(target, self, args) as Element;
    if (tags.current !== null && RESOURCES.has(element.tagName)) followLoad(element);
    return element;
  });
  wrapConstructor("Image", { made: followLoad });
  for (const name of ["HTMLImageElement", "HTMLScriptElement", "HTMLIFrameElement"]) wrapSetter(prototypeOf(name), "src", followLoad);
}

// ---------------------------------------------------------------- animations

const STARTS = ["transitionrun", "animationstart"];
const ENDS = ["transitionend", "transitioncancel", "animationend", "animationcancel"];
const OTHERS = ["transitionstart", "animationiteration", "scroll", "scrollend", "resize", "selectionchange"];
const RESTYLED_MS = 300;
const MAX_ANCESTORS = 8;

interface Restyled {
  enter: () => void;
  at: number;
}

const restyled = new WeakMap<Node, Restyled>();
const running = new WeakMap<Node, Map<string, () => void>>();

/** Remember which elements change under a tag: a transition of them, or below them, belongs to it. */
function watchStyles(): void {
  let last: Restyled | null = null;
  const remember = (records: MutationRecord[]): void => {
    if (last) for (const { target, addedNodes } of records) for (const node of [target, ...addedNodes]) restyled.set(node, last);
  };
  const observer = new MutationObserver(remember);
  const take = observer.takeRecords.bind(observer);
  const observe = observer.observe.bind(observer);
  const disconnect = observer.disconnect.bind(observer);
  attachHere({
    onTag(tag) {
      if (last) remember(take());
      if (tag === null) {
        disconnect();
        last = null;
        return;
      }
      if (!last) observe(document, { attributes: true, childList: true, subtree: true });
      last = { enter: tags.entry(), at: tags.now() };
    },
    onWork: () => undefined,
  });
}

function nearestRestyled(element: Node): Restyled | null {
  let node: Node | null = element;
  for (let level = 0; node && level < MAX_ANCESTORS; level++, node = node.parentNode) {
    const found = restyled.get(node);
    if (found && tags.now() - found.at < RESTYLED_MS) return found;
  }
  return null;
}

/** The last input that let the opacity of an element change. */
const faded = new WeakMap<Node, string>();

/** An element that fades a second time for one input comes back or goes again: the end of that shows the effect. */
function beginReturn(target: Node, property: string): Work | null {
  if (property !== "opacity" || tags.current === null) return null;
  const again = faded.get(target) === tags.current;
  faded.set(target, tags.current);
  return again ? tags.begin("animation", "") : null;
}

/** Whether the page goes on when a transition ends: its effect is not complete before. */
let awaitsEnds = false;

/** Record that the page listens for the end of transitions. */
export function noteAwaitedEnd(type: unknown): void {
  if (type === "transitionend") awaitsEnds = true;
}

/** Follow a transition of an input to its end, if the page listens for ends, or if the element fades a second time. */
function beginTransition(event: Event): Work | null {
  if (event.type === "transitionrun" && awaitsEnds && tags.current !== null) return tags.begin("animation", "");
  return beginReturn(event.target as Node, keyOf(event));
}

const keyOf = (event: Event): string => {
  const { propertyName, animationName } = event as Event & { propertyName?: string; animationName?: string };
  return propertyName ?? animationName ?? "";
};

function traceStyles(): void {
  watchStyles();
  const onStart = (event: Event): void => {
    const target = event.target as Node;
    const found = nearestRestyled(target);
    const entries = running.get(target) ?? new Map<string, () => void>();
    running.set(target, entries);
    if (found) found.enter();
    else tags.enter(null);
    const work = found ? beginTransition(event) : beginReturn(target, keyOf(event));
    if (found) entries.set(keyOf(event), work ? () => { tags.end(work); found.enter(); } : found.enter);
    else entries.delete(keyOf(event));
  };
  const onEnd = (event: Event): void => {
    const entries = running.get(event.target as Node);
    const enter = entries?.get(keyOf(event));
    entries?.delete(keyOf(event));
    if (enter) enter();
    else tags.enter(null);
  };
  for (const type of STARTS) listen(window, type, onStart, { capture: true });
  for (const type of ENDS) listen(window, type, onEnd, { capture: true });
  // They come with a frame, which may follow an input within its task.
  for (const type of OTHERS) listen(window, type, () => tags.enter(null), { capture: true, passive: true });
}

function traceAnimations(): void {
  const finished = Object.getOwnPropertyDescriptor(prototypeOf("Animation") ?? {}, "finished");
  wrapMethod(Element.prototype, "animate", (target, self, args) => {
    const animation = callNative(target, self, args) as Animation;
    if (tags.current === null) return animation;
    const work = tags.begin("animation", "");
    const enter = tags.entry(work);
    for (const type of ["finish", "cancel", "remove"]) listen(animation, type, enter);
    if (finished?.get) entries.set(animation, tags.entry());
    return animation;
  });
  if (!finished?.get || !finished.configurable) return;
  // The promise is resolved before the event, so its continuation enters the tag by itself.
  const promises = new WeakMap<object, [native: unknown, enterWhenSettled: unknown]>();
  const get = new Proxy(finished.get, {
    apply(target, self: object, args) {
      const native = apply(target, self, args);
      if (!entries.has(self)) return native;
      const known = promises.get(self);
      if (known && known[0] === native) return known[1];
      const own = enterWhenSettled(native, entries.get(self)!);
      promises.set(self, [native, own]);
      return own;
    },
  });
  Object.defineProperty(Animation.prototype, "finished", { ...finished, get });
}


// ---------------------------------------------------------------- observers

/** Observers call back with a frame, after its inputs. A callback belongs to the tag that observes the elements it is about. */
function traceObserver(name: string): void {
  const watched = new WeakMap<object, Map<unknown, () => void>>();
  wrapConstructor(name, {
    given(args) {
      const run = args[0];
      if (typeof run !== "function") return args;
      const created = tags.current === null ? null : tags.entry();
      const call = function (this: unknown, records: { target: unknown }[], observer: object): unknown {
        const targets = watched.get(observer);
        const enters = records.map(({ target }) => targets?.get(target));
        for (const { target } of records) targets?.delete(target);
        const enter = created ?? (enters.every(Boolean) ? enters[0] : null);
        if (enter) enter();
        else tags.enter(null);
        return apply(run, this, [records, observer]);
      };
      return [call, ...args.slice(1)];
    },
  });
  wrapMethod(prototypeOf(name), "observe", (target, self, args) => {
    if (tags.current !== null) {
      const targets = watched.get(self as object) ?? new Map<unknown, () => void>();
      watched.set(self as object, targets);
      if (targets.size < 1_000) targets.set(args[0], tags.entry());
    }
    return callNative(target, self, args);
  });
}

// ---------------------------------------------------------------- dialogs and the address

function traceDialogs(): void {
  const closed = new WeakMap<object, () => void>();
  for (const name of ["close", "requestClose"]) {
    wrapMethod(prototypeOf("HTMLDialogElement"), name, (target, self, args) => {
      if (tags.current !== null) closed.set(self as object, tags.entry());
      return callNative(target, self, args);
    });
  }
  listen(window, "close", ({ target }) => {
    const enter = closed.get(target!);
    closed.delete(target!);
    if (enter) enter();
    else tags.enter(null);
  }, { capture: true });
}

/** The event of a changed hash comes in a later task. */
function traceHash(): void {
  const { navigation } = globalThis as { navigation?: EventTarget };
  if (!navigation) return;
  let expected: (() => void) | null = null;
  listen(navigation, "navigate", (event) => {
    if ((event as Event & { hashChange?: boolean }).hashChange) expected = tags.entry();
  });
  listen(window, "hashchange", () => {
    (expected ?? (() => tags.enter(null)))();
    expected = null;
  }, { capture: true });
}

export function traceElements(): void {
  traceResources();
  traceStyles();
  traceAnimations();
  traceObserver("IntersectionObserver");
  traceObserver("ResizeObserver");
  traceDialogs();
  traceHash();
}

