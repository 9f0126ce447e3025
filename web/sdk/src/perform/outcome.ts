/** What an operation is asked and what it answers; shared by the files of this folder. */

import type { Page } from "../graph/page.ts";

export interface Request {
  op: string;
  instanceId?: string;
  role?: string;
  name?: string;
  record?: string | null;
  token?: string;
  text?: string;
  values?: string[];
  by?: "value" | "label" | "index";
  checked?: boolean;
  open?: boolean;
  dx?: number;
  dy?: number;
  to?: "top" | "bottom";
  value?: number | string;
  option?: string;
  menu?: boolean;
  button?: number;
  count?: number;
}

/** `detail` is what the operation read back of its own work. */
export type Outcome = { ok: true; changed: boolean; detail?: Record<string, unknown> } | { ok: false; reason: string };

export type Op = (el: Element, request: Request, page: Page) => Outcome;

export const DONE: Outcome = { ok: true, changed: true };
export const SAME: Outcome = { ok: true, changed: false };
export const refuse = (reason: string): Outcome => ({ ok: false, reason });
export const told = (changed: boolean, detail: Record<string, unknown>): Outcome => ({ ok: true, changed, detail });

/** The published id of an element; "" where it is not published. */
export function idOf(el: Element, page: Page): string {
  return page.store.entries.get(el)?.element.instanceId ?? "";
}
