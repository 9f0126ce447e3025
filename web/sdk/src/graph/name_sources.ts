/** Parts of a name that need no further search: values of embedded controls, words of input buttons, line layout. */

import { attr, byId, contentOf, hasAttr, isHtml, localName, queryAll, styleOf } from "../dom.ts";
import { inputType, isEditingHost } from "./roles.ts";
import { isMasked } from "./sensitive.ts";

const VALUE_ROLES: ReadonlySet<string> = new Set(["", "textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox"]);
const VALUELESS_INPUT = /^(button|submit|reset|image|checkbox|radio|hidden|file|color)$/;

/** Return the value of a control inside a label (accname step 2C); a masked control contributes nothing. */
export function embeddedValue(el: Element, aria: string): string | null {
  const tag = isHtml(el) ? localName(el) : "";
  if (VALUE_ROLES.has(aria)) {
    if (tag === "textarea") return isMasked(el) ? "" : (el as HTMLTextAreaElement).value;
    if (tag === "select") return [...(el as HTMLSelectElement).selectedOptions].map((o) => o.label).join(" ");
    if (tag === "input") {
      if (VALUELESS_INPUT.test(inputType(el))) return null;
      return isMasked(el) ? "" : (el as HTMLInputElement).value;
    }
  }
  switch (aria || (isEditingHost(el) ? "textbox" : "")) {
    case "textbox":
    case "searchbox":
      return isMasked(el) ? "" : contentOf(el);
    case "slider":
    case "spinbutton":
    case "scrollbar":
      return attr(el, "aria-valuetext") ?? attr(el, "aria-valuenow") ?? "";
    case "listbox":
      return chosenText(el);
    case "combobox":
      return chosenText(popupOf(el)) || contentOf(el);
    default:
      return null;
  }
}

function popupOf(combobox: Element): Element {
  const id = attr(combobox, "aria-controls") ?? attr(combobox, "aria-owns");
  return (id !== null && byId(combobox, id.trim())) || combobox;
}

function chosenText(listbox: Element): string {
  return Array.from(queryAll(listbox, "[role=option][aria-selected=true]"), contentOf).join(" ");
}

export function buttonInput(el: Element, type: string): string {
  if (type === "image") return attr(el, "alt") ?? attr(el, "value") ?? attr(el, "title") ?? "Submit";
  const value = (el as HTMLInputElement).value;
  if (value.trim()) return value;
  const title = attr(el, "title");
  if (hasAttr(el, "value") || type === "button") return title ?? "";
  return title ?? (type === "submit" ? "Submit" : "Reset");
}

const INLINE_DISPLAY = /^(inline|contents|ruby|none)/;
const REPLACED: ReadonlySet<string> = new Set(["img", "svg", "button", "input", "select", "textarea"]);

/** Return whether the text of an element joins the text around it without a space. */
export function isInline(el: Element): boolean {
  if (REPLACED.has(localName(el))) return false;
  const display = styleOf(el).display;
  return INLINE_DISPLAY.test(display) && display !== "inline-block" && display !== "inline-flex" && display !== "inline-grid" && display !== "inline-table";
}
