/** The names that developers gave an element. A bundle recognises the element by them after its label changed. */

import { attr } from "../dom.ts";
import { token } from "./text.ts";

const TEST_IDS = ["data-testid", "data-test", "data-test-id", "data-cy", "data-qa"];
const CAP = 80;

/** Add the html id, the test id and the name attribute. A longer one holds data, so it is left out. */
export function ownAttributes(el: Element, set: (key: string, value: unknown) => void): void {
  const add = (key: string, raw: string | null): boolean => {
    const value = raw === null || raw.length > CAP ? "" : token(raw);
    if (value) set(key, value);
    return value !== "";
  };
  add("htmlId", attr(el, "id"));
  add("htmlName", attr(el, "name"));
  TEST_IDS.some((name) => add("testId", attr(el, name)));
}

/** Return the values of the named attributes, each with or without the prefix of annotations; undefined if it has none. */
export function namedAttributes(el: Element, names: readonly string[], prefix: string): Record<string, string> | undefined {
  let found: Record<string, string> | undefined;
  for (const name of names) {
    const raw = attr(el, name) ?? attr(el, prefix + name);
    const value = raw === null || raw.length > CAP ? "" : token(raw);
    if (value) (found ??= {})[name] = value;
  }
  return found;
}
