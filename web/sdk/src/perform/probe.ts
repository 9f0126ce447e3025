/** The probe: fresh facts and geometry of given elements, all read in one task. Only this module asks for layout. */

import { areaBox } from "./areas.ts";
import {
  animationsOf, closest, closestMatch, composedContains, composedParent, dataOf, elementAt, flatChildren, inEditable, isConnected, isElement, isFocusableNow, isHtml,
  isText, localName, matches, nextSibling, ownerDocument, rectOf, rectsOf,
} from "../dom.ts";
import { INTERACTIVE } from "../graph/roles.ts";
import { isEnabled, valueOf } from "../graph/states.ts";
import { isMasked } from "../graph/sensitive.ts";
import { inClosedSelect, isConcealed } from "../graph/visibility.ts";
import { ownText } from "../graph/own_text.ts";
import { drawnEditor, hasEditContext } from "../graph/drawn_editor.ts";
import { drawnBox, isOwnSurface } from "./own_surface.ts";
import type { Entry } from "../graph/store.ts";
import type { ElementNode, Rect } from "../types.ts";
import type { Described, Facts } from "./facts.ts";

/** In quirks mode, `:hover` alone matches only links. */
const HOVER = ":not(_):hover";

export interface Probe {
  attached: boolean;
  visible: boolean;
  enabled: boolean;
  stable: boolean;
  inViewport: boolean;
  obscured: boolean;
  blocked: boolean;
  focused: boolean;
  hovered: boolean;
  /** False: neither the element nor a part of it can take the focus. Only said of fields. */
  focusable?: boolean;
  covering?: Described;
  bbox?: Rect;
  point?: { x: number; y: number };
  role?: string;
  name?: string;
  record?: string;
  state?: object;
  text?: string;
  value?: string;
}

const DETACHED: Probe = {
  attached: false, visible: false, enabled: false, stable: false, inViewport: false, obscured: false, blocked: false,
  focused: false, hovered: false,
};

type Point = { x: number; y: number };

/** Roles of elements that hold other elements; the middle of their box may belong to one of those. */
const CONTAINERS: ReadonlySet<string> = new Set(["listitem", "row", "cell", "treeitem", "article", "group", "section"]);
/** Roles of elements that take a text or a value. */
const FIELDS: ReadonlySet<string> = new Set([
  "textbox", "textarea", "searchbox", "combobox", "spinbutton", "slider", "datepicker", "timepicker",
]);
const MAX_TEXTS = 5;
const MAX_WRAPPERS = 3;

/** Yield the text nodes inside an element, in order, without those of elements to skip. */
function* textsOf(el: Element, skip: (inner: Element) => boolean): Generator<Node> {
  for (const node of flatNodes(el)) {
    if (isText(node)) {
      if (dataOf(node).trim() !== "") yield node;
    } else if (isElement(node) && !skip(node)) yield* textsOf(node, skip);
  }
}

function flatNodes(el: Element): Node[] {
  const children = flatChildren(el);
  return children === null ? [] : Array.isArray(children) ? children : siblingsFrom(children);
}

function siblingsFrom(first: Node): Node[] {
  const found: Node[] = [];
  for (let node: Node | null = first; node; node = nextSibling(node)) found.push(node);
  return found;
}

export class Prober {
  private readonly lastBox = new WeakMap<Element, Rect>();

  constructor(private readonly facts: Facts) {}

  probe(instanceId: string, full: boolean): Probe {
    const el = this.facts.element(instanceId);
    if (!el || !isConnected(el)) return DETACHED;
    const entry = this.facts.fresh(el);
    // An option of a closed list has no box. A person reaches it through its list.
    const shown = inClosedSelect(el) ? (closestMatch(el, "select") ?? el) : (drawnBox(el) ?? (hasEditContext(el) ? drawnEditor(el) : null) ?? el);
    const box = boxOf(shown);
    const before = this.lastBox.get(el);
    this.lastBox.set(el, box);
    const probe: Probe = {
      attached: true,
      visible: entry !== null && box.width > 0 && box.height > 0,
      enabled: isEnabled(el),
      stable: (before === undefined || isSameRect(before, box)) && !isMoving(shown),
      inViewport: box.x < innerWidth && box.y < innerHeight && box.x + box.width > 0 && box.y + box.height > 0,
      obscured: false,
      blocked: this.facts.isBlocked(el),
      focused: entry?.element.state.focused === true,
      hovered: matches(el, HOVER),
      bbox: box,
    };
    if (entry) {
      probe.role = entry.element.role;
      if (entry.element.name) probe.name = entry.element.name;
      const record = entry.element.metadata?.["record"];
      if (typeof record === "string") probe.record = record;
      probe.state = entry.element.state;
    }
    if (probe.role !== undefined && FIELDS.has(probe.role)) probe.focusable = canTakeFocus(el);
    if (probe.inViewport) this.findPoint(shown, probe, el);
    if (full) this.readContent(el, probe);
    return probe;
  }

  private findPoint(el: Element, probe: Probe, control: Element): void {
    const doc = ownerDocument(el);
    let first: Element | null = null;
    for (const point of this.pointsOf(el, probe.role)) {
      const found = elementAt(doc, point.x, point.y);
      if (found && (reaches(el, found) || isOwnSurface(control, found))) {
        probe.point ??= point;
        if (el === control && this.isInnerControl(el, found)) continue; // a press would reach the link or button inside
        probe.point = point;
        return;
      }
      first ??= found;
    }
    if (probe.point) return;
    if (isDrawnByOther(el, first)) return;
    probe.obscured = true;
    if (first) probe.covering = this.facts.describe(first);
  }

  /** Return the points to try. A row or an item is pressed on its text, as a person does. */
  private *pointsOf(el: Element, role: string | undefined): Generator<Point> {
    if (role !== undefined && CONTAINERS.has(role)) yield* this.textPoints(el);
    yield* points(el);
  }

  private *textPoints(el: Element): Generator<Point> {
    let left = MAX_TEXTS;
    for (const text of textsOf(el, (inner) => this.isControl(inner))) {
      const range = ownerDocument(el).createRange();
      range.selectNodeContents(text);
      for (const rect of range.getClientRects()) {
        const point = { x: round(rect.x + rect.width / 2), y: round(rect.y + rect.height / 2) };
        if (rect.width > 0 && point.x < innerWidth && point.y < innerHeight && point.x > 0 && point.y > 0) yield point;
      }
      if (--left === 0) return;
    }
  }

  private isControl(el: Element): boolean {
    const role = this.facts.page.store.entries.get(el)?.element.role;
    return role !== undefined && INTERACTIVE.has(role);
  }

  /** Return whether the hit node lies in another control inside the element. */
  private isInnerControl(el: Element, hit: Element): boolean {
    if (!composedContains(el, hit)) return false;
    for (let node: Element | null = hit; node && node !== el; node = composedParent(node)) if (this.isControl(node)) return true;
    return false;
  }

  /** Add value and text without the caps of the graph; a masked field has neither. */
  private readContent(el: Element, probe: Probe): void {
    if (isMasked(el)) return;
    const value = valueOf(el);
    if (value !== null) probe.value = value;
    probe.text = ownText(el, this.facts.page.store);
  }
}

/** Return whether the element or a part of it can take the focus. A custom element may hide the part that does. */
function canTakeFocus(el: Element): boolean {
  if (!isHtml(el) || localName(el).includes("-") || inEditable(el) || isFocusableNow(el)) return true;
  for (const node of flatNodes(el)) if (isElement(node) && canTakeFocus(node)) return true;
  return false;
}

/** Return whether a click on `hit` is a click on `el`: inside it, or on its label. */
function reaches(el: Element, hit: Element): boolean {
  if (composedContains(el, hit) || isOwnSurface(el, hit)) return true;
  const label = closest(hit, (node) => isHtml(node) && localName(node) === "label");
  return label !== null && (label as HTMLLabelElement).control === el;
}

/**
 * Return whether an element is clipped, by itself or by a wrapper, and an element around it draws it in its place. A
 * pointer cannot reach it, but no other element covers it.
 */
function isDrawnByOther(el: Element, hit: Element | null): boolean {
  let around: Element | null = null;
  for (let node: Element | null = el, level = 0; node && level < MAX_WRAPPERS; node = composedParent(node), level++) {
    if (isConcealed(node)) around = composedParent(node);
  }
  return around !== null && hit !== null && (composedContains(around, hit) || composedContains(hit, around));
}

/** Return an element with its box; without one if it is no longer published. */
export function withBox(element: ElementNode, entry: Entry | undefined): ElementNode {
  return entry ? { ...element, bbox: boxOf(entry.el) } : element;
}

function boxOf(el: Element): Rect {
  const rect = areaBox(el) ?? rectOf(el);
  return { x: round(rect.x), y: round(rect.y), width: round(rect.width), height: round(rect.height) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function isSameRect(a: Rect, b: Rect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/**
 * Yield the centre of each visible line box, then points nearer its edges: a partly covered control can still be hit.
 */
function* points(el: Element): Generator<Point> {
  const clip = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const area = areaBox(el);
  for (const rect of area ? [area] : rectsOf(el)) {
    const left = Math.max(rect.left, clip.left);
    const top = Math.max(rect.top, clip.top);
    const right = Math.min(rect.right, clip.right);
    const bottom = Math.min(rect.bottom, clip.bottom);
    if (right - left <= 0 || bottom - top <= 0) continue;
    for (const [fx, fy] of [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.1, 0.1], [0.9, 0.9]] as const) {
      yield { x: round(left + (right - left) * fx), y: round(top + (bottom - top) * fy) };
    }
  }
}

const MOVING_PROPERTIES = /^(transform|translate|rotate|scale|left|top|right|bottom|width|height|margin.*|inset.*|offset.*)$/;

function isMoving(el: Element): boolean {
  for (let node: Element | null = el; node; node = composedParent(node)) {
    for (const animation of animationsOf(node)) {
      if (animation.playState !== "running") continue;
      const effect = animation.effect;
      if (!(effect instanceof KeyframeEffect)) return true;
      for (const frame of effect.getKeyframes()) for (const key of Object.keys(frame)) if (MOVING_PROPERTIES.test(key)) return true;
    }
  }
  return false;
}
