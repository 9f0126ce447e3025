/**
 * Tags: which guarded input the running task belongs to, and which work of it has not ended.
 *
 * A tag is set by the guard on its input event, and lasts until the end of that task, microtasks included. Callbacks that
 * are created under a tag run under it again. Everything else runs without a tag.
 *
 * Frames of one origin run in one thread and can call each other, so they share the tags of their outermost frame.
 */

import { apply } from "./wrap.ts";

export type Tag = string | null;

export type WorkKind =
  | "timer" | "frame" | "idle" | "request" | "body" | "stream" | "socket" | "worker" | "events" | "port" | "database" | "file" | "animation";

export interface Work {
  kind: WorkKind;
  tag: string;
  since: number;
  /** The delay of a timer in milliseconds, or the address of a request. */
  detail: number | string;
  /** A mark of the callback's code. */
  source?: string;
  onEnd?: () => void;
}

/** The driver replaces it by a name that no page knows. */
export const NAME = "__UIAP_TRACER__";

/** How many callbacks lie between the input and this work. Pollers make long chains. */
const MAX_DEPTH = 32;
const MAX_WORK = 200;
/** The other end of a port may have moved to another thread, so its message is not awaited for long. */
const MAX_PORT_AGE_MS = 2_000;

export interface TagListener {
  /** The running code now belongs to another tag. It is called synchronously. */
  onTag(tag: Tag): void;
  /** A task of this tag has ended, and the work of the tag changed. */
  onWork(tag: string): void;
}

export class Tags {
  readonly now = performance.now.bind(performance);
  /** Keys of storage that were written under a tag. */
  readonly stored = new Map<string, { enter: () => void; at: number }>();
  /** The conversation of each broadcast channel, by its name. */
  readonly broadcasts = new Map<string, unknown>();
  current: Tag = null;
  /** How many documents share these tags. */
  documents = 0;
  private depth = 0;
  private resetPosted = false;
  private readonly works = new Set<Work>();
  private readonly changed = new Set<string>();
  private readonly listeners = new Set<TagListener>();
  private readonly postReset = poster(() => this.reset());

  attach(listener: TagListener): void {
    this.listeners.add(listener);
  }

  detach(listener: TagListener): void {
    this.listeners.delete(listener);
  }

  /** Run the rest of the current task under a tag. */
  enter(tag: Tag, depth = 0): void {
    this.depth = depth;
    if (tag !== this.current) {
      this.current = tag;
      for (const listener of this.listeners) listener.onTag(tag);
    }
    if (tag !== null) this.change(tag);
  }

  private change(tag: string): void {
    this.changed.add(tag);
    if (this.resetPosted) return;
    this.resetPosted = true;
    this.postReset();
  }

  /** The task is over: the next one begins without a tag. */
  private reset(): void {
    this.resetPosted = false;
    this.enter(null);
    const changed = [...this.changed];
    this.changed.clear();
    for (const tag of changed) for (const listener of this.listeners) listener.onWork(tag);
  }

  /** Return a callback that runs under the present tag, or without one. */
  bind(run: (...args: unknown[]) => unknown, work: Work | null = null): (...args: unknown[]) => unknown {
    const enter = this.entry(work);
    return function (this: unknown, ...args: unknown[]) {
      enter();
      return apply(run, this, args);
    };
  }

  /** Return a function that enters the present tag, or none. It is called before a callback of the page. */
  entry(work: Work | null = null): () => void {
    const depth = this.depth + 1;
    const tag = depth > MAX_DEPTH ? null : this.current;
    return () => {
      if (work) this.end(work);
      this.enter(tag, depth);
    };
  }

  begin(kind: WorkKind, detail: number | string): Work | null {
    return this.beginFor(this.current, kind, detail);
  }

  beginFor(tag: Tag, kind: WorkKind, detail: number | string): Work | null {
    if (tag === null) return null;
    if (this.works.size >= MAX_WORK) for (const oldest of this.works) { this.end(oldest); break; }
    const work: Work = { kind, tag, since: this.now(), detail };
    this.works.add(work);
    return work;
  }

  end(work: Work | null): void {
    if (!work || !this.works.delete(work)) return;
    work.onEnd?.();
    this.change(work.tag);
  }

  /** Return the work of a tag that has not ended. */
  pending(tag: string): Work[] {
    const oldest = this.now() - MAX_PORT_AGE_MS;
    return [...this.works].filter((work) => work.tag === tag && !(work.kind === "port" && work.since < oldest));
  }
}

/**
 * Return a function that posts a task. It runs before the ordinary tasks that wait already: they must not inherit a tag.
 */
function poster(run: () => void): () => void {
  const { scheduler } = globalThis as { scheduler?: { postTask(run: () => void, options: object): Promise<unknown> } };
  if (scheduler) {
    const { postTask } = scheduler;
    return () => void apply(postTask, scheduler, [run, { priority: "user-blocking" }]);
  }
  const { port1, port2 } = new MessageChannel();
  const post = port2.postMessage.bind(port2);
  port1.onmessage = run;
  return () => post(0);
}

interface Box {
  tags?: Tags;
}

const detailOf = Object.getOwnPropertyDescriptor(CustomEvent.prototype, "detail")!.get!;

/** Ask the frames around this one, by a name that no page knows, for the tags of this origin. */
function sharedTags(): Tags | null {
  for (const frame of [window.parent, window.top]) {
    if (!frame || frame === window) continue;
    const box: Box = {};
    try {
      apply(EventTarget.prototype.dispatchEvent, frame, [new CustomEvent(`${NAME}:join`, { detail: box })]);
    } catch {
      continue; // it is of another origin
    }
    if (box.tags) return box.tags;
  }
  return null;
}

export const tags = sharedTags() ?? new Tags();

addEventListener(`${NAME}:join`, (event) => {
  (apply(detailOf, event, []) as Box).tags = tags;
});

/** Count this document for as long as it lives. */
export function joinDocument(): void {
  tags.documents++;
  addEventListener("pagehide", () => tags.documents--);
  addEventListener("pageshow", (event) => {
    if (event.persisted) tags.documents++;
  });
}

/** Attach a listener of this document. It is detached with it: the tags may belong to a frame that lives longer. */
export function attachHere(listener: TagListener): void {
  tags.attach(listener);
  addEventListener("pagehide", () => tags.detach(listener));
  addEventListener("pageshow", () => tags.attach(listener));
}
