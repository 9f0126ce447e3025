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

/** A sign that only closes the message. */
const CLOSE_SIGN = /^[×✕⨯\s]+|[×✕⨯\s]+$/g;
const MAX_WAITING = 20;
const MAX_OPEN = 50;

interface OpenToast {
  box: Element;
  /** The part of a stack that the last message is in, else the box itself. */
  part: Element;
  text: string;
  level: string | undefined;
}

export class Toasts {
  private ready = false;
  /** The last text of each live region, so that rendering the same text again sends no signal. */
  private lastText = new WeakMap<Element, string>();
  private open: OpenToast[] = [];
  /** Boxes that were inserted without words: an application may fill them later. */
  private waiting = new Set<Element>();

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
      if (record.type === "attributes") {
        if (record.attributeName === "class") this.onRestyled(record.target);
        continue;
      }
      if (record.type === "characterData") {
        const region = this.liveRegion(record.target);
        if (region) {
          left--;
          regions.set(region, wordsOf(region));
        } else this.onText(record.target);
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
    if (!isElement(node)) return this.onText(node);
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
    if (!withoutCloseSign(text) || text === before) return;
    const fresh = before && text.startsWith(before) ? text.slice(before.length).trim() || text : text;
    if (isConnected(region) && (visibilityOf(region) === Visibility.None)) return;
    const instanceId = this.page.store.entries.get(region)?.element.instanceId;
    this.emitShown(region, fresh, region);
    this.emit({ kind: "status.updated", text: fresh, ...(instanceId && { instanceId }) });
  }

  /** Check for a fixed or top-layer box: the inserted element, one inside it, or one directly around it. */
  private checkBox(node: Element): void {
    const found = floatingBox(node) ?? this.knownBox(node);
    if (!found) return;
    if (this.lastText.has(found)) return found === node ? undefined : this.checkPart(found, node);
    const text = withoutCloseSign(wordsOf(found));
    if (text.length > MAX_TEXT || !this.isMessageBox(found)) return;
    if (!text) {
      if (this.waiting.size < MAX_WAITING) this.waiting.add(found);
      return;
    }
    if (visibilityOf(found) !== Visibility.Full || staysTransparent(found)) return;
    this.waiting.delete(found);
    this.emitBox(found, text);
  }

  private isMessageBox(el: Element): boolean {
    if (this.isUserContent(el) || hasControls(el)) return false;
    const role = ariaRole(el);
    if (role === "dialog" || role === "alertdialog" || role === "navigation" || role === "banner" || role === "menu") return false;
    if (localName(el) === "dialog" || localName(el) === "nav" || localName(el) === "header") return false;
    return queryAll(el, "dialog,[role=dialog],[role=alertdialog]").length === 0; // else it is the backdrop of a dialog
  }

  private emitBox(box: Element, text: string, part = box): void {
    this.lastText.set(box, wordsOf(box));
    this.emitShown(box, text, part);
  }

  private emitShown(box: Element, text: string, part: Element): void {
    const instanceId = this.page.store.entries.get(part)?.element.instanceId;
    const level = levelOf(part);
    this.emit({ kind: "toast.shown", text, ...(level && { level }), ...(instanceId && { instanceId }) });
    this.open = this.open.filter((one) => one.box !== box).slice(1 - MAX_OPEN);
    this.open.push({ box, part, text, level });
  }

  /** Send an open message again if it got its level by a class that came after its words. */
  private onRestyled(el: Node): void {
    if (!isElement(el)) return;
    const shown = this.open.find(({ box, part }) => contains(part, el) || (contains(box, el) && contains(el, part)));
    const level = shown && levelOf(shown.part);
    if (!shown || !level || level === shown.level || !isConnected(shown.part)) return;
    this.emitShown(shown.box, shown.text, shown.part);
  }

  /** Check a text that was written into a box: an empty box gets its words, or an open message gets other words. */
  private onText(node: Node): void {
    if (this.waiting.size === 0 && this.open.length === 0) return;
    const el = composedParent(node);
    const box = el && this.knownBox(el);
    if (!el || !box) return;
    if (this.lastText.has(box)) this.checkPart(box, el);
    else this.checkBox(box);
  }

  private knownBox(el: Element): Element | null {
    for (const box of this.waiting) {
      if (!isConnected(box)) this.waiting.delete(box);
      else if (contains(box, el)) return box;
    }
    return this.open.find(({ box }) => contains(box, el) && !isLive(box))?.box ?? null;
  }

  /** Send the new words of an open box: one more message of a stack, or other words of the same message. */
  private checkPart(box: Element, node: Element): void {
    const before = this.lastText.get(box) ?? "";
    if (withoutNumbers(wordsOf(box)) === withoutNumbers(before)) return;
    const part = messageAround(node, box);
    const text = withoutCloseSign(wordsOf(part));
    if (!text || text.length > MAX_TEXT || before.includes(text) || !this.isMessageBox(part)) return;
    if (visibilityOf(part) !== Visibility.None) this.emitBox(box, text, part);
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

function withoutCloseSign(text: string): string {
  return text.replace(CLOSE_SIGN, "");
}

/** Return the words of a text: a countdown is the same message. */
function withoutNumbers(text: string): string {
  return text.replace(/[\d\s]+/g, "");
}

/** Return the outermost element in a box that has only the words of `node`. It has the level of the message. */
function messageAround(node: Element, box: Element): Element {
  const words = withoutCloseSign(wordsOf(node));
  let part = node;
  for (let el = composedParent(node); el && el !== box && withoutCloseSign(wordsOf(el)) === words; el = composedParent(el)) part = el;
  return part;
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
