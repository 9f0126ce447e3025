/**
 * Saved DOM accessors. Every read that page content could shadow goes through this module.
 *
 * A form's named children and a document's named elements override built-in members (`<input name=parentNode>`). Reads
 * therefore use the getters of the prototypes, saved when the script loads. This module knows nothing of roles, names
 * or publishing.
 */

type Getter<T> = (this: unknown) => T;

function getter<T>(proto: object, name: string): Getter<T> {
  let owner: object | null = proto;
  while (owner) {
    const found = Object.getOwnPropertyDescriptor(owner, name);
    if (found?.get) return found.get as Getter<T>;
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return () => undefined as T;
}

const N = Node.prototype;
const E = Element.prototype;
const D = Document.prototype;

const gParent = getter<Node | null>(N, "parentNode");
const gFirst = getter<Node | null>(N, "firstChild");
const gLast = getter<Node | null>(N, "lastChild");
const gNext = getter<Node | null>(N, "nextSibling");
const gPrev = getter<Node | null>(N, "previousSibling");
const gType = getter<number>(N, "nodeType");
const gConnected = getter<boolean>(N, "isConnected");
const gOwner = getter<Document>(N, "ownerDocument");
const gLocal = getter<string>(E, "localName");
const gNamespace = getter<string | null>(E, "namespaceURI");
const gShadow = getter<ShadowRoot | null>(E, "shadowRoot");
const gSlot = getter<HTMLSlotElement | null>(E, "assignedSlot");
const gHost = getter<Element>(ShadowRoot.prototype, "host");
const gData = getter<string>(CharacterData.prototype, "data");
const gBody = getter<HTMLElement | null>(D, "body");
const gActive = getter<Element | null>(D, "activeElement");
const gShadowActive = getter<Element | null>(ShadowRoot.prototype, "activeElement");
const gDocElement = getter<Element | null>(D, "documentElement");
const gTitle = getter<string>(D, "title");
const gReady = getter<string>(D, "readyState");

const gText = getter<string | null>(N, "textContent");
const gParentElement = getter<Element | null>(N, "parentElement");
const gFirstElement = getter<Element | null>(E, "firstElementChild");
const gShadowElement = getter<Element | null>(DocumentFragment.prototype, "firstElementChild");
const gNextElement = getter<Element | null>(E, "nextElementSibling");
const gPreviousElement = getter<Element | null>(E, "previousElementSibling");
const gEditable = getter<boolean>(HTMLElement.prototype, "isContentEditable");
const gSheets = getter<StyleSheetList>(D, "styleSheets");
const gAdopted = getter<CSSStyleSheet[]>(D, "adoptedStyleSheets");

const mGetAttribute = E.getAttribute;
const mHasAttribute = E.hasAttribute;
const mMatches = E.matches;
const mRect = E.getBoundingClientRect;
const mRects = E.getClientRects;
const mCheckVisibility = E.checkVisibility;
const mContains = N.contains;
const mRoot = N.getRootNode;
const mCompare = N.compareDocumentPosition;
const mDocById = D.getElementById;
const mFragById = DocumentFragment.prototype.getElementById;
const mAssigned = HTMLSlotElement.prototype.assignedNodes;
const mDocFromPoint = D.elementFromPoint;
const mShadowFromPoint = ShadowRoot.prototype.elementFromPoint;
const mQueryAll = E.querySelectorAll;
const mHasAttributes = E.hasAttributes;
const mAttributeNames = E.getAttributeNames;
const mClosest = E.closest;
const mAnimations = E.getAnimations;
const mRunning = D.getAnimations;
const mStyleMap = E.computedStyleMap;
const mListen = EventTarget.prototype.addEventListener;
const listenersAbort = new AbortController();
const mClick = HTMLElement.prototype.click;
const mFocus = HTMLElement.prototype.focus;
const mSvgFocus = SVGElement.prototype.focus;
const mComputed = globalThis.getComputedStyle;

export const HTML = "http://www.w3.org/1999/xhtml";
export const SVG = "http://www.w3.org/2000/svg";

// One reading asks about twenty times in a row for the local name of the same element. The name never changes, so the
// last one is cached.
let cached: Element | null = null;
let cachedName = "";
let cachedIsHtml = false;

function cache(el: Element): void {
  cached = el;
  cachedName = gLocal.call(el);
  cachedIsHtml = gNamespace.call(el) === HTML;
}

export const parentOf = (node: Node): Node | null => gParent.call(node);
export const firstChild = (node: Node): Node | null => gFirst.call(node);
export const lastChild = (node: Node): Node | null => gLast.call(node);
export const nextSibling = (node: Node): Node | null => gNext.call(node);
export const previousSibling = (node: Node): Node | null => gPrev.call(node);
export const nodeType = (node: Node): number => gType.call(node);
export const isConnected = (node: Node): boolean => gConnected.call(node);
export const ownerDocument = (node: Node): Document => gOwner.call(node);
export const localName = (el: Element): string => {
  if (el !== cached) cache(el);
  return cachedName;
};
export const namespace = (el: Element): string | null => gNamespace.call(el);
export const shadowOf = (el: Element): ShadowRoot | null => gShadow.call(el);
export const hostOf = (root: ShadowRoot): Element => gHost.call(root);
export const slotOf = (node: Node): HTMLSlotElement | null => {
  const type = nodeType(node);
  return type === 1 ? gSlot.call(node) : type === 3 ? (node as Text).assignedSlot : null;
};
export const dataOf = (node: Node): string => gData.call(node);
export const bodyOf = (doc: Document): HTMLElement | null => gBody.call(doc);
export const rootElement = (doc: Document): Element | null => gDocElement.call(doc);
export const titleOf = (doc: Document): string => gTitle.call(doc);
export const readyState = (doc: Document): string => gReady.call(doc);
export const isParsing = (doc: Document): boolean => readyState(doc) === "loading";
export const attr = (el: Element, name: string): string | null => mGetAttribute.call(el, name);
export const hasAttr = (el: Element, name: string): boolean => mHasAttribute.call(el, name);
export const matches = (el: Element, selector: string): boolean => mMatches.call(el, selector);
export const rectOf = (el: Element): DOMRect => mRect.call(el);
export const rectsOf = (el: Element): DOMRectList => mRects.call(el);
export const checkVisibility = (el: Element, options?: CheckVisibilityOptions): boolean =>
  mCheckVisibility.call(el, options);
export const contains = (outer: Node, inner: Node | null): boolean => mContains.call(outer, inner);
export const rootOf = (node: Node): Node => mRoot.call(node);
export const styleOf = (el: Element, pseudo?: string): CSSStyleDeclaration =>
  mComputed.call(globalThis, el, pseudo);
export const assignedNodes = (slot: HTMLSlotElement): Node[] => mAssigned.call(slot);
export const queryAll = (el: Element, selector: string): NodeListOf<Element> => mQueryAll.call(el, selector);

export const contentOf = (node: Node): string => gText.call(node) ?? "";
export const parentElement = (node: Node): Element | null => gParentElement.call(node);
export const firstElement = (el: Element): Element | null => gFirstElement.call(el);
export const shadowElement = (root: ShadowRoot): Element | null => gShadowElement.call(root);
export const nextElement = (el: Element): Element | null => gNextElement.call(el);
export const previousElement = (el: Element): Element | null => gPreviousElement.call(el);
export const hasAttributes = (el: Element): boolean => mHasAttributes.call(el);
export const attributeNames = (el: Element): string[] => mAttributeNames.call(el);
export const closestMatch = (el: Element, selector: string): Element | null => mClosest.call(el, selector);
export const animationsOf = (el: Element): Animation[] => mAnimations.call(el);
export const runningAnimations = (doc: Document): Animation[] => mRunning.call(doc);
export const styleMapOf = (el: Element): StylePropertyMapReadOnly => mStyleMap.call(el);
export const inEditable = (el: Element): boolean => isHtml(el) && gEditable.call(el);
export const sheetsOf = (doc: Document): CSSStyleSheet[] => [...Array.from(gSheets.call(doc)), ...gAdopted.call(doc)];
export const listen = (target: EventTarget, type: string, handle: (event: Event) => void, options: AddEventListenerOptions): void =>
  mListen.call(target, type, handle, { ...options, signal: listenersAbort.signal });
/** Remove every listener of this script at once, so that the page is left as it was. */
export const stopListening = (): void => listenersAbort.abort();
export const isStopped = (): boolean => listenersAbort.signal.aborted;
export const clickOn = (el: Element): void => {
  if (el instanceof HTMLElement) mClick.call(el);
  else el.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
};
export const focusOn = (el: Element): void => (el instanceof SVGElement ? mSvgFocus : mFocus).call(el as HTMLElement);

/** Return whether the element takes the focus now, by its `tabindex` or by itself. */
export const isFocusableNow = (el: Element): boolean => (el as HTMLElement).tabIndex >= 0 || mHasAttribute.call(el, "tabindex");

export const isElement = (node: Node | null): node is Element => node !== null && gType.call(node) === 1;
export const isText = (node: Node): boolean => {
  const type: number = gType.call(node);
  return type === 3 || type === 4;
};
export const isShadowRoot = (node: Node | null): node is ShadowRoot =>
  node !== null && gType.call(node) === 11 && node instanceof ShadowRoot;
export const isHtml = (el: Element): boolean => {
  if (el !== cached) cache(el);
  return cachedIsHtml;
};

/** Return the element with `id` in the same tree as `near`; ids do not cross shadow boundaries. */
export function byId(near: Node, id: string): Element | null {
  const root = rootOf(near);
  if (nodeType(root) === 9) return mDocById.call(root as Document, id);
  if (nodeType(root) === 11) return mFragById.call(root as DocumentFragment, id);
  return null;
}

/** Return the parent in the flat tree, or null for a light child that no slot shows. */
export function flatParent(node: Node): Element | null {
  const slot = slotOf(node);
  if (slot) return slot;
  const parent = parentOf(node);
  if (parent === null) return null;
  if (isShadowRoot(parent)) return hostOf(parent);
  if (!isElement(parent)) return null;
  if (shadowOf(parent)) return null;
  return parent;
}

/** Return the parent through shadow roots, slotted or not. Mutations are followed upwards on this path. */
export function composedParent(node: Node): Element | null {
  const parent = parentOf(node);
  if (parent === null) return null;
  if (isShadowRoot(parent)) return hostOf(parent);
  return isElement(parent) ? parent : null;
}

/** Return the element around a node. A shadow root and the nodes directly inside it belong to its host. */
export function elementAbove(node: Node): Element | null {
  if (isShadowRoot(node)) return hostOf(node);
  const parent = parentOf(node);
  if (parent === null) return null;
  return isShadowRoot(parent) ? hostOf(parent) : isElement(parent) ? parent : null;
}

/** Return whether `node` comes before `other` in document order; a shadow tree takes the position of its host. */
export function precedes(node: Node, other: Node): boolean {
  const a = hostPath(node);
  const b = hostPath(other);
  for (let index = 0; ; index++) {
    const x = a[index];
    const y = b[index];
    if (x === undefined || y === undefined) return x === undefined && y !== undefined;
    if (x !== y) return (mCompare.call(x, y) & 4) !== 0;
  }
}

/** Return the node and the hosts of the shadow trees around it, outermost first. */
function hostPath(node: Node): Node[] {
  const path = [node];
  for (let root = rootOf(node); isShadowRoot(root); root = rootOf(path[0]!)) path.unshift(hostOf(root));
  return path;
}

/** Return the flat-tree children: the shadow tree, the assigned nodes of a slot, or the child nodes. */
export function flatChildren(el: Element): Node[] | Node | null {
  const shadow = shadowOf(el);
  if (shadow) return firstChild(shadow);
  if (localName(el) === "slot" && el instanceof HTMLSlotElement) {
    const assigned = assignedNodes(el);
    if (assigned.length > 0) return assigned;
  }
  return firstChild(el);
}

export function eachFlatChild(el: Element, visit: (node: Node) => boolean | void): void {
  const start = flatChildren(el);
  if (Array.isArray(start)) {
    for (const node of start) if (visit(node) === false) return;
    return;
  }
  for (let node = start; node; node = nextSibling(node)) if (visit(node) === false) return;
}

/** Visit every element of a node tree, through open shadow roots, without recursion. */
export function eachElement(root: Node, visit: (el: Element) => boolean | void): void {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (isElement(node)) {
      if (visit(node) === false) continue;
      const shadow = shadowOf(node);
      if (shadow) stack.push(shadow);
    }
    for (let child = lastChild(node); child; child = previousSibling(child)) {
      if (nodeType(child) === 1) stack.push(child);
    }
  }
}

/** Yield every element of a tree, through open shadow roots. */
export function* elementsOf(root: Element): Generator<Element> {
  const stack: Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (isElement(node)) {
      yield node;
      const shadow = shadowOf(node);
      if (shadow) stack.push(shadow);
    }
    for (let child = lastChild(node); child; child = previousSibling(child)) if (isElement(child)) stack.push(child);
  }
}

export function activeElement(doc: Document): Element | null {
  let active: Element | null = gActive.call(doc);
  for (let shadow = active && shadowOf(active); shadow; ) {
    const inner: Element | null = gShadowActive.call(shadow);
    if (!inner) break;
    active = inner;
    shadow = shadowOf(inner);
  }
  return active;
}

export function elementAt(doc: Document, x: number, y: number): Element | null {
  let hit: Element | null = mDocFromPoint.call(doc, x, y);
  for (let shadow = hit && shadowOf(hit); shadow; ) {
    const inner: Element | null = mShadowFromPoint.call(shadow, x, y);
    if (!inner || inner === hit) break;
    hit = inner;
    shadow = shadowOf(inner);
  }
  return hit;
}

/** Return whether `inner` is `outer` or lies below it in the composed tree. */
export function composedContains(outer: Element, inner: Element): boolean {
  for (let node: Element | null = inner; node; node = composedParent(node)) if (node === outer) return true;
  return false;
}

export function closest(el: Element | null, test: (el: Element) => boolean): Element | null {
  for (let node = el; node; node = composedParent(node)) if (test(node)) return node;
  return null;
}
