/**
 * Which elements can look different although nobody touched them: those that a rule with a pseudo-class, a sibling or a
 * condition can show, hide or move. Everything else changes its look only below an attribute that changed, and that is heard.
 *
 * Rules rewritten in place and shadow roots made late on plain elements stay with the slow sweep of the publisher.
 */

import { queryAll, rootElement, runningAnimations, sheetsOf } from "../dom.ts";

/** What `look` reads, and what can move it: longhands as the rule's own list spells them. */
const LOOKS =
  /^(all|display|visibility|opacity|content-visibility|font-size|position|clip|clip-path|text-indent|left|right|top|bottom|inset.*|cursor|overflow.*|animation-name|--.*)$/;
/** Those of them that flow down to descendants. */
const INHERITED = /^(all|visibility|font-size|text-indent|cursor)$/;
const RESTLESS = /[:+~]/;
const PSEUDO_ELEMENT = /::|:(?:before|after|first-line|first-letter)\b/;
const MAX_SELECTORS = 2_000;
/** Shown and hidden by the browser's own rules, without an attribute. */
const BUILT_IN = "[popover],dialog";

export class Restless {
  /** Attributes that rules ask for: when one changes, what is below may look different. */
  readonly attributes = new Set<string>();
  private selectors: Set<string> | null = null;
  private anywhere = false;
  private variables = false;
  private reader = false;
  private animated = new Set<Element>();
  private unborn: Element[] = [];

  constructor(private readonly doc: Document) {}

  /** The sheets are others now. */
  forget(): void {
    this.selectors = null;
  }

  /** Null when it can be any element, or more than `most` rules would have to be asked. */
  elements(most = Infinity): Set<Element> | null {
    const root = rootElement(this.doc);
    const selectors = this.known();
    if (!root || this.anywhere || selectors.size > most) return null;
    const found = new Set<Element>(this.moving());
    for (const el of this.unborn) found.add(el);
    this.unborn = [...queryAll(root, ":not(:defined)")];
    try {
      for (const el of queryAll(root, [BUILT_IN, ...selectors].join())) found.add(el);
    } catch {
      return null;
    }
    return found;
  }

  /** Animated by script or by style, and those that were until now. */
  private moving(): Set<Element> {
    const before = this.animated;
    this.animated = new Set();
    for (const animation of runningAnimations(this.doc)) {
      const target = (animation.effect as KeyframeEffect | null)?.target;
      if (target) this.animated.add(target);
    }
    return new Set([...before, ...this.animated]);
  }

  styles(attribute: string): boolean {
    this.known();
    return this.attributes.has(attribute);
  }

  private known(): Set<string> {
    if (this.selectors) return this.selectors;
    this.selectors = new Set();
    this.attributes.clear();
    this.anywhere = this.variables = this.reader = false;
    for (const sheet of sheetsOf(this.doc)) this.sheet(sheet);
    if (this.variables && this.reader) this.anywhere = true;
    if (this.selectors.size > MAX_SELECTORS) this.anywhere = true;
    return this.selectors;
  }

  private sheet(sheet: CSSStyleSheet): void {
    try {
      this.rules(sheet.cssRules, false, "");
    } catch {
      this.anywhere = true; // of another origin: it may say anything
    }
  }

  private rules(rules: CSSRuleList, conditional: boolean, parent: string): void {
    for (const rule of rules) {
      if (rule instanceof CSSImportRule) {
        if (rule.styleSheet) this.sheet(rule.styleSheet);
        continue;
      }
      let selector = parent;
      if (rule instanceof CSSStyleRule) {
        selector = parent === "" ? rule.selectorText : rule.selectorText.replaceAll("&", `:is(${parent})`);
        selector = selector.replaceAll(":root", "html");
        this.rule(selector, rule.style, conditional);
      }
      const inner = (rule as CSSGroupingRule).cssRules as CSSRuleList | undefined;
      const asks = conditional || !(rule instanceof CSSStyleRule || rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule);
      if (inner && !(rule instanceof CSSKeyframesRule)) this.rules(inner, asks, selector);
    }
  }

  private rule(selector: string, style: CSSStyleDeclaration, conditional: boolean): void {
    let looks = false;
    let flows = false;
    let variable = false;
    for (let i = 0; i < style.length; i++) {
      const name = style[i]!;
      if (!LOOKS.test(name)) continue;
      if (name.startsWith("--")) {
        variable = true;
        continue;
      }
      looks = true;
      flows ||= INHERITED.test(name);
      if (style.getPropertyValue(name).includes("var(")) this.reader = true;
    }
    if (!looks && !variable) return;
    // shorthands with variables have empty longhands
    if (looks && style.cssText.includes("var(")) this.reader = true;
    for (const [, name] of selector.matchAll(/\[\s*(?:[\w-]*\|)?([\w-]+)/g)) this.attributes.add(name!.toLowerCase());
    if (!conditional && !RESTLESS.test(selector)) return;
    if (variable) this.variables = true;
    if (looks) for (const one of split(selector)) this.add(one, flows);
  }

  private add(complex: string, flows: boolean): void {
    const subject = subjectOf(complex);
    if (subject === null) return;
    if (subject === "") this.anywhere = true;
    else this.selectors!.add(flows ? `${subject},${subject} *` : subject);
  }
}

/** A list of selectors at its commas; those inside brackets belong to one of them. */
function split(list: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const [at, char] of outside(list)) {
    if (char !== ",") continue;
    found.push(list.slice(from, at).trim());
    from = at + 1;
  }
  found.push(list.slice(from).trim());
  return found;
}

/** The last compound without its pseudo-classes: what a rule acts upon. Null for generated boxes, empty for anything. */
export function subjectOf(complex: string): string | null {
  let from = 0;
  for (const [at, char] of outside(complex)) if (" >+~".includes(char)) from = at + 1;
  const compound = complex.slice(from);
  if (PSEUDO_ELEMENT.test(compound)) return null;
  const colon = [...outside(compound)].find(([, char]) => char === ":")?.[0];
  return (colon === undefined ? compound : compound.slice(0, colon)).replace(/^\*$/, "");
}

/** Characters that stand outside brackets, strings and escapes. */
function* outside(text: string): Generator<[number, string]> {
  let depth = 0;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === "\\") at++;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (depth === 0) yield [at, char];
  }
}
