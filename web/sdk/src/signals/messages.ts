/**
 * Messages outside of live regions: an error beside a field, a banner, the messages of a page that has loaded.
 *
 * They are recognised by the words of their classes and by their colour, not by one framework. A message that is inserted
 * counts only under an input of ours, or while a person is recorded; those of a new page are sent once, after its first
 * graph.
 */

import {
  attr, closestMatch, composedParent, contains, elementsOf, hasAttr, hostOf, inEditable, isConnected, isElement, isHtml, isShadowRoot, isText, localName, matches,
  nextElement, previousElement, queryAll, rootElement, rootOf, shadowOf, styleOf,
} from "../dom.ts";
import { isRed } from "../colour.ts";
import { fadesIn } from "../delta/showing.ts";
import type { Page } from "../graph/page.ts";
import { classes } from "../graph/roles.ts";
import { clean } from "../graph/text.ts";
import { Visibility, VISIBILITY_MASK, visibilityOf } from "../graph/visibility.ts";
import type { Signal } from "../types.ts";
import { textOf } from "./text_of.ts";
import { messageOf } from "./validation.ts";

const ERROR = /^(?:errors?|errorlist|errornote|danger|invalid|fail|failed|failure|destructive|negative|fehler|erreur)$/;
const LEVELS: readonly [RegExp, string][] = [
  [ERROR, "error"], [/^(?:success|successful|positive)$/, "success"], [/^(?:warn|warning)$/, "warning"], [/^info$/, "info"],
];
/** Words of a class that say "this is a message" by themselves. Chats have a class `message` too. */
const MESSAGE = /^(?:alert|flash|flashes|notice|snackbar|callout|errorlist|errornote|messagelist)$/;
/** Words that say so beside a level, as in `messages error`. */
const WEAK_MESSAGE = /^(?:messages?|notification|feedback|banner|note|hint|help|text|label|field|block|inline|msg|validation)$/;
const CANDIDATES = ["error", "alert", "flash", "message", "notice", "danger", "invalid", "callout", "success", "warning"]
  .map((word) => `[class*="${word}" i]`).join();
const LIVE = "[aria-live]:not([aria-live=off]),[role=alert],[role=status],[role=log],output";
const CONTENT = "a,button,nav,label,option,summary,tr,td,th,article,pre,[role=navigation],[role=menu],[role=row],[role=button]";
const MARKED = "[class],[title],[aria-label],img[alt]";
const FIELDS = "input:not([type=hidden]),select,textarea,[contenteditable]";
const MAX_TEXT = 300;
const MAX_INSERTED = 20;
const MAX_SCANNED = 300;
const MAX_HOSTS = 20;
const MAX_LOADED = 20;

export class Messages {
  private lastText = new WeakMap<Element, string>();
  private wasLoaded = false;

  constructor(
    private readonly page: Page,
    private readonly emit: (signal: Signal) => void,
  ) {}

  /** Send the messages that our input inserted, changed or revealed. */
  onMutations(records: MutationRecord[]): void {
    const found = new Set<Element>();
    for (const record of records) {
      for (const el of this.changed(record)) found.add(el);
      const root = record.type === "attributes" ? null : rootOf(record.target);
      if (isShadowRoot(root)) found.add(hostOf(root)); // a component has the class, and its shadow tree has the words
      if (found.size >= MAX_INSERTED) break;
    }
    for (const el of found) this.check(el);
  }

  private changed({ type, target, addedNodes }: MutationRecord): Element[] {
    if (type === "attributes") return isElement(target) && this.isRevealed(target) ? [target] : [];
    const parent = isElement(target) ? target : composedParent(target);
    if (type === "characterData") return parent ? [parent] : [];
    return [...addedNodes].flatMap((node) => {
      if (isText(node)) return parent ? [parent] : [];
      return isElement(node) ? [node, ...[...queryAll(node, MARKED), ...insideShadows(node)].slice(0, MAX_INSERTED)] : [];
    });
  }

  private isRevealed(el: Element): boolean {
    const before = this.page.store.appearance.get(el);
    return before !== undefined && (before & VISIBILITY_MASK) !== Visibility.Full && isShown(el);
  }

  private check(el: Element): void {
    if (!isConnected(el) || closestMatch(el, LIVE) || this.isContent(el)) return;
    const mark = markOf(el);
    const text = mark || messageText(el);
    if (!text || this.lastText.get(el) === text || this.repeatsField(text)) return;
    const level = levelOf(el) ?? colourLevel(el, text) ?? (mark ? "" : null);
    if (level === null && !followsField(el)) return;
    if (!isShown(el)) return;
    this.lastText.set(el, text);
    if (level === null) this.emitBeside(text, false);
    else this.emit({ kind: "toast.shown", text, ...(level && { level }) });
  }

  /** Return whether the text is the value of a field: a preview of the entered text reports nothing. */
  private repeatsField(text: string): boolean {
    const root = rootElement(this.page.doc);
    const fields = root ? [...queryAll(root, FIELDS)].slice(0, MAX_SCANNED) : [];
    return fields.some((field) => clean((field as HTMLInputElement).value ?? "") === text);
  }

  /** Send a text behind a field. Whether it reports a failure depends on everything else that the input did. */
  private emitBeside(text: string, loaded: boolean): void {
    this.emit({ kind: "custom", name: "message.field", payload: { text, ...(loaded && { loaded }) } });
  }

  private isContent(el: Element): boolean {
    return inContent(el) || inEditable(el) || this.page.annotations.has(el, "user-content");
  }

  /** Send the messages of a page that has loaded, each once. The driver knows whether they answer an input. */
  loaded(): void {
    const root = rootElement(this.page.doc);
    if (!root) return;
    const found = [...queryAll(root, `${CANDIDATES},${LIVE}`)].slice(0, MAX_SCANNED).filter((el) => this.isLoaded(el));
    const innermost = found.filter((el) => !found.some((other) => other !== el && contains(el, other)));
    for (const el of innermost.slice(0, MAX_LOADED)) this.emitOnce(el, messageText(el));
    if (this.wasLoaded) return;
    this.wasLoaded = true;
    for (const field of [...queryAll(root, "[aria-invalid=true]")].slice(0, MAX_LOADED)) {
      const text = messageOf(field);
      if (text && visibilityOf(field) === Visibility.Full) this.emitLoaded(text, "error");
    }
    for (const text of this.textsBesideFields(root)) this.emitBeside(text, true);
  }

  /** Return the texts behind fields that hold a value: a form that came back has its values and its messages. */
  private textsBesideFields(root: Element): Set<string> {
    const texts = new Set<string>();
    for (const field of [...queryAll(root, FIELDS)].slice(0, MAX_LOADED)) {
      if (!isOpenField(field) || !(field as HTMLInputElement).value) continue;
      for (const el of behind(field)) {
        const text = this.isContent(el) || closestMatch(el, LIVE) ? "" : messageText(el);
        if (text && visibilityOf(el) === Visibility.Full) texts.add(text);
      }
    }
    return texts;
  }

  private isLoaded(el: Element): boolean {
    const message = closestMatch(el, LIVE) !== null || levelOf(el) !== null;
    return message && !this.isContent(el) && messageText(el) !== "" && isShown(el);
  }

  private emitOnce(el: Element, text: string): void {
    if (this.lastText.get(el) === text) return;
    this.lastText.set(el, text);
    this.emitLoaded(text, levelOf(el) ?? undefined);
  }

  private emitLoaded(text: string, level: string | undefined): void {
    this.emit({ kind: "custom", name: "message.loaded", payload: { text, ...(level && { level }) } });
  }
}

/** Return the elements with marks in the shadow trees of an inserted element. They were filled before anybody observed them. */
function insideShadows(node: Element): Element[] {
  const found: Element[] = [];
  const hosts = [node, ...queryAll(node, "*")].slice(0, MAX_SCANNED).filter((el) => shadowOf(el) !== null);
  for (const host of hosts.slice(0, MAX_HOSTS)) {
    for (const el of elementsOf(host)) {
      if (el !== host && matches(el, MARKED)) found.push(el);
      if (found.length >= MAX_INSERTED) return found;
    }
  }
  return found;
}

/** Return whether an element is part of the content of the page. A cell beside a text field is part of a form. */
function inContent(el: Element): boolean {
  let around = closestMatch(el, CONTENT);
  while (around && isCellOfForm(around)) {
    const outer = composedParent(around);
    around = outer && closestMatch(outer, CONTENT);
  }
  return around !== null;
}

function isCellOfForm(el: Element): boolean {
  const row = /^t[rdh]$/.test(localName(el)) ? closestMatch(el, "tr") : null;
  return row !== null && [...queryAll(row, FIELDS)].some(isOpenField);
}

function isShown(el: Element): boolean {
  return visibilityOf(el) === Visibility.Full || fadesIn(el);
}

const CONTROLS = `${FIELDS},button,a[href],[role=button],input[type=submit]`;
const NO_TEXT_FIELD = /^(?:button|submit|reset|image|checkbox|radio|range|color|file)$/;
const FORM_DEPTH = 4;

/** Return whether a person types or chooses a value here, and the field accepts it now. */
function isOpenField(el: Element): boolean {
  if (localName(el) === "input" && NO_TEXT_FIELD.test((el as HTMLInputElement).type)) return false;
  return !hasAttr(el, "readonly") && !hasAttr(el, "disabled");
}

/** Return whether the last control before an element is a field: the text is about that field. */
function followsField(el: Element): boolean {
  let inner = el;
  for (let level = 0; level < FORM_DEPTH; level++) {
    for (let before = previousElement(inner); before; before = previousElement(before)) {
      const found = matches(before, CONTROLS) ? before : [...queryAll(before, CONTROLS)].at(-1);
      if (found) return matches(found, FIELDS) && isOpenField(found);
    }
    const around = composedParent(inner);
    if (!around || localName(around) === "body" || localName(around) === "form") return false;
    inner = around;
  }
  return false;
}

/** Return the elements between a field and the next control. */
function behind(field: Element): Element[] {
  const found: Element[] = [];
  let inner = field;
  for (let level = 0; level < FORM_DEPTH; level++) {
    for (let next = nextElement(inner); next; next = nextElement(next)) {
      if (matches(next, CONTROLS) || queryAll(next, CONTROLS).length > 0) return found;
      found.push(next);
    }
    const around = composedParent(inner);
    if (!around || localName(around) === "body" || localName(around) === "form") break;
    inner = around;
  }
  return found;
}

function messageText(el: Element): string {
  if (localName(el) === "body" || localName(el) === "html" || localName(el) === "form") return "";
  const text = textOf(el);
  return text.length <= MAX_TEXT && queryAll(el, FIELDS).length === 0 ? text : "";
}

/** Return the words of a mark: a sign such as `!` or an icon whose meaning is in its title or its label. */
function markOf(el: Element): string {
  if (matches(el, FIELDS) || /\p{L}{2}/u.test(textOf(el))) return "";
  return clean(attr(el, "title") ?? attr(el, "aria-label") ?? attr(el, "alt") ?? "", MAX_TEXT);
}

/** Return the lower-case words of the class of an element: `Alert_danger-x1` has alert, danger and x. */
function wordsOf(el: Element): string[] {
  return classes(el).replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-zß-ÿ]+/).filter(Boolean);
}

/** Return the level of a message by its classes or those of the list around it; "" without a level, null for no message. */
function levelOf(el: Element): string | null {
  const own = wordsOf(el);
  const parent = composedParent(el);
  const words = parent && textOf(parent).length <= MAX_TEXT ? [...own, ...wordsOf(parent)] : own;
  const level = LEVELS.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1];
  const strong = words.some((word) => MESSAGE.test(word));
  if (level === "error" && own.some((word) => ERROR.test(word))) return level;
  if (strong || (level && words.some((word) => WEAK_MESSAGE.test(word)))) return level ?? "";
  return null;
}

/** Return whether the whole text is a link or a button: a red result of a search reports nothing. */
function isOnlyLink(el: Element, text: string): boolean {
  return [...queryAll(el, "a[href],button")].some((inner) => textOf(inner) === text);
}

/** Return the level of a red phrase: an error beside a field, else it depends on its words. */
function colourLevel(el: Element, text: string): string | null {
  if (!/\p{L}{2,}\P{L}+\p{L}{2,}/u.test(text) || !isHtml(el) || queryAll(el, "*").length > 5) return null;
  const style = styleOf(el);
  if ((!isRed(style.color) && !isRed(style.backgroundColor)) || isOnlyLink(el, text)) return null;
  let around: Element | null = el;
  for (let level = 0; around && level < 3; level++) {
    around = composedParent(around);
    if (around && localName(around) !== "body" && queryAll(around, FIELDS).length > 0) return "error";
  }
  return "";
}

