// Toasts and the status line: each message is shown once, in live regions that exist from the start.

import { knobs, t } from "./boot.js";
import { h } from "./dom.js";

export const toasts = h("div.toasts", { "aria-live": "polite", "data-uiap-id": "app.toasts" });
export const status = h("p.status-line", { role: "status", "data-uiap-id": "app.status" });

export function toast(key, values, kind = "done") {
  const close = h("button.toast-close", { type: "button", "aria-label": t("toast.close") }, "×");
  const box = h(`div.toast.${kind}`, { role: kind === "failed" ? "alert" : null }, h("span", {}, t(key, values)), close);
  const timer = setTimeout(() => box.remove(), knobs.toast_ms);
  close.addEventListener("click", () => {
    clearTimeout(timer);
    box.remove();
  });
  toasts.append(box);
}

export function say(text) {
  status.textContent = text;
}
