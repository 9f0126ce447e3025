/** Facts about a press that a role does not say: the native element, the address, and what else a press sends. */

import { attr, attributeNames, byId, contains, hasAttr, isHtml, localName, nextElement, parentElement, queryAll } from "../dom.ts";
import { Has } from "./attributes.ts";
import { listeners } from "./listeners.ts";
import { inputType, type Role } from "./roles.ts";
import { sourceSends, sourceWrites } from "../source_orders.ts";
import { href } from "./text.ts";

const REQUEST = /^(?:data-)?(?:hx-(?:post|put|patch|delete)|(?:turbo-|http-)?method|(?:turbo-)?confirm)$|^up-method$|^ic-|^ping$|^form(?:method|action)$/;
/** Attributes with which a script or library sends a form in another way than its method says. */
const TAKES_OVER = /^on|submit|^jsaction$|^(?:data-)?(?:hx-(?:post|put|patch|delete)|remote|confirm|(?:turbo-|http-)?method|turbo-confirm)$|^up-|^ic-|^wire:/;
const OPERATION_NAME = /^_?(?:action|do|op|cmd|command|method|verb|task|event|act|operation)$/i;
const SWITCH_VALUE = /^(?:\d{1,10}|true|yes|on|y)?$/i;
const MAX_HIDDEN = 20;
/** Attributes with the source of a script that a press runs. */
const HANDLER = /^on(?:click|mousedown|mouseup|pointerdown|pointerup|touchstart|touchend|dblclick)$/;
const CHANGES = /^on(?:change|input)$/;
const MAX_SOURCE = 4_000;

/** Add the facts to the metadata of an element that can be pressed. */
export function pressFacts(el: Element, role: Role, has: number, set: (key: string, value: unknown) => void): void {
  const link = isLink(el);
  if (link || role.role === "link") addressFacts(el, set);
  if (role.source !== "native") {
    const native = link ? "link" : isHtml(el) ? nativeControl(el) : "";
    if (native) set("native", native);
  }
  if ((has & Has.Press) !== 0) {
    const method = pressAttribute(el, link || role.role === "link");
    if (method) set("method", method);
  }
  if (link) handlingFacts(el, has, set);
  if (scriptWrites(el, link, has)) set("writes", true);
  if (closesDialog(el)) set("closes", true);
  if (role.role === "tab" && controlsPanel(el)) set("controls", "tabpanel");
  if ((has & Has.Form) !== 0) formAttributeFacts(el, set);
  if (submits(el)) {
    const operation = operationOf(attr(el, "name"), attr(el, "value"));
    if (operation) set("sends", operation);
  }
}

/** Add the popover that a button opens, the form that it belongs to, and the address that it posts to. */
function formAttributeFacts(el: Element, set: (key: string, value: unknown) => void): void {
  if (opensPopover(el)) set("opens", "popover");
  ownerFacts(el, set);
  const posts = hasAttr(el, "formaction") ? href(attr(el, "formaction") ?? "") : "";
  if (posts) set("posts", posts);
}

/** Add the form that a control outside of it belongs to, by its attribute `form`. The form itself may be hidden. */
function ownerFacts(el: Element, set: (key: string, value: unknown) => void): void {
  const owner = attr(el, "form");
  if (!owner) return;
  const form = byId(el, owner);
  if (!form || localName(form) !== "form" || contains(form, el)) return;
  set("owner", owner);
  if (readsOnly(form)) set("ownerForm", "get");
}

/** Return whether the source of a script that a press runs says that it writes. */
function scriptWrites(el: Element, link: boolean, has: number): boolean {
  if (listeners.writes(el)) return true;
  const address = link ? (attr(el, "href") ?? "").trim() : "";
  if (/^javascript:/i.test(address) && sourceWrites(address.slice(11, MAX_SOURCE))) return true;
  if ((has & Has.Script) === 0) return false;
  const source = (name: string): string => (attr(el, name) ?? "").slice(0, MAX_SOURCE);
  if (attributeNames(el).some((name) => HANDLER.test(name) && sourceWrites(source(name)))) return true;
  return isChoice(el) && attributeNames(el).some((name) => CHANGES.test(name) && writesOnChange(el, source(name)));
}

/** Return whether a choice writes at once. A request may read, and a form that only reads shows another view. */
function writesOnChange(el: Element, source: string): boolean {
  const { form } = el as HTMLInputElement;
  return sourceSends(source) || (form !== null && !readsOnly(form) && /\bsubmit\(|requestSubmit\(/.test(source));
}

function isChoice(el: Element): boolean {
  const tag = localName(el);
  return tag === "select" || (tag === "input" && /^(?:checkbox|radio)$/.test(inputType(el)));
}

/** Return whether a press only closes the dialog around it: it submits a form of the method `dialog`. */
function closesDialog(el: Element): boolean {
  const tag = localName(el);
  if ((tag !== "button" && tag !== "input") || hasAttr(el, "formmethod")) return false;
  const { form, type } = el as HTMLButtonElement;
  return type === "submit" && form !== null && (attr(form, "method") ?? "").trim().toLowerCase() === "dialog" && !listeners.writes(form);
}

/** Return whether the browser itself shows a popover when the button is pressed, unless a listener writes. */
function opensPopover(el: Element): boolean {
  const target = attr(el, "popovertarget");
  if (!target || listeners.writes(el)) return false;
  const popover = byId(el, target);
  return popover !== null && hasAttr(popover, "popover");
}

/** Return whether a tab names its panel, which may be hidden. */
function controlsPanel(tab: Element): boolean {
  const panel = byId(tab, attr(tab, "aria-controls") ?? "");
  return panel !== null && attr(panel, "role") === "tabpanel";
}

/** Add how listeners handle the press of a link, unless an attribute says more. */
function handlingFacts(el: Element, has: number, set: (key: string, value: unknown) => void): void {
  const handling = listeners.handlingOf(el);
  if (handling === "") return;
  const method = (has & Has.Press) !== 0 ? pressAttribute(el, true) : "";
  if (handling === "shared") set("handled", handling);
  else if (!method || (handling === "request" && method.startsWith("on"))) set("method", handling);
}

function submits(el: Element): boolean {
  const tag = localName(el);
  return hasAttr(el, "name") && (tag === "button" || (tag === "input" && inputType(el) === "submit"));
}

/** Add to a form that it only reads: it goes to an address with its fields, and no attribute lets a script send it. */
export function formFacts(el: Element, set: (key: string, value: unknown) => void): void {
  if (localName(el) !== "form") return;
  const id = attr(el, "id");
  if (id) set("formId", id);
  if (!readsOnly(el)) {
    const posts = href(attr(el, "action") ?? "");
    if (posts) set("posts", posts);
    return;
  }
  set("form", "get");
  const address = formAddress(el as HTMLFormElement);
  if (address) set("action", address);
}

/** Return whether a form goes to an address with its fields, and no attribute or listener of it sends a request. */
function readsOnly(form: Element): boolean {
  const method = attr(form, "method");
  const reads = method !== null ? method.trim().toLowerCase() === "get" : isAddress(attr(form, "action") ?? "");
  return reads && !attributeNames(form).some((name) => name !== "method" && TAKES_OVER.test(name)) && !listeners.writes(form);
}

/** Return the address that a reading form goes to, with the hidden fields that may choose an operation. */
function formAddress(form: HTMLFormElement): string {
  const hidden: string[] = [];
  for (const input of Array.from(queryAll(form, "input[type=hidden i]")).slice(0, MAX_HIDDEN)) {
    const operation = operationOf(attr(input, "name"), attr(input, "value"));
    if (operation) hidden.push(operation);
  }
  const address = href(attr(form, "action") ?? "");
  return hidden.length > 0 ? `${address}${address.includes("?") ? "&" : "?"}${hidden.join("&")}` : address;
}

/** Return `name=value` of a field that may choose an operation. Other values may be private, and are left out. */
function operationOf(name: string | null, value: string | null): string {
  if (!name || name.length > 40) return "";
  const text = (value ?? "").trim();
  const chooses = OPERATION_NAME.test(name) && text.length <= 40;
  return chooses || SWITCH_VALUE.test(text) ? `${encodeURIComponent(name)}=${encodeURIComponent(text)}` : "";
}

function isAddress(action: string): boolean {
  const address = href(action);
  return address !== "" && !address.startsWith("#") && !/^[a-z][a-z0-9+.-]*:/i.test(address.replace(/^https?:/i, ""));
}

function isLink(el: Element): boolean {
  const tag = localName(el);
  return (tag === "a" || tag === "area") && (hasAttr(el, "href") || hasAttr(el, "xlink:href"));
}

function addressFacts(el: Element, set: (key: string, value: unknown) => void): void {
  const raw = attr(el, "href") ?? attr(el, "xlink:href");
  if (raw === null) return;
  const address = href(raw);
  set("href", address);
  if ((address === "" || address === "#") && unfoldsList(el)) set("opens", "list");
  if (address.length > 1 && address.startsWith("#") && byId(el, address.slice(1)) !== null) set("anchor", true);
}

/** Return whether a link to nowhere stands before a list of its own item, as the head of a folding menu does. */
function unfoldsList(el: Element): boolean {
  const list = nextElement(el);
  const item = parentElement(el);
  return list !== null && item !== null && localName(item) === "li" && /^(?:ul|ol|menu)$/.test(localName(list));
}

function nativeControl(el: Element): string {
  switch (localName(el)) {
    case "button": {
      const button = el as HTMLButtonElement;
      return button.type === "submit" && button.form !== null ? "submit" : button.type === "reset" ? "reset" : "button";
    }
    case "input": {
      const type = inputType(el);
      if (type === "image" || type === "submit") return "submit";
      return type === "button" || type === "reset" ? type : type === "hidden" ? "" : "input";
    }
    case "select":
    case "textarea":
    case "summary":
      return localName(el);
    default:
      return "";
  }
}

/** Return the attribute that sends a request. A link is also taken over by a script of its own. */
function pressAttribute(el: Element, link: boolean): string {
  for (const name of attributeNames(el)) {
    if (REQUEST.test(name) && (attr(el, name) ?? "").toLowerCase() !== "get") return name;
  }
  if (!link) return "";
  return attributeNames(el).find((name) => /^on|click|^jsaction$/.test(name) || (name === "data-action" && /->|#/.test(attr(el, name) ?? ""))) ?? "";
}
