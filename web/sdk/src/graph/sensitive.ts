/** Which fields hold secrets. Their values are masked in the page and never leave it. */

import { attr, hasAttr, isHtml, localName, styleOf } from "../dom.ts";
import type { Annotations } from "./annotations.ts";

const CREDENTIAL_TOKENS = /(^|\s)(current-password|new-password|one-time-code)(\s|$)/i;
const PAYMENT_TOKENS = /(^|\s)cc-[a-z-]+(\s|$)/i;
// A password field with the type `text` is still a password field when its name or id says so.
const CREDENTIAL_NAMES = /pass(word|wort|code|phrase)|(^|[^a-z])(pwd|passwd|otp|pin)([^a-z]|$)|secret|api[-_]?key/i;
const PAYMENT_NAMES = /card-?_?num|cardnumber|(^|[^a-z])(cvv|cvc|csc|iban)\d?([^a-z]|$)/i;

const wasPassword = new WeakSet<Element>();
let annotations: Annotations | null = null;

export function useAnnotations(found: Annotations): void {
  annotations = found;
}

export type Secret = "credential" | "payment" | "sensitive";

export function secretKind(el: Element, annotated = true): Secret | null {
  if (annotated && annotations?.sensitive(el)) return "sensitive";
  if (!isHtml(el)) return null;
  const tag = localName(el);
  if (tag !== "input" && tag !== "textarea" && tag !== "select") return null;
  if (tag === "input") {
    const type = (el as HTMLInputElement).type;
    if (type === "password") {
      wasPassword.add(el);
      return "credential";
    }
    // A "show password" toggle changes the type, not the secret.
    if (wasPassword.has(el)) return "credential";
    if (!/^(text|tel|number|search|email|url)$/.test(type)) return null;
  }
  const autocomplete = attr(el, "autocomplete") ?? "";
  if (CREDENTIAL_TOKENS.test(autocomplete)) return "credential";
  if (PAYMENT_TOKENS.test(autocomplete)) return "payment";
  const nameAndId = `${attr(el, "name") ?? ""} ${attr(el, "id") ?? ""}`;
  if (nameAndId.length > 1) {
    if (CREDENTIAL_NAMES.test(nameAndId)) return "credential";
    if (PAYMENT_NAMES.test(nameAndId)) return "payment";
  }
  if (hasAttr(el, "style") || hasAttr(el, "class")) {
    const security = styleOf(el).getPropertyValue("-webkit-text-security");
    if (security && security !== "none") return "credential";
  }
  return null;
}

export function isMasked(el: Element): boolean {
  return secretKind(el) !== null;
}
