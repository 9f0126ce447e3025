// The page for unknown addresses.

import { t } from "../boot.js";
import { h } from "../dom.js";

export async function render() {
  return h("section.page.narrow", {},
    h("h1", { tabindex: "-1" }, t("missing.title")),
    h("p", {}, t("missing.text")),
    h("a.button", { href: "/" }, t("missing.home")));
}
