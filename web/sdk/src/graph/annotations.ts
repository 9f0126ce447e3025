/**
 * `data-uiap-*` attributes, read and checked. A value outside its vocabulary is ignored.
 *
 * They are claims of the page. This module only passes them on, with `source: annotation`; other modules decide what
 * they may change. A page may raise risk, never lower it.
 */

import { attr, attributeNames, hasAttr } from "../dom.ts";
import type { Risk, UIAffordance, UIRole } from "../types.ts";
import { isSuccessSignal } from "./success.ts";
import { clean, token } from "./text.ts";

export const ROLES: ReadonlySet<string> = new Set<UIRole>([
  "app", "route", "region", "group", "form", "dialog", "drawer", "popover", "tabpanel",
  "link", "menu", "menuitem", "tablist", "tab", "toolbar", "breadcrumb", "pagination",
  "list", "listitem", "table", "row", "cell", "grid", "tree", "treeitem",
  "button", "textbox", "textarea", "searchbox", "combobox", "listbox", "option", "checkbox", "radio",
  "switch", "slider", "spinbutton", "datepicker", "timepicker", "fileinput", "label",
  "alert", "toast", "status", "progress", "spinner",
  "image", "video", "audio", "canvas", "custom",
]);

const AFFORDANCES: ReadonlySet<string> = new Set<UIAffordance>([
  "read", "focus", "activate", "edit", "choose", "toggle", "expand", "collapse", "open", "close",
  "scroll", "submit", "dismiss", "drag", "drop", "resize", "upload", "navigate", "invoke",
]);

const SCOPE_KINDS: ReadonlySet<string> = new Set([
  "app", "route", "region", "group", "form", "dialog", "drawer", "popover", "menu", "tabpanel", "toolbar",
  "list", "table", "grid", "tree", "frame", "custom",
]);

const RISK_TAGS: ReadonlySet<string> = new Set([
  "sensitive_data", "destructive", "external_effect", "privileged", "billing", "security", "identity", "legal", "irreversible",
]);

const DATA_CLASSES: ReadonlySet<string> = new Set([
  "public", "internal", "personal", "sensitive", "credential", "secret", "payment", "health",
]);

const VENDOR = /^x\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

const RISK_LEVELS: ReadonlySet<string> = new Set(["safe", "confirm", "blocked"]);

const NAMES = [
  "id", "scope", "scope-kind", "route", "role", "name", "meaning", "affordances", "action", "actions", "risk",
  "risk-tags", "data-class", "sensitive", "success", "collection", "entity", "ignore", "opaque", "user-content",
];

export class Annotations {
  prefix = "";
  private names: Record<string, string> = {};

  constructor(prefix: string) {
    this.use(prefix);
  }

  /** Read annotations with another prefix from now on. */
  use(prefix: string): void {
    this.prefix = prefix;
    this.names = Object.fromEntries(NAMES.map((name) => [name, prefix + name]));
  }

  raw(el: Element, name: string): string | null {
    return attr(el, this.names[name]!);
  }

  has(el: Element, name: string): boolean {
    return hasAttr(el, this.names[name]!);
  }

  /** Return whether the element has any annotation. This is asked for every node, so it has to be cheap. */
  any(el: Element): boolean {
    for (const name of attributeNames(el)) if (name.startsWith(this.prefix)) return true;
    return false;
  }

  value(el: Element, name: string): string | undefined {
    const raw = this.raw(el, name);
    if (raw === null) return undefined;
    return token(raw) || undefined;
  }

  words(el: Element, name: string): string[] | undefined {
    const found = this.value(el, name)?.split(" ").filter(Boolean);
    return found && found.length > 0 ? found : undefined;
  }

  /** Return a role of the vocabulary, or `custom` with the word of the application. Other words are ignored. */
  role(el: Element): { role: UIRole; customRole?: string } | undefined {
    const value = this.value(el, "role");
    if (!value) return undefined;
    if (VENDOR.test(value)) return { role: "custom", customRole: value };
    return ROLES.has(value) ? { role: value as UIRole } : undefined;
  }

  name(el: Element): string | undefined {
    const raw = this.raw(el, "name");
    return raw === null ? undefined : clean(raw) || undefined;
  }

  scopeKind(el: Element): string | undefined {
    const value = this.value(el, "scope-kind");
    return value && (SCOPE_KINDS.has(value) || VENDOR.test(value)) ? value : undefined;
  }

  affordances(el: Element): UIAffordance[] | undefined {
    const found = this.words(el, "affordances")?.filter((word) => AFFORDANCES.has(word));
    return found && found.length > 0 ? (found as UIAffordance[]) : undefined;
  }

  risk(el: Element): Risk | undefined {
    const level = this.value(el, "risk");
    const words = this.words(el, "risk-tags")?.filter((word) => RISK_TAGS.has(word) || VENDOR.test(word));
    const tags = words && words.length > 0 ? words : undefined;
    if ((!level || !RISK_LEVELS.has(level)) && !tags) return undefined;
    const risk: Risk = { level: level && RISK_LEVELS.has(level) ? level : "confirm" };
    if (tags) risk.tags = tags;
    return risk;
  }

  /** Return the data classes; an unknown one counts as `secret`. */
  dataClasses(el: Element): string[] | undefined {
    return this.words(el, "data-class")?.map((word) => (DATA_CLASSES.has(word) || VENDOR.test(word) ? word : "secret"));
  }

  sensitive(el: Element): boolean | undefined {
    const raw = this.raw(el, "sensitive");
    return raw === null ? undefined : raw.trim().toLowerCase() !== "false";
  }

  success(el: Element): unknown[] | undefined {
    const raw = this.raw(el, "success");
    if (raw === null || raw.length > 8_000) return undefined;
    try {
      const value: unknown = JSON.parse(raw);
      return Array.isArray(value) && value.every(isSuccessSignal) ? (value as unknown[]) : undefined;
    } catch {
      return undefined;
    }
  }
}
