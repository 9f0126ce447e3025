/** The only way out: one JSON string per message through the driver's binding, numbered, at most one delta unanswered. */

export interface Out {
  t: string;
  [key: string]: unknown;
}

export class Channel {
  private send: ((text: string) => void) | null = null;
  private last = 0;
  /** Sequence number of the graph or delta the consumer builds on. */
  base = 0;
  private waiting = 0;
  onAck: () => void = () => undefined;

  constructor(private readonly secret: string) {}

  open(binding: string): boolean {
    const found = Object.getOwnPropertyDescriptor(globalThis, binding)?.value as unknown;
    if (typeof found !== "function") return false;
    this.send = found as (text: string) => void;
    return true;
  }

  close(): void {
    this.send = null;
  }

  /** The page's own clock of events: every message, every guarded event takes one. */
  next(): number {
    return ++this.last;
  }

  get busy(): boolean {
    return this.waiting !== 0;
  }

  push(message: Out): number {
    const seq = typeof message["seq"] === "number" ? message["seq"] : this.next();
    this.send?.(JSON.stringify({ ...message, seq, at: at(), key: this.secret }));
    return seq;
  }

  /** A full graph: whatever was under way before is void. */
  rebase(): number {
    this.waiting = 0;
    this.base = this.next();
    return this.base;
  }

  pushDelta(delta: object, extra: object): number {
    const seq = this.next();
    const base = this.base;
    this.base = seq;
    this.waiting = seq;
    this.send?.(JSON.stringify({ t: "delta", base, seq, at: at(), key: this.secret, ...extra, delta }));
    return seq;
  }

  ack(seq: number): void {
    if (seq >= this.waiting) {
      this.waiting = 0;
      this.onAck();
    }
  }
}

export function at(): number {
  return Math.round(performance.now() * 10) / 10;
}
