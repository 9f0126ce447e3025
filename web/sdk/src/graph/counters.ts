/**
 * The values of CSS counters in generated text.
 *
 * No interface of the browser returns them, so they are counted in one walk over the document (CSS Lists 3). The walk
 * happens only when a name contains a counter, and its result is kept until the document changes.
 */

import { eachFlatChild, isElement, isHtml, localName, ownerDocument, rootElement, styleOf } from "../dom.ts";

interface Counter {
  /** The element whose children share the counter. */
  parent: Element | null;
  value: number;
}

type Values = ReadonlyMap<string, readonly number[]>;

const MAX_ELEMENTS = 20_000;
const MAX_DEPTH = 500;
const STATEMENT = /([^\s()]+)\s+(-?\d+)/g;

class Counters {
  /** Elements whose generated text contains a counter: their names change when others are inserted before them. */
  readonly readers = new Set<Element>();
  private values: Map<Element, Record<string, Values>> | null = null;

  /** Forget the values: the document changed. */
  reset(): void {
    this.values = null;
  }

  /** Return the text of `counter(name, style)` or `counters(name, separator, style)` in a pseudo-element. */
  text(el: Element, pseudo: string, kind: string, args: string): string {
    this.readers.add(el);
    this.values ??= countAll(el);
    const [name = "", ...rest] = splitArguments(args);
    const values = this.values.get(el)?.[pseudo]?.get(name) ?? [0];
    if (kind === "counter") return formatted(values[values.length - 1]!, rest[0] ?? "decimal");
    return values.map((value) => formatted(value, rest[1] ?? "decimal")).join((rest[0] ?? "").replace(/^"|"$/g, ""));
  }
}

function splitArguments(text: string): string[] {
  return (text.match(/"(?:[^"\\]|\\.)*"|[^,\s]+/g) ?? []).map((part) => part.trim());
}

/** Walk the rendered elements in order and note the counters of each pseudo-element that generates text. */
function countAll(el: Element): Map<Element, Record<string, Values>> {
  const found = new Map<Element, Record<string, Values>>();
  const stacks = new Map<string, Counter[]>();
  let left = MAX_ELEMENTS;
  const visit = (node: Element, parent: Element | null, depth: number): void => {
    const style = styleOf(node);
    if (--left < 0 || depth > MAX_DEPTH || style.display === "none") return;
    applyList(node, parent, stacks);
    apply(style, parent, stacks);
    notePseudo(node, "::before", stacks, found);
    eachFlatChild(node, (child) => {
      if (isElement(child)) visit(child, node, depth + 1);
    });
    notePseudo(node, "::after", stacks, found);
    for (const stack of stacks.values()) while (stack.length > 0 && stack[stack.length - 1]!.parent === node) stack.pop();
  };
  const root = rootElement(ownerDocument(el));
  if (root) visit(root, null, 0);
  return found;
}

function notePseudo(el: Element, pseudo: string, stacks: Map<string, Counter[]>, found: Map<Element, Record<string, Values>>): void {
  const style = styleOf(el, pseudo);
  const { content } = style;
  if (content === "none" || content === "normal" || content === "" || style.display === "none") return;
  apply(style, el, stacks);
  if (!content.includes("counter")) return;
  const values = new Map<string, number[]>();
  for (const [name, stack] of stacks) if (stack.length > 0) values.set(name, stack.map((counter) => counter.value));
  found.set(el, { ...found.get(el), [pseudo]: values });
}

function apply(style: CSSStyleDeclaration, parent: Element | null, stacks: Map<string, Counter[]>): void {
  for (const [name, value] of statements(style.counterReset)) create(name, value, parent, stacks);
  for (const [name, value] of statements(style.counterIncrement)) current(name, parent, stacks).value += value;
  for (const [name, value] of statements(style.counterSet)) current(name, parent, stacks).value = value;
}

/** Lists count their items in the counter `list-item`. */
function applyList(el: Element, parent: Element | null, stacks: Map<string, Counter[]>): void {
  if (!isHtml(el)) return;
  const tag = localName(el);
  if (tag === "ol") create("list-item", (el as HTMLOListElement).start - 1, parent, stacks);
  else if (tag === "ul" || tag === "menu") create("list-item", 0, parent, stacks);
  else if (tag === "li") current("list-item", parent, stacks).value += 1;
}

function statements(raw: string): [string, number][] {
  if (raw === "none" || raw === "") return [];
  return [...raw.matchAll(STATEMENT)].map(([, name, value]) => [name!, Number(value)]);
}

/** Create a counter for the element's siblings and all below them. It replaces the one of an earlier sibling. */
function create(name: string, value: number, parent: Element | null, stacks: Map<string, Counter[]>): void {
  const stack = stackOf(name, stacks);
  const last = stack[stack.length - 1];
  if (last && last.parent === parent) last.value = value;
  else stack.push({ parent, value });
}

function current(name: string, parent: Element | null, stacks: Map<string, Counter[]>): Counter {
  const stack = stackOf(name, stacks);
  if (stack.length === 0) stack.push({ parent, value: 0 });
  return stack[stack.length - 1]!;
}

function stackOf(name: string, stacks: Map<string, Counter[]>): Counter[] {
  let stack = stacks.get(name);
  if (!stack) stacks.set(name, (stack = []));
  return stack;
}

const ROMAN: readonly [number, string][] = [
  [1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"],
  [5, "v"], [4, "iv"], [1, "i"],
];
const GREEK = "αβγδεζηθικλμνξοπρστυφχψω";
const LATIN = "abcdefghijklmnopqrstuvwxyz";
const BULLETS: Readonly<Record<string, string>> = { disc: "•", circle: "◦", square: "▪", none: "" };

function formatted(value: number, style: string): string {
  switch (style) {
    case "decimal-leading-zero":
      return value >= 0 && value < 10 ? `0${value}` : String(value);
    case "lower-roman":
      return roman(value);
    case "upper-roman":
      return roman(value).toUpperCase();
    case "lower-alpha":
    case "lower-latin":
      return alphabetic(value, LATIN);
    case "upper-alpha":
    case "upper-latin":
      return alphabetic(value, LATIN).toUpperCase();
    case "lower-greek":
      return alphabetic(value, GREEK);
    default:
      return BULLETS[style] ?? String(value);
  }
}

function roman(value: number): string {
  if (value < 1 || value > 3999) return String(value);
  let text = "";
  for (const [size, letters] of ROMAN) for (; value >= size; value -= size) text += letters;
  return text;
}

function alphabetic(value: number, letters: string): string {
  if (value < 1) return String(value);
  let text = "";
  for (; value > 0; value = Math.floor((value - 1) / letters.length)) text = letters[(value - 1) % letters.length]! + text;
  return text;
}

export const counters = new Counters();
