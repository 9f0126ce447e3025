// The support chat: a closed shadow root, as third-party widgets ship them. No script outside can read it.

import { t } from "../boot.js";
import { h } from "../dom.js";

const CANARY = "CANARY-CLOSED-SHADOW-8842";

class SupportChat extends HTMLElement {
  #root = this.attachShadow({ mode: "closed" });

  connectedCallback() {
    const panel = h("section.panel", { hidden: true, "aria-label": t("support.title") });
    panel.append(
      h("strong", {}, t("support.title")),
      h("p", {}, t("support.hello")),
      h("p.small", {}, CANARY),
      h("input", { "aria-label": t("support.message"), placeholder: t("support.message") }),
      h("button.send", { type: "button" }, t("support.send")),
    );
    const open = h("button.open", { type: "button", onclick: () => (panel.hidden = !panel.hidden) }, t("support.open"));
    this.#root.append(h("link", { rel: "stylesheet", href: "/static/css/support_chat.css" }), panel, open);
  }
}

customElements.define("vl-support-chat", SupportChat);
