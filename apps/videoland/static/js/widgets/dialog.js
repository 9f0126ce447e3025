// Native dialogs: a generic one, and a confirmation that resolves to true or false.

import { t } from "../boot.js";
import { h } from "../dom.js";

let count = 0;

export function openDialog({ title, content, scope, kind = "dialog" }) {
  const id = `dialog-${(count += 1)}`;
  const close = h("button.dialog-close", { type: "button", "aria-label": t("dialog.close") }, "×");
  const dialog = h(
    "dialog.dialog",
    { "aria-labelledby": id, role: kind === "alertdialog" ? kind : null, "data-uiap-scope": scope,
      "data-uiap-scope-kind": scope && "dialog" },
    h("header.dialog-head", {}, h("h2", { id }, title), close),
    content,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export function confirmed({ title, text, action, scope, attributes = {}, word }) {
  return new Promise((resolve) => {
    const go = h("button.button.danger", { type: "button", disabled: Boolean(word), ...attributes }, action);
    const stay = h("button.button", { type: "button", autofocus: true }, t("dialog.cancel"));
    const typed = word && h("input", { id: "confirm-word", autocomplete: "off", "data-uiap-id": "confirm.word" });
    typed?.addEventListener("input", () => (go.disabled = typed.value.trim() !== word));
    const content = h(
      "div.dialog-body",
      {},
      h("p", {}, text),
      typed && h("p.field", {}, h("label", { for: "confirm-word" }, t("dialog.type", { word })), typed),
      h("div.actions", {}, stay, go),
    );
    const dialog = openDialog({ title, content, scope, kind: "alertdialog" });
    let answer = false;
    go.addEventListener("click", () => {
      answer = true;
      dialog.close();
    });
    stay.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => resolve(answer));
  });
}
