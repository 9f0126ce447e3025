// The video list, page by page: the address contains page, search, status and order.

import { get } from "../api.js";
import { badge } from "../badge.js";
import { choices, day, isAdmin, number, t } from "../boot.js";
import { h, icon, ICONS } from "../dom.js";
import { choice } from "../field.js";
import { navigate } from "../router.js";
import { storm } from "../storm.js";
import { toast } from "../toast.js";
import { deleteVideo } from "../video_actions.js";
import { videoForm } from "../video_form.js";
import { openDialog } from "../widgets/dialog.js";

const KEPT = ["q", "status", "sort", "size"];

export async function render({ query, signal }) {
  const found = await get(`/api/videos?${asked(query)}`, signal);
  const body = h("tbody");
  const draw = () => body.replaceChildren(...found.items.map((video) => row(video, found.items, draw)));
  draw();
  storm(found.items, draw, signal);
  return h("div.page", {}, head(), toolbar(query), table(body, found), pagination(query, found));
}

function asked(query) {
  return new URLSearchParams(["page", ...KEPT].filter((name) => query.get(name)).map((name) => [name, query.get(name)]));
}

function head() {
  return h("header.page-head", {},
    h("h1", { tabindex: "-1" }, t("nav.videos")),
    h("div.actions", {},
      h("a.button", { href: "/videos/virtual" }, t("virtual.link")),
      isAdmin() && h("button.button", { type: "button", onclick: quickCreate, "aria-haspopup": "dialog",
        "data-uiap-id": "video.quick" }, t("create.quick")),
      isAdmin() && h("a.button.primary", { href: "/videos/new", "data-uiap-id": "video.new" }, icon(ICONS.plus), t("create.title"))));
}

function quickCreate() {
  const form = videoForm({
    saved: (video) => {
      dialog.close();
      navigate(`/videos/${video.id}`).then(() => toast("toast.created", video));
    },
    cancelled: () => dialog.close(),
  });
  const dialog = openDialog({ title: t("create.title"), content: h("div.dialog-body", {}, form), scope: "video.create.dialog" });
}

function toolbar(query) {
  const search = h("input", { id: "search", type: "search", name: "q", value: query.get("q") ?? "",
    placeholder: t("videos.search_hint"), "data-uiap-id": "videos.search" });
  const status = h("select", { id: "status", name: "status", "data-uiap-id": "videos.status" },
    h("option", { value: "" }, t("videos.any_status")), choice("status", choices.status, query.get("status")));
  const sort = h("select", { id: "sort", name: "sort", "data-uiap-id": "videos.sort" },
    choice("sort", ["newest", "oldest", "title", "views"], query.get("sort") ?? "newest"));
  const form = h("form.toolbar", { role: "search", "aria-label": t("videos.find"), "data-uiap-scope": "videos.filter",
    "data-uiap-scope-kind": "form" },
    h("div.field", {}, h("label", { for: "search" }, t("videos.search")), search),
    h("div.field", {}, h("label", { for: "status" }, t("field.status")), status),
    h("div.field", {}, h("label", { for: "sort" }, t("videos.sort")), sort),
    h("button.button", { type: "submit", "data-uiap-id": "videos.apply" }, t("videos.apply")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = new URLSearchParams();
    for (const input of [search, status, sort]) {
      if (input.value && input.value !== "newest") wanted.set(input.name, input.value);
    }
    navigate(`/videos${wanted.size ? `?${wanted}` : ""}`);
  });
  return form;
}

function table(body, found) {
  const column = (key, kind) => h("th", { scope: "col", class: kind }, t(key));
  return h("div.card.table-card", {},
    h("table", { "data-uiap-collection": "videos", "data-uiap-scope": "videos.table", "data-uiap-scope-kind": "table" },
      h("caption", {}, t("videos.count", { count: number(found.total) })),
      h("thead", {}, h("tr", {}, column("field.title"), column("field.category"), column("field.status"),
        column("field.views", "number"), column("field.updated"), column("field.actions", "number"))),
      body),
    found.items.length === 0 && h("p.empty", {}, t("videos.none")));
}

function row(video, items, draw) {
  return h("tr", { "data-id": video.id, "data-uiap-entity": `video:${video.id}` },
    h("th", { scope: "row" }, h("a", { href: `/videos/${video.id}` }, video.title)),
    h("td", {}, t(`category.${video.category}`)),
    h("td", {}, badge(video.status)),
    h("td.number", {}, number(video.views)),
    h("td", {}, day(video.updated_at)),
    h("td.number", {}, isAdmin() && rowButtons(video, () => vanish(video, items, draw))));
}

export function rowButtons(video, vanish) {
  return h("span.row-actions", {},
    h("button.button.small", { type: "button", "data-id": video.id, "data-uiap-meaning": "video.edit",
      onclick: () => navigate(`/videos/${video.id}?edit=1`) }, t("videos.edit")),
    h("button.button.small.danger-text", { type: "button", "data-id": video.id, "data-uiap-meaning": "video.delete",
      "data-uiap-risk": "confirm", "data-uiap-risk-tags": "destructive",
      onclick: () => deleteVideo(video, vanish) }, t("videos.delete")));
}

function vanish(video, items, draw) {
  const at = items.findIndex((one) => one.id === video.id);
  items.splice(at, 1);
  draw();
  return () => {
    items.splice(at, 0, video);
    draw();
  };
}

function pagination(query, found) {
  const to = (page) => {
    const wanted = asked(query);
    wanted.set("page", page);
    return `/videos?${wanted}`;
  };
  const link = (page, text, attributes = {}) => h("a", { href: to(page), ...attributes }, text);
  return h("nav.pagination", { "aria-label": t("pages.label"), "data-uiap-scope": "videos.pages", "data-uiap-scope-kind": "region" },
    found.page > 1 && link(found.page - 1, t("pages.previous"), { rel: "prev", "data-uiap-id": "videos.pages.previous" }),
    h("ol", {}, around(found.page, found.pages).map((page) =>
      h("li", {}, link(page, number(page), { "aria-current": page === found.page ? "page" : null })))),
    found.page < found.pages && link(found.page + 1, t("pages.next"), { rel: "next", "data-uiap-id": "videos.pages.next" }));
}

function around(page, pages) {
  const near = [1, page - 1, page, page + 1, pages].filter((one) => one >= 1 && one <= pages);
  return [...new Set(near)].sort((one, other) => one - other);
}
