/**
 * Tags: which guarded input the running task belongs to, and which work of it has not ended.
 *
 * A tag is set by the guard on its input event, and lasts until the end of that task, microtasks included. Callbacks that
 * are created under a tag run under it again. Everything else runs without a tag.
 */

export type Tag = string | null;

export type WorkKind =
  | "timer" | "frame" | "idle" | "request" | "body" | "stream" | "socket" | "worker" | "port" | "database" | "file";

export interface Work {
  kind: WorkKind;
  tag: string;
  since: number;
  /** The delay of a timer in milliseconds, or the address of a request. */
  detail: number | string;
}

/** How many callbacks lie between the input and this work. Pollers make long chains. */
const MAX_DEPTH = 32;
const MAX_WORK = 200;

const channel = new MessageChannel();
const postReset = channel.port2.postMessage.bind(channel.port2);

export interface TagListener {
  /** The running code now belongs to another tag. It is called synchronously. */
  onTag(tag: Tag): void;
  /** A task of this tag has ended, and the work of the tag changed. */
  onWork(tag: string): void;
}

class Tags {
  current: Tag = null;
  private depth = 0;
  private resetPosted = false;
  private readonly works = new Set<Work>();
  private readonly changed = new Set<string>();
  private listener: TagListener | null = null;

  constructor() {
    channel.port1.onmessage = () => this.reset();
  }

  attach(listener: TagListener): void {
    this.listener = listener;
  }

  /** Run the rest of the current task under a tag. */
  enter(tag: Tag, depth = 0): void {
    this.depth = depth;
    if (tag !== this.current) {
      this.current = tag;
      this.listener?.onTag(tag);
    }
    if (tag !== null) {
      this.changed.add(tag);
      if (!this.resetPosted) {
        this.resetPosted = true;
        postReset(0);
      }
    }
  }

  /** The task is over: the next one begins without a tag. */
  private reset(): void {
    this.resetPosted = false;
    this.enter(null);
    for (const tag of this.changed) this.listener?.onWork(tag);
    this.changed.clear();
  }

  /** Return a callback that runs under the present tag, or without one. */
  bind(run: (...args: unknown[]) => unknown, work: Work | null = null): (...args: unknown[]) => unknown {
    const tag = this.current;
    const depth = this.depth + 1;
    const kept = depth > MAX_DEPTH ? null : tag;
    const tags = this;
    return function (this: unknown, ...args: unknown[]) {
      if (work) tags.end(work);
      tags.enter(kept, depth);
      return Reflect.apply(run, this, args);
    };
  }

  /** Return a function that enters the present tag. It is for code that runs before a callback of the page. */
  entry(work: Work | null = null): () => void {
    const tag = this.current;
    const depth = this.depth + 1;
    const kept = depth > MAX_DEPTH ? null : tag;
    return () => {
      if (work) this.end(work);
      if (kept !== null) this.enter(kept, depth);
    };
  }

  begin(kind: WorkKind, detail: number | string): Work | null {
    if (this.current === null || this.works.size >= MAX_WORK) return null;
    const work: Work = { kind, tag: this.current, since: performance.now(), detail };
    this.works.add(work);
    return work;
  }

  end(work: Work | null): void {
    if (work && this.works.delete(work)) {
      this.changed.add(work.tag);
      if (!this.resetPosted) {
        this.resetPosted = true;
        postReset(0);
      }
    }
  }

  /** Return the work of a tag that has not ended. */
  pending(tag: string): Work[] {
    return [...this.works].filter((work) => work.tag === tag);
  }
}

export const tags = new Tags();
