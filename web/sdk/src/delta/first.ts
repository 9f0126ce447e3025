/** When to publish the first graph: as soon as the document is parsed, or earlier if that takes long. */

import { isParsing, listen } from "../dom.ts";

const FIRST_GRAPH_MS = 500;

/** Call `publish` once the document is parsed or the time is over, and `parsed` if it was published before. */
export function publishWhenReadable(doc: Document, publish: () => void, parsed: () => void): void {
  let begun = false;
  const begin = (): void => {
    if (!begun) publish();
    begun = true;
  };
  if (!isParsing(doc)) {
    begin();
    return;
  }
  const onParsed = (): void => (begun ? parsed() : begin());
  listen(doc, "DOMContentLoaded", onParsed, { once: true });
  setTimeout(begin, FIRST_GRAPH_MS);
}
