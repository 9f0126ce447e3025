/** Which parts of an element a listener is for, as far as its own source says. */

import { apply } from "./wrap.ts";

export interface SourceFacts {
  /** The listener asks where in its element the press was. */
  usesTarget: boolean;
  /** The selectors by which it finds the pressed part. */
  selectors: string[];
  /** It is the one listener of a framework, which looks for handlers on the way up. */
  delegates: boolean;
}

const SOURCE_LENGTH = 4_000;
const NOTHING: SourceFacts = { usesTarget: false, selectors: [], delegates: false };
const textOf = Function.prototype.toString;
const known = new WeakMap<object, SourceFacts>();

/** `closest("x")` and `matches("x")`, with what stands before and after: a negation, and leaving the function. */
const BY_SELECTOR = /(!\s*)?(?:\(\s*)?[\w$.?[\]]*\.(?:closest|matches)\??\.?\(\s*(["'`])(.+?)\2\s*\)(\)?\s*(?:\)?\s*(?:\{\s*)?return\b|\|\|))?/g;
const BY_CLASS = /(!\s*)?[\w$.?[\]]*\.classList\??\.contains\(\s*(["'`])([\w-]+)\2\s*\)(\s*\)\s*(?:\{\s*)?return\b|\s*\|\|)?/g;
const BY_TAG = /\.(?:tagName|nodeName|localName)(?:\.toLowerCase\(\))?\s*([=!])==?\s*["'`](\w+)["'`](\s*\)\s*(?:\{\s*)?return\b)?/g;
const BY_ID = /\.(?:target|srcElement)\??\.id\s*([=!])==?\s*["'`]([\w-]+)["'`](\s*\)\s*(?:\{\s*)?return\b)?/g;
/** An id that is searched for in the path of an event. */
const BY_PATH_ID = /\.id\s*([=!])==?\s*["'`]([\w-]+)["'`](\s*\)\s*(?:\{\s*)?return\b)?/g;
const BY_SELF = /\.(?:target|srcElement)\s*([=!])==?\s*([A-Za-z_$][\w$]*)\b(?!\s*[.([])(\s*\)\s*(?:\{\s*)?return\b)?/g;
const BY_DATA = /\btarget\.dataset\.(\w+)|\btarget\.getAttribute\(\s*["'`]([\w-]+)["'`]/g;

/** Return the facts in the source of a listener. */
export function sourceFacts(run: (...args: unknown[]) => unknown): SourceFacts {
  let facts = known.get(run);
  if (!facts) known.set(run, (facts = read(String(apply(textOf, run, [])).slice(0, SOURCE_LENGTH))));
  return facts;
}

function read(source: string): SourceFacts {
  const named = /\.composedPath\b/.test(source) ? idsIn(source, BY_PATH_ID) : [];
  if (named.length > 0) return { usesTarget: false, selectors: [...selectorsIn(source), ...named], delegates: looksUpHandlers(source) };
  if (/\.composedPath\b/.test(source) && /\[[^\]]*\]/.test(source) && !/\.closest\(/.test(source)) return { ...NOTHING, delegates: looksUpHandlers(source) };
  if (!/\.(?:target|srcElement)\b|\{\s*target\b|\.closest\(|\.matches\(/.test(source)) return NOTHING;
  return { usesTarget: /\.(?:target|srcElement)\b|\{\s*target\b/.test(source), selectors: selectorsIn(source), delegates: false };
}

/** Return whether a listener walks up the path of the event and calls what it finds there, as frameworks do. */
function looksUpHandlers(source: string): boolean {
  return /\.(?:call|apply)\(/.test(source) && /parentNode|\.host\b/.test(source);
}

/**
 * Return the selectors of pressed parts. A condition that leaves the function for a match, or goes on for a mismatch,
 * names the part that the listener is not for, such as the menu in a listener that closes it.
 */
function selectorsIn(source: string): string[] {
  const found: string[] = [];
  for (const [, not, , selector, leaves] of source.matchAll(BY_SELECTOR)) if (!not === !leaves) found.push(selector!);
  for (const [, not, , name, leaves] of source.matchAll(BY_CLASS)) if (!not === !leaves) found.push(`.${name!}`);
  for (const [, sign, name, leaves] of source.matchAll(BY_TAG)) if ((sign === "!") === Boolean(leaves)) found.push(name!.toLowerCase());
  found.push(...idsIn(source, BY_ID));
  for (const [, sign, id, leaves] of source.matchAll(BY_SELF)) {
    // an element with an id is a global variable of this name
    if ((sign === "!") === Boolean(leaves) && !/^(?:null|undefined|this|document|window)$/.test(id!)) found.push(`[id="${id!}"]`);
  }
  for (const [, data, name] of source.matchAll(BY_DATA)) found.push(`[${name ?? `data-${data!.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`}]`);
  return found;
}

/** Return the selectors of compared ids. */
function idsIn(source: string, comparison: RegExp): string[] {
  const found: string[] = [];
  for (const [, sign, id, leaves] of source.matchAll(comparison)) if ((sign === "!") === Boolean(leaves)) found.push(`[id="${id!}"]`);
  return found;
}
