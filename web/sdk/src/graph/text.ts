/**
 * Page text prepared for publishing: whitespace collapsed, invisible and steering characters removed, length capped.
 */

export const NAME_CAP = 1_000;
export const TEXT_CAP = 4_000;
export const VALUE_CAP = 20_000;
const HREF_CAP = 500;

// C0/C1 controls, soft hyphen, zero-width, bidi controls, invisible operators, BOM, variation and tag characters: a
// page could hide instructions with them. Two joiners stay where they shape visible letters or emoji; elsewhere they
// only hide text.
const STEERING =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0]|\udb40[\udc00-\uddef]/g;
const SUSPECT = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f-\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ud800-\udfff]/;
const STRAY_JOINER = /(?<![^\u0000-\u007f\s\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\u0000-\u007f\s\u200c\u200d])/g;
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

let dropped = 0;

/** Return how many texts had marks that reorder them. Such a text reads differently than it is written. */
export function marksDropped(): number {
  return dropped;
}

export function withoutSteering(raw: string): string {
  if (!SUSPECT.test(raw)) return raw;
  if (DIRECTION_MARKS.test(raw)) dropped++;
  return raw.replace(STEERING, "").replace(STRAY_JOINER, "").toWellFormed();
}

function cut(text: string, cap: number): string {
  return text.length <= cap ? text : `${text.slice(0, cap - 1).toWellFormed()}…`;
}

/** Return the text without the characters of private use: an icon font draws a picture for each. */
export function withoutGlyphs(text: string): string {
  return text.replace(/[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g, " ");
}

/** Return the text as one line, for names, descriptions and texts. */
export function clean(raw: string, cap: number = NAME_CAP): string {
  if (raw.length <= cap && PLAIN.test(raw)) return raw;
  // One attribute may hold megabytes. Only the part that can survive the cap is processed.
  const head = raw.length > cap * 8 ? raw.slice(0, cap * 8) : raw;
  return cut(withoutGlyphs(withoutSteering(head)).replace(/\s+/g, " ").trim(), cap);
}

/** Return the value of a control. Line breaks and spaces are content, so only steering characters are removed. */
export function cleanValue(raw: string): string {
  const head = raw.length > VALUE_CAP ? raw.slice(0, VALUE_CAP) : raw;
  return withoutSteering(head);
}

/** Return an attribute that is an identifier or token, never longer than a name. */
export function token(raw: string): string {
  return clean(raw, 200);
}

export function href(raw: string): string {
  const scheme = /^\s*(javascript|data|blob|vbscript):/i.exec(raw);
  return scheme ? `${scheme[1]!.toLowerCase()}:` : clean(raw, HREF_CAP);
}
