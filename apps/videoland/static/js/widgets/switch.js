// A role=switch button. If `change` rejects, the switch returns to its old state.

import { h } from "../dom.js";

export function toggle({ id, label, on, change = async () => {}, optimistic = true, attributes = {} }) {
  const button = h("button.switch", {
    id, type: "button", role: "switch", "aria-checked": String(on), "aria-labelledby": label, ...attributes,
  });
  const value = () => button.getAttribute("aria-checked") === "true";
  button.addEventListener("click", async () => {
    const before = value();
    if (optimistic) button.setAttribute("aria-checked", String(!before));
    button.setAttribute("aria-busy", "true");
    try {
      await change(!before);
      button.setAttribute("aria-checked", String(!before));
    } catch {
      button.setAttribute("aria-checked", String(before));
    } finally {
      button.removeAttribute("aria-busy");
    }
  });
  return { element: button, value };
}
