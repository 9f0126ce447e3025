// Sign in. On success the whole document is loaded again, so that the frame shows the user.

import { post } from "../api.js";
import { state, t } from "../boot.js";
import { h } from "../dom.js";
import { field } from "../field.js";

export async function render({ query }) {
  if (state.user) location.replace("/");
  const email = h("input", { id: "email", name: "email", type: "email", autocomplete: "username", required: true,
    "data-uiap-id": "login.email", "data-uiap-meaning": "account.email" });
  const password = h("input", { id: "password", name: "password", type: "password", autocomplete: "current-password",
    required: true, "data-uiap-id": "login.password", "data-uiap-data-class": "credential", "data-uiap-sensitive": "true" });
  const alert = h("p.summary", { role: "alert", hidden: true });
  const submit = h("button.button.primary.wide", { type: "submit", "data-uiap-id": "login.submit" }, t("login.submit"));
  const form = h(
    "form.card.login",
    { novalidate: true, "data-uiap-scope": "login.form", "data-uiap-scope-kind": "form" },
    h("h1", {}, t("login.title")),
    h("p.muted", {}, t(query.has("deleted") ? "login.deleted" : "login.intro")),
    alert,
    field({ id: "email", name: "email", label: t("field.email"), control: email }),
    field({ id: "password", name: "password", label: t("field.password"), control: password }),
    submit,
    h("p.hint", {}, t("login.accounts")),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await post("/api/session", { email: email.value, password: password.value });
      location.assign(safe(query.get("next")));
    } catch (error) {
      alert.hidden = false;
      alert.textContent = t(error.status === 401 ? "login.wrong" : "error.server");
      submit.disabled = false;
      password.focus();
    }
  });
  return h("div.login-page", {}, form);
}

// Only a path of this app, never an address of another site.
function safe(next) {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}
