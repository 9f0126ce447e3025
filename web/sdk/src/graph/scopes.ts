/** Which elements open a scope, and the kind of that scope. */

import type { ScopeKind, UIRole } from "../types.ts";

const KINDS: Partial<Record<UIRole, ScopeKind>> = {
  app: "app", route: "route", region: "region", breadcrumb: "region", pagination: "region", group: "group",
  form: "form", dialog: "dialog", drawer: "drawer", popover: "popover", menu: "menu", tabpanel: "tabpanel",
  toolbar: "toolbar", table: "table", grid: "grid", tree: "tree",
};

export function scopeKindOf(role: UIRole, name: string): ScopeKind | undefined {
  // A list without a name is mostly layout. A named list can be used as a target.
  if (role === "list") return name ? "list" : undefined;
  return KINDS[role];
}

export const DIALOGS: ReadonlySet<ScopeKind> = new Set(["dialog", "drawer", "popover"]);

/** Elements that own the text inside them, unless a control, a heading or a nearer owner claims it. */
export const TEXT_OWNERS: ReadonlySet<UIRole> = new Set<UIRole>([
  "app", "route", "region", "breadcrumb", "pagination", "group", "form", "dialog", "drawer", "popover", "menu",
  "tabpanel", "toolbar", "list", "listitem", "table", "row", "cell", "grid", "tree", "tablist",
  "alert", "toast", "status", "progress", "spinner", "custom", "label",
]);
