/**
 * The presentation layer: a cursor, a frame around the target and a sentence for a person who watches (ACT-3.6).
 *
 * It is drawn in the closed shadow root of one node in the top layer. That node takes no pointer events and is not part
 * of the graph. Adding or removing it is not reported as a change of the page. It disappears by itself.
 */

export interface Hints {
  instanceId?: string;
  ghostCursor?: boolean;
  highlight?: "none" | "outline" | "spotlight";
  narration?: string;
  /** How long the cursor moves; the answer waits for it. */
  ms?: number;
}

const VISIBLE_MS = 1_500;
const NARRATION_MS = 4_000;
const MAX_NARRATION = 300;
const COLOR = "#e8590c";
const layerNodes = new WeakSet<Node>();
let layerUsed = false;

export const isLayerNode = (node: Node): boolean => layerNodes.has(node);

/** Return whether a mutation record concerns only the presentation layer. */
export function isLayerMutation(record: MutationRecord): boolean {
  if (!layerUsed) return false;
  if (layerNodes.has(record.target)) return true;
  if (record.type !== "childList") return false;
  const nodes = [...record.addedNodes, ...record.removedNodes];
  return nodes.length > 0 && nodes.every(isLayerNode);
}

export class Layer {
  private host: HTMLElement | null = null;
  private root: ShadowRoot | null = null;
  private at = { x: 24, y: 24 };
  private closeTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly doc: Document) {}

  /** Draw the hints. Resolves when the cursor has arrived, or at once without a cursor. */
  async show(hints: Hints, rect: DOMRect | null): Promise<void> {
    const root = this.open();
    if (!root) return;
    root.replaceChildren();
    if (rect && hints.highlight && hints.highlight !== "none") root.append(createFrame(rect, hints.highlight === "spotlight"));
    if (hints.narration) root.append(createNarration(hints.narration.slice(0, MAX_NARRATION)));
    clearTimeout(this.closeTimer);
    this.closeTimer = setTimeout(() => this.close(), hints.narration ? NARRATION_MS : VISIBLE_MS);
    if (hints.ghostCursor && rect) await this.moveCursor(root, rect, hints.ms ?? 0);
    else if (hints.ms) await new Promise((resolve) => setTimeout(resolve, hints.ms));
  }

  close(): void {
    clearTimeout(this.closeTimer);
    this.host?.remove();
    this.host = this.root = null;
  }

  private open(): ShadowRoot | null {
    const parent = this.doc.documentElement as HTMLElement | null;
    if (!parent) return null;
    if (!this.host || !this.host.isConnected) {
      this.host = this.doc.createElement("div");
      layerUsed = true;
      layerNodes.add(this.host);
      setStyle(this.host, { all: "initial", position: "fixed", inset: "0", width: "100%", height: "100%", border: "0", background: "none", overflow: "hidden", "pointer-events": "none" });
      this.host.setAttribute("aria-hidden", "true");
      this.host.popover = "manual";
      this.root = this.host.attachShadow({ mode: "closed" });
      parent.append(this.host);
    } else {
      this.host.hidePopover(); // shown again, it is above everything that the page opened since
    }
    this.host.showPopover();
    return this.root;
  }

  private async moveCursor(root: ShadowRoot, rect: DOMRect, ms: number): Promise<void> {
    const to = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
    const cursor = createSvg("polygon", { points: "0,0 0,20 5,15.5 8.5,23 12,21.5 8.5,14 15,14", fill: "#fff", stroke: COLOR, "stroke-width": "2" });
    setStyle(cursor, { position: "fixed", left: "0", top: "0", transform: translation(to), filter: "drop-shadow(0 1px 2px rgba(0,0,0,.4))" });
    root.append(cursor);
    const from = this.at;
    this.at = to;
    if (ms <= 0) return;
    const animation = cursor.animate([{ transform: translation(from) }, { transform: translation(to) }], { duration: ms, easing: "ease-in-out" });
    // an animation in a tab that is not drawn never finishes; a timer bounds the wait
    await Promise.race([animation.finished.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, ms + 50))]);
  }
}

const translation = ({ x, y }: { x: number; y: number }): string => `translate(${x}px, ${y}px)`;

function setStyle(el: HTMLElement | SVGElement, style: Record<string, string>): void {
  for (const [name, value] of Object.entries(style)) el.style.setProperty(name, value, "important");
}

function createFrame(rect: DOMRect, spotlight: boolean): HTMLElement {
  const box = document.createElement("div");
  const shadow = spotlight ? "0 0 0 200vmax rgba(0,0,0,.5)" : "0 0 0 2px rgba(255,255,255,.9)";
  setStyle(box, {
    position: "fixed", left: `${rect.x - 5}px`, top: `${rect.y - 5}px`, width: `${rect.width + 4}px`, height: `${rect.height + 4}px`,
    border: `3px solid ${COLOR}`, "border-radius": "8px", "box-shadow": shadow,
  });
  return box;
}

function createNarration(text: string): HTMLElement {
  const box = document.createElement("div");
  box.textContent = text;
  setStyle(box, {
    position: "fixed", left: "50%", bottom: "32px", transform: "translateX(-50%)", "max-width": "70%", padding: "10px 18px",
    font: "16px/1.4 system-ui, sans-serif", color: "#fff", background: "rgba(20,20,24,.9)", "border-radius": "10px",
  });
  return box;
}

function createSvg(shape: string, attributes: Record<string, string>): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", "26");
  svg.setAttribute("height", "28");
  const inner = document.createElementNS("http://www.w3.org/2000/svg", shape);
  for (const [name, value] of Object.entries(attributes)) inner.setAttribute(name, value);
  svg.append(inner);
  return svg;
}
