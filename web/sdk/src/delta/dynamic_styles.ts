/**
 * Finds elements whose appearance can change without a mutation: a rule with a pseudo-class, a sibling or a condition
 * can show, hide or move them. All others change only below an attribute that changed, and the observer reports that.
 *
 * Rules that are rewritten in place, and shadow roots attached late to plain elements, are left to the slow sweep of
 * the publisher.
 */

import { queryAll, rootElement, runningAnimations, sheetsOf } from "../dom.ts";

/** Properties that `appearanceOf` reads or that affect it, as longhands in the spelling of a rule's own list. */
const APPEARANCE =
  /^(all|display|visibility|opacity|content-visibility|font-size|position|clip|clip-path|text-indent|left|right|top|bottom|inset.*|cursor|overflow.*|animation-name|--.*)$/;
/** Those of them that descendants inherit. */
const INHERITED = /^(all|visibility|font-size|text-indent|cursor)$/;
const STATE_DEPENDENT = /[:+~]/;
const PSEUDO_ELEMENT = /::|:(?:before|after|first-line|first-letter)\b/;
const MAX_SELECTORS = 2_000;
/** Shown and hidden by the browser's own rules, without an attribute. */
const BUILT_IN = "[popover],dialog";

export class DynamicStyles {
  /** Attributes that selectors use: when one changes, elements below may change their appearance. */
  readonly attributes = new Set<string>();
  private selectors: Set<string> | null = null;
  private anyElement = false;
  private setsVariable = false;
  private usesVariable = false;
  private animated = new Set<Element>();
  private undefinedElements: Element[] = [];

  constructor(private readonly doc: Document) {}

  /** Forget the collected selectors: the style sheets changed. */
  invalidate(): void {
    this.selectors = null;
  }

  /** Return the elements, or null when any element may change or more than `maxSelectors` selectors apply. */
  elements(maxSelectors = Infinity): Set<Element> | null {
    const root = rootElement(this.doc);
    const selectors = this.collectSelectors();
    if (!root || this.anyElement || selectors.size > maxSelectors) return null;
    const found = new Set<Element>(this.animatedElements());
    for (const el of this.undefinedElements) found.add(el);
    this.undefinedElements = [...queryAll(root, ":not(:defined)")];
    try {
      for (const el of queryAll(root, [BUILT_IN, ...selectors].join())) found.add(el);
    } catch {
      return null;
    }
    return found;
  }

  /** Return the elements that are animated now or were at the last call. */
  private animatedElements(): Set<Element> {
    const before = this.animated;
    this.animated = new Set();
    for (const animation of runningAnimations(this.doc)) {
      const target = (animation.effect as KeyframeEffect | null)?.target;
      if (target) this.animated.add(target);
    }
    return new Set([...before, ...this.animated]);
  }

  usesAttribute(attribute: string): boolean {
    this.collectSelectors();
    return this.attributes.has(attribute);
  }

  private collectSelectors(): Set<string> {
    if (this.selectors) return this.selectors;
    this.selectors = new Set();
    this.attributes.clear();
    this.anyElement = this.setsVariable = this.usesVariable = false;
    for (const readSheet of sheetsOf(this.doc)) this.readSheet(readSheet);
    if (this.setsVariable && this.usesVariable) this.anyElement = true;
    if (this.selectors.size > MAX_SELECTORS) this.anyElement = true;
    return this.selectors;
  }

  private readSheet(sheet: CSSStyleSheet): void {
    try {
      this.readRules(sheet.cssRules, false, "");
    } catch {
      this.anyElement = true; // a sheet of another origin cannot be read and may contain anything
    }
  }

  private readRules(rules: CSSRuleList, conditional: boolean, parent: string): void {
    for (const rule of rules) {
      if (rule instanceof CSSImportRule) {
        if (rule.styleSheet) this.readSheet(rule.styleSheet);
        continue;
      }
      let selector = parent;
      if (rule instanceof CSSStyleRule) {
        selector = parent === "" ? rule.selectorText : rule.selectorText.replaceAll("&", `:is(${parent})`);
        selector = selector.replaceAll(":root", "html");
        this.readRule(selector, rule.style, conditional);
      }
      const inner = (rule as CSSGroupingRule).cssRules as CSSRuleList | undefined;
      const asks = conditional || !(rule instanceof CSSStyleRule || rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule);
      if (inner && !(rule instanceof CSSKeyframesRule)) this.readRules(inner, asks, selector);
    }
  }

  private readRule(selector: string, style: CSSStyleDeclaration, conditional: boolean): void {
    let appearance = false;
    let inherited = false;
    let variable = false;
    for (let i = 0; i < style.length; i++) {
      const name = style[i]!;
      if (!APPEARANCE.test(name)) continue;
      if (name.startsWith("--")) {
        variable = true;
        continue;
      }
      appearance = true;
      inherited ||= INHERITED.test(name);
      if (style.getPropertyValue(name).includes("var(")) this.usesVariable = true;
    }
    if (!appearance && !variable) return;
    // Shorthands with variables have empty longhands.
    if (appearance && style.cssText.includes("var(")) this.usesVariable = true;
    for (const [, name] of selector.matchAll(/\[\s*(?:[\w-]*\|)?([\w-]+)/g)) this.attributes.add(name!.toLowerCase());
    if (!conditional && !STATE_DEPENDENT.test(selector)) return;
    if (variable) this.setsVariable = true;
    if (appearance) for (const one of splitList(selector)) this.addSelector(one, inherited);
  }

  private addSelector(complex: string, inherited: boolean): void {
    const subject = subjectOf(complex);
    if (subject === null) return;
    if (subject === "") this.anyElement = true;
    else this.selectors!.add(inherited ? `${subject},${subject} *` : subject);
  }
}

/** Split a list of selectors at its commas, except those inside brackets. */
function splitList(list: string): string[] {
  const found: string[] = [];
  let from = 0;
  for (const [at, char] of topLevel(list)) {
    if (char !== ",") continue;
    found.push(list.slice(from, at).trim());
    from = at + 1;
  }
  found.push(list.slice(from).trim());
  return found;
}

/**
 * Return the last compound without its pseudo-classes: the elements that a rule applies to. Null for generated boxes,
 * empty for any element.
 */
export function subjectOf(complex: string): string | null {
  let from = 0;
  for (const [at, char] of topLevel(complex)) if (" >+~".includes(char)) from = at + 1;
  const compound = complex.slice(from);
  if (PSEUDO_ELEMENT.test(compound)) return null;
  const colon = [...topLevel(compound)].find(([, char]) => char === ":")?.[0];
  return (colon === undefined ? compound : compound.slice(0, colon)).replace(/^\*$/, "");
}

/** Yield the characters outside brackets, strings and escapes. */
function* topLevel(text: string): Generator<[number, string]> {
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
