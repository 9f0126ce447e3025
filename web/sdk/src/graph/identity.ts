/** Ids of nodes and scopes, kept for a node's life (companions 4.3); knows nothing of what is published. */

export class Identity {
  private readonly instances = new WeakMap<Element, string>();
  private readonly scopes = new WeakMap<Element, string>();
  /** HOUSE 4: the id an earlier, since removed node with the same semantic and record key had. */
  readonly was = new WeakMap<Element, string>();
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

  known(el: Element): string | undefined {
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
