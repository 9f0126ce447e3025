/**
 * Publishes the first graph, then deltas: decides when to read and when to send.
 *
 * A flush is its own task, soon after the mutations, and never an animation frame. At most one delta is unanswered.
 * Reading takes at most about half of the time, however busy the page is.
 */

import { causeLink, type CauseListener } from "./cause/link.ts";
import { at, type Channel, type OutgoingMessage } from "./channel.ts";
import {
  activeElement, composedParent, isParsing, isStopped, isElement, listen, localName, queryAll, rootElement,
} from "./dom.ts";
import { Controls } from "./delta/controls.ts";
import { DirtySet } from "./delta/dirty.ts";
import { DismissedLayers } from "./delta/dismissed.ts";
import { publishWhenReadable } from "./delta/first.ts";
import { ForeignChanges } from "./delta/foreign.ts";
import { runLater } from "./delta/later.ts";
import { Observer, type ChangeListener } from "./delta/observer.ts";
import { addedAfter } from "./delta/order.ts";
import { Reread } from "./delta/reread.ts";
import { AppearanceSweep } from "./delta/sweep.ts";
import { firstToSend } from "./guard/focus.ts";
import { eventGuard } from "./guard/guard.ts";
import { labelIndex } from "./graph/labels.ts";
import { sharedHandlers } from "./graph/handled_links.ts";
import { listeners } from "./graph/listeners.ts";
import type { Page } from "./graph/page.ts";
import type { Entry } from "./graph/store.ts";
import { clean } from "./graph/text.ts";
import { withBox } from "./perform/probe.ts";
import { Paints } from "./signals/paint.ts";
import { Signals } from "./signals/signals.ts";
import { Replacements } from "./graph/replacements.ts";
import type { Delta, FocusInfo, Graph, RouteInfo, Signal } from "./types.ts";

export interface SnapshotOptions {
  includeBBox?: boolean;
}

const CONTROLS_SLICE_MS = 0.4;
const PULSE_SLICE_MS = 2;
const PART_SIZE = 250;
const MAX_PAUSE_MS = 2_000;

export class Publisher implements ChangeListener, CauseListener {
  private started = false;
  private dirty = new DirtySet();
  /** Changes that a guarded event caused, by its token. They are sent first, separate from all others. */
  private readonly caused = new Map<string, DirtySet>();
  /** The token of the guarded event that the running code belongs to. */
  private cause: string | null = null;
  private scheduled = false;
  private lastCostMs = 0;
  private lastEndMs = 0;
  private readonly controls = new Controls();
  private readonly observer: Observer;
  private readonly sweep: AppearanceSweep;
  readonly signals: Signals;
  private readonly replacements: Replacements;
  private readonly layers: DismissedLayers;
  private readonly paints: Paints;
  private unwatchPaints = (): void => undefined;
  /** During a flush: the token of the changes being sent, or null for changes without a known cause. */
  private flushCause: string | null | undefined = undefined;
  /** During a flush: elements and scopes that code of another cause changed. */
  private foreign = new Set<string>();
  private sent = { route: "", focus: "", modals: "", omitted: 0 };
  private whenSent: (() => void) | null = null;
  /** The URL when the route was last read. Documents without an origin have no navigation events. */
  private href = "";

  constructor(
    private readonly page: Page,
    private readonly channel: Channel,
  ) {
    this.observer = new Observer(page.doc, this);
    this.sweep = new AppearanceSweep(page, this.observer, () => this.dirty);
    this.replacements = new Replacements(page);
    this.layers = new DismissedLayers(page);
    this.signals = new Signals(page, (signal) => {
      const flushed = this.isForeign(signal) ? null : this.flushCause;
      const cause = flushed === undefined ? this.cause : flushed;
      channel.push({ t: "signal", signal, ...(cause && { attribution: { causedBy: cause } }) });
    }, () => this.cause);
    this.paints = new Paints(page, (paint) => channel.push({ t: "paint", ...paint }));
    channel.onAck = () => this.schedule();
    causeLink.attach(this);
  }

  start(): void {
    publishWhenReadable(this.page.doc, () => this.publishFirst(), () => this.parsed());
    listen(globalThis, "pagehide", () => this.channel.push({ t: "bye", frame: this.page.config.frameKey }), {});
  }

  /** Report the messages that follow the inputs of a person, from now on or no longer. */
  followPerson(on: boolean): void {
    this.signals.followsPerson = on;
  }

  /** Stop observing and sending: the session ends and the page stays open. */
  stop(): void {
    this.observer.stop();
    this.unwatchPaints();
    this.channel.close();
  }

  private publishFirst(): void {
    if (isStopped() || this.started) return;
    if (!rootElement(this.page.doc)) {
      setTimeout(() => this.publishFirst(), 0);
      return;
    }
    try {
      this.publish();
    } catch (error) {
      this.reportError("graph", error);
    }
  }

  /** Send a whole reading in parts: the driver decodes the first part while the next one is serialised. */
  private publish(): void {
    const { seq, frame, graph, found } = this.readGraph(), { elements } = graph;
    let offset = 0;
    for (; elements.length - offset > PART_SIZE; offset += PART_SIZE) {
      this.channel.push({ t: "part", seq, elements: elements.slice(offset, offset + PART_SIZE) });
    }
    this.channel.push({ t: "graph", seq, frame, graph: { ...graph, elements: elements.slice(offset) } });
    this.follow(found, graph); // the driver works on the graph meanwhile
    if (!isParsing(this.page.doc)) this.signals.onLoaded();
    this.whenSent?.();
    this.whenSent = null;
  }

  /** Call `then` once, after the first graph was sent. */
  onceSent(then: () => void): void {
    this.whenSent = () => queueMicrotask(then);
  }

  /** Report that the document is complete: the first graph was a part of it. */
  private parsed(): void {
    if (isStopped() || !this.started) return;
    this.signals.onLoaded();
    this.dirty.route = true;
    this.schedule();
  }

  /** Read the whole page. Everything known before is discarded. */
  private readGraph(): { seq: number; frame: string; graph: Graph; found: Entry[] } {
    if (this.started) this.observer.takeRecords();
    this.dirty = new DirtySet();
    this.caused.clear();
    this.sweep.cancel();
    causeLink.takeListeners();
    const found = this.page.read();
    const graph = this.page.graph(found);
    return { seq: this.channel.rebase(), frame: this.page.config.frameKey, graph, found };
  }

  /** Follow the page from this reading on, in the task that has read it. */
  private follow(found: Entry[], graph: Graph): void {
    this.controls.clear();
    for (const entry of found) this.controls.add(entry);
    this.sweep.rebase();
    if (!this.started) {
      this.started = true;
      this.observer.start();
      this.unwatchPaints = this.paints.watch();
    }
    this.watchShadows();
    this.href = location.href;
    this.sent = {
      route: JSON.stringify(graph.route), focus: JSON.stringify(graph.focus), modals: graph.modalStack.join(),
      omitted: graph.truncated?.omittedElements ?? 0,
    };
    this.signals.reset();
    this.rereadStale();
  }

  snapshot(options: SnapshotOptions): string {
    const { seq, frame, graph, found } = this.readGraph();
    this.follow(found, graph);
    if (options.includeBBox) graph.elements = graph.elements.map((element) => withBox(element, this.page.find(element.instanceId)));
    return JSON.stringify({ t: "graph", seq, at: at(), frame, graph });
  }

  private watchShadows(): void {
    for (const shadow of this.page.reader.shadows) this.observer.observe(shadow);
    this.page.reader.shadows = [];
  }

  // ---------------------------------------------------------------- observed changes

  /** Attribute the rest of this task to the event and, where a tracer follows it, all that it sets going. */
  markCause(token: string, at?: number): void {
    if (at !== undefined) this.paints.remember(token, at);
    if (causeLink.connected) {
      causeLink.enter(token);
      return;
    }
    this.onCause(token);
    runLater(() => {
      if (this.cause === token) this.onCause(null);
    }, 0);
  }

  /** Mutations so far belong to the previous cause, those that follow to this one. */
  onCause(token: string | null): void {
    if (token === this.cause) return;
    this.observer.takeRecords();
    this.markControls(); // on entering a cause too: a value that was set before it is not of its making
    this.cause = token;
  }

  onWork(token: string, work: unknown): void {
    if (Array.isArray(work)) this.channel.push({ t: "work", token, work });
  }

  onReport(report: OutgoingMessage): void { this.channel.push(report); }

  /** A new listener is no effect of an input, so what it makes a target belongs to no cause. */
  onListeners(elements: Element[]): void {
    if (!this.started) return;
    for (const el of listeners.affected(elements, this.page.store)) this.dirty.trees.add(el);
    this.schedule();
  }

  /**
   * Mark controls whose value or check mark a script has set. No mutation reports them, so they are read while the task
   * of the event lasts.
   */
  private markControls(): void {
    for (const el of this.controls.changedSlice(CONTROLS_SLICE_MS)) this.current.nodes.add(el);
    this.schedule();
  }

  /** Send the immediate changes before the browser paints: painting a large page takes long. */
  onHandled(): void {
    if (!this.started) return;
    this.observer.takeRecords();
    this.markControls();
    if (this.caused.size > 0) this.flush();
  }

  private get current(): DirtySet {
    if (this.cause === null) return this.dirty;
    let dirty = this.caused.get(this.cause);
    if (!dirty) this.caused.set(this.cause, (dirty = new DirtySet()));
    return dirty;
  }

  onMutations(records: MutationRecord[]): void {
    const dirty = this.current;
    this.sweep.want();
    for (const record of records) {
      dirty.record(record);
      if (record.type !== "attributes") this.checkStyleNode(record.target);
      if (record.type === "childList") {
        for (const node of record.addedNodes) this.checkStyleNode(node);
        for (const node of record.removedNodes) this.checkStyleNode(node);
      }
    }
    this.signals.onMutations(records);
    this.schedule();
  }

  /** React to a changed style sheet in the tree, or to a changed title in the head. */
  private checkStyleNode(node: Node): void {
    const el = isElement(node) ? node : composedParent(node);
    if (!el) return;
    const tag = localName(el);
    if (tag === "style" || tag === "link") {
      this.sweep.onStyleNode();
      this.onStyle(null);
    } else if (tag === "title") this.current.route = true;
  }

  onControl(el: Element): void {
    const dirty = this.current;
    for (const one of [el, ...this.controls.radioGroup(el)]) dirty.nodes.add(one);
    this.schedule();
  }

  onReset(form: Element): void {
    for (const field of queryAll(form, "input,select,textarea")) this.current.nodes.add(field);
    this.schedule();
  }

  onFocus(): void {
    this.current.focus = true;
    this.schedule();
  }

  onHover(el: Element | null): void {
    for (const one of this.page.hover(el)) this.onControl(one);
  }

  onTree(el: Element): void {
    this.current.trees.add(el);
    this.schedule();
  }

  onStyle(el: Element | null): void {
    if (el) this.current.restyled.add(el);
    this.sweep.want();
    this.schedule();
  }

  onRoute(): void {
    this.current.route = true;
    this.schedule();
  }

  onViewport(): void {
    this.current.viewport = true;
    this.sweep.onWindow();
    this.schedule();
  }

  /** Look for silent changes at a slow pace: values set by script, inserted rules, late shadow roots. */
  onPulse(): void {
    for (const el of this.controls.changedSlice(PULSE_SLICE_MS)) this.current.nodes.add(el);
    if (location.href !== this.href) this.dirty.route = true;
    // An element that is hidden or made inert loses the focus later, without an event.
    if (activeElement(this.page.doc) !== this.page.reader.focused) this.dirty.focus = true;
    this.sweep.pulse();
    if (!this.dirty.empty) this.schedule();
  }

  // ---------------------------------------------------------------- sending

  private schedule(): void {
    if (this.scheduled || !this.started || this.channel.busy) return;
    if (this.dirty.empty && this.caused.size === 0) return;
    this.scheduled = true;
    const pauseMs = this.lastEndMs + Math.min(this.lastCostMs, MAX_PAUSE_MS) - performance.now();
    runLater(() => {
      this.scheduled = false;
      this.flush();
    }, this.lastCostMs > 8 ? pauseMs : 0);
  }

  /** Read all changes at once and send them. */
  flushNow(glance = false): { seq: number; pending: boolean } {
    if (!this.started) return { seq: this.channel.base, pending: true };
    this.observer.takeRecords();
    for (const el of this.controls.changedSlice(glance ? CONTROLS_SLICE_MS : Infinity)) this.current.nodes.add(el);
    this.sweep.compare(glance);
    this.flush();
    return { seq: this.channel.base, pending: !this.dirty.empty || this.caused.size > 0 };
  }

  private flush(): void {
    if (this.channel.busy) return;
    const begin = performance.now();
    this.observer.takeRecords();
    causeLink.takeListeners();
    if (location.href !== this.href) this.current.route = true;
    for (const el of this.controls.changedSlice(CONTROLS_SLICE_MS)) this.current.nodes.add(el);
    const [token, dirty] = firstToSend(this.caused) ?? [null, this.dirty];
    if (token !== null) this.caused.delete(token);
    else this.dirty = new DirtySet();
    this.flushCause = token;
    try {
      this.send(dirty, token);
    } catch (error) {
      this.reportError("flush", error);
    }
    this.flushCause = undefined;
    this.foreign.clear();
    this.lastEndMs = performance.now();
    this.lastCostMs = this.lastEndMs - begin;
    this.rereadStale();
    this.schedule();
  }

  /** Read links again whose listener turned out to be shared by different links. */
  private rereadStale(): void {
    const stale = sharedHandlers.takeStale();
    for (const el of stale) this.dirty.trees.add(el);
    if (stale.length > 0) this.schedule();
  }

  /** Report that reading failed, and read everything next time: the store may hold half of a change. */
  private reportError(where: string, error: unknown): void {
    this.dirty.all = true;
    this.channel.push({ t: "error", where, text: clean(String(error), 300) });
  }

  private isForeign({ instanceId, scopeId }: Signal): boolean {
    return this.foreign.has(String(instanceId)) || this.foreign.has(String(scopeId));
  }

  private send(dirty: DirtySet, token: string | null): void {
    const others = token === null ? [] : [this.dirty, ...this.caused.values()].filter((one) => !one.empty);
    const foreign = others.length > 0 ? new ForeignChanges(dirty, others, this.page.store) : null;
    const press = token !== null && token === eventGuard.pressed?.token ? eventGuard.pressed : null;
    const dismissed = press ? this.layers.ids(press) : [];
    const before = this.page.reader.focused;
    this.page.reader.focused = activeElement(this.page.doc);
    for (const el of [before, this.page.reader.focused]) if (el && before !== this.page.reader.focused) dirty.nodes.add(el);
    if (dirty.all) labelIndex.reset();
    const reread = new Reread(this.page, this.controls, this.sweep.styles);
    const changes = reread.run(dirty);
    this.watchShadows();
    this.layers.remember(press);
    this.replacements.link(changes);
    const lasts = new Map<string, string | null>();
    const delta = changes.compile(this.page.store, (entry) => addedAfter(entry, this.page, lasts));
    this.addSingles(dirty, delta);
    const notCaused = foreign?.ids(changes) ?? [];
    this.foreign = new Set(notCaused);
    this.signals.onChanges(changes, delta);
    const cause = token ? { causedBy: token, ...(notCaused.length > 0 && { notCaused }), ...(dismissed.length > 0 && { dismissed }) } : {};
    if (Object.keys(delta).length > 0) this.channel.pushDelta(delta, cause);
  }

  private addSingles(dirty: DirtySet, delta: Delta): void {
    if (dirty.route || dirty.all) this.addRoute(delta);
    if (dirty.viewport) delta.viewport = this.page.viewport();
    const focus: FocusInfo | null = this.page.focus();
    const focusText = JSON.stringify(focus);
    if (focusText !== this.sent.focus) {
      this.sent.focus = focusText;
      delta.focus = focus;
    }
    const modals = this.page.modalStack();
    if (modals.join() !== this.sent.modals) {
      this.sent.modals = modals.join();
      delta.modalStack = modals;
    }
    const truncated = this.page.truncated();
    if ((truncated?.omittedElements ?? 0) !== this.sent.omitted) {
      this.sent.omitted = truncated?.omittedElements ?? 0;
      delta.truncated = truncated;
    }
    if (this.page.hasRoom) this.dirty.all = true;
  }

  private addRoute(delta: Delta): void {
    this.href = location.href;
    const route = this.page.route();
    const text = JSON.stringify(route);
    if (text === this.sent.route) return;
    const from = JSON.parse(this.sent.route) as RouteInfo;
    this.sent.route = text;
    delta.route = route;
    const { documentId, ...document } = this.page.document();
    delta.documents = { updated: [{ key: documentId, patch: { ...document } }] };
    if (route.url !== from.url || route.routeId !== from.routeId) this.signals.onRoute(from, route);
  }
}
