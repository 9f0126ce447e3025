// One video: details, title edited in place, publishing and deleting.

import { get, patch } from "../api.js";
import { badge } from "../badge.js";
import { day, isAdmin, number, t } from "../boot.js";
import { h, icon, ICONS } from "../dom.js";
import { field, showErrors } from "../field.js";
import { navigate } from "../router.js";
import { toast } from "../toast.js";
import { deleteVideo, publishVideo } from "../video_actions.js";

export async function render({ params, query, signal }) {
  const video = await get(`/api/videos/${params.id}`, signal);
  const heading = h("div.detail-title");
  const state = h("p.detail-state", { "data-uiap-id": "video.status" });
  const actions = h("div.actions");

  function show(status) {
    video.status = status;
    state.replaceChildren(badge(status), h("span.muted", {}, t("detail.updated", { day: day(video.updated_at) })));
    actions.replaceChildren(...buttons(video, show));
  }
  show(video.status);
  showTitle(heading, video);
  if (query.has("edit") && isAdmin()) editTitle(heading, video);
  return h("article.page", { "data-title": video.title, "data-uiap-entity": `video:${video.id}`,
    "data-uiap-scope": "video.detail", "data-uiap-scope-kind": "region" },
    h("p", {}, h("a", { href: "/videos" }, t("detail.back"))),
    h("header.page-head", {}, heading, actions), state,
    h("div.columns", {}, h("div.poster", { role: "img", "aria-label": t("detail.poster") }, icon(ICONS.play)), facts(video)));
}

function showTitle(box, video) {
  box.replaceChildren(h("h1", { tabindex: "-1" }, video.title), isAdmin() ? h("button.button.small", { type: "button",
    onclick: () => editTitle(box, video), "data-uiap-id": "video.title.edit" }, t("detail.edit_title")) : "");
}

function editTitle(box, video) {
  const input = h("input", { id: "edit-title", name: "title", value: video.title, "data-uiap-id": "video.title",
    "data-uiap-meaning": "video.title" });
  const form = h("form.inline", { novalidate: true, "aria-label": t("detail.edit_title"), "data-uiap-scope": "video.title.form", "data-uiap-scope-kind": "form" },
    field({ id: "edit-title", name: "title", label: t("field.title"), control: input }),
    h("button.button.primary.small", { type: "submit", "data-uiap-id": "video.title.save" }, t("form.save")),
    h("button.button.small", { type: "button", onclick: () => showTitle(box, video) }, t("dialog.cancel")));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      Object.assign(video, await patch(`/api/videos/${video.id}`, { title: input.value }));
      showTitle(box, video);
      document.title = video.title;
      toast("toast.saved");
    } catch (error) {
      showErrors(form, error.errors ?? {});
      if (error.status !== 422) toast("error.server", {}, "failed");
    }
  });
  // The heading stays for structure and focus while its text is edited.
  box.replaceChildren(h("h1.visually-hidden", { tabindex: "-1" }, video.title), form);
  queueMicrotask(() => input.focus());
}

function buttons(video, show) {
  if (!isAdmin()) return [];
  const publish = h("button.button.primary", { type: "button", disabled: video.status === "published",
    onclick: () => {
      publish.disabled = true;
      return publishVideo(video, show);
    },
    "data-uiap-id": "video.publish", "data-uiap-action": "video.publish", "data-uiap-risk": "confirm",
    "data-uiap-risk-tags": "external_effect" }, t("detail.publish"));
  const gone = async () => {
    await navigate("/videos");
    return () => navigate(`/videos/${video.id}`);
  };
  const drop = h("button.button.danger", { type: "button", onclick: () => deleteVideo(video, gone), "data-uiap-id": "video.delete",
    "data-uiap-action": "video.delete", "data-uiap-risk": "confirm", "data-uiap-risk-tags": "destructive" }, t("videos.delete"));
  return [publish, drop];
}

function facts(video) {
  const yes = (on) => t(on ? "word.yes" : "word.no");
  const release = [video.release_date && day(video.release_date), video.release_time].filter(Boolean).join(", ");
  const pairs = [
    ["description", video.description], ["category", t(`category.${video.category}`)],
    ["use_case", video.use_case && t(`use_case.${video.use_case}`)], ["visibility", t(`visibility.${video.visibility}`)],
    ["subtitles", yes(video.subtitles)], ["notify", yes(video.notify)], ["quality", `${video.quality} %`],
    ["volume", `${video.volume} %`], ["duration", t("detail.minutes", { count: video.duration })], ["release", release],
    ["file", video.file_name], ["views", number(video.views)],
  ];
  return h("section.card", { "aria-labelledby": "facts-title" }, h("h2", { id: "facts-title" }, t("detail.facts")),
    h("dl.facts", {}, pairs.map(([name, value]) =>
      h("div", {}, h("dt", {}, t(`field.${name}`)), h("dd", { "data-fact": name }, value || "–")))));
}
