/** Ids of nodes and scopes, kept for the lifetime of a node. This module does not know which nodes are published. */

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
      id = `${this.frameKey}e${this.nextInstance++}`;
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
