/** A socket, worker or other channel with a far end: which answer belongs to which message? */

import { reportAnswer } from "./reports.ts";
import { tags, type Tag, type Work } from "./tags.ts";

const REPLY_MS = 5_000;
/** Further answers of a shape that never came unsolicited belong to the same message for this long. */
const FURTHER_MS = 1_000;
const MAX_QUESTIONS = 20;
const MAX_SHAPES = 200;
const MAX_WORDS = 2_000;

interface Question {
  tag: Tag;
  enter: () => void;
  words: Set<string>;
  at: number;
  answeredAt: number;
  work: Work | null;
}

/**
 * An answer belongs to a tagged message if it repeats a word of it that nothing else held, or if it has a shape that never
 * came unsolicited and only one input waits for an answer. Otherwise its cause is not known, and it runs without a tag.
 */
export class Conversation {
  private readonly unsolicited = new Set<string>();
  private readonly background = new Set<string>();
  private questions: Question[] = [];

  /** Answers over all roads but a port are reported: they may refuse what was asked. A port carries messages within the page. */
  constructor(private readonly kind: "socket" | "worker" | "events" | "port" | null) {}

  /** `awaited`: an answer is expected, so the input's work has not ended before it comes. */
  sent(message: unknown, awaited = true): void {
    const words = wordsOf(message);
    if (tags.current === null) {
      this.learn(words);
      return;
    }
    const work = awaited && this.kind ? tags.begin(this.kind, "") : null;
    this.questions.push({ tag: tags.current, enter: tags.entry(), words, at: tags.now(), answeredAt: 0, work });
    if (this.questions.length > MAX_QUESTIONS) tags.end(this.questions.shift()!.work);
  }

  /** Enter the tag that this message answers, or none. `data` is its own text, without the name of its event. */
  received(message: unknown, data = message): void {
    this.expire();
    const shape = shapeOf(message);
    const words = wordsOf(message);
    const found = this.byWord(words) ?? (this.unsolicited.has(shape) ? null : this.onlyOne());
    if (found) {
      tags.end(found.work);
      found.work = null;
      found.answeredAt = tags.now();
      if (this.kind && this.kind !== "port") reportAnswer(found.tag, { road: this.kind, text: textOf(data) });
      found.enter();
      return;
    }
    remember(this.unsolicited, shape, MAX_SHAPES);
    this.learn(words);
    tags.enter(null);
  }

  /** The channel is closed: no answer will come. */
  close(): void {
    for (const { work } of this.questions) tags.end(work);
    this.questions = [];
  }

  private expire(): void {
    const oldest = tags.now() - REPLY_MS;
    while (this.questions.length > 0 && this.questions[0]!.at < oldest) tags.end(this.questions.shift()!.work);
  }

  private byWord(words: Set<string>): Question | null {
    return this.questions.find((one) => [...one.words].some((word) => words.has(word) && !this.background.has(word))) ?? null;
  }

  private onlyOne(): Question | null {
    const open = this.questions.filter(({ answeredAt }) => answeredAt === 0);
    const recent = this.questions.filter(({ answeredAt }) => answeredAt > tags.now() - FURTHER_MS);
    const candidates = open.length > 0 ? open : recent;
    return candidates.every(({ tag }) => tag === candidates[0]!.tag) ? (candidates[0] ?? null) : null;
  }

  private learn(words: Set<string>): void {
    for (const word of words) remember(this.background, word, MAX_WORDS);
  }
}

function remember(known: Set<string>, one: string, limit: number): void {
  known.add(one);
  if (known.size > limit) for (const oldest of known) { known.delete(oldest); break; }
}

/** Return the words that may identify a message: numbers and strings of some length. */
function wordsOf(message: unknown): Set<string> {
  const found = new Set<string>();
  for (const [word] of textOf(message).slice(0, 20_000).matchAll(/[\p{L}\p{N}_-]{4,64}/gu)) {
    if (/\d/.test(word) || word.length >= 8) found.add(word);
    if (found.size >= 200) break;
  }
  return found;
}

/** Return the form of a message without its data: the keys of an object and its short constant strings. */
function shapeOf(message: unknown): string {
  if (typeof message !== "string") return form(message, 0);
  try {
    return form(JSON.parse(message), 0);
  } catch {
    return message.slice(0, 200).replace(/\d+/g, "0").replace(/[\p{L}]{12,}/gu, "x").slice(0, 60);
  }
}

function form(value: unknown, depth: number): string {
  if (Array.isArray(value)) return `[${value.slice(0, 8).map((one) => form(one, depth + 1)).join()}]`;
  if (typeof value === "object" && value !== null) {
    if (depth > 3) return "{}";
    const entries = Object.entries(value as Record<string, unknown>).slice(0, 20);
    return `{${entries.map(([key, one]) => `${key}:${constant(key, one) ?? form(one, depth + 1)}`).join()}}`;
  }
  return typeof value === "string" && depth === 1 && /^[a-z_:.-]{2,24}$/i.test(value) ? value : typeof value;
}

const CONSTANT_KEYS = /^(type|event|kind|op|action|topic|channel|method|t|e|cmd|name|target)$/i;

function constant(key: string, value: unknown): string | null {
  return CONSTANT_KEYS.test(key) && typeof value === "string" && value.length <= 40 ? value.replace(/\d+/g, "0") : null;
}

function textOf(message: unknown): string {
  if (typeof message === "string") return message;
  if (typeof message !== "object" || message === null || message instanceof ArrayBuffer || ArrayBuffer.isView(message)) return "";
  try {
    return JSON.stringify(message) ?? "";
  } catch {
    return "";
  }
}
