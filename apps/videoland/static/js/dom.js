// Helpers that create elements. They know no pages and no texts of the app.

export function h(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) assign(element, key, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function assign(element, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
  else if (key === "value" || key === "checked") element[key] = value;
  else element.setAttribute(key, value === true ? "" : value);
}

const SVG = "http://www.w3.org/2000/svg";

export function icon(path) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) {
    svg.setAttribute(key, value);
  }
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  dashboard: "M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z",
  videos: "M4 6h11v12H4zM15 10l5-3v10l-5-3z",
  studio: "M5 5l14 14M9 7a2 2 0 1 1-4 0a2 2 0 0 1 4 0M9 17a2 2 0 1 1-4 0a2 2 0 0 1 4 0M19 5L8.5 15.5",
  team: "M12 8a3.5 3.5 0 1 1-7 0a3.5 3.5 0 0 1 7 0M2 20c0-4 3-6 6.500-6s6.500 2 6.500 6M16 5a3.500 3.500 0 0 1 0 6.500M18 14.500c2.500.8 4 2.700 4 5.500",
  billing: "M3 6h18v12H3zM3 10h18M7 15h4",
  settings: "M4 7h10M18 7h2M4 17h2M10 17h10M18 7a2 2 0 1 1-4 0a2 2 0 0 1 4 0M10 17a2 2 0 1 1-4 0a2 2 0 0 1 4 0",
  play: "M8 5l11 7l-11 7z",
  search: "M16 10.500a5.500 5.500 0 1 1-11 0a5.500 5.500 0 0 1 11 0M15 15l5 5",
  plus: "M12 5v14M5 12h14",
  chevron: "M6 9l6 6l6-6",
};
