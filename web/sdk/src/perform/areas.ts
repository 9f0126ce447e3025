/** Where an area of an image map is: it has no box of its own, only coordinates in the image that shows the map. */

import { attr, closestMatch, isHtml, localName, rectOf } from "../dom.ts";
import { imageOfMap } from "../graph/visibility.ts";

/** Return the box of an area in the viewport, or null for other elements. */
export function areaBox(el: Element): DOMRectReadOnly | null {
  if (!isHtml(el) || localName(el) !== "area") return null;
  const map = closestMatch(el, "map");
  const image = map ? imageOfMap(el, attr(map, "name") ?? "") : null;
  if (!image) return null;
  const around = rectOf(image);
  const { x, y, width, height } = extent(el, around);
  return new DOMRectReadOnly(around.x + x, around.y + y, width, height);
}

function extent(el: Element, around: DOMRectReadOnly): DOMRectReadOnly {
  const [a = 0, b = 0, c = 0, d = 0, ...rest] = (attr(el, "coords") ?? "").split(/[\s,;]+/).map(Number);
  switch ((attr(el, "shape") ?? "rect").toLowerCase()) {
    case "default":
      return new DOMRectReadOnly(0, 0, around.width, around.height);
    case "circle":
    case "circ":
      return new DOMRectReadOnly(a - c, b - c, 2 * c, 2 * c);
    case "poly":
    case "polygon":
      return polygonExtent([a, b, c, d, ...rest]);
    default:
      return new DOMRectReadOnly(Math.min(a, c), Math.min(b, d), Math.abs(c - a), Math.abs(d - b));
  }
}

function polygonExtent(coords: number[]): DOMRectReadOnly {
  const across = coords.filter((_, index) => index % 2 === 0);
  const down = coords.filter((_, index) => index % 2 === 1);
  const [left, top] = [Math.min(...across), Math.min(...down)];
  return new DOMRectReadOnly(left, top, Math.max(...across) - left, Math.max(...down) - top);
}
