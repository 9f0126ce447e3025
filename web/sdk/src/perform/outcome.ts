/** The request and the outcome of an operation; shared by the files of this folder. */

import type { Page } from "../graph/page.ts";

export interface Request {
  op: string;
  instanceId?: string;
  role?: string;
  name?: string;
  record?: string | null;
  token?: string;
  text?: string;
  /** The text replaces the current one. */
  replace?: boolean;
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

/** `detail` is the state that the operation read back after its work. */
export type Outcome = { ok: true; changed: boolean; detail?: Record<string, unknown> } | { ok: false; reason: string };

export type Op = (el: Element, request: Request, page: Page) => Outcome;

export const DONE: Outcome = { ok: true, changed: true };
export const UNCHANGED: Outcome = { ok: true, changed: false };
export const refuse = (reason: string): Outcome => ({ ok: false, reason });
export const done = (changed: boolean, detail: Record<string, unknown>): Outcome => ({ ok: true, changed, detail });

/** Return the published id of an element, or "" when it is not published. */
export function idOf(el: Element, page: Page): string {
  return page.store.entries.get(el)?.element.instanceId ?? "";
}
