// A tablist with roving focus; each panel is drawn once and hidden, not removed.

import { h } from "../dom.js";

export function tabs(name, entries) {
  const panels = entries.map(({ id, content }, at) =>
    h("div.tabpanel", { id: `panel-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}`, tabindex: "0", hidden: at > 0,
      "data-uiap-scope": `settings.${id}`, "data-uiap-scope-kind": "tabpanel" }, content),
  );
  const heads = entries.map(({ id, text }, at) =>
    h("button.tab", { id: `tab-${id}`, type: "button", role: "tab", "aria-controls": `panel-${id}`,
      "aria-selected": String(at === 0), tabindex: at === 0 ? "0" : "-1", "data-uiap-id": `settings.tab.${id}` }, text),
  );

  function select(at) {
    heads.forEach((head, index) => {
      head.setAttribute("aria-selected", String(index === at));
      head.tabIndex = index === at ? 0 : -1;
      panels[index].hidden = index !== at;
    });
  }
  heads.forEach((head, at) => head.addEventListener("click", () => select(at)));
  const list = h("div.tablist", { role: "tablist", "aria-label": name }, heads);
  list.addEventListener("keydown", (event) => {
    const at = heads.indexOf(document.activeElement);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1 + heads.length, Home: 0, End: heads.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    select(next % heads.length);
    heads[next % heads.length].focus();
  });
  return h("div.tabs", {}, list, panels);
}
