/** Detects changed style sheets: rules inserted by script and adopted sheets cause no mutation. */
import { sheetsOf } from "../dom.ts";

export class Sheets {
  private last = "";

  constructor(private readonly doc: Document) {}

  changed(): boolean {
    const now = this.signature();
    if (now === this.last) return false;
    const first = this.last === "";
    this.last = now;
    return !first;
  }

  private signature(): string {
    let text = "";
    for (const sheet of sheetsOf(this.doc)) {
      text += `${sheet.disabled ? "-" : "+"}${rules(sheet)},`;
    }
    return text || "none";
  }
}

function rules(sheet: CSSStyleSheet): number {
  try {
    return sheet.cssRules.length;
  } catch {
    return -1;
  }
}
