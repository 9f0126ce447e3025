// A labelled form field with hint and error, and the error summary of a form.

import { t } from "./boot.js";
import { h } from "./dom.js";

export function field({ id, name, label, hint, control, required }) {
  const describe = [hint && `${id}-hint`].filter(Boolean);
  const target = control.matches("input, select, textarea, [role]") ? control : control.querySelector("input, [role]");
  if (describe.length) target.setAttribute("aria-describedby", describe.join(" "));
  const box = h(
    "div.field",
    { "data-field": name },
    h("label", { for: id, id: `${id}-label` }, label, required && h("span.required", { "aria-hidden": "true" }, " *")),
    control,
    hint && h("p.hint", { id: `${id}-hint` }, hint),
    h("p.error", { id: `${id}-error`, hidden: true }),
  );
  box.addEventListener("input", () => mark(box, null));
  return box;
}

export function choice(name, codes, selected) {
  return codes.map((code) => {
    const option = h("option", { value: code }, t(`${name}.${code}`));
    option.selected = code === selected;
    return option;
  });
}

// Show each error at its field, and a summary with links that takes the focus.
export function showErrors(form, errors) {
  for (const box of form.querySelectorAll("[data-field]")) mark(box, errors[box.dataset.field]);
  const summary = form.querySelector(".summary");
  if (!summary) return;
  const wrong = [...form.querySelectorAll("[data-field]")].filter((box) => errors[box.dataset.field]);
  summary.hidden = wrong.length === 0;
  summary.replaceChildren(
    h("strong", {}, t("form.invalid")),
    h("ul", {}, wrong.map((box) => h("li", {}, jump(box, errors[box.dataset.field])))),
  );
  if (wrong.length) summary.focus();
}

function mark(box, code) {
  const target = box.querySelector("input:not([type=hidden]), select, textarea, [role=slider]");
  const error = box.querySelector(".error");
  error.hidden = !code;
  error.textContent = code ? t(`error.${code}`) : "";
  const described = (target.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== error.id);
  if (code) {
    target.setAttribute("aria-invalid", "true");
    target.setAttribute("aria-describedby", [...described, error.id].join(" "));
  } else {
    target.removeAttribute("aria-invalid");
    if (described.length) target.setAttribute("aria-describedby", described.join(" "));
    else target.removeAttribute("aria-describedby");
  }
}

function jump(box, code) {
  const label = box.querySelector("label, legend").firstChild.textContent;
  const target = box.querySelector("input:not([type=hidden]), select, textarea, [role=slider]");
  const link = h("a", { href: `#${target.id}` }, `${label}: ${t(`error.${code}`)}`);
  link.addEventListener("click", (event) => {
    event.preventDefault();
    target.focus();
  });
  return link;
}

export function errorSummary() {
  return h("div.summary", { role: "alert", tabindex: "-1", hidden: true });
}
