/** Colours as computed styles state them. */

/** Return whether a colour, or the first one of a shadow, is a strong red, as pages use it for what failed. */
export function isRed(colour: string): boolean {
  const [parts = colour] = /\([^)]*\)/.exec(colour) ?? [];
  const [red = 0, green = 0, blue = 0, alpha = 1] = (parts.match(/[\d.]+/g) ?? []).map(Number);
  return alpha > 0.3 && red >= 130 && red > 1.6 * green && red > 1.6 * blue;
}
