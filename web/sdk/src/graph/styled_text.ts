/**
 * Text that style makes: ::before and ::after with alternative text and counters, and `text-transform`.
 *
 * Computed styles are expensive, so both are read only on pages whose style sheets use them.
 */

import { queryAll, rootElement, sheetsOf, styleOf } from "../dom.ts";
import { counters } from "./counters.ts";
import { withoutGlyphs } from "./text.ts";

const GENERATED = /::?(before|after)/;
const TRANSFORM = /text-transform\s*:\s*(?!none|inherit|initial|unset)/;

interface Uses {
  rules: number;
  generates: boolean;
  transforms: boolean;
}

class StyledText {
  /** True when a style sheet generates text. */
  generates = false;
  /** True when a style rule or attribute changes the case of text. */
  transforms = false;
  private checked = new WeakMap<CSSStyleSheet, Uses>();

  /** True when the text of an element may differ from the data of its text nodes. */
  get active(): boolean {
    return this.generates || this.transforms;
  }

  /**
   * Check every sheet once. A sheet of another origin cannot be read, so it counts as using everything. Return whether
   * names that were read before may be wrong now.
   */
  refresh(doc: Document): boolean {
    const before = [this.generates, this.transforms];
    this.generates = false;
    const root = rootElement(doc);
    this.transforms = root !== null && queryAll(root, '[style*="text-transform"]').length > 0;
    for (const sheet of sheetsOf(doc)) {
      const uses = this.usesOf(sheet);
      this.generates ||= uses.generates;
      this.transforms ||= uses.transforms;
    }
    counters.reset();
    return before[0] !== this.generates || before[1] !== this.transforms;
  }

  /** Note a style attribute that changed. */
  checkAttribute(style: string | null): void {
    if (style !== null && TRANSFORM.test(style)) this.transforms = true;
  }

  private usesOf(sheet: CSSStyleSheet): Uses {
    let rules: CSSRuleList;
    try {
      rules = sheet.cssRules;
    } catch {
      return { rules: 0, generates: true, transforms: true };
    }
    const earlier = this.checked.get(sheet);
    if (earlier && earlier.rules === rules.length) return earlier;
    const uses: Uses = { rules: rules.length, generates: false, transforms: false };
    checkRules(rules, uses, 0);
    this.checked.set(sheet, uses);
    return uses;
  }

  before(el: Element): string {
    return this.generates ? generated(el, "::before") : "";
  }

  after(el: Element): string {
    return this.generates ? generated(el, "::after") : "";
  }

  /** Return text as it is rendered inside `el`. */
  rendered(text: string, el: Element): string {
    if (!this.transforms) return text;
    switch (styleOf(el).textTransform) {
      case "uppercase":
        return text.toUpperCase();
      case "lowercase":
        return text.toLowerCase();
      case "capitalize":
        return text.replace(/(?<![\p{L}\p{N}\p{M}'’])\p{L}/gu, (letter) => letter.toUpperCase());
      default:
        return text;
    }
  }
}

function checkRules(rules: CSSRuleList, uses: Uses, depth: number): void {
  for (const rule of rules) {
    if (uses.generates && uses.transforms) return;
    if (rule instanceof CSSStyleRule) checkRule(rule, uses);
    else if (rule instanceof CSSImportRule) uses.generates = uses.transforms = true;
    const inner = (rule as CSSGroupingRule).cssRules as CSSRuleList | undefined;
    if (inner && inner.length > 0 && depth < 8) checkRules(inner, uses, depth + 1);
  }
}

function checkRule(rule: CSSStyleRule, uses: Uses): void {
  const { style } = rule;
  const { content, textTransform } = style;
  if (textTransform && textTransform !== "none") uses.transforms = true;
  if (content && content !== "none" && content !== "normal" && content !== '""' && GENERATED.test(rule.selectorText)) uses.generates = true;
}

const QUOTES: Readonly<Record<string, string>> = { "open-quote": "“", "close-quote": "”" };
// A string, a function with its arguments, a slash, or a word.
const PART = /"((?:[^"\\]|\\.)*)"|([a-z-]+)\(((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*)\)|(\/)|([a-z-]+)/gi;

/** Return the text of a `content` value. Alternative text after a slash replaces it. */
function textOf(content: string, el: Element, pseudo: string): string {
  let text = "";
  let isAlternative = false;
  for (const [, string, name, args, slash, word] of content.matchAll(PART)) {
    if (slash) {
      text = "";
      isAlternative = true;
    } else if (string !== undefined) text += unescaped(string);
    else if (name === "counter" || name === "counters") text += counters.text(el, pseudo, name, args ?? "");
    else if (word !== undefined) text += QUOTES[word] ?? "";
  }
  return isAlternative ? ` ${text} ` : text;
}

function unescaped(text: string): string {
  return text.includes("\\") ? text.replace(/\\([0-9a-f]{1,6}) ?|\\(.)/gi, (_, hex: string, char: string) => (hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : char)) : text;
}

function generated(el: Element, pseudo: string): string {
  const style = styleOf(el, pseudo);
  const { content } = style;
  if (content === "none" || content === "normal" || content === "" || content === '""') return "";
  if (style.display === "none" || style.visibility === "hidden") return "";
  const text = withoutGlyphs(textOf(content, el, pseudo));
  if (text.trim() === "") return text.slice(0, 1);
  return style.display === "inline" ? text : ` ${text} `;
}

export const styledText = new StyledText();
