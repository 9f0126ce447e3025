/** Text of ::before and ::after, read only on pages whose style sheets can generate text. */

import { sheetsOf, styleOf } from "../dom.ts";

const GENERATED = /::?(before|after)/;

class PseudoText {
  active = false;
  private checked = new WeakMap<CSSStyleSheet, { rules: number; found: boolean }>();

  /** Check every sheet once. A sheet of another origin cannot be read, so it counts as generating text. */
  refresh(doc: Document): void {
    this.active = false;
    const sheets = sheetsOf(doc);
    for (const sheet of sheets) if (this.generates(sheet)) this.active = true;
  }

  private generates(sheet: CSSStyleSheet): boolean {
    let rules: CSSRuleList;
    try {
      rules = sheet.cssRules;
    } catch {
      return true;
    }
    const earlier = this.checked.get(sheet);
    if (earlier && earlier.rules === rules.length) return earlier.found;
    const found = generatesText(rules, 0);
    this.checked.set(sheet, { rules: rules.length, found });
    return found;
  }

  before(el: Element): string {
    return this.active ? generated(el, "::before") : "";
  }

  after(el: Element): string {
    return this.active ? generated(el, "::after") : "";
  }
}

function generatesText(rules: CSSRuleList, depth: number): boolean {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      if (GENERATED.test(rule.selectorText) && contentStrings(rule.style.content) !== "") return true;
    }
    const inner = (rule as CSSGroupingRule).cssRules as CSSRuleList | undefined;
    if (inner && depth < 8 && generatesText(inner, depth + 1)) return true;
    if (rule instanceof CSSImportRule) return true;
  }
  return false;
}

/** Return the strings of a `content` value; alternative text after a slash replaces them. */
function contentStrings(content: string): string {
  if (!content || content === "none" || content === "normal") return "";
  const slash = /\/\s*("(?:[^"\\]|\\.)*")\s*$/.exec(content);
  const source = slash ? slash[1]! : content;
  let text = "";
  for (const match of source.matchAll(/"((?:[^"\\]|\\.)*)"|attr\([^)]*\)|counter\([^)]*\)/g)) {
    text += match[1] === undefined ? " " : match[1].replace(/\\(.)/g, "$1");
  }
  return text;
}

function generated(el: Element, pseudo: string): string {
  const style = styleOf(el, pseudo);
  const content = style.content;
  if (content === "none" || content === "normal" || content === "") return "";
  const text = contentStrings(content);
  if (text === "" || style.display === "none" || style.visibility === "hidden") return "";
  return style.display === "inline" ? text : ` ${text} `;
}

export const pseudoText = new PseudoText();
