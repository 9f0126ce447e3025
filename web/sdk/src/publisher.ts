/** First graph, then deltas: when to read, when to send. */

import type { Channel } from "./channel.ts";
import { readyState } from "./dom.ts";
import type { Page } from "./graph/page.ts";

export interface SnapshotOptions {
  includeBBox?: boolean;
}

export class Publisher {
  private started = false;

  constructor(
    private readonly page: Page,
    private readonly channel: Channel,
  ) {}

  start(): void {
    if (readyState(document) !== "loading") this.first();
    else {
      document.addEventListener("DOMContentLoaded", () => this.first(), { once: true });
      setTimeout(() => this.first(), 500);
    }
  }

  private first(): void {
    if (this.started) return;
    this.started = true;
    const graph = this.page.graph(this.page.read());
    this.channel.push({ t: "graph", seq: this.channel.rebase(), frame: this.page.config.frameKey, graph });
  }

  snapshot(_options: SnapshotOptions): string {
    this.started = true;
    const graph = this.page.graph(this.page.read());
    return JSON.stringify({ t: "graph", seq: this.channel.rebase(), frame: this.page.config.frameKey, graph });
  }

  flushNow(): number {
    return this.channel.base;
  }

  caused(_token: string): void {
    return;
  }

  dirtyTree(_el: Element): void {
    return;
  }
}
