/**
 * Finds elements that look different without a mutation of their own: a rule, a state or the window changed them.
 *
 * All elements are compared with the stored appearance, a few milliseconds at a time; only those that the style sheets
 * can change, where the sheets narrow it.
 */

import { elementsOf, rootElement, shadowOf } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { styledText } from "../graph/styled_text.ts";
import { appearanceOf } from "../graph/visibility.ts";
import type { DirtySet } from "./dirty.ts";
import { DynamicStyles } from "./dynamic_styles.ts";
import type { Observer } from "./observer.ts";
import { Sheets } from "./sheets.ts";

const SLICE_MS = 4;
const MAX_SELECTORS = 200;

export class AppearanceSweep {
  readonly styles: DynamicStyles;
  private readonly sheets: Sheets;
  private running: Iterator<Element> | null = null;
  private wanted = false;
  /** Style sheets or the window changed: any element may look different. */
  private restyled = false;

  /** `dirty` gives the set that takes what is found: no cause is known for it. */
  constructor(
    private readonly page: Page,
    private readonly observer: Observer,
    private readonly dirty: () => DirtySet,
  ) {
    this.styles = new DynamicStyles(page.doc);
    this.sheets = new Sheets(page.doc);
  }

  /** Forget the comparison under way: the whole page is read. */
  cancel(): void {
    this.running = null;
    this.wanted = false;
  }

  /** Take the style sheets as they are now: the whole page was read with them. */
  rebase(): void {
    this.sheets.changed();
    this.styles.invalidate();
  }

  /** Compare soon: something in the page changed. */
  want(): void {
    this.wanted = true;
  }

  /** Compare every element next time: the window changed. */
  onWindow(): void {
    this.restyled = true;
  }

  /** Compare every element next time: a node of a style sheet changed. */
  onStyleNode(): void {
    this.styles.invalidate();
    this.restyled = true;
  }

  /** Look for changed style sheets, then compare a slice. */
  pulse(): void {
    this.checkSheets();
    this.slice(SLICE_MS);
  }

  /** Compare all that may look different; at a glance, only what can change without a mutation. */
  compare(glance: boolean): void {
    this.checkSheets();
    if (glance && !this.restyled) this.compareFew();
    else this.compareAll();
  }

  private checkSheets(): void {
    if (!this.sheets.changed()) return;
    if (styledText.refresh(this.page.doc)) this.dirty().all = true;
    this.onStyleNode();
    this.wanted = true;
  }

  /** Compare the appearance of elements with the stored one, a few milliseconds at a time. */
  private slice(budget: number): void {
    if (!this.running) {
      const root = rootElement(this.page.doc);
      if (!this.wanted || !root) return;
      this.wanted = false;
      this.running = elementsOf(root);
    }
    const end = performance.now() + budget;
    for (;;) {
      const next = this.running.next();
      if (next.done) {
        this.running = null;
        return;
      }
      this.compareOne(next.value);
      if (performance.now() > end) return;
    }
  }

  /** Compare every element whose appearance may have changed; all of them if the style sheets do not narrow it. */
  private compareAll(): void {
    const candidates = this.restyled || this.observer.shadowCount > 0 ? null : this.styles.elements();
    this.wanted = true;
    if (candidates) {
      for (const el of candidates) this.compareOne(el);
      return;
    }
    this.restyled = false;
    this.running = null;
    this.slice(Infinity);
  }

  /** Compare the few elements that can change without a mutation, or a slice of all elements. */
  private compareFew(): void {
    const candidates = this.observer.shadowCount > 0 ? null : this.styles.elements(MAX_SELECTORS);
    if (!candidates) this.slice(SLICE_MS);
    else for (const el of candidates) this.compareOne(el);
  }

  private compareOne(el: Element): void {
    const shadow = shadowOf(el);
    if (shadow && this.observer.observe(shadow)) this.dirty().trees.add(el);
    const before = this.page.store.appearance.get(el);
    if (before !== undefined && before !== appearanceOf(el)) this.dirty().restyled.add(el);
  }
}
