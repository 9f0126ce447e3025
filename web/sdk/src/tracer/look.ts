/** The look of the whole page: a theme, a text size or a direction that an input sets on the root elements. */

import { reportOutside } from "./reports.ts";
import { attachHere, type Tag } from "./tags.ts";
import { apply } from "./wrap.ts";

const PROPERTIES = [
  "color", "background-color", "background-image", "color-scheme", "filter", "font-size", "font-family", "direction",
  "letter-spacing", "line-height", "zoom",
];
const { getComputedStyle } = globalThis;
const { getPropertyValue } = CSSStyleDeclaration.prototype;
const { getAnimations } = Element.prototype;

const roots = (): Element[] => [document.documentElement, document.body].filter((root) => root !== null);

function lookOf(root: Element): string {
  const style = getComputedStyle(root);
  return PROPERTIES.map((name) => String(apply(getPropertyValue, style, [name]))).join("|");
}

const look = (): string => roots().map(lookOf).join();
const marksOf = (root: Element): string => [...root.attributes].map(({ name, value }) => `${name}=${value}`).join();
const marks = (): string => roots().map(marksOf).join();
/** The style of a transition is still the old one when it begins. */
const isTurning = (): boolean => roots().some((root) => (apply(getAnimations, root, []) as Animation[]).length > 0);

/** The attributes and the look that the page had when an input began. */
class Watch {
  readonly marks = marks();
  private readonly look = look();
  private changed = false;

  constructor(readonly input: string) {}

  /** Report a look that this input changed, and also that it was changed back. */
  compare(): void {
    const changed = marks() !== this.marks && (look() !== this.look || isTurning());
    if (changed === this.changed) return;
    this.changed = changed;
    reportOutside(changed ? "look" : "look_undone", "", this.input);
  }
}

export function traceLook(): void {
  if (window.parent !== window) return;
  let watch: Watch | null = null;
  const observer = new MutationObserver(() => watch?.compare());
  const take = observer.takeRecords.bind(observer);
  const observe = observer.observe.bind(observer);
  const disconnect = observer.disconnect.bind(observer);

  attachHere({
    onTag(tag: Tag) {
      if (take().length > 0) watch?.compare();
      disconnect();
      if (tag === null) return;
      if (tag !== watch?.input) watch = new Watch(tag);
      for (const root of roots()) observe(root, { attributes: true });
    },
    onWork: () => undefined,
  });
}
