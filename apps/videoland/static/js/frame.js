// The frame around every page: brand, navigation, hover menu, account menu, live regions, support chat.

import { remove } from "./api.js";
import { isAdmin, language, t } from "./boot.js";
import { h, icon, ICONS } from "./dom.js";
import { noiseBoxes } from "./noise.js";
import { navigate } from "./router.js";
import { status, toast, toasts } from "./toast.js";
import { hoverMenu, menuButton } from "./widgets/menu.js";

const LINKS = [
  ["dashboard", "/"],
  ["videos", "/videos"],
  ["studio", "/studio"],
  ["team", "/team"],
  ["billing", "/billing"],
  ["settings", "/settings"],
];

export function frame(user) {
  const outlet = h("main.outlet", { id: "main" });
  const links = user ? navigation() : null;
  const element = h(
    "div.frame",
    {},
    h("a.skip", { href: "#main" }, t("app.skip")),
    h("div.loading-bar", { role: "progressbar", "aria-label": t("app.loading") }),
    links && h("aside.side", {}, brand(), links, h("p.side-foot", {}, t("app.version"))),
    h("div.body", {}, topBar(user), outlet, status),
    toasts,
    user && h("vl-support-chat", { role: "region", "aria-label": t("support.title") }),
  );
  return { element, outlet, routed: (route) => mark(links, route) };
}

function brand() {
  return h("a.brand", { href: "/" }, h("span.brand-mark", { "aria-hidden": "true" }, icon(ICONS.play)), "Videoland");
}

function navigation() {
  const shown = LINKS.filter(([id]) => isAdmin() || id !== "billing");
  return h(
    "nav",
    { "aria-label": t("nav.label"), "data-uiap-scope": "app.nav", "data-uiap-scope-kind": "region" },
    h("ul", {}, shown.map(([id, path]) => h("li", {}, link(id, path)))),
  );
}

function link(id, path) {
  const attributes = { href: path, "data-nav": id, "data-uiap-id": `nav.${id}` };
  return h("a.nav-link", attributes, icon(ICONS[id]), t(`nav.${id}`));
}

function mark(links, route) {
  for (const one of links?.querySelectorAll("a") ?? []) {
    const here = route.id === one.dataset.nav || route.id.startsWith(`${one.dataset.nav}.`);
    if (here) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
}

function topBar(user) {
  return h(
    "header.top",
    {},
    user ? newMenu() : brand(),
    h("div.top-noise", {}, noiseBoxes()),
    h("div.top-end", {}, languages(), user && accountMenu(user)),
  );
}

function newMenu() {
  if (!isAdmin()) return h("span");
  return hoverMenu(t("new.label"), [
    h("a", { href: "/videos/new" }, t("create.title")),
    h("a", { href: "/team" }, t("new.invitation")),
    h("a", { href: "/studio" }, t("new.cut")),
  ]);
}

// Links, not buttons: choosing a language opens the same page in that language.
function languages() {
  const one = (code, name) =>
    h(
      "a",
      { href: `?lang=${code}`, hreflang: code, lang: code, "data-native": "", "aria-label": name,
        "aria-current": code === language ? "true" : null },
      code.toUpperCase(),
    );
  return h("nav.languages", { "aria-label": t("app.language") }, one("de", "Deutsch"), one("en", "English"));
}

function accountMenu(user) {
  const label = [h("span.avatar", { "aria-hidden": "true" }, initials(user.name)), h("span", { class: "account-name" }, user.name)];
  return menuButton("account.menu", label, t("account.menu", user), [
    { text: t("account.profile"), run: () => navigate("/settings") },
    { text: t("account.team"), run: () => navigate("/team") },
    { text: t("account.sign_out"), run: signOut, id: "account.sign_out" },
  ]);
}

async function signOut() {
  try {
    await remove("/api/session");
    location.assign("/login");
  } catch {
    toast("error.server", {}, "failed");
  }
}

function initials(name) {
  return name.split(/\s+/).map((part) => part[0]).join("").slice(0, 2).toUpperCase();
}
