// The storm knob: rebuilds a list repeatedly in another order with new nodes. The same seed gives the same orders.

import { knobs } from "./boot.js";

export function storm(rows, draw, signal) {
  if (!knobs.storm) return;
  let seed = 42;
  const next = (limit) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % limit;
  };
  const timer = setInterval(() => {
    if (signal.aborted) return clearInterval(timer);
    for (let at = rows.length - 1; at > 0; at -= 1) {
      const other = next(at + 1);
      [rows[at], rows[other]] = [rows[other], rows[at]];
    }
    draw();
  }, knobs.storm_ms);
}
