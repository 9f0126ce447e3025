// A video's status as a small coloured word.

import { t } from "./boot.js";
import { h } from "./dom.js";

export function badge(status) {
  return h(`span.badge.${status}`, {}, t(`status.${status}`));
}
