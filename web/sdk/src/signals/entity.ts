/**
 * Entity events that an app dispatches itself (`uiap:entity`). They come from the page, so they are checked and copied.
 */

import { listen } from "../dom.ts";
import { clean, token } from "../graph/text.ts";
import type { Signal } from "../types.ts";

const CHANGES: ReadonlySet<string> = new Set(["created", "updated", "deleted"]);
const DATA_CAP = 8_000;

export class Entities {
  constructor(private readonly emit: (signal: Signal) => void) {}

  listen(): void {
    listen(globalThis, "uiap:entity", (event) => {
      const signal = read((event as CustomEvent<unknown>).detail);
      if (signal) this.emit(signal);
    }, {});
  }
}

function read(detail: unknown): Signal | null {
  if (typeof detail !== "object" || detail === null) return null;
  const { change, entityType, id, data } = detail as Record<string, unknown>;
  if (typeof change !== "string" || !CHANGES.has(change) || typeof entityType !== "string") return null;
  const signal: Signal = { kind: `entity.${change}`, entityType: token(entityType) };
  if (typeof id === "string" || typeof id === "number") signal["id"] = clean(String(id), 200);
  const copy = plainCopy(data);
  if (copy) signal["data"] = copy;
  return signal;
}

function plainCopy(data: unknown): Record<string, unknown> | null {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return null;
  try {
    const text = JSON.stringify(data);
    return text.length <= DATA_CAP ? (JSON.parse(text.toWellFormed()) as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
