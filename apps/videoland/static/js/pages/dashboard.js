// The first page: figures, newest videos, links.

import { get } from "../api.js";
import { day, isAdmin, number, state, t } from "../boot.js";
import { h } from "../dom.js";
import { badge } from "../badge.js";

export async function render({ signal }) {
  const facts = await get("/api/dashboard", signal);
  return h(
    "div.page",
    {},
    h("header.page-head", {},
      h("div", {}, h("h1", { tabindex: "-1" }, t("nav.dashboard")),
        h("p.muted", {}, t("dashboard.hello", { name: state.user.name.split(" ")[0] }))),
      isAdmin() && h("a.button.primary", { href: "/videos/new", "data-uiap-id": "video.new" }, t("create.title"))),
    figures(facts),
    h("div.columns", {}, recent(facts.recent), next()),
  );
}

function figures(facts) {
  const one = (name, value) => h("div.card.figure", { "data-uiap-id": `dashboard.${name}` },
    h("dt", {}, t(`dashboard.${name}`)), h("dd", {}, number(value)));
  return h("dl.figures", { "data-uiap-scope": "dashboard.figures", "data-uiap-scope-kind": "group" },
    one("total", facts.total), one("published", facts.published), one("drafts", facts.drafts), one("views", facts.views));
}

function recent(videos) {
  return h("section.card", { "aria-labelledby": "recent-title" },
    h("h2", { id: "recent-title" }, t("dashboard.recent")),
    h("ul.rows", {}, videos.map((video) =>
      h("li", { "data-id": video.id },
        h("a", { href: `/videos/${video.id}` }, video.title),
        badge(video.status),
        h("span.muted", {}, day(video.updated_at))))),
    h("p", {}, h("a", { href: "/videos" }, t("dashboard.all"))));
}

function next() {
  const link = (href, key) => h("li", {}, h("a", { href }, t(key)));
  return h("section.card", { "aria-labelledby": "next-title" },
    h("h2", { id: "next-title" }, t("dashboard.next")),
    h("ul.plain", {}, link("/videos/virtual", "virtual.title"), link("/studio", "dashboard.open_studio"),
      link("/team", "dashboard.invite"), link("/settings", "dashboard.settings")));
}
