// Questions that open and close: a heading button with aria-expanded per answer.

import { h } from "../dom.js";

export function accordion(entries) {
  return h("div.accordion", {}, entries.map(section));
}

function section({ id, title, text }) {
  const panel = h("div.accordion-panel", { id: `answer-${id}`, role: "region", "aria-labelledby": `ask-${id}`, hidden: true }, h("p", {}, text));
  const button = h("button.accordion-head", { id: `ask-${id}`, type: "button", "aria-expanded": "false", "aria-controls": panel.id,
    "data-uiap-id": `help.${id}` }, title);
  button.addEventListener("click", () => {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
  });
  return h("div", {}, h("h3", {}, button), panel);
}
