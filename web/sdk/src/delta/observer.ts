/** Everything that tells of a change: mutations in all known trees, input, focus, style, navigation, and a slow pulse. */

import { hasEnded, isElement, listen, localName, stopListening } from "../dom.ts";
import { isOurs, ofLayer } from "../present/layer.ts";

export interface Heard {
  mutations(records: MutationRecord[]): void;
  control(el: Element): void;
  reset(form: Element): void;
  focus(): void;
  tree(el: Element): void;
  /** Style may have changed below an element, or anywhere. */
  style(el: Element | null): void;
  route(): void;
  viewport(): void;
  pulse(): void;
}

const OPTIONS: MutationObserverInit = {
  subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true,
};
const PULSE_MS = 250;

export class Observer {
  private readonly observer: MutationObserver;
  private readonly roots = new WeakSet<Node>();
  /** Shadow roots that were ever seen. */
  shadows = 0;

  constructor(
    private readonly doc: Document,
    private readonly heard: Heard,
  ) {
    this.observer = new MutationObserver((records) => this.hear(records));
  }

  start(): void {
    this.observe(this.doc);
    this.windowEvents();
    this.navigation();
    const pulse = (): void => {
      if (hasEnded()) return;
      this.heard.pulse();
      setTimeout(pulse, PULSE_MS);
    };
    setTimeout(pulse, PULSE_MS);
  }

  /** A document or an open shadow root, once; `change` and `slotchange` do not leave a shadow tree, so it listens there too. */
  observe(root: Document | ShadowRoot): boolean {
    if (this.roots.has(root)) return false;
    this.roots.add(root);
    if (root !== this.doc) this.shadows++;
    this.observer.observe(root, OPTIONS);
    listen(root, "change", (event) => this.onControl(event), { capture: true });
    listen(root, "slotchange", (event) => this.onTarget(event, (el) => this.heard.tree(el)), { capture: true });
    listen(root, "load", (event) => this.onLoad(event), { capture: true });
    // it comes in the task that opens a popover; `toggle` only after it, and then nobody knows what opened it
    listen(root, "beforetoggle", (event) => this.onTarget(event, (el) => this.heard.tree(el)), { capture: true });
    listen(root, "toggle", (event) => this.onTarget(event, (el) => this.heard.tree(el)), { capture: true });
    return true;
  }

  /** Nothing is heard from now on. */
  stop(): void {
    this.observer.disconnect();
    stopListening();
  }

  take(): void {
    const records = this.observer.takeRecords();
    this.hear(records);
  }

  /** What we draw for a person is no change of the page. */
  private hear(records: MutationRecord[]): void {
    const theirs = records.some(ofLayer) ? records.filter((record) => !ofLayer(record)) : records;
    if (theirs.length > 0) this.heard.mutations(theirs);
  }

  private windowEvents(): void {
    const on = (type: string, handle: (event: Event) => void): void => listen(globalThis, type, handle, { capture: true, passive: true });
    on("input", (event) => this.onControl(event));
    on("invalid", (event) => this.onControl(event));
    on("reset", (event) => this.onTarget(event, (el) => this.heard.reset(el)));
    on("focusin", () => this.heard.focus());
    on("focusout", () => this.heard.focus());
    on("transitionend", (event) => this.onTarget(event, (el) => this.heard.style(el)));
    on("animationstart", (event) => this.onTarget(event, (el) => this.heard.style(el)));
    on("animationend", (event) => this.onTarget(event, (el) => this.heard.style(el)));
    on("resize", () => {
      this.heard.viewport();
      this.heard.style(null);
    });
    // A click, a key or the pointer alone can move :checked, :hover and :focus-within rules; no mutation tells.
    on("click", () => this.heard.style(null));
    on("mouseover", () => this.heard.style(null));
    on("keyup", () => this.heard.style(null));
  }

  private navigation(): void {
    const route = (): void => this.heard.route();
    listen(globalThis, "hashchange", route, {});
    listen(globalThis, "popstate", route, {});
    const navigation = (globalThis as { navigation?: EventTarget }).navigation;
    if (!navigation) return;
    listen(navigation, "currententrychange", route, {});
    listen(navigation, "navigatesuccess", route, {});
  }

  private onControl(event: Event): void {
    this.onTarget(event, (el) => this.heard.control(el));
  }

  private onLoad(event: Event): void {
    this.onTarget(event, (el) => {
      const tag = localName(el);
      if (tag === "iframe" || tag === "frame" || tag === "object" || tag === "embed") this.heard.tree(el);
      else if (tag === "link" || tag === "style") this.heard.style(null);
    });
  }

  private onTarget(event: Event, use: (el: Element) => void): void {
    const target = event.composedPath()[0] as Node | undefined;
    if (target instanceof Node && isElement(target) && !isOurs(target)) use(target);
  }
}
