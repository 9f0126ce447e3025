/** Dialogs and popovers, forms, file inputs and scrolling: how to close, submit, check and scroll them. */

import { attr, checkVisibility, clickOn, hasAttr, isHtml, localName, matches, queryAll } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { clean } from "../graph/text.ts";
import { DONE, idOf, refuse, done, type Op } from "./outcome.ts";

const BUTTON = "button,[role=button],input[type=button]";
/**
 * Whole names of close and cancel buttons in several languages. They neither accept nor refuse: "OK" is never one of
 * them, and "Cancel subscription" is not "Cancel".
 */
const CLOSE_NAMES = /^(?:(?:close|dismiss)(?: (?:this )?(?:dialog|window|menu|panel|popup|modal|banner|message))?|schließen|schliessen|fermer|cerrar|fechar|chiudi|sluiten|stäng|luk|lukk|sulje|zamknij|kapat|закрыть|关闭|關閉|閉じる|닫기|[×✕✖xX])$/iu;
const CANCEL_NAMES = /^(?:cancel|not now|no,? thanks|maybe later|later|abbrechen|später|annuler|plus tard|cancelar|annulla|annuleren|avbryt|annuller|anuluj|vazgeç|отмена|取消|キャンセル|취소)$/iu;

function nameOf(el: Element, page: Page): string {
  return page.store.entries.get(el)?.element.name ?? clean(attr(el, "aria-label") ?? (el as HTMLElement).innerText ?? "");
}

/** A button that submits a form, or repeats a word of the dialog's title, may agree to what the dialog asks. */
function mayAgree(button: Element, title: ReadonlySet<string>, page: Page): boolean {
  const form = (button as HTMLButtonElement).form;
  if (form && (button as HTMLButtonElement).type === "submit" && form.method !== "dialog") return true;
  if (page.store.entries.get(button)?.element.metadata?.["method"] !== undefined) return true;
  return wordsOf(nameOf(button, page)).some((word) => title.has(word));
}

/** Return the name of a dialog and its first heading. */
function titleOf(el: Element, page: Page): string {
  const heading = queryAll(el, "h1,h2,h3,h4,h5,h6,[role=heading]")[0];
  const text = heading ? clean((heading as HTMLElement).innerText ?? "", 200) : "";
  return `${page.store.entries.get(el)?.element.name ?? ""} ${text}`;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

function closerOf(el: Element, page: Page): Element | undefined {
  const title = new Set(wordsOf(titleOf(el, page)));
  const visible = [...queryAll(el, BUTTON)].filter((button) => checkVisibility(button, { visibilityProperty: true }));
  const buttons = visible.filter((button) => !mayAgree(button, title, page));
  return buttons.find((button) => CLOSE_NAMES.test(nameOf(button, page))) ?? buttons.find((button) => CANCEL_NAMES.test(nameOf(button, page)));
}

export const closer: Op = (el, _request, page) => {
  const found = closerOf(el, page);
  return done(false, { closer: found ? idOf(found, page) : "" });
};

export const dismiss: Op = (el, _request, page) => {
  const found = closerOf(el, page);
  if (found) {
    clickOn(found);
    return DONE;
  }
  if (hasAttr(el, "popover") && matches(el, ":popover-open")) {
    (el as HTMLElement).hidePopover();
    return DONE;
  }
  if (el instanceof HTMLDialogElement && el.open) {
    el.close();
    return DONE;
  }
  return refuse("no_way_out");
};

function formOf(el: Element): HTMLFormElement | null {
  return el instanceof HTMLFormElement ? el : ((el as HTMLInputElement).form ?? null);
}

function submitterOf(form: HTMLFormElement): HTMLElement | undefined {
  return [...form.elements].find((one) => matches(one, "button:not([type=button]):not([type=reset]),input[type=submit],input[type=image]")) as HTMLElement | undefined;
}

/** Find an invalid field without an event: `checkValidity` would run handlers of the page. */
function invalidField(form: HTMLFormElement): Element | undefined {
  if (form.noValidate) return undefined;
  return [...form.elements].find((one) => (one as HTMLInputElement).willValidate && !(one as HTMLInputElement).validity.valid);
}

/** Return how this form is submitted: by its button, by Enter in the field, or by the form itself. */
export const submitter: Op = (el, _request, page) => {
  const form = formOf(el);
  if (!form) return matches(el, "input,[role=searchbox],[role=textbox]") ? done(false, { by: "field" }) : done(false, { by: "press" });
  const wrong = invalidField(form);
  if (wrong) return refuse("invalid_form");
  const button = matches(el, "button,input[type=submit],input[type=image]") ? el : submitterOf(form);
  if (button) return done(false, { by: "button", button: idOf(button, page) });
  return done(false, { by: el instanceof HTMLFormElement ? "form" : "field" });
};

export const submit: Op = (el) => {
  const form = formOf(el);
  if (!form) return refuse("no_form");
  if (invalidField(form)) return refuse("invalid_form");
  const by = matches(el, "button,input[type=submit],input[type=image]") ? (el as HTMLElement) : submitterOf(form);
  HTMLFormElement.prototype.requestSubmit.call(form, by ?? null);
  return DONE;
};

/** Return whether it is a file input and holds these files. */
export const files: Op = (el, request) => {
  if (!(isHtml(el) && localName(el) === "input" && (el as HTMLInputElement).type === "file")) return done(false, { input: false });
  const input = el as HTMLInputElement;
  const names = [...(input.files ?? [])].map((file) => file.name);
  return done(false, { input: true, multiple: input.multiple, held: names.join("\n") === (request.values ?? []).join("\n") });
};

/** Scroll by a distance or to an end. Return whether it moved, and whether it was already at the end. */
export const scroll: Op = (el, request, page) => {
  const box = scrollerOf(el, page);
  const before = [box.scrollLeft, box.scrollTop];
  if (request.to !== undefined) box.scrollTo({ top: request.to === "top" ? 0 : box.scrollHeight, behavior: "instant" });
  else box.scrollBy({ left: request.dx ?? 0, top: request.dy ?? 0, behavior: "instant" });
  const moved = before[0] !== box.scrollLeft || before[1] !== box.scrollTop;
  const there = request.to !== undefined && isAtEnd(box, request.to);
  return done(moved, { held: moved || there, already: !moved && there, left: box.scrollLeft, top: box.scrollTop, ...(!moved && !there && { why: "there is nothing more to scroll that way" }) });
};

function isAtEnd(box: Element, end: "top" | "bottom"): boolean {
  return end === "top" ? box.scrollTop <= 0 : box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
}

/** Return the element itself if it scrolls, else the first scrollable box inside, else the nearest one around it. */
function scrollerOf(el: Element, page: Page): Element {
  const scrollRoot = page.doc.scrollingElement ?? el;
  if (el === scrollRoot || el === page.doc.documentElement || el === page.doc.body) return scrollRoot;
  if (isScrollable(el)) return el;
  const inner = [...queryAll(el, "*")].filter(isScrollable);
  if (inner.length > 0) return inner[0]!;
  for (let node = el.parentElement; node && node !== scrollRoot; node = node.parentElement) if (isScrollable(node)) return node;
  return scrollRoot;
}

function isScrollable(el: Element): boolean {
  if (el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1) return false;
  const style = getComputedStyle(el);
  return /auto|scroll/.test(`${style.overflowX} ${style.overflowY}`);
}

