/** A socket, worker or other channel with a far end: which answer belongs to which message? */

import { reportAnswer } from "./reports.ts";
import { tags, type Tag, type Work } from "./tags.ts";

const REPLY_MS = 5_000;
/** Further answers of a shape that never came unsolicited belong to the same message for this long. */
const FURTHER_MS = 1_000;
/** No answer is expected after this time, or after three times the slowest answer of the far end. */
const SILENT_MS = 1_000;
const SLOWNESS = 3;
/** The answer to a message of the page itself may have many parts. They come in a row, with few breaks and one pause. */
const BREAK_MS = 100;
const MAX_BREAKS = 5;
/** A page that has loaded is awaited for this long if it asks for its content over a channel. */
const PAGE_ANSWER_MS = 1_000;
const PAUSE_MS = 700;
const PAUSE_WEIGHT = 3;
/** After such a row, the far end must have been silent for this long before an input asks. */
const SILENCE_MS = 500;
const MAX_QUESTIONS = 20;
const MAX_SHAPES = 200;
const MAX_WORDS = 2_000;
const MAX_SOURCE = 80;
/** The name of a member of an object in JSON. */
const MEMBER = /"[^"\\]{1,64}"\s*:/g;

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
 *
 * An application may ask for its content when it loads. The answer to one such message is not unsolicited; that to a
 * second one is, because a page that polls asks again and again.
 */
export class Conversation {
  private readonly unsolicited = new Set<string>();
  private readonly background = new Set<string>();
  private readonly answersToPage = new Map<string, { asked: number; at: number; breaks: number }>();
  private questions: Question[] = [];
  /** When the page itself sent its first and its last message of the present row. */
  private asked = -Infinity;
  private lastSent = -Infinity;
  private lastReceived = -Infinity;
  private slowestAnswerMs = 0;

  /** Answers over all roads but a port are reported: they may refuse what was asked. A port carries messages within the page. */
  constructor(private readonly kind: "socket" | "worker" | "events" | "port" | null) {}

  /** `awaited`: an answer is expected, so the input's work has not ended before it comes. */
  sent(message: unknown, awaited = true): void {
    if (this.isHeartbeat(message)) return;
    const words = wordsOf(message);
    if (tags.current === null) {
      this.learn(words);
      this.pageAsks();
      return;
    }
    this.expire();
    this.giveUpSilent(tags.current);
    const work = awaited && this.kind ? tags.begin(this.kind, "") : null;
    // A far end may ignore messages of one form, such as drafts, and answer those of another.
    if (work && this.kind !== "events") work.source = shapeOf(message).slice(0, MAX_SOURCE);
    this.questions.push({ tag: tags.current, enter: tags.entry(), words, at: tags.now(), answeredAt: 0, work });
    if (this.questions.length > MAX_QUESTIONS) tags.end(this.questions.shift()!.work);
  }

  /** Enter the tag that this message answers, or none. `data` is its own text, without the name of its event. */
  received(message: unknown, data = message): void {
    if (this.isHeartbeat(message)) {
      tags.enter(null);
      return;
    }
    this.expire();
    this.lastReceived = tags.now();
    const shape = shapeOf(message);
    const words = wordsOf(message);
    const found = this.byWord(words) ?? (this.unsolicited.has(shape) ? null : this.afterSilence(shape));
    if (found) {
      this.answered(found);
      if (this.kind && this.kind !== "port") reportAnswer(found.tag, { road: this.kind, text: textOf(data) });
      found.enter();
      return;
    }
    if (this.candidates().length === 0 && !this.answersPage(shape)) remember(this.unsolicited, shape, MAX_SHAPES);
    this.learn(words);
    tags.enter(null);
  }

  private isHeartbeat(message: unknown): boolean {
    return this.kind === "socket" && typeof message === "string" && message.length <= 120 && HEARTBEAT.test(message);
  }

  private pageAsks(): void {
    const now = tags.now();
    if (this.lastReceived >= this.lastSent) this.asked = now;
    this.lastSent = now;
  }

  /** Return whether the page itself has just asked for something and the answer has not come, or still comes. */
  get answersPageNow(): boolean {
    const now = tags.now();
    if (this.lastReceived < this.lastSent) return now - this.lastSent < PAGE_ANSWER_MS;
    return now - this.lastReceived < BREAK_MS && this.lastReceived - this.lastSent < PAGE_ANSWER_MS;
  }

  /** Return whether a message without a tag answers the first message of the page itself that it may answer. */
  private answersPage(shape: string): boolean {
    const now = tags.now();
    const before = this.answersToPage.get(shape);
    if (!before) {
      if (now - this.lastSent > REPLY_MS || this.answersToPage.size >= MAX_SHAPES) return false;
      this.answersToPage.set(shape, { asked: this.asked, at: now, breaks: 0 });
      return true;
    }
    const gap = now - before.at;
    if (gap > BREAK_MS) before.breaks += gap > PAUSE_MS ? PAUSE_WEIGHT : 1;
    const inARow = before.asked === this.asked && gap <= REPLY_MS && before.breaks <= MAX_BREAKS;
    before.at = now;
    return inARow;
  }

  /** The channel is closed: no answer will come. */
  close(): void {
    for (const { work } of this.questions) tags.end(work);
    this.questions = [];
  }

  private expire(): void {
    const oldest = tags.now() - REPLY_MS;
    while (this.questions.length > 0 && this.questions[0]!.at < oldest) tags.end(this.questions.shift()!.work);
    // a far end that answered some keys of an input, and then fell silent, answers no more of them
    for (const one of this.questions) {
      const last = this.lastAnswer(one.tag);
      if (one.answeredAt === 0 && one.at < last && last < tags.now() - FURTHER_MS) this.end(one, last);
    }
  }

  /** A new input asks: messages of other inputs that the far end passed over are no longer candidates for its answer. */
  private giveUpSilent(asking: Tag): void {
    const oldest = tags.now() - Math.max(SILENT_MS, SLOWNESS * this.slowestAnswerMs);
    for (const one of this.questions) if (one.tag !== asking && one.answeredAt === 0 && one.at < oldest) this.end(one, one.at);
  }

  private lastAnswer(tag: Tag): number {
    const times = this.questions.filter((one) => one.tag === tag && one.answeredAt > 0).map(({ answeredAt }) => answeredAt);
    return times.length > 0 ? Math.max(...times) : Infinity;
  }

  private end(question: Question, at = tags.now()): void {
    tags.end(question.work);
    question.work = null;
    question.answeredAt = at;
  }

  /** Return the question that a message repeats a word of, if the words of no other input are in it. */
  private byWord(words: Set<string>): Question | null {
    const repeated = this.questions.filter((one) => [...one.words].some((word) => words.has(word) && this.isOwn(word, one)));
    return repeated.every(({ tag }) => tag === repeated[0]!.tag) ? (repeated.at(-1) ?? null) : null;
  }

  private isOwn(word: string, { tag }: Question): boolean {
    return !this.background.has(word) && !this.questions.some((other) => other.tag !== tag && other.words.has(word));
  }

  /** Return the questions that a message may answer. Far ends answer in order, so a later question ends an earlier answer. */
  private candidates(): Question[] {
    const open = this.questions.filter(({ answeredAt }) => answeredAt === 0);
    if (open.length > 0) return open;
    const oldest = Math.max(tags.now() - FURTHER_MS, this.questions.at(-1)?.at ?? 0);
    return this.questions.filter(({ answeredAt }) => answeredAt > oldest);
  }

  /** End a question, and the earlier ones of the same input: a far end may answer several keys at once. */
  private answered(question: Question): void {
    if (question.answeredAt === 0) this.slowestAnswerMs = Math.max(this.slowestAnswerMs, tags.now() - question.at);
    const earlier = this.questions.slice(0, this.questions.indexOf(question));
    for (const one of earlier) if (one.tag === question.tag && one.answeredAt === 0) this.end(one);
    this.end(question);
  }

  /** Return the only question, unless the far end still answered the page when it was asked: then its cause is not known. */
  private afterSilence(shape: string): Question | null {
    const found = this.onlyOne();
    const before = this.answersToPage.get(shape);
    if (!found || !before || found.at - before.at >= SILENCE_MS) return found;
    this.answered(found);
    return null;
  }

  private onlyOne(): Question | null {
    const candidates = this.candidates();
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

/** A sign of life without data, such as `2` and `3` of socket.io: it asks for nothing and answers nothing. */
const HEARTBEAT = /^\s*("?(\d|ping|pong|h|heartbeat|keep-?alive)"?|\[\]|\{\}|\{\s*"(type|event|kind|op|t)":\s*"(ping|pong|heartbeat|keep-?alive)"[^}]*\})?\s*$/i;

/** Return the words that may identify a message: those with a digit, and those of 8 letters or more. Member names do not count. */
function wordsOf(message: unknown): Set<string> {
  const found = new Set<string>();
  for (const [word] of textOf(message).slice(0, 20_000).replace(MEMBER, " ").matchAll(/[\p{L}\p{N}_-]{4,64}/gu)) {
    if (/\d/.test(word) || word.length >= 8) found.add(word);
    if (found.size >= 200) break;
  }
  return found;
}

/** JSON behind the type of a packet, as socket.io (`42["saved",{}]`) and SockJS (`a["…"]`) send it. */
const FRAMED = /^([^[{"\s]{1,40})([[{].*)$/s;

/** Return the form of a message without its data: the keys of JSON and its constants, or the start of other text. */
function shapeOf(message: unknown): string {
  if (typeof message !== "string") return form(message, 0);
  const [, packet, json] = FRAMED.exec(message) ?? [];
  try {
    return (packet ?? "").replace(/\d+/g, "0") + form(JSON.parse(json ?? message), 0);
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
