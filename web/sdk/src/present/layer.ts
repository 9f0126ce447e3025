/**
 * What a person is shown of an action: a cursor, a frame around the target, a sentence. Presentation only (ACT-3.6).
 *
 * All of it stands in the closed shadow of one node in the top layer, which takes no pointer, is no part of the graph
 * and whose coming and going is no change of the page. It goes away by itself.
 */

export interface Hints {
  instanceId?: string;
  ghostCursor?: boolean;
  highlight?: "none" | "outline" | "spotlight";
  narration?: string;
  /** How long the cursor is on its way; the answer waits for it. */
  ms?: number;
}

const STAYS_MS = 1_500;
const SPEAKS_MS = 4_000;
const MAX_WORDS = 300;
const INK = "#e8590c";
const ours = new WeakSet<Node>();
let present = false;

export const isOurs = (node: Node): boolean => ours.has(node);

/** A record that tells of nothing but the layer. */
export function ofLayer(record: MutationRecord): boolean {
  if (!present) return false;
  if (ours.has(record.target)) return true;
  if (record.type !== "childList") return false;
  const nodes = [...record.addedNodes, ...record.removedNodes];
  return nodes.length > 0 && nodes.every(isOurs);
}

export class Layer {
  private host: HTMLElement | null = null;
  private root: ShadowRoot | null = null;
  private at = { x: 24, y: 24 };
  private leaving: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly doc: Document) {}

  /** Resolves when the cursor has arrived; at once where there is none to wait for. */
  async show(hints: Hints, rect: DOMRect | null): Promise<void> {
    const root = this.open();
    if (!root) return;
    root.replaceChildren();
    if (rect && hints.highlight && hints.highlight !== "none") root.append(frame(rect, hints.highlight === "spotlight"));
    if (hints.narration) root.append(sentence(hints.narration.slice(0, MAX_WORDS)));
    clearTimeout(this.leaving);
    this.leaving = setTimeout(() => this.close(), hints.narration ? SPEAKS_MS : STAYS_MS);
    if (hints.ghostCursor && rect) await this.glide(root, rect, hints.ms ?? 0);
    else if (hints.ms) await new Promise((resolve) => setTimeout(resolve, hints.ms));
  }

  close(): void {
    clearTimeout(this.leaving);
    this.host?.remove();
    this.host = this.root = null;
  }

  private open(): ShadowRoot | null {
    const parent = this.doc.documentElement as HTMLElement | null;
    if (!parent) return null;
    if (!this.host || !this.host.isConnected) {
      this.host = this.doc.createElement("div");
      present = true;
      ours.add(this.host);
      styled(this.host, { all: "initial", position: "fixed", inset: "0", width: "100%", height: "100%", border: "0", background: "none", overflow: "hidden", "pointer-events": "none" });
      this.host.setAttribute("aria-hidden", "true");
      this.host.popover = "manual";
      this.root = this.host.attachShadow({ mode: "closed" });
      parent.append(this.host);
    } else {
      this.host.hidePopover(); // shown anew it is above whatever the page opened since
    }
    this.host.showPopover();
    return this.root;
  }

  private async glide(root: ShadowRoot, rect: DOMRect, ms: number): Promise<void> {
    const to = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
    const cursor = drawn("polygon", { points: "0,0 0,20 5,15.5 8.5,23 12,21.5 8.5,14 15,14", fill: "#fff", stroke: INK, "stroke-width": "2" });
    styled(cursor, { position: "fixed", left: "0", top: "0", transform: place(to), filter: "drop-shadow(0 1px 2px rgba(0,0,0,.4))" });
    root.append(cursor);
    const from = this.at;
    this.at = to;
    if (ms <= 0) return;
    const way = cursor.animate([{ transform: place(from) }, { transform: place(to) }], { duration: ms, easing: "ease-in-out" });
    // a tab that is not drawn never finishes; a timer bounds the wait
    await Promise.race([way.finished.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, ms + 50))]);
  }
}

const place = ({ x, y }: { x: number; y: number }): string => `translate(${x}px, ${y}px)`;

function styled(el: HTMLElement | SVGElement, style: Record<string, string>): void {
  for (const [name, value] of Object.entries(style)) el.style.setProperty(name, value, "important");
}

function frame(rect: DOMRect, spotlight: boolean): HTMLElement {
  const box = document.createElement("div");
  const shadow = spotlight ? "0 0 0 200vmax rgba(0,0,0,.5)" : "0 0 0 2px rgba(255,255,255,.9)";
  styled(box, {
    position: "fixed", left: `${rect.x - 5}px`, top: `${rect.y - 5}px`, width: `${rect.width + 4}px`, height: `${rect.height + 4}px`,
    border: `3px solid ${INK}`, "border-radius": "8px", "box-shadow": shadow,
  });
  return box;
}

function sentence(text: string): HTMLElement {
  const box = document.createElement("div");
  box.textContent = text;
  styled(box, {
    position: "fixed", left: "50%", bottom: "32px", transform: "translateX(-50%)", "max-width": "70%", padding: "10px 18px",
    font: "16px/1.4 system-ui, sans-serif", color: "#fff", background: "rgba(20,20,24,.9)", "border-radius": "10px",
  });
  return box;
}

function drawn(shape: string, attributes: Record<string, string>): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", "26");
  svg.setAttribute("height", "28");
  const inner = document.createElementNS("http://www.w3.org/2000/svg", shape);
  for (const [name, value] of Object.entries(attributes)) inner.setAttribute(name, value);
  svg.append(inner);
  return svg;
}
