// Two menus: a role=menu button menu with arrow keys, and a list of links that opens on hover or focus.

import { h, icon, ICONS } from "../dom.js";

let count = 0;

export function menuButton(stableId, label, name, items) {
  const id = `menu-${(count += 1)}`;
  const menu = h("div.menu", { id, role: "menu", "aria-label": name, hidden: true }, items.map(menuItem));
  const button = h(
    "button.menu-button",
    { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-controls": id, "aria-label": name,
      "data-uiap-id": stableId },
    label,
    icon(ICONS.chevron),
  );
  const root = h("div.menu-root", {}, button, menu);
  button.addEventListener("click", () => toggle(button, menu, menu.hidden));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    toggle(button, menu, true);
    menu.querySelectorAll("[role=menuitem]").item(event.key === "ArrowUp" ? items.length - 1 : 0).focus();
  });
  menu.addEventListener("keydown", (event) => steer(event, button, menu));
  menu.addEventListener("click", () => toggle(button, menu, false));
  document.addEventListener("pointerdown", (event) => {
    if (!root.contains(event.target)) toggle(button, menu, false);
  });
  return root;
}

function menuItem({ text, run, id }) {
  return h("button.menu-item", { type: "button", role: "menuitem", tabindex: "-1", onclick: run, "data-uiap-id": id }, text);
}

function toggle(button, menu, open) {
  menu.hidden = !open;
  button.setAttribute("aria-expanded", open);
}

function steer(event, button, menu) {
  const items = [...menu.querySelectorAll("[role=menuitem]")];
  const at = items.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (next !== undefined) {
    event.preventDefault();
    items.at(next % items.length).focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    toggle(button, menu, false);
    if (event.key === "Escape") button.focus();
  }
}

// Opens by style alone (:hover, :focus-within): there is no script event to wait for.
export function hoverMenu(name, links) {
  return h(
    "div.hover-menu",
    {},
    h("button.button.ghost", { type: "button", "aria-haspopup": "true" }, icon(ICONS.plus), name),
    h("ul.hover-list", { "aria-label": name }, links.map((link) => h("li", {}, link))),
  );
}
