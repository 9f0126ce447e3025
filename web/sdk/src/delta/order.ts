/** Document order among published siblings, computed only for elements that a delta adds or moves. */

import {
  assignedNodes, firstChild, flatParent, hostOf, isElement, isShadowRoot, lastChild, localName, nextSibling, parentOf,
  precedes, previousSibling, shadowOf,
} from "../dom.ts";
import type { Items } from "../graph/items.ts";
import type { Page } from "../graph/page.ts";
import type { Entry, Store } from "../graph/store.ts";

/** Return the published sibling directly before `entry`, or null when it is the first under its parent. */
export function siblingBefore(entry: Entry, store: Store): string | null {
  const parentId = entry.element.parentInstanceId;
  for (let el: Element | null = entry.el; el; el = flatParent(el)) {
    if (el !== entry.el && store.entries.get(el)?.element.instanceId === parentId) return null;
    for (const sibling of siblingsBefore(el)) {
      const last = lastChildOf(sibling, parentId, store);
      if (last) return last;
    }
  }
  return null;
}

/** Return the last published child of `parent` in document order. */
export function lastPublishedChild(parent: Entry, store: Store): string | null {
  for (const child of childrenBackwards(parent.el)) {
    const last = lastChildOf(child, parent.element.instanceId, store);
    if (last) return last;
  }
  return null;
}

/** Return the last element in this subtree whose published parent is `parentId`. Published elements are not entered. */
function lastChildOf(root: Element, parentId: string | undefined, store: Store): string | null {
  const stack: Element[] = [root];
  for (let el = stack.pop(); el; el = stack.pop()) {
    const entry = store.entries.get(el);
    if (entry) {
      if (entry.element.parentInstanceId === parentId) return entry.element.instanceId;
      continue;
    }
    if (!store.appearance.get(el)) continue;
    const children = [...childrenBackwards(el)];
    for (let index = children.length - 1; index >= 0; index--) stack.push(children[index]!);
  }
  return null;
}

/** The browser compares siblings by walking from one to the other. Beyond this number, one walk for all is cheaper. */
const MAX_COMPARED = 8;

/** Return the elements in document order; a shadow tree comes before the light children of its host. */
export function inOrder(roots: Element[]): Element[] {
  if (roots.length <= MAX_COMPARED) return roots.sort((a, b) => (a === b ? 0 : precedes(a, b) ? -1 : 1));
  const below = childrenLeadingTo(roots);
  const wanted = new Set<Node>(roots);
  const found: Element[] = [];
  const stack: Node[] = [...below.get(null)!];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (wanted.has(node)) found.push(node as Element);
    const children = below.get(node);
    if (children) stack.push(...ordered(node, children).reverse());
  }
  return found;
}

/** Return, by parent, the children that are in `roots` or lead to one of them. */
function childrenLeadingTo(roots: Element[]): Map<Node | null, Set<Node>> {
  const below = new Map<Node | null, Set<Node>>();
  for (let node of roots as Node[]) {
    for (;;) {
      const parent: Node | null = isShadowRoot(node) ? hostOf(node) : parentOf(node);
      const children = below.get(parent);
      if (children) children.add(node);
      else below.set(parent, new Set([node]));
      if (children || parent === null) break;
      node = parent;
    }
  }
  return below;
}

function ordered(parent: Node, some: Set<Node>): Node[] {
  if (some.size === 1) return [...some];
  const found: Node[] = [...some].filter((node) => isShadowRoot(node));
  for (let node = firstChild(parent); node && found.length < some.size; node = nextSibling(node)) if (some.has(node)) found.push(node);
  return found;
}

const MAX_STEPS = 200;

/**
 * Return the item directly before `item`, null for the first position, or undefined when it is too far away to search.
 */
export function itemBefore(item: Element, owner: Entry, items: Items, store: Store): Element | null | undefined {
  let left = MAX_STEPS;
  for (let el: Element | null = item; el && el !== owner.el; el = flatParent(el)) {
    for (const sibling of siblingsBefore(el)) {
      const stack: Element[] = [sibling];
      for (let one = stack.pop(); one; one = stack.pop()) {
        if (items.has(one)) return one;
        if (--left < 0) return undefined;
        if (store.appearance.get(one)) stack.push(...[...childrenBackwards(one)].slice(0, MAX_STEPS).reverse());
      }
    }
  }
  return null;
}

/** Yield the flat-tree siblings before `el`, nearest first. */
function* siblingsBefore(el: Element): Generator<Element> {
  const parent = flatParent(el);
  if (parent && localName(parent) === "slot" && parentOf(el) !== parent) {
    const assigned = assignedNodes(parent as HTMLSlotElement);
    for (let index = assigned.indexOf(el) - 1; index >= 0; index--) {
      const node = assigned[index]!;
      if (isElement(node)) yield node;
    }
    return;
  }
  for (let node = previousSibling(el); node; node = previousSibling(node)) if (isElement(node)) yield node;
}

/** Yield the flat-tree children, last first. */
function* childrenBackwards(el: Element): Generator<Element> {
  const shadow = shadowOf(el);
  if (!shadow && localName(el) === "slot" && el instanceof HTMLSlotElement) {
    const assigned = assignedNodes(el);
    if (assigned.length > 0) {
      for (let index = assigned.length - 1; index >= 0; index--) if (isElement(assigned[index]!)) yield assigned[index] as Element;
      return;
    }
  }
  const root = shadow ?? el;
  if (!firstChild(root)) return;
  for (let node = lastChild(root); node; node = previousSibling(node)) if (isElement(node)) yield node;
}

/**
 * Return the sibling before an added element. `lasts` caches the last child of each parent, because thousands of
 * unpublished nodes may follow it.
 */
export function addedAfter(entry: Entry, page: Page, lasts: Map<string, string | null>): string | null | undefined {
  const parentId = entry.element.parentInstanceId;
  const parent = parentId === undefined ? undefined : page.find(parentId);
  if (!parent || parentId === undefined) return undefined;
  let last = lasts.get(parentId);
  if (last === undefined) lasts.set(parentId, (last = lastPublishedChild(parent, page.store)));
  if (last === entry.element.instanceId) return undefined;
  return siblingBefore(entry, page.store);
}
