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
