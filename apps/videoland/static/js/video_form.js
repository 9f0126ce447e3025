// The form for a new video, used on its own page and in a dialog. `video.submit` has no default action on purpose,
// so that the example of the specification may activate it without a confirmation.

import { post } from "./api.js";
import { choices, knobs, limits, t } from "./boot.js";
import { h } from "./dom.js";
import { choice, errorSummary, field, showErrors } from "./field.js";
import { say, toast } from "./toast.js";
import { combobox } from "./widgets/combobox.js";
import { slider } from "./widgets/slider.js";
import { toggle } from "./widgets/switch.js";

// The success signal that the app declares: how to see that submitting worked.
const SUCCESS = JSON.stringify([
  { kind: "route.changed", pattern: "/videos/:id" },
  { kind: "toast.contains", text: t("toast.created") },
]);

export function videoForm({ saved, cancelled }) {
  const parts = controls();
  const marks = knobs.redesign ? {} : { "data-uiap-id": "video.submit", "data-uiap-success": SUCCESS };
  const submit = h("button.button.primary", { type: "submit", ...marks }, t(knobs.redesign ? "create.submit_redesigned" : "create.submit"));
  const cancel = h("button.button", { type: "button", onclick: cancelled, "data-uiap-id": "video.cancel" }, t("dialog.cancel"));
  const form = h("form.video-form",
    { novalidate: true, "aria-label": t("create.title"), "data-uiap-scope": "video.create.form", "data-uiap-scope-kind": "form" },
    errorSummary(), layout(parts), h("div.actions.end", {}, cancel, submit));
  let saving = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (saving) return;
    const wrong = problems(parts);
    showErrors(form, wrong);
    if (Object.keys(wrong).length) return;
    saving = true;
    busy(form, submit, true);
    try {
      saved(await post("/api/videos", collected(parts)));
    } catch (error) {
      if (error.status === 422) showErrors(form, error.errors);
      else toast("toast.create_failed", {}, "failed");
    } finally {
      saving = false;
      busy(form, submit, false);
    }
  });
  return form;
}

function busy(form, submit, on) {
  form.setAttribute("aria-busy", on);
  submit.disabled = on;
  submit.classList.toggle("busy", on);
  say(on ? t("app.saving") : "");
}

function named(name, extra = {}) {
  return { id: `video-${name}`, name, "data-uiap-id": `video.${name}`, "data-uiap-meaning": `video.${name}`, ...extra };
}

function annotated(name) {
  return { "data-uiap-id": `video.${name}`, "data-uiap-meaning": `video.${name}` };
}

function controls() {
  const useCases = choices.useCase.map((code) => ({ code, text: t(`use_case.${code}`) }));
  return {
    title: h("input", named("title", { type: "text", required: true, "aria-required": "true", maxlength: limits.title, autocomplete: "off" })),
    description: h("textarea", named("description", { rows: 4, maxlength: limits.description })),
    category: h("select", named("category"), choice("category", choices.category, choices.category[0])),
    useCase: combobox({ id: "video-use_case", options: useCases, attributes: annotated("use_case") }),
    visibility: choices.visibility.map((code, at) =>
      h("input", { id: `video-visibility-${code}`, type: "radio", name: "visibility", value: code, checked: at === 0,
        "data-uiap-id": `video.visibility.${code}` })),
    subtitles: h("input", named("subtitles", { type: "checkbox" })),
    notify: toggle({ id: "video-notify", label: "video-notify-label", on: false, attributes: annotated("notify") }),
    quality: h("input", named("quality", { type: "range", min: 0, max: 100, step: 5, value: 70 })),
    volume: slider({ id: "video-volume", label: "video-volume-label", value: 50, attributes: annotated("volume") }),
    duration: h("input", named("duration", { type: "number", min: 1, max: 240, step: 1, value: 10 })),
    releaseDate: h("input", named("release_date", { type: "date" })),
    releaseTime: h("input", named("release_time", { type: "time" })),
    file: h("input.visually-hidden", named("file", { type: "file", accept: "video/*,.mp4,.txt" })),
  };
}

function layout(parts) {
  const basic = (name, control, more = {}) => field({ id: `video-${name}`, name, label: t(`field.${name}`), control, ...more });
  return h("div.form-grid", {},
    basic("title", parts.title, { required: true, hint: t("hint.title", { max: limits.title }) }),
    basic("description", parts.description),
    h("div.pair", {}, basic("category", parts.category), basic("use_case", parts.useCase.element)),
    visibilityGroup(parts.visibility),
    h("div.pair", {}, checkLine("subtitles", parts.subtitles), checkLine("notify", parts.notify.element)),
    h("div.pair", {}, withOutput("quality", parts.quality, parts.quality, "input", () => parts.quality.value),
      withOutput("volume", parts.volume.element, parts.volume.element, "slide", () => parts.volume.value())),
    h("div.triple", {}, basic("duration", parts.duration), basic("release_date", parts.releaseDate),
      basic("release_time", parts.releaseTime)),
    fileField(parts.file));
}

function visibilityGroup(radios) {
  return h("fieldset.field", { "data-field": "visibility" },
    h("legend", {}, t("field.visibility")),
    h("div.radios", {}, radios.map((radio) => h("label.radio", { for: radio.id }, radio, t(`visibility.${radio.value}`)))),
    h("p.error", { id: "video-visibility-error", hidden: true }));
}

function checkLine(name, control) {
  return h("div.check", {}, control, h("label", { for: control.id, id: `${control.id}-label` }, t(`field.${name}`)));
}

function withOutput(name, control, source, event, value) {
  const output = h("output", { for: `video-${name}` }, `${value()} %`);
  source.addEventListener(event, () => (output.value = `${value()} %`));
  return h("div.field", { "data-field": name },
    h("div.label-line", {}, h("label", { for: `video-${name}`, id: `video-${name}-label` }, t(`field.${name}`)), output),
    control, h("p.error", { id: `video-${name}-error`, hidden: true }));
}

// The input is there for keyboard and assistive technology; only the label is visible.
function fileField(input) {
  const name = h("span.file-name", {}, t("file.none"));
  input.addEventListener("change", () => (name.textContent = input.files[0]?.name ?? t("file.none")));
  return h("div.field", { "data-field": "file" },
    h("div.file", {}, input, h("label.button", { for: input.id }, t("file.choose")), name),
    h("p.error", { id: "video-file-error", hidden: true }));
}

function problems(parts) {
  const wrong = {};
  const title = parts.title.value.trim();
  if (!title) wrong.title = "required";
  else if (title.length < 3) wrong.title = "too_short";
  const useCase = parts.useCase.value();
  if (useCase && !choices.useCase.includes(useCase)) wrong.use_case = "unknown_option";
  const minutes = parts.duration.value;
  if (!minutes) wrong.duration = "required";
  else if (!/^\d+$/.test(minutes) || minutes < 1 || minutes > 240) wrong.duration = "out_of_range";
  return wrong;
}

function collected(parts) {
  const form = new FormData();
  for (const control of [parts.title, parts.description, parts.category, parts.quality, parts.duration, parts.releaseDate, parts.releaseTime]) {
    form.set(control.name, control.value);
  }
  form.set("use_case", parts.useCase.value());
  form.set("visibility", parts.visibility.find((radio) => radio.checked)?.value ?? "");
  form.set("subtitles", parts.subtitles.checked);
  form.set("notify", parts.notify.value());
  form.set("volume", parts.volume.value());
  if (parts.file.files.length) form.set("file", parts.file.files[0]);
  return form;
}
