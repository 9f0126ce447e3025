/** The only channel to the driver: one numbered JSON string per message, and at most one unanswered delta. */

export interface OutgoingMessage {
  t: string;
  [key: string]: unknown;
}

export class Channel {
  private send: ((text: string) => void) | null = null;
  private lastSeq = 0;
  /** Sequence number of the graph or delta that the driver builds on. */
  base = 0;
  private unackedSeq = 0;
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

  /** Return the next sequence number. Every message and every guarded event takes one. */
  next(): number {
    return ++this.lastSeq;
  }

  get busy(): boolean {
    return this.unackedSeq !== 0;
  }

  push(message: OutgoingMessage): number {
    const seq = typeof message["seq"] === "number" ? message["seq"] : this.next();
    this.send?.(JSON.stringify({ ...message, seq, at: at(), key: this.secret }));
    return seq;
  }

  /** Start again from a full graph: an unanswered delta no longer counts. */
  rebase(): number {
    this.unackedSeq = 0;
    this.base = this.next();
    return this.base;
  }

  pushDelta(delta: object, extra: object): number {
    const seq = this.next();
    const base = this.base;
    this.base = seq;
    this.unackedSeq = seq;
    this.send?.(JSON.stringify({ t: "delta", base, seq, at: at(), key: this.secret, ...extra, delta }));
    return seq;
  }

  ack(seq: number): void {
    if (seq >= this.unackedSeq) {
      this.unackedSeq = 0;
      this.onAck();
    }
  }
}

export function at(): number {
  return Math.round(performance.now() * 10) / 10;
}
