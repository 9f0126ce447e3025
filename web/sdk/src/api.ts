/** The functions that the driver calls in this world. Every argument and every answer is one JSON string. */

import { causeLink } from "./cause/link.ts";
import { at, type Channel } from "./channel.ts";
import { isConnected, rectOf, shadowOf, firstChild, isHtml, localName, eachElement, rootElement } from "./dom.ts";
import { showingFor } from "./delta/showing.ts";
import type { Page } from "./graph/page.ts";
import { closedHosts } from "./graph/opaque.ts";
import { eventGuard, type Guard } from "./guard/guard.ts";
import type { InputMode, Inputs } from "./guard/inputs.ts";
import type { Facts } from "./perform/facts.ts";
import type { Performer, Request } from "./perform/perform.ts";
import type { Prober } from "./perform/probe.ts";
import { type Hints, isLayerNode, Layer } from "./present/layer.ts";
import type { Publisher, SnapshotOptions } from "./publisher.ts";

interface ProbeRequest {
  ids: string[];
  full?: boolean;
  /** Read again after this many animation frames, to measure `stable`. */
  frames?: number;
}

const SHADOWABLE: ReadonlySet<string> = new Set(["div", "span", "section", "article", "aside", "main", "header", "footer", "nav", "p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote"]);
const MAX_CANDIDATES = 500;

/** The plans of a page, in milliseconds. */
interface Schedule {
  /** For how long nothing is due: at most 50, and 0 if that is not known. */
  quiet: number;
  /** After how long the callbacks that are due soon have run, and the texts that an animation shows are shown. */
  starting: number;
  /** The page has asked for its content over a socket, and it has not come completely. */
  coming: boolean;
}

export class Api {
  constructor(
    private readonly page: Page,
    private readonly channel: Channel,
    private readonly publisher: Publisher,
    private readonly facts: Facts,
    private readonly prober: Prober,
    private readonly performer: Performer,
    private readonly reports: Inputs,
  ) {}

  ack(seq: number): string {
    this.channel.ack(seq);
    return "{}";
  }

  snapshot(options = "{}"): string {
    return this.publisher.snapshot(JSON.parse(options) as SnapshotOptions);
  }

  /** Read other annotations from the next snapshot on: a bundle was loaded or unloaded. */
  annotations(request: string): string {
    const { prefix, attributes } = JSON.parse(request) as { prefix: string; attributes: string[] };
    this.page.useAnnotations(prefix, attributes);
    return "{}";
  }

  /**
   * Read every change that is visible now, silent ones included, and push the delta unless one is unanswered.
   *
   * With `glance`, the appearance of most elements is not compared, which would take time in proportion to the page size.
   */
  flush(request = "{}"): string {
    const { glance = false } = JSON.parse(request) as { glance?: boolean };
    return JSON.stringify({ ok: true, ...this.publisher.flushNow(glance) });
  }

  /** Return what the page has planned, see `Schedule`, and send the messages that it has shown since it loaded. */
  schedule(): Schedule {
    this.publisher.signals.onLoaded();
    const [quiet, starting, coming] = causeLink.schedule();
    const showing = showingFor(document);
    return { quiet: showing > 0 ? 0 : quiet, starting: Math.max(starting, showing), coming };
  }

  probe(request: string): string | Promise<string> {
    const { ids, full = false, frames = 0 } = JSON.parse(request) as ProbeRequest;
    const read = (): string => {
      const results = Object.fromEntries(ids.map((id) => [id, this.prober.probe(id, full)]));
      return JSON.stringify({ ok: true, seq: this.channel.next(), at: at(), results });
    };
    if (frames <= 0) return read();
    read();
    return afterFrames(Math.min(frames, 10)).then(read);
  }

  /** Return the published elements that a css selector or an xpath finds in this document: a hint (ACT-8.1). */
  hinted(request: string): string {
    const { kind, value } = JSON.parse(request) as { kind: "css" | "xpath"; value: string };
    const ids: string[] = [];
    for (const el of this.facts.find(kind, value)) {
      const id = this.page.store.entries.get(el)?.element.instanceId;
      if (id !== undefined) ids.push(id);
    }
    return JSON.stringify({ ok: true, ids: ids.slice(0, MAX_CANDIDATES) });
  }

  scrollIntoView(id: string): string {
    const el = this.facts.element(parseId(id));
    if (!el || !isConnected(el)) return JSON.stringify({ ok: false, reason: "detached" });
    const before = rectOf(el);
    el.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const after = rectOf(el);
    return JSON.stringify({ ok: true, moved: before.x !== after.x || before.y !== after.y });
  }

  perform(request: string): string {
    const seq = this.channel.next();
    const outcome = this.performer.perform(JSON.parse(request) as Request);
    return JSON.stringify({ ...outcome, seq });
  }

  arm(guard: string): string {
    const reason = eventGuard.arm(readGuard(guard));
    if (reason === null) return JSON.stringify({ ok: true, seq: this.channel.next() });
    return JSON.stringify({ ok: false, reason });
  }

  /** Show a person the action that is about to run (ACT-3.6). No decision depends on the answer. */
  async present(request: string): Promise<string> {
    const hints = JSON.parse(request) as Hints;
    const el = hints.instanceId === undefined ? null : this.facts.element(hints.instanceId);
    await this.layer.show(hints, el && isConnected(el) ? rectOf(el) : null);
    return "{}";
  }

  disarm(): string {
    eventGuard.disarm();
    return "{}";
  }

  /** Report the inputs of a person from now on, or no longer. */
  inputs(mode: InputMode): string {
    this.reports.set(mode);
    return "{}";
  }

  /** Stop the script: the driver leaves a page that it did not open. */
  stop(): string {
    eventGuard.disarm();
    this.publisher.stop();
    this.layer.close();
    return "{}";
  }

  /** Return a node for DOM.describeNode and DOM.setFileInputFiles. This is the only answer that is not a string. */
  element(id: string): Element | null {
    return this.facts.element(parseId(id)) ?? this.candidates.get(parseId(id))?.deref() ?? null;
  }

  /** Return the id of the node itself if it is published, else "". */
  idOf(node: Element): string {
    return this.page.store.entries.get(node)?.element.instanceId ?? "";
  }

  /** Return elements that may hold a closed shadow root: they take space and show nothing that this script can read. */
  closedCandidates(): string {
    const ids: string[] = [];
    const root = rootElement(this.page.doc);
    if (root) {
      eachElement(root, (el) => {
        if (ids.length >= MAX_CANDIDATES || !isHtml(el) || isLayerNode(el)) return;
        const tag = localName(el);
        if (!(tag.includes("-") || SHADOWABLE.has(tag)) || shadowOf(el) || firstChild(el) || closedHosts.has(el)) return;
        const rect = rectOf(el);
        if (rect.width > 1 && rect.height > 1) ids.push(this.page.identity.instance(el));
        this.candidates.set(this.page.identity.instance(el), new WeakRef(el));
      });
    }
    return JSON.stringify({ ids });
  }

  private readonly layer = new Layer(document);
  private readonly candidates = new Map<string, WeakRef<Element>>();

  /** Mark hosts of closed shadow roots that the driver found. The next delta publishes them as opaque. */
  closed(ids: string): string {
    for (const id of JSON.parse(ids) as string[]) {
      const el = this.element(id);
      if (!el) continue;
      closedHosts.add(el);
      this.publisher.onTree(el);
    }
    this.candidates.clear();
    return "{}";
  }
}

function readGuard(text: string): Guard {
  const given = JSON.parse(text) as Guard & { node?: string };
  return { ...given, instanceId: given.instanceId ?? given.node ?? "" };
}

/** Return an id that is given bare or as a JSON string. */
function parseId(id: string): string {
  return id.startsWith('"') ? (JSON.parse(id) as string) : id;
}

/** Resolve after `count` animation frames. A tab that is not drawn has no frames, so a timer bounds the wait. */
function afterFrames(count: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 50 * count);
    const step = (left: number): void => {
      if (left > 0) requestAnimationFrame(() => step(left - 1));
      else {
        clearTimeout(timer);
        resolve();
      }
    };
    step(count);
  });
}
