/**
 * Toasts and status texts (HOUSE 4): new text in a live region, or a newly inserted or revealed fixed or top-layer box
 * with text and no form control. Read in the observer's microtask, so that removal cannot lose them; what stood there
 * before, what users wrote and what other documents say never counts.
 */

import type { Changes } from "../delta/diff.ts";
import {
  animationsOf, attr, composedParent, contains, dataOf, inEditable, isConnected, isElement, isHtml, isText,
  lastChild, localName, matches, nodeType, previousSibling, queryAll, styleOf,
} from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { ariaRole, classes, looksLikeToast } from "../graph/roles.ts";
import { clean } from "../graph/text.ts";
import { Shown, shown, transparent } from "../graph/visibility.ts";
import type { Signal } from "../types.ts";

const LIVE_ROLES: ReadonlySet<string> = new Set(["alert", "status", "log"]);
const SILENT: ReadonlySet<string> = new Set(["script", "style", "noscript", "template"]);
const MAX_CANDIDATES = 200;
const MAX_TEXT = 1_000;

interface Shownbox {
  box: Element;
  text: string;
}

export class Toasts {
  private ready = false;
  /** Last text of each live region, so that a re-render of the same words is no news. */
  private said = new WeakMap<Element, string>();
  private open: Shownbox[] = [];

  constructor(
    private readonly page: Page,
    private readonly emit: (signal: Signal) => void,
  ) {}

  settle(): void {
    this.ready = true;
    for (const { el, role } of this.page.store.published.values()) {
      if (role.role === "alert" || role.role === "status" || role.role === "toast") this.said.set(el, textOf(el));
    }
  }

  mutations(records: MutationRecord[]): void {
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
          regions.set(region, textOf(region));
        }
        continue;
      }
      for (const node of record.addedNodes) {
        if (left-- <= 0) break;
        this.inserted(node, record.target, regions);
      }
    }
    for (const [region, text] of regions) this.speak(region, text);
    this.closed();
  }

  private inserted(node: Node, parent: Node, regions: Map<Element, string>): void {
    const type = nodeType(node);
    if (type !== 1 && type !== 3) return;
    const region = this.liveRegion(isElement(parent) ? parent : (composedParent(parent) ?? node)) ?? null;
    if (region) {
      // The text may already be gone from the region: what was inserted is read from the node itself.
      const text = isConnected(node) ? textOf(region) : textOf(node);
      if (text) regions.set(region, text);
      return;
    }
    if (!isElement(node)) return;
    for (const inner of liveInside(node)) if (!this.userContent(inner)) regions.set(inner, textOf(inner));
    if (isConnected(node)) this.box(node);
  }

  /** The nearest live region, unless users write there. */
  private liveRegion(from: Node): Element | null {
    for (let el = isElement(from) ? from : composedParent(from); el; el = composedParent(el)) {
      if (isLive(el)) return this.userContent(el) ? null : el;
    }
    return null;
  }

  private userContent(from: Element): boolean {
    for (let el: Element | null = from; el; el = composedParent(el)) {
      if (this.page.annotations.has(el, "user-content") || inEditable(el)) return true;
    }
    return false;
  }

  private speak(region: Element, text: string): void {
    const before = this.said.get(region) ?? "";
    this.said.set(region, text);
    if (!text || text === before) return;
    const fresh = before && text.startsWith(before) ? text.slice(before.length).trim() || text : text;
    if (isConnected(region) && (shown(region) === Shown.None)) return;
    const instanceId = this.page.store.entries.get(region)?.element.instanceId;
    const level = levelOf(region);
    this.emit({ kind: "toast.shown", text: fresh, ...(level && { level }), ...(instanceId && { instanceId }) });
    this.emit({ kind: "status.updated", text: fresh, ...(instanceId && { instanceId }) });
    this.open.push({ box: region, text });
    if (this.open.length > 50) this.open.shift();
  }

  /** A fixed or top-layer box, itself or directly around what was inserted. */
  private box(node: Element): void {
    const found = floating(node);
    if (!found || this.said.has(found)) return;
    const text = textOf(found);
    if (!text || text.length > MAX_TEXT || this.userContent(found) || hasControls(found)) return;
    if (shown(found) !== Shown.Full || transparentNow(found)) return;
    const role = ariaRole(found);
    if (role === "dialog" || role === "alertdialog" || role === "navigation" || role === "banner" || role === "menu") return;
    if (localName(found) === "dialog" || localName(found) === "nav" || localName(found) === "header") return;
    this.said.set(found, text);
    const instanceId = this.page.store.entries.get(found)?.element.instanceId;
    const level = levelOf(found);
    this.emit({ kind: "toast.shown", text, ...(level && { level }), ...(instanceId && { instanceId }) });
    this.open.push({ box: found, text });
    if (this.open.length > 50) this.open.shift();
  }

  /** Boxes that were in the page but hidden, and live regions that became visible with text. */
  revealed(changes: Changes): void {
    if (!this.ready) return;
    let left = MAX_CANDIDATES;
    for (const entry of changes.came(this.page.store)) {
      if (left-- <= 0) break;
      if (isLive(entry.el) && !this.userContent(entry.el)) this.speak(entry.el, textOf(entry.el));
      else if (entry.role.role === "popover" || looksLikeToast(entry.el)) this.box(entry.el);
    }
    this.closed();
  }

  private closed(): void {
    this.open = this.open.filter(({ box }) => {
      if (isConnected(box) && shown(box) !== Shown.None && textOf(box) !== "") return true;
      this.said.delete(box);
      const instanceId = this.page.identity.known(box);
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

/** The box itself, the first floating one inside, or the one around it if it holds nothing else. */
function floating(node: Element): Element | null {
  if (floats(node)) return node;
  const inside = Element.prototype.getElementsByTagName.call(node, "*");
  for (let index = 0; index < Math.min(inside.length, 20); index++) if (floats(inside[index]!)) return inside[index]!;
  for (let el = composedParent(node); el && localName(el) !== "body"; el = composedParent(el)) {
    if (floats(el)) return looksLikeToast(el) || textOf(el) === textOf(node) ? el : null;
  }
  return null;
}

function floats(el: Element): boolean {
  if (!isHtml(el)) return false;
  if (attr(el, "popover") !== null && matches(el, ":popover-open")) return true;
  return styleOf(el).position === "fixed";
}

/** A toast that fades in starts transparent; a box that stays so is no message. */
function transparentNow(el: Element): boolean {
  return transparent(el) && animationsOf(el).length === 0;
}

function hasControls(el: Element): boolean {
  return queryAll(el, "input:not([type=hidden]),select,textarea,[contenteditable]").length > 0;
}

function levelOf(el: Element): string | undefined {
  let words = classes(el);
  for (const inner of queryAll(el, "[class]")) {
    words += ` ${classes(inner)}`;
    if (words.length > 500) break;
  }
  if (/error|danger|fail|destructive/i.test(words)) return "error";
  if (/success/i.test(words)) return "success";
  if (/warn/i.test(words)) return "warning";
  if (/info/i.test(words)) return "info";
  return undefined;
}

/** Text of a node, attached or not; hidden parts are left out only where they can be asked. */
function textOf(root: Node): string {
  if (isText(root)) return clean(dataOf(root), MAX_TEXT);
  let text = "";
  const stack: Node[] = [root];
  for (let node = stack.pop(); node && text.length < MAX_TEXT * 4; node = stack.pop()) {
    if (isText(node)) text += dataOf(node);
    else if (isElement(node) || node === root) {
      if (isElement(node) && node !== root && (SILENT.has(localName(node)) || attr(node, "aria-hidden") === "true" || attr(node, "hidden") !== null)) continue;
      if (isElement(node) && node !== root && isHtml(node) && /^(div|p|li|button|h\d|br|section)$/.test(localName(node))) text += " ";
      for (let child = lastChild(node); child; child = previousSibling(child)) stack.push(child);
    }
  }
  return clean(text, MAX_TEXT);
}
