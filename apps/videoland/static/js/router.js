// The history router: maps addresses to pages and navigates without a new document.

import { ApiError } from "./api.js";
import { t } from "./boot.js";
import { h } from "./dom.js";
import { ROUTES } from "./routes.js";

let outlet = null;
let onRoute = () => {};
let current = new AbortController();

export function start(element, routed) {
  outlet = element;
  onRoute = routed;
  document.addEventListener("click", follow);
  window.addEventListener("popstate", () => show(false));
  return show(false);
}

export function navigate(path, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", path);
  return show(true);
}

export function reload() {
  return show(false);
}

// Plain left clicks on links of the same origin stay in this document; the browser handles all others.
function follow(event) {
  const link = event.target.closest?.("a[href]");
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || link.target || "native" in link.dataset) return;
  if (link.getAttribute("href").startsWith("#")) return;
  event.preventDefault();
  navigate(link.pathname + link.search);
}

async function show(moveFocus) {
  current.abort();
  const mine = (current = new AbortController());
  const { route, params } = match(location.pathname);
  const view = { params, query: new URLSearchParams(location.search), signal: mine.signal };
  busy(true);
  const content = await drawn(route, view);
  if (mine.signal.aborted) return;
  document.body.dataset.uiapRoute = route.id;
  document.title = content.dataset.title ?? t(route.title);
  outlet.replaceChildren(content);
  busy(false);
  onRoute(route);
  if (moveFocus) settle(content);
}

async function drawn(route, view) {
  try {
    return await route.render(view);
  } catch (error) {
    if (view.signal.aborted) return h("div");
    if (error instanceof ApiError && error.status === 401) {
      location.assign(`/login?next=${encodeURIComponent(location.pathname + location.search)}`);
      return h("div");
    }
    if (error instanceof ApiError && error.status === 404) return ROUTES.at(-1).render(view);
    if (!(error instanceof ApiError)) console.error(error);
    return broken();
  }
}

function broken() {
  return h(
    "section.page.narrow",
    {},
    h("h1", { tabindex: "-1" }, t("error.page")),
    h("p", { role: "alert" }, t("error.page_hint")),
    h("button.button", { type: "button", onclick: reload }, t("error.retry")),
  );
}

function match(path) {
  for (const route of ROUTES) {
    const found = route.pattern.exec(path);
    if (found) return { route, params: found.groups ?? {} };
  }
  return { route: ROUTES.at(-1), params: {} };
}

function busy(on) {
  outlet.setAttribute("aria-busy", on);
  document.body.classList.toggle("loading", on);
}

function settle(content) {
  window.scrollTo(0, 0);
  content.querySelector("h1")?.focus({ preventScroll: true });
}
