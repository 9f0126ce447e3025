/** Sources of change: mutations in all known trees, input, focus, style, navigation, and a slow pulse. */

import { hasAttr, isStopped, isElement, listen, localName, stopListening } from "../dom.ts";
import { isLayerNode, isLayerMutation } from "../present/layer.ts";

export interface ChangeListener {
  onMutations(records: MutationRecord[]): void;
  onControl(el: Element): void;
  onReset(form: Element): void;
  onFocus(): void;
  /** The pointer is over another element now, or has left the page. */
  onHover(el: Element | null): void;
  onTree(el: Element): void;
  /** Style may have changed below an element, or anywhere. */
  onStyle(el: Element | null): void;
  onRoute(): void;
  onViewport(): void;
  onPulse(): void;
}

const OPTIONS: MutationObserverInit = {
  subtree: true, childList: true, characterData: true, attributes: true, attributeOldValue: true,
};
const PULSE_MS = 250;

export class Observer {
  private readonly observer: MutationObserver;
  private readonly roots = new WeakSet<Node>();
  /** The number of shadow roots observed so far. */
  shadowCount = 0;

  constructor(
    private readonly doc: Document,
    private readonly listener: ChangeListener,
  ) {
    this.observer = new MutationObserver((records) => this.receive(records));
  }

  start(): void {
    this.observe(this.doc);
    this.listenToInput();
    this.listenToNavigation();
    const pulse = (): void => {
      if (isStopped()) return;
      this.listener.onPulse();
      setTimeout(pulse, PULSE_MS);
    };
    setTimeout(pulse, PULSE_MS);
  }

  /**
   * Observe a document or an open shadow root, once. `change` and `slotchange` do not leave a shadow tree, so each root
   * has its own listeners.
   */
  observe(root: Document | ShadowRoot): boolean {
    if (this.roots.has(root)) return false;
    this.roots.add(root);
    if (root !== this.doc) this.shadowCount++;
    this.observer.observe(root, OPTIONS);
    listen(root, "change", (event) => this.controlEvent(event), { capture: true });
    listen(root, "slotchange", (event) => this.withTarget(event, (el) => this.listener.onTree(el)), { capture: true });
    listen(root, "load", (event) => this.loadEvent(event), { capture: true });
    // It arrives in the task that opens a popover. `toggle` arrives later, when the cause is no longer known.
    listen(root, "beforetoggle", (event) => this.withTarget(event, (el) => this.listener.onTree(el)), { capture: true });
    listen(root, "toggle", (event) => this.withTarget(event, (el) => this.listener.onTree(el)), { capture: true });
    return true;
  }

  /** Stop observing and remove all listeners. */
  stop(): void {
    this.observer.disconnect();
    stopListening();
  }

  takeRecords(): void {
    const records = this.observer.takeRecords();
    this.receive(records);
  }

  /** Pass mutations on, except those of our own presentation layer. */
  private receive(records: MutationRecord[]): void {
    const theirs = records.some(isLayerMutation) ? records.filter((record) => !isLayerMutation(record)) : records;
    if (theirs.length > 0) this.listener.onMutations(theirs);
  }

  private listenToInput(): void {
    const on = (type: string, handle: (event: Event) => void): void => listen(globalThis, type, handle, { capture: true, passive: true });
    on("input", (event) => this.controlEvent(event));
    on("invalid", (event) => this.controlEvent(event));
    on("reset", (event) => this.withTarget(event, (el) => this.listener.onReset(el)));
    on("focusin", () => this.listener.onFocus());
    on("focusout", () => this.listener.onFocus());
    on("transitionend", (event) => this.withTarget(event, (el) => this.listener.onStyle(el)));
    on("animationstart", (event) => this.withTarget(event, (el) => this.listener.onStyle(el)));
    on("animationend", (event) => this.withTarget(event, (el) => this.listener.onStyle(el)));
    on("resize", () => {
      this.listener.onViewport();
      this.listener.onStyle(null);
    });
    // A click, a key or the pointer alone can change :checked, :hover and :focus-within rules, without a mutation.
    on("click", () => this.listener.onStyle(null));
    on("mouseover", (event) => {
      this.listener.onStyle(null);
      this.withTarget(event, (el) => this.listener.onHover(el));
    });
    on("mouseout", (event) => {
      if ((event as MouseEvent).relatedTarget === null) this.listener.onHover(null);
    });
    on("keyup", () => this.listener.onStyle(null));
  }

  private listenToNavigation(): void {
    const route = (): void => this.listener.onRoute();
    listen(globalThis, "hashchange", route, {});
    listen(globalThis, "popstate", route, {});
    const navigation = (globalThis as { navigation?: EventTarget }).navigation;
    if (!navigation) return;
    listen(navigation, "currententrychange", route, {});
    listen(navigation, "navigatesuccess", route, {});
  }

  private controlEvent(event: Event): void {
    this.withTarget(event, (el) => this.listener.onControl(el));
  }

  private loadEvent(event: Event): void {
    this.withTarget(event, (el) => {
      const tag = localName(el);
      if (tag === "iframe" || tag === "frame" || tag === "object" || tag === "embed") this.listener.onTree(el);
      else if (tag === "link" || tag === "style") this.listener.onStyle(null);
      else if (tag === "img" && hasAttr(el, "usemap")) this.listener.onStyle(null);
    });
  }

  private withTarget(event: Event, handle: (el: Element) => void): void {
    const target = event.composedPath()[0] as Node | undefined;
    if (target instanceof Node && isElement(target) && !isLayerNode(target)) handle(target);
  }
}
