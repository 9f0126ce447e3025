// An editable ARIA combobox with a listbox. The code of the chosen option is its value; free text has no value.

import { t } from "../boot.js";
import { h } from "../dom.js";

export function combobox({ id, options, attributes }) {
  const input = h("input", {
    id, type: "text", role: "combobox", autocomplete: "off", "aria-autocomplete": "list", "aria-expanded": "false",
    "aria-controls": `${id}-list`, placeholder: t("combobox.placeholder"), ...attributes,
  });
  const list = h("ul.listbox", { id: `${id}-list`, role: "listbox", "aria-label": t("field.use_case"), hidden: true });
  const root = h("div.combobox", {}, input, list);
  let active = -1;

  const matching = () => options.filter(({ text }) => text.toLowerCase().includes(input.value.trim().toLowerCase()));
  const chosen = () => options.find(({ text }) => text.toLowerCase() === input.value.trim().toLowerCase());

  function draw(shown) {
    const now = chosen();
    list.replaceChildren(
      ...shown.map(({ code, text }, at) =>
        h("li", { id: `${id}-${code}`, role: "option", "data-value": code, "aria-selected": String(now?.code === code),
          class: at === active ? "active" : null }, text),
      ),
    );
    if (!shown.length) list.append(h("li.none", {}, t("combobox.none")));
    const current = active >= 0 ? shown[active] : null;
    if (current) input.setAttribute("aria-activedescendant", `${id}-${current.code}`);
    else input.removeAttribute("aria-activedescendant");
  }

  function open(all) {
    draw(all ? options : matching());
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
  }

  function close() {
    active = -1;
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  function choose(option) {
    input.value = option.text;
    close();
    input.dispatchEvent(new Event("change", { bubbles: true }));
  }

  input.addEventListener("click", () => (list.hidden ? open(true) : close()));
  input.addEventListener("input", () => {
    active = -1;
    open(false);
  });
  input.addEventListener("blur", close);
  // Keep the focus in the input, so that choosing with the pointer does not blur it first.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("mousedown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const code = event.target.closest("[role=option]")?.dataset.value;
    const option = options.find((one) => one.code === code);
    if (option) choose(option);
  });
  input.addEventListener("keydown", (event) => {
    const shown = chosen() ? options : matching();
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      active = list.hidden ? (step > 0 ? 0 : shown.length - 1) : (active + step + shown.length) % Math.max(shown.length, 1);
      open(Boolean(chosen()));
    } else if (event.key === "Enter" && !list.hidden && active >= 0) {
      event.preventDefault();
      choose(shown[active]);
    } else if (event.key === "Escape" && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  return { element: root, input, value: () => chosen()?.code ?? input.value.trim() };
}
