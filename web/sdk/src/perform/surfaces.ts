/** Surfaces that come and go, forms and file inputs: what would leave, send or fill them. */

import { attr, checkVisibility, clickOn, hasAttr, isHtml, localName, matches, queryAll } from "../dom.ts";
import type { Page } from "../graph/page.ts";
import { clean } from "../graph/text.ts";
import { DONE, idOf, refuse, told, type Op } from "./outcome.ts";

const BUTTON = "button,[role=button],a[href],input[type=button],input[type=reset]";
/** In the languages we know; what a person presses who wants neither yes nor no. Never "OK". */
const CLOSES = /^(close|dismiss|schließen|schliessen|fermer|cerrar|fechar|chiudi|sluiten|stäng|luk|lukk|sulje|zamknij|закрыть|关闭|關閉|閉じる|닫기|[×✕✖xX])( |$)/iu;
const CANCELS = /^(cancel|not now|no thanks|later|abbrechen|später|annuler|cancelar|annulla|annuleren|avbryt|annuller|anuluj|отмена|取消|キャンセル|취소)( |$)/iu;

function named(el: Element, page: Page): string {
  return page.store.entries.get(el)?.element.name ?? clean(attr(el, "aria-label") ?? (el as HTMLElement).innerText ?? "");
}

function closerOf(el: Element, page: Page): Element | undefined {
  const buttons = [...queryAll(el, BUTTON)].filter((button) => checkVisibility(button, { visibilityProperty: true }));
  return buttons.find((button) => CLOSES.test(named(button, page))) ?? buttons.find((button) => CANCELS.test(named(button, page)));
}

export const closer: Op = (el, _request, page) => {
  const found = closerOf(el, page);
  return told(false, { closer: found ? idOf(found, page) : "" });
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

/** Asked without a word to the page: `checkValidity` would tell its handlers. */
function faultyField(form: HTMLFormElement): Element | undefined {
  if (form.noValidate) return undefined;
  return [...form.elements].find((one) => (one as HTMLInputElement).willValidate && !(one as HTMLInputElement).validity.valid);
}

/** How this form is sent: by its button, by Enter in the field, or by itself. */
export const submitter: Op = (el, _request, page) => {
  const form = formOf(el);
  if (!form) return matches(el, "input,[role=searchbox],[role=textbox]") ? told(false, { by: "field" }) : told(false, { by: "press" });
  const wrong = faultyField(form);
  if (wrong) return refuse("invalid_form");
  const button = matches(el, "button,input[type=submit],input[type=image]") ? el : submitterOf(form);
  if (button) return told(false, { by: "button", button: idOf(button, page) });
  return told(false, { by: el instanceof HTMLFormElement ? "form" : "field" });
};

export const submit: Op = (el) => {
  const form = formOf(el);
  if (!form) return refuse("no_form");
  if (faultyField(form)) return refuse("invalid_form");
  const by = matches(el, "button,input[type=submit],input[type=image]") ? (el as HTMLElement) : submitterOf(form);
  HTMLFormElement.prototype.requestSubmit.call(form, by ?? null);
  return DONE;
};

/** Is it a file input, and does it hold these files? */
export const files: Op = (el, request) => {
  if (!(isHtml(el) && localName(el) === "input" && (el as HTMLInputElement).type === "file")) return told(false, { input: false });
  const input = el as HTMLInputElement;
  const names = [...(input.files ?? [])].map((file) => file.name);
  return told(false, { input: true, multiple: input.multiple, held: names.join("\n") === (request.values ?? []).join("\n") });
};

/** By a distance, or to an end; says whether it moved and whether it could not. */
export const scroll: Op = (el, request, page) => {
  const box = scrollerOf(el, page);
  const before = [box.scrollLeft, box.scrollTop];
  if (request.to !== undefined) box.scrollTo({ top: request.to === "top" ? 0 : box.scrollHeight, behavior: "instant" });
  else box.scrollBy({ left: request.dx ?? 0, top: request.dy ?? 0, behavior: "instant" });
  const moved = before[0] !== box.scrollLeft || before[1] !== box.scrollTop;
  const there = request.to !== undefined && atEnd(box, request.to);
  return told(moved, { held: moved || there, already: !moved && there, left: box.scrollLeft, top: box.scrollTop, ...(!moved && !there && { why: "there is nothing more to scroll that way" }) });
};

function atEnd(box: Element, end: "top" | "bottom"): boolean {
  return end === "top" ? box.scrollTop <= 0 : box.scrollTop + box.clientHeight >= box.scrollHeight - 1;
}

/** The element itself if it scrolls, else the one box in it that does, else the box it stands in. */
function scrollerOf(el: Element, page: Page): Element {
  const page_ = page.doc.scrollingElement ?? el;
  if (el === page_ || el === page.doc.documentElement || el === page.doc.body) return page_;
  if (scrolls(el)) return el;
  const inner = [...queryAll(el, "*")].filter(scrolls);
  if (inner.length > 0) return inner[0]!;
  for (let node = el.parentElement; node && node !== page_; node = node.parentElement) if (scrolls(node)) return node;
  return page_;
}

function scrolls(el: Element): boolean {
  if (el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1) return false;
  const style = getComputedStyle(el);
  return /auto|scroll/.test(`${style.overflowX} ${style.overflowY}`);
}

