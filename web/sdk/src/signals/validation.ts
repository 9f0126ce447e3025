/** Validation: the invalid fields of a scope and their messages, sent when they change. */

import type { Changes } from "../delta/diff.ts";
import { attr, byId, contentOf, isHtml, localName } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { isMasked } from "../graph/sensitive.ts";
import { clean } from "../graph/text.ts";
import type { Entry } from "../graph/store.ts";
import type { Signal, ValidationIssue } from "../types.ts";

export class Validation {
  private issues = new Map<string, ValidationIssue & { scopeId: string }>();

  constructor(private readonly page: Page) {}

  reset(): void {
    this.issues.clear();
    for (const entry of this.page.store.published.values()) this.record(entry);
  }

  private record(entry: Entry): void {
    const id = entry.element.instanceId;
    const invalid = entry.element.state.invalid;
    if (invalid === undefined || invalid === false) this.issues.delete(id);
    else this.issues.set(id, { ...issue(entry), scopeId: entry.element.scopeId ?? "" });
  }

  changes(changes: Changes): Signal[] {
    const scopes = new Set<string>();
    const compare = (id: string, entry: Entry | null): void => {
      const before = this.issues.get(id);
      if (entry) this.record(entry);
      else this.issues.delete(id);
      const after = this.issues.get(id);
      if (before?.message === after?.message && (before === undefined) === (after === undefined)) return;
      for (const one of [before, after]) if (one) scopes.add(one.scopeId);
    };
    for (const { element } of changes.removed(this.page.store)) compare(element!.instanceId, null);
    for (const entry of changes.added(this.page.store)) compare(entry.element.instanceId, entry);
    for (const [, entry] of changes.kept(this.page.store)) compare(entry.element.instanceId, entry);
    return [...scopes].map((scopeId) => this.signal(scopeId));
  }

  private signal(scopeId: string): Signal {
    const errors: ValidationIssue[] = [];
    for (const { scopeId: where, ...rest } of this.issues.values()) if (where === scopeId) errors.push(rest);
    const isPublished = scopeId !== "" && this.page.store.scopes.has(scopeId);
    return { kind: "validation.changed", ...(isPublished && { scopeId }), errors };
  }
}

function textById(el: Element, id: string): string {
  const found = byId(el, id);
  return found ? contentOf(found) : "";
}

function issue(entry: Entry): ValidationIssue {
  const { instanceId, stableId } = entry.element;
  return { instanceId, ...(stableId && { stableId }), message: messageOf(entry.el) };
}

/** Return the message: aria-errormessage, then the description, then the browser's own text. */
export function messageOf(el: Element): string {
  for (const name of ["aria-errormessage", "aria-describedby"]) {
    const texts = (attr(el, name) ?? "").split(/\s+/).filter(Boolean).map((id) => textById(el, id));
    const text = clean(texts.join(" "));
    if (text) return text;
  }
  const tag = isHtml(el) ? localName(el) : "";
  const native = tag === "input" || tag === "select" || tag === "textarea" ? (el as HTMLInputElement).validationMessage : "";
  return clean(isMasked(el) ? native.replace(/"[^"]*"/g, "") : native) || "invalid";
}
