/**
 * Toasts and status texts: new text in a live region, or a newly inserted or revealed fixed or top-layer box with text
 * and no form control.
 *
 * They are read in the observer's microtask, so that a removal cannot lose them. Text that was there before, text
 * written by users and text of other documents never counts.
 */

import type { Changes } from "../delta/diff.ts";
import {
  animationsOf, attr, composedParent, contains, inEditable, isConnected, isElement, isHtml, localName, matches, nodeType,
  queryAll, styleOf,
} from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { ariaRole, looksLikeToast } from "../graph/roles.ts";
import { Visibility, visibilityOf, isTransparent } from "../graph/visibility.ts";
import type { Signal } from "../types.ts";
import { levelOf } from "./level.ts";
import { MAX_TEXT, wordsOf } from "./text_of.ts";

const LIVE_ROLES: ReadonlySet<string> = new Set(["alert", "status", "log"]);
const MAX_CANDIDATES = 200;
const MAX_ANSWERS = 2;

interface OpenToast {
  box: Element;
  text: string;
}

export class Toasts {
  private ready = false;
  /** The last text of each live region, so that rendering the same text again sends no signal. */
  private lastText = new WeakMap<Element, string>();
  private open: OpenToast[] = [];

  constructor(
    private readonly page: Page,
    private readonly emit: (signal: Signal) => void,
  ) {}

  reset(): void {
    this.ready = true;
    for (const { el, role } of this.page.store.published.values()) {
      if (role.role === "alert" || role.role === "status" || role.role === "toast") this.lastText.set(el, wordsOf(el));
    }
  }

  onMutations(records: MutationRecord[]): void {
    if (!this.ready) return;
    const regions = new Map<Element, string>();
    let left = MAX_CANDIDATES;
    for (const record of records) {
      if (left <= 0) break;
      if (record.type === "attributes") continue;
      if (record.type === "characterData") {
        const region = this.liveRegion(record.target);
        if (region) {
          left--;
          regions.set(region, wordsOf(region));
        }
        continue;
      }
      for (const node of record.addedNodes) {
        if (left-- <= 0) break;
        this.onInserted(node, record.target, regions);
      }
    }
    for (const [region, text] of regions) this.emitText(region, text);
    this.emitClosed();
  }

  private onInserted(node: Node, parent: Node, regions: Map<Element, string>): void {
    const type = nodeType(node);
    if (type !== 1 && type !== 3) return;
    const region = this.liveRegion(isElement(parent) ? parent : (composedParent(parent) ?? node)) ?? null;
    if (region) {
      // The region may already be empty again, so the inserted text is read from the node itself.
      const text = isConnected(node) ? wordsOf(region) : wordsOf(node);
      if (text) regions.set(region, text);
      return;
    }
    if (!isElement(node)) return;
    for (const inner of liveInside(node)) if (!this.isUserContent(inner)) regions.set(inner, wordsOf(inner));
    if (isConnected(node)) this.checkBox(node);
  }

  /** Return the nearest live region, unless it holds user content. */
  private liveRegion(from: Node): Element | null {
    for (let el = isElement(from) ? from : composedParent(from); el; el = composedParent(el)) {
      if (isLive(el)) return this.isUserContent(el) ? null : el;
    }
    return null;
  }

  private isUserContent(from: Element): boolean {
    for (let el: Element | null = from; el; el = composedParent(el)) {
      if (this.page.annotations.has(el, "user-content") || inEditable(el)) return true;
    }
    return false;
  }

  private emitText(region: Element, text: string): void {
    const before = this.lastText.get(region) ?? "";
    this.lastText.set(region, text);
    if (!text || text === before) return;
    const fresh = before && text.startsWith(before) ? text.slice(before.length).trim() || text : text;
    if (isConnected(region) && (visibilityOf(region) === Visibility.None)) return;
    const instanceId = this.page.store.entries.get(region)?.element.instanceId;
    const level = levelOf(region);
    this.emit({ kind: "toast.shown", text: fresh, ...(level && { level }), ...(instanceId && { instanceId }) });
    this.emit({ kind: "status.updated", text: fresh, ...(instanceId && { instanceId }) });
    this.open.push({ box: region, text });
    if (this.open.length > 50) this.open.shift();
  }

  /** Check for a fixed or top-layer box: the inserted element, one inside it, or one directly around it. */
  private checkBox(node: Element): void {
    const found = floatingBox(node);
    if (!found || this.lastText.has(found)) return;
    const text = wordsOf(found);
    if (!text || text.length > MAX_TEXT || this.isUserContent(found) || hasControls(found)) return;
    if (visibilityOf(found) !== Visibility.Full || staysTransparent(found)) return;
    const role = ariaRole(found);
    if (role === "dialog" || role === "alertdialog" || role === "navigation" || role === "banner" || role === "menu") return;
    if (localName(found) === "dialog" || localName(found) === "nav" || localName(found) === "header") return;
    if (queryAll(found, "dialog,[role=dialog],[role=alertdialog]").length > 0) return; // the box is the backdrop of a dialog
    this.lastText.set(found, text);
    const instanceId = this.page.store.entries.get(found)?.element.instanceId;
    const level = levelOf(found);
    this.emit({ kind: "toast.shown", text, ...(level && { level }), ...(instanceId && { instanceId }) });
    this.open.push({ box: found, text });
    if (this.open.length > 50) this.open.shift();
  }

  /** Check boxes that were hidden before, and live regions that became visible with text. */
  onRevealed(changes: Changes): void {
    if (!this.ready) return;
    let left = MAX_CANDIDATES;
    for (const entry of changes.added(this.page.store)) {
      if (left-- <= 0) break;
      if (isLive(entry.el) && !this.isUserContent(entry.el)) this.emitText(entry.el, wordsOf(entry.el));
      else if (entry.role.role === "popover" || looksLikeToast(entry.el)) this.checkBox(entry.el);
    }
    this.emitClosed();
  }

  private emitClosed(): void {
    this.open = this.open.filter(({ box }) => {
      if (isConnected(box) && visibilityOf(box) !== Visibility.None && wordsOf(box) !== "") return true;
      this.lastText.delete(box);
      const instanceId = this.page.identity.existingInstance(box);
      this.emit({ kind: "toast.hidden", ...(instanceId && { instanceId }) });
      return false;
    });
  }
}

function isLive(el: Element): boolean {
  const live = attr(el, "aria-live");
  if (live === "off") return false;
  if (live === "polite" || live === "assertive") return true;
  const role = ariaRole(el);
  if (role !== null) return LIVE_ROLES.has(role);
  return isHtml(el) && localName(el) === "output";
}

function liveInside(node: Element): Element[] {
  const found = [...queryAll(node, "[aria-live],[role],output")].filter(isLive);
  if (isLive(node)) found.unshift(node);
  return found.filter((el) => !found.some((other) => other !== el && contains(other, el)));
}

/** Return the box itself, the first floating one inside, or the one around it if it holds nothing else. */
function floatingBox(node: Element): Element | null {
  if (isFloating(node)) return node;
  const inside = Element.prototype.getElementsByTagName.call(node, "*");
  for (let index = 0; index < Math.min(inside.length, 20); index++) if (isFloating(inside[index]!)) return inside[index]!;
  for (let el = composedParent(node); el && localName(el) !== "body"; el = composedParent(el)) {
    if (isFloating(el)) return looksLikeToast(el) || wordsOf(el) === wordsOf(node) ? el : null;
  }
  return null;
}

function isFloating(el: Element): boolean {
  if (!isHtml(el)) return false;
  if (attr(el, "popover") !== null && matches(el, ":popover-open")) return true;
  return styleOf(el).position === "fixed";
}

/** Return whether a box is transparent without an animation. A toast that fades in starts transparent. */
function staysTransparent(el: Element): boolean {
  return isTransparent(el) && animationsOf(el).length === 0;
}

/** Return whether a box is there to work with, as a menu or a list of links is. A message offers two answers at most. */
function hasControls(el: Element): boolean {
  if (queryAll(el, "input:not([type=hidden]),select,textarea,[contenteditable]").length > 0) return true;
  return queryAll(el, "a[href],button,[role=button],[role=menuitem]").length > MAX_ANSWERS;
}
