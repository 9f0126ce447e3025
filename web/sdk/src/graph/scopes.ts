/** Which elements open a scope, and of which kind (companions 4.3, 4.9). */

import type { ScopeKind, UIRole } from "../types.ts";

const KINDS: Partial<Record<UIRole, ScopeKind>> = {
  app: "app", route: "route", region: "region", breadcrumb: "region", pagination: "region", group: "group",
  form: "form", dialog: "dialog", drawer: "drawer", popover: "popover", menu: "menu", tabpanel: "tabpanel",
  toolbar: "toolbar", table: "table", grid: "grid", tree: "tree",
};

export function scopeKindOf(role: UIRole, name: string): ScopeKind | undefined {
  // A nameless list is layout more often than a place; a named one can be asked for.
  if (role === "list") return name ? "list" : undefined;
  return KINDS[role];
}

export const DIALOGS: ReadonlySet<ScopeKind> = new Set(["dialog", "drawer", "popover"]);

/** Elements that own the text inside them that no control, heading or nearer owner claims. */
export const TEXT_OWNERS: ReadonlySet<UIRole> = new Set<UIRole>([
  "app", "route", "region", "breadcrumb", "pagination", "group", "form", "dialog", "drawer", "popover", "menu",
  "tabpanel", "toolbar", "list", "listitem", "table", "row", "cell", "grid", "tree", "tablist",
  "alert", "toast", "status", "progress", "spinner", "custom", "label",
]);
