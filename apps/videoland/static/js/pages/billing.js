// Billing, framed twice: from another port of this host (same site), and from another name of it (another site).

import { billingPort, isAdmin, language, t } from "../boot.js";
import { h } from "../dom.js";

export async function render() {
  const heading = h("h1", { tabindex: "-1" }, t("nav.billing"));
  if (!isAdmin()) return h("section.page.narrow", {}, heading, h("p", { role: "alert" }, t("error.forbidden")));
  const other = location.hostname === "127.0.0.1" ? "localhost" : "127.0.0.1";
  return h("div.page", {}, heading, h("p.muted", {}, t("billing.intro")),
    h("div.columns.even", {}, framed("billing.plan_title", location.hostname), framed("billing.card_title", other)));
}

function framed(title, host) {
  return h("section.card", {}, h("h2", {}, t(title)),
    h("iframe.billing-frame", { src: `http://${host}:${billingPort}/?lang=${language}`, title: t(title) }));
}
