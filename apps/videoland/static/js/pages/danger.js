// The danger zone: a new password, and deletion of the account.

import { put, remove } from "../api.js";
import { isAdmin, t } from "../boot.js";
import { h } from "../dom.js";
import { errorSummary, field, showErrors } from "../field.js";
import { toast } from "../toast.js";
import { confirmed } from "../widgets/dialog.js";

export function passwordForm() {
  const input = (name, kind) => h("input", { id: `password-${name}`, name, type: "password", autocomplete: kind,
    "data-uiap-id": `password.${name}`, "data-uiap-data-class": "credential", "data-uiap-sensitive": "true" });
  const current = input("current", "current-password");
  const next = input("next", "new-password");
  const again = input("again", "new-password");
  const form = h("form.card.narrow-card", { novalidate: true, "aria-labelledby": "password-title", "data-uiap-scope": "password.form",
    "data-uiap-scope-kind": "form" },
    h("h2", { id: "password-title" }, t("password.title")), errorSummary(),
    field({ id: "password-current", name: "current", label: t("password.current"), control: current }),
    field({ id: "password-next", name: "next", label: t("password.next"), control: next, hint: t("hint.password") }),
    field({ id: "password-again", name: "again", label: t("password.again"), control: again }),
    h("div.actions.end", {}, h("button.button", { type: "submit", "data-uiap-id": "password.submit", "data-uiap-risk": "blocked",
      "data-uiap-risk-tags": "sensitive_data privileged" }, t("password.submit"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (next.value !== again.value) return showErrors(form, { again: "not_equal" });
    try {
      await put("/api/password", { current: current.value, next: next.value });
      form.reset();
      showErrors(form, {});
      toast("toast.password");
    } catch (error) {
      if (error.status === 422) showErrors(form, error.errors);
      else toast("error.server", {}, "failed");
    }
  });
  return form;
}

export function deletion(profile) {
  if (!isAdmin()) return "";
  const risk = { "data-uiap-risk": "blocked", "data-uiap-risk-tags": "destructive privileged" };
  const button = h("button.button.danger", { type: "button", onclick: () => end(profile, risk), "aria-haspopup": "dialog",
    "data-uiap-id": "account.delete", "data-uiap-action": "account.delete", ...risk }, t("danger.delete"));
  return h("section.card.narrow-card.danger-zone", { "aria-labelledby": "danger-title", "data-uiap-scope": "account.danger",
    "data-uiap-scope-kind": "region" },
    h("h2", { id: "danger-title" }, t("danger.title")), h("p", {}, t("danger.text")), button);
}

async function end(profile, risk) {
  const sure = await confirmed({ title: t("danger.delete"), text: t("danger.confirm", { email: profile.email }), action: t("danger.action"),
    scope: "account.delete.dialog", word: t("danger.word"), attributes: { "data-uiap-id": "account.delete.confirm", ...risk } });
  if (!sure) return;
  try {
    await remove("/api/account");
    location.assign("/login?deleted=1");
  } catch {
    toast("error.server", {}, "failed");
  }
}
