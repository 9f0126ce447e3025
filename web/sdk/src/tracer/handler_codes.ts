/**
 * Codes of listeners, as far as their own source says what they do: "w" sends a request or calls something that writes,
 * "" routes to the address of the link or counts the visit. Any other listener has a number: the same number is the same source.
 */

import { sourceCounts, sourceWrites } from "../source_orders.ts";
import { apply } from "./wrap.ts";

const SOURCE_LENGTH = 4_000;
const KEY_LENGTH = 400;
const MAX_CODES = 500;
/** The code of a listener beyond the limit. Nothing shares it. */
export const NO_CODE = -1;
const textOf = Function.prototype.toString;

/** A router's listener leaves events that others took, looks for keys that open a new tab, or changes the history. */
const ROUTES = /\bdefaultPrevented\b|\bpushState\b|\breplaceState\b|\bmetaKey\b|\bctrlKey\b|\bnavigate\b|["'.]push\b|\bvisit\(|[rR]outer\b|\bhistory\b/;

const known = new WeakMap<object, number | string>();
const bySource = new Map<string, number>();
let count = 0;

/** Return the codes of the functions that a listener runs. A wrapper of Vue holds its functions. */
export function handlerCodes(run: unknown): (number | string)[] {
  if ((typeof run !== "object" && typeof run !== "function") || run === null) return [];
  const { value, fns } = run as { value?: unknown; fns?: unknown };
  const inner = typeof run === "function" ? (value ?? fns) : Array.isArray(run) ? run[0] : undefined;
  const functions = Array.isArray(inner) ? inner.slice(0, 10) : [inner];
  const held = functions.filter((one) => typeof one === "function");
  return (held.length > 0 ? held : [run]).map((one) => codeOf(one as object));
}

function codeOf(run: object): number | string {
  let code = known.get(run);
  if (code === undefined) known.set(run, (code = read(run)));
  return code;
}

function read(run: object): number | string {
  const handle = typeof run === "function" ? run : (run as { handleEvent?: unknown }).handleEvent;
  if (typeof handle !== "function") return nextCode();
  const source = String(apply(textOf, handle, []) as string).slice(0, SOURCE_LENGTH);
  if (sourceWrites(source)) return "w";
  if (sourceCounts(source) || ROUTES.test(source)) return "";
  // an object handles many things with one source, and the source of a bound function is hidden
  if (handle !== run || source.includes("[native code]")) return nextCode();
  const key = `${source.length} ${source.slice(0, KEY_LENGTH)}`;
  const shared = bySource.get(key) ?? nextCode();
  if (shared !== NO_CODE) bySource.set(key, shared);
  return shared;
}

function nextCode(): number {
  return count < MAX_CODES ? count++ : NO_CODE;
}
