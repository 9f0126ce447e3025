/**
 * Paints that an input event caused later. Chromium follows timers, fetches and messages from an interaction to the
 * paints and soft navigations they lead to. It reports nothing for changes that a page makes without an interaction.
 *
 * An entry starts at the time stamp of its event. That time stamp leads to the token of the guarded event.
 */

import { composedParent, contentOf, isElement } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { clean } from "../graph/text.ts";

export interface Paint {
  kind: "paint" | "route";
  token: string;
  /** The nearest published element, or "". */
  node: string;
  text: string;
}

interface PaintEntry extends PerformanceEntry {
  largestContentfulPaint?: { element?: Element | null };
}

const KINDS = { "interaction-contentful-paint": "paint", "soft-navigation": "route" } as const;
/** Time stamps are coarse, and the same in both places. */
const SAME_MS = 0.2;
const KEEP = 64;

export class Paints {
  private guarded: { at: number; token: string }[] = [];

  constructor(
    private readonly page: Page,
    private readonly emit: (paint: Paint) => void,
  ) {}

  /** Remember a guarded event that passed, by its time stamp. */
  remember(token: string, at: number): void {
    this.guarded.push({ at, token });
    if (this.guarded.length > KEEP) this.guarded.shift();
  }

  watch(): () => void {
    const supported = PerformanceObserver.supportedEntryTypes;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) this.onEntry(entry as PaintEntry);
    });
    for (const type of Object.keys(KINDS)) if (supported.includes(type)) observer.observe({ type });
    return () => observer.disconnect();
  }

  private onEntry(entry: PaintEntry): void {
    const event = this.guarded.find(({ at }) => Math.abs(at - entry.startTime) < SAME_MS);
    const kind = KINDS[entry.entryType as keyof typeof KINDS];
    if (!event || !kind) return;
    const painted = entry.largestContentfulPaint?.element ?? null;
    const text = painted && isElement(painted) ? clean(contentOf(painted), 200) : "";
    this.emit({ kind, token: event.token, node: this.publishedAt(painted), text });
  }

  private publishedAt(from: Element | null): string {
    for (let el = from; el; el = composedParent(el)) {
      const entry = this.page.store.entries.get(el);
      if (entry) return entry.element.instanceId;
    }
    return "";
  }
}
