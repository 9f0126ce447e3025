/**
 * First graph, then deltas: when to read, when to send.
 *
 * A flush is a task of its own, soon after the mutations, never an animation frame. At most one delta is unanswered, and
 * the time spent reading is at most about half of all time, however busy the page is.
 */

import { at, type Channel } from "./channel.ts";
import {
  activeElement, composedParent, hasEnded, isElement, lastChild, listen, localName, previousSibling,
  readyState, rootElement, shadowOf,
} from "./dom.ts";
import { Controls } from "./delta/controls.ts";
import { Dirt } from "./delta/dirty.ts";
import { Observer, type Heard } from "./delta/observer.ts";
import { lastUnder, siblingBefore } from "./delta/order.ts";
import { Reread } from "./delta/reread.ts";
import { Restless } from "./delta/restless.ts";
import { Sheets } from "./delta/sheets.ts";
import { look } from "./graph/visibility.ts";
import { labelIndex } from "./graph/labels.ts";
import type { Page } from "./graph/page.ts";
import { pseudoText } from "./graph/pseudo.ts";
import type { Entry } from "./graph/store.ts";
import { clean } from "./graph/text.ts";
import { boxOf } from "./perform/probe.ts";
import { Paints } from "./signals/paint.ts";
import { Signals } from "./signals/signals.ts";
import { Succession } from "./graph/succession.ts";
import type { Delta, FocusInfo, Graph, RouteInfo } from "./types.ts";

export interface SnapshotOptions {
  includeBBox?: boolean;
}

const GLANCE_MS = 0.4;
const PULSE_MS = 2;
const SWEEP_MS = 4;
const FEW = 200;
const FIRST_GRAPH_MS = 500;
const PART = 250;
const MAX_REST_MS = 2_000;

type Task = (run: () => void, delay: number) => void;

const later: Task = (run, delay) => {
  const scheduler = (globalThis as { scheduler?: { postTask(run: () => void, options: object): Promise<unknown> } }).scheduler;
  if (delay <= 0 && scheduler) void scheduler.postTask(run, { priority: "user-blocking" });
  else setTimeout(run, delay);
};

export class Publisher implements Heard {
  private started = false;
  private dirt = new Dirt();
  /** Changes made in the task of a guarded event; they go out first, and apart from the rest. */
  private causedDirt: Dirt | null = null;
  private cause: string | null = null;
  private causeOfDirt: string | null = null;
  private scheduled = false;
  private lastCost = 0;
  private lastEnd = 0;
  private readonly controls = new Controls();
  private readonly observer: Observer;
  private readonly sheets: Sheets;
  private readonly restless: Restless;
  private readonly signals: Signals;
  private readonly succession: Succession;
  private readonly paints: Paints;
  private unwatchPaints = (): void => undefined;
  /** While a flush speaks: the token of what it tells, or null for what nobody caused. */
  private telling: string | null | undefined = undefined;
  private sent = { route: "", focus: "", modals: "", omitted: 0 };
  private sweep: Iterator<Element> | null = null;
  private sweepWanted = false;
  /** Sheets changed, or the window did: anything may look different. */
  private restyled = false;
  /** Where the page was when the route was last read; documents without an origin have no navigation events. */
  private href = "";

  constructor(
    private readonly page: Page,
    private readonly channel: Channel,
  ) {
    this.observer = new Observer(page.doc, this);
    this.sheets = new Sheets(page.doc);
    this.restless = new Restless(page.doc);
    this.succession = new Succession(page);
    this.signals = new Signals(page, (signal) => {
      const cause = this.telling === undefined ? this.cause : this.telling;
      channel.push({ t: "signal", signal, ...(cause && { attribution: { causedBy: cause } }) });
    });
    this.paints = new Paints(page, (paint) => channel.push({ t: "paint", ...paint }));
    channel.onAck = () => this.schedule();
  }

  start(): void {
    const begin = (): void => {
      if (!this.started) this.first();
    };
    if (readyState(this.page.doc) !== "loading") begin();
    else {
      listen(this.page.doc, "DOMContentLoaded", begin, { once: true });
      setTimeout(begin, FIRST_GRAPH_MS);
    }
    listen(globalThis, "pagehide", () => this.channel.push({ t: "bye", frame: this.page.config.frameKey }), {});
  }

  /** The session ends and the page stays: nothing is heard, and nothing is said any more. */
  stop(): void {
    this.observer.stop();
    this.unwatchPaints();
    this.channel.close();
  }

  private first(): void {
    if (hasEnded()) return;
    if (!rootElement(this.page.doc)) {
      setTimeout(() => this.first(), 0);
      return;
    }
    try {
      this.publish();
    } catch (error) {
      this.failed("graph", error);
    }
  }

  /** The whole reading, its elements in parts: the driver takes the first of them while the next is still written. */
  private publish(): void {
    const { seq, frame, graph } = this.full();
    const { elements } = graph;
    let told = 0;
    for (; elements.length - told > PART; told += PART) {
      this.channel.push({ t: "part", seq, elements: elements.slice(told, told + PART) });
    }
    this.channel.push({ t: "graph", seq, frame, graph: { ...graph, elements: elements.slice(told) } });
  }

  /** A whole reading; everything known before it is void. */
  private full(): { seq: number; frame: string; graph: Graph } {
    if (this.started) this.observer.take();
    this.dirt = new Dirt();
    this.causedDirt = null;
    this.sweep = null;
    this.sweepWanted = false;
    const found = this.page.read();
    const graph = this.page.graph(found);
    this.controls.clear();
    for (const entry of found) this.controls.add(entry);
    this.sheets.changed();
    this.restless.forget();
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
    this.signals.read();
    return { seq: this.channel.rebase(), frame: this.page.config.frameKey, graph };
  }

  snapshot(options: SnapshotOptions): string {
    const { seq, frame, graph } = this.full();
    if (options.includeBBox) graph.elements = graph.elements.map((element) => this.withBox(element));
    return JSON.stringify({ t: "graph", seq, at: at(), frame, graph });
  }

  private withBox(element: Graph["elements"][number]): Graph["elements"][number] {
    const entry = this.page.find(element.instanceId);
    return entry ? { ...element, bbox: boxOf(entry.el) } : element;
  }

  private watchShadows(): void {
    for (const shadow of this.page.reader.shadows) this.observer.observe(shadow);
    this.page.reader.shadows = [];
  }

  // ---------------------------------------------------------------- what was heard

  /** HOUSE 4, Attribution: until the current task ends, what changes was caused by this event. */
  caused(token: string, at?: number): void {
    this.cause = token;
    if (at !== undefined) this.paints.note(token, at);
    this.observer.take();
    later(() => {
      this.observer.take();
      this.noticeControls();
      if (this.cause === token) this.cause = null;
    }, 0);
  }

  /** What no observer tells, a value or a tick that a script has set, belongs to the event while its task lasts. */
  private noticeControls(): void {
    for (const el of this.controls.slice(GLANCE_MS)) this.current.nodes.add(el);
    this.schedule();
  }

  /** The page did at once what it does: that is told before the browser paints, which on a big page takes its time. */
  handled(): void {
    if (!this.started) return;
    this.observer.take();
    this.noticeControls();
    if (this.causedDirt !== null) this.flush();
  }

  private get current(): Dirt {
    if (this.cause === null) return this.dirt;
    this.causedDirt ??= new Dirt();
    this.causeOfDirt = this.cause;
    return this.causedDirt;
  }

  mutations(records: MutationRecord[]): void {
    const dirt = this.current;
    this.sweepWanted = true;
    for (const record of records) {
      dirt.record(record);
      if (record.type !== "attributes") this.styleNode(record.target);
      if (record.type === "childList") {
        for (const node of record.addedNodes) this.styleNode(node);
        for (const node of record.removedNodes) this.styleNode(node);
      }
    }
    this.signals.mutations(records);
    this.schedule();
  }

  /** A style sheet in the tree, or the title in the head, changed as text. */
  private styleNode(node: Node): void {
    const el = isElement(node) ? node : composedParent(node);
    if (!el) return;
    const tag = localName(el);
    if (tag === "style" || tag === "link") {
      this.restless.forget();
      this.restyled = true;
      this.style(null);
    } else if (tag === "title") this.current.route = true;
  }

  control(el: Element): void {
    const dirt = this.current;
    for (const one of [el, ...this.controls.group(el)]) dirt.nodes.add(one);
    this.schedule();
  }

  reset(form: Element): void {
    for (const field of Array.from(HTMLFormElement.prototype.querySelectorAll.call(form, "input,select,textarea"))) this.current.nodes.add(field);
    this.schedule();
  }

  focus(): void {
    this.current.focus = true;
    this.schedule();
  }

  tree(el: Element): void {
    this.current.trees.add(el);
    this.schedule();
  }

  dirtyTree(el: Element): void {
    this.tree(el);
  }

  style(el: Element | null): void {
    if (el) this.current.passes.add(el);
    this.sweepWanted = true;
    this.schedule();
  }

  route(): void {
    this.current.route = true;
    this.schedule();
  }

  viewport(): void {
    this.current.viewport = true;
    this.restyled = true;
    this.schedule();
  }

  /** The slow look at what changes without a word: values set by script, inserted rules, late shadow roots. */
  pulse(): void {
    for (const el of this.controls.slice(PULSE_MS)) this.dirt.nodes.add(el);
    if (location.href !== this.href) this.dirt.route = true;
    // What is hidden or made inert loses the focus later, and no event says so.
    if (activeElement(this.page.doc) !== this.page.reader.focused) this.dirt.focus = true;
    if (this.sheets.changed()) this.newSheets();
    this.sweepSlice(SWEEP_MS);
    if (!this.dirt.empty) this.schedule();
  }

  /** Compares how elements look with how they looked, a few milliseconds at a time. */
  private sweepSlice(budget: number): void {
    if (!this.sweep) {
      const root = rootElement(this.page.doc);
      if (!this.sweepWanted || !root) return;
      this.sweepWanted = false;
      this.sweep = elementsOf(root);
    }
    const end = performance.now() + budget;
    for (;;) {
      const next = this.sweep.next();
      if (next.done) {
        this.sweep = null;
        return;
      }
      this.compare(next.value);
      if (performance.now() > end) return;
    }
  }

  /** Every element that may look different by now; all of them where that cannot be told from the sheets. */
  private sweepAll(): void {
    const few = this.restyled || this.observer.shadows > 0 ? null : this.restless.elements();
    this.sweepWanted = true;
    if (few) {
      for (const el of few) this.compare(el);
      return;
    }
    this.restyled = false;
    this.sweep = null;
    this.sweepSlice(Infinity);
  }

  /** Those few that can change by themselves, or a slice of all. */
  private glance(): void {
    const few = this.observer.shadows > 0 ? null : this.restless.elements(FEW);
    if (!few) this.sweepSlice(SWEEP_MS);
    else for (const el of few) this.compare(el);
  }

  private compare(el: Element): void {
    const shadow = shadowOf(el);
    if (shadow && this.observer.observe(shadow)) this.dirt.trees.add(el);
    const before = this.page.store.shown.get(el);
    if (before !== undefined && before !== look(el)) this.dirt.passes.add(el);
  }

  private newSheets(): void {
    pseudoText.refresh(this.page.doc);
    this.restless.forget();
    this.restyled = true;
    this.sweepWanted = true;
  }

  // ---------------------------------------------------------------- sending

  private schedule(): void {
    if (this.scheduled || !this.started || this.channel.busy) return;
    if (this.dirt.empty && this.causedDirt === null) return;
    this.scheduled = true;
    const rest = this.lastEnd + Math.min(this.lastCost, MAX_REST_MS) - performance.now();
    later(() => {
      this.scheduled = false;
      this.flush();
    }, this.lastCost > 8 ? rest : 0);
  }

  /** Sees everything there is to see, at once. */
  flushNow(glance = false): { seq: number; pending: boolean } {
    if (!this.started) return { seq: this.channel.base, pending: true };
    this.observer.take();
    for (const el of this.controls.slice(glance ? GLANCE_MS : Infinity)) this.dirt.nodes.add(el);
    if (this.sheets.changed()) this.newSheets();
    if (glance && !this.restyled) this.glance();
    else this.sweepAll();
    this.flush();
    return { seq: this.channel.base, pending: !this.dirt.empty || this.causedDirt !== null };
  }

  private flush(): void {
    if (this.channel.busy) return;
    const begin = performance.now();
    this.observer.take();
    if (location.href !== this.href) this.current.route = true;
    for (const el of this.controls.slice(GLANCE_MS)) this.current.nodes.add(el);
    const caused = this.causedDirt;
    const token = caused ? this.causeOfDirt : null;
    const dirt = caused ?? this.dirt;
    if (caused) this.causedDirt = null;
    else this.dirt = new Dirt();
    this.telling = token;
    try {
      this.send(dirt, token);
    } catch (error) {
      this.failed("flush", error);
    }
    this.telling = undefined;
    this.lastEnd = performance.now();
    this.lastCost = this.lastEnd - begin;
    this.schedule();
  }

  /** Reading threw: say so, and read everything anew next time, for what is held may be half of a change. */
  private failed(where: string, error: unknown): void {
    this.dirt.all = true;
    this.channel.push({ t: "error", where, text: clean(String(error), 300) });
  }

  private send(dirt: Dirt, token: string | null): void {
    const before = this.page.reader.focused;
    this.page.reader.focused = activeElement(this.page.doc);
    for (const el of [before, this.page.reader.focused]) if (el && before !== this.page.reader.focused) dirt.nodes.add(el);
    if (dirt.all) labelIndex.forget();
    const reread = new Reread(this.page, this.controls, this.restless);
    const changes = reread.run(dirt);
    this.watchShadows();
    this.succession.name(changes);
    const lasts = new Map<string, string | null>();
    const delta = changes.compile(this.page.store, (entry) => this.place(entry, lasts));
    this.singles(dirt, delta);
    this.signals.changes(changes, delta);
    if (Object.keys(delta).length > 0) this.channel.pushDelta(delta, token ? { causedBy: token } : {});
  }

  /** `lasts` keeps the last child of each parent: behind it may stand thousands that are not published. */
  private place(entry: Entry, lasts: Map<string, string | null>): string | null | undefined {
    const parentId = entry.element.parentInstanceId;
    const parent = parentId === undefined ? undefined : this.page.find(parentId);
    if (!parent || parentId === undefined) return undefined;
    let last = lasts.get(parentId);
    if (last === undefined) lasts.set(parentId, (last = lastUnder(parent, this.page.store)));
    if (last === entry.element.instanceId) return undefined;
    return siblingBefore(entry, this.page.store);
  }

  private singles(dirt: Dirt, delta: Delta): void {
    if (dirt.route || dirt.all) this.routeInto(delta);
    if (dirt.viewport) delta.viewport = this.page.viewport();
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
    if (this.page.roomy) this.dirt.all = true;
  }

  private routeInto(delta: Delta): void {
    this.href = location.href;
    const route = this.page.route();
    const text = JSON.stringify(route);
    if (text === this.sent.route) return;
    const from = JSON.parse(this.sent.route) as RouteInfo;
    this.sent.route = text;
    delta.route = route;
    const { documentId, ...document } = this.page.document();
    delta.documents = { updated: [{ key: documentId, patch: { ...document } }] };
    if (route.url !== from.url || route.routeId !== from.routeId) this.signals.route(from, route);
  }
}

function* elementsOf(root: Element): Generator<Element> {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (isElement(node)) {
      yield node;
      const shadow = shadowOf(node);
      if (shadow) stack.push(shadow);
    }
    for (let child = lastChild(node); child; child = previousSibling(child)) if (isElement(child)) stack.push(child);
  }
}
