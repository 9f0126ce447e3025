/** Ids of nodes and scopes, kept for the lifetime of a node. This module does not know which nodes are published. */

/** The number of short ids per document. */
const SHORT_ELEMENTS = 1_000;
/** The first long id: the number of the document times this, plus the number of the element. */
const LONG_FROM = 1_000_000;

/** Return the id of an element: `e53` in document `d1`, `e2053` in `d3`. No two documents share one. */
export function elementId(frameKey: string, element: number): string {
  const document = Number(frameKey.slice(1));
  if (!(document >= 1) || element >= LONG_FROM) return `${frameKey}e${element}`;
  if (element < SHORT_ELEMENTS && document * SHORT_ELEMENTS <= LONG_FROM) return `e${(document - 1) * SHORT_ELEMENTS + element}`;
  return `e${document * LONG_FROM + element}`;
}

/** Return the number of an element in its document, which grows in the order of the ids. */
export function elementNumber(id: string): number {
  const number = Number(id.slice(id.lastIndexOf("e") + 1));
  if (!id.startsWith("e")) return number;
  return number % (number >= LONG_FROM ? LONG_FROM : SHORT_ELEMENTS);
}

export class Identity {
  private readonly instances = new WeakMap<Element, string>();
  private readonly scopes = new WeakMap<Element, string>();
  /** The id of the removed node that a node replaces: it had the same meaning and record key. */
  readonly replacedIds = new WeakMap<Element, string>();
  private nextInstance = 1;
  private nextScope = 1;

  constructor(readonly frameKey: string) {}

  instance(el: Element): string {
    let id = this.instances.get(el);
    if (id === undefined) {
      id = elementId(this.frameKey, this.nextInstance++);
      this.instances.set(el, id);
    }
    return id;
  }

  /** The number of ids that were given so far. An element with a higher one appeared later. */
  get issued(): number {
    return this.nextInstance - 1;
  }

  existingInstance(el: Element): string | undefined {
    return this.instances.get(el);
  }

  scope(el: Element): string {
    let id = this.scopes.get(el);
    if (id === undefined) {
      id = `${this.frameKey}s${this.nextScope++}`;
      this.scopes.set(el, id);
    }
    return id;
  }
}
