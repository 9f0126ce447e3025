/**
 * Events that an application dispatches itself: `uiap:entity` and `uiap:signal`. They come from the page, so they are
 * checked and copied.
 */

import { listen } from "../dom.ts";
import { clean, token } from "../graph/text.ts";
import type { Signal } from "../types.ts";

const CHANGES: ReadonlySet<string> = new Set(["created", "updated", "deleted"]);
const DATA_CAP = 8_000;
/** Names of signals that uiap itself observes. An application cannot send them. */
const OURS = /^(?:x\.uiap\..*|message\.(?:field|loaded|dialog)|text\.(?:dis)?appeared|tab\.opened|download\.(?:started|completed)|clipboard\.written|print\.requested|(?:page|element)\.restyled)$/;

export class ApplicationEvents {
  constructor(private readonly emit: (signal: Signal) => void) {}

  listen(): void {
    this.on("uiap:entity", readEntity);
    this.on("uiap:signal", readCustom);
  }

  private on(type: string, read: (detail: Record<string, unknown>) => Signal | null): void {
    listen(globalThis, type, (event) => {
      const detail = (event as CustomEvent<unknown>).detail;
      const signal = typeof detail === "object" && detail !== null ? read(detail as Record<string, unknown>) : null;
      if (signal) this.emit(signal);
    }, {});
  }
}

function readEntity({ change, entityType, id, data }: Record<string, unknown>): Signal | null {
  if (typeof change !== "string" || !CHANGES.has(change) || typeof entityType !== "string") return null;
  const signal: Signal = { kind: `entity.${change}`, entityType: token(entityType) };
  if (typeof id === "string" || typeof id === "number") signal["id"] = clean(String(id), 200);
  const copy = plainCopy(data);
  if (copy) signal["data"] = copy;
  return signal;
}

function readCustom({ name, payload }: Record<string, unknown>): Signal | null {
  if (typeof name !== "string" || OURS.test(name) || !token(name)) return null;
  const signal: Signal = { kind: "custom", name: token(name) };
  const copy = plainCopy(payload);
  if (copy) signal["payload"] = copy;
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
