// Settings in four tabs: profile, notifications, security with the danger zone, help.

import { get, put } from "../api.js";
import { knobs, t } from "../boot.js";
import { h } from "../dom.js";
import { errorSummary, field, showErrors } from "../field.js";
import { toast } from "../toast.js";
import { accordion } from "../widgets/accordion.js";
import { toggle } from "../widgets/switch.js";
import { tabs } from "../widgets/tabs.js";
import { deletion, passwordForm } from "./danger.js";

export async function render({ signal }) {
  const profile = await get("/api/profile", signal);
  const entries = [
    { id: "profile", text: t("settings.profile"), content: profileForm(profile) },
    { id: "notifications", text: t("settings.notifications"), content: switches(profile.notifications) },
    { id: "security", text: t("settings.security"), content: h("div.stack", {}, passwordForm(), deletion(profile)) },
    { id: "help", text: t("settings.help"), content: help() },
  ];
  return h("div.page", {}, h("h1", { tabindex: "-1" }, t("nav.settings")), tabs(t("nav.settings"), entries));
}

function profileForm(profile) {
  const name = h("input", { id: "profile-name", name: "name", value: profile.name, autocomplete: "name", "data-uiap-id": "profile.name" });
  const job = h("input", { id: "profile-job", name: "job", value: profile.job, "data-uiap-id": "profile.job" });
  const email = h("input", { id: "profile-email", value: profile.email, readonly: true, "data-uiap-data-class": "personal" });
  const form = h("form.card.narrow-card", { novalidate: true, "aria-label": t("settings.profile"), "data-uiap-scope": "profile.form",
    "data-uiap-scope-kind": "form" },
    errorSummary(),
    field({ id: "profile-name", name: "name", label: t("field.name"), control: name, required: true }),
    field({ id: "profile-job", name: "job", label: t("field.job"), control: job }),
    field({ id: "profile-email", name: "email", label: t("field.email"), control: email, hint: t("hint.email") }),
    h("div.actions.end", {}, h("button.button.primary", { type: "submit", "data-uiap-id": "profile.save" }, t("form.save"))));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await put("/api/profile", { name: name.value, job: job.value });
      showErrors(form, {});
      toast("toast.saved");
    } catch (error) {
      if (error.status === 422) showErrors(form, error.errors);
      else toast("error.server", {}, "failed");
    }
  });
  return form;
}

function switches(settings) {
  const line = ([name, on]) => {
    const id = `notify-${name}`;
    const change = async (value) => {
      try {
        await put(`/api/notifications/${name}`, { on: value });
      } catch (error) {
        toast("error.server", {}, "failed");
        throw error;
      }
    };
    const control = toggle({ id, label: `${id}-label`, on, change, optimistic: knobs.optimistic,
      attributes: { "data-uiap-id": `notification.${name}` } });
    return h("li.switch-line", {}, h("label", { id: `${id}-label`, for: id }, t(`notification.${name}`)), control.element);
  };
  return h("section.card.narrow-card", { "aria-label": t("settings.notifications") }, h("ul.plain", {}, Object.entries(settings).map(line)));
}

function help() {
  const ask = (name) => ({ id: name, title: t(`help.${name}`), text: t(`help.${name}_text`) });
  return h("section.card.narrow-card", {}, h("h2", {}, t("settings.help")),
    accordion([ask("formats"), ask("roles")]),
    h("details", { "data-uiap-id": "help.more" }, h("summary", {}, t("help.more")), h("p", {}, t("help.more_text"))));
}
