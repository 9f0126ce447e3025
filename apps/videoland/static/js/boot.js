// The data that the server sent with the page: texts, user, knobs, choices. It changes nothing on the server.

const boot = JSON.parse(document.getElementById("boot").textContent);

export const { language, knobs, choices, limits, studio, billingPort } = boot;

export const state = { user: boot.user };

export function isAdmin() {
  return state.user?.role === "admin";
}

export function t(key, values = {}) {
  const text = boot.texts[key];
  if (text === undefined) throw new Error(`no text for \`${key}\``);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}

const locale = language === "de" ? "de-CH" : "en-GB";
const numbers = new Intl.NumberFormat(locale);
const dates = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeZone: "UTC" });

export const number = (value) => numbers.format(value);
export const day = (iso) => dates.format(new Date(iso));

// Knobs of the address are sent with each request, so that opening a page changes nothing on the server.
const SERVER_KNOBS = new Set(["delay_ms", "save_delay_ms", "failure_rate", "fail_mode"]);
const asked = boot.asked.split(",").filter((part) => SERVER_KNOBS.has(part.split(":")[0]));
let failuresLeft = Number(/(?:^|,)fail_next:(\d+)/.exec(boot.asked)?.[1] ?? 0);

export function knobHeader(writes) {
  if (!writes || failuresLeft === 0) return asked.join(",");
  failuresLeft -= 1;
  return [...asked, "fail_next:1"].join(",");
}
