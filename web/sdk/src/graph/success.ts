/**
 * Success signals that a page declares on an element. Malformed ones are dropped, so that one of them cannot invalidate
 * a graph.
 */

import { ROLES } from "./annotations.ts";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string" && value.length <= 1_000;
const number: Check = (value) => typeof value === "number" && Number.isFinite(value);
const count: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const object: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const scalar: Check = (value) => text(value) || number(value) || typeof value === "boolean";
const operator: Check = (value) => value === "eq" || value === "gte" || value === "lte";

const target: Check = (value) => {
  if (!object(value)) return false;
  const ref = value as Record<string, unknown>;
  if (ref["by"] === "semantic") {
    return text(ref["role"]) && ROLES.has(ref["role"] as string) && optional(ref["name"], text) && optional(ref["scope"], text);
  }
  return ["stableId", "scope", "route", "custom", "instanceId"].includes(ref["by"] as string) && text(ref["value"]);
};

function optional(value: unknown, check: Check): boolean {
  return value === undefined || check(value);
}

/** Members by signal kind; a trailing `?` marks an optional member. */
const SHAPES: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  "element.appeared": { target },
  "element.disappeared": { target },
  "value.equals": { target, value: scalar },
  "route.changed": { "pattern?": text, "exact?": text },
  "dialog.opened": { "target?": target },
  "dialog.closed": { "target?": target },
  "toast.contains": { text },
  "status.contains": { text },
  "validation.none": { "scope?": text },
  "collection.count": { target, op: operator, value: number },
  "entity.created": { entityType: text, "idPath?": text },
  "entity.updated": { entityType: text, "idPath?": text },
  "entity.deleted": { entityType: text, "idPath?": text },
  "network.response": { "urlPattern?": text, "status?": count },
  custom: { name: text, "payload?": object },
};

export function isSuccessSignal(value: unknown): boolean {
  if (!object(value)) return false;
  const signal = value as Record<string, unknown>;
  const kind = signal["kind"];
  if (typeof kind !== "string" || !Object.hasOwn(SHAPES, kind)) return false;
  return Object.entries(SHAPES[kind]!).every(([name, check]) =>
    name.endsWith("?") ? optional(signal[name.slice(0, -1)], check) : check(signal[name]),
  );
}
