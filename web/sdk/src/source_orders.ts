/** Whether the source of a handler says that it writes: it sends a request, or calls something that orders. */

/** A call whose name orders something, or a method that only writes. */
const ORDERS = new RegExp(
  "\\.(?:put|patch|delete|submit|requestSubmit|mutate|mutateAsync)\\s*\\(|[\"'`](?:DELETE|PUT|PATCH)[\"'`]" +
    "|\\b(?:delete|destroy|remove|purge|archive|approve|submit|save|send|cancel|pay|buy|order|invite|publish" +
    "|subscribe|unsubscribe|transfer|revoke)(?:[A-Z]\\w*)?\\s*\\(",
);
/** A request of any kind. */
const REQUESTS = /\bfetch\s*\(|XMLHttpRequest|\bmethod["']?\s*:|\b(?:axios|\$http|ajax)\s*\(|\.(?:post|ajax)\s*\(/;
/** A request of this source may only count the visit. */
const COUNTS = /track|analytic|telemetry|metrics|collect|beacon|gtag|dataLayer|\bga\(|plausible|matomo|mixpanel|pageview|impression|logEvent|logClick/i;
/** A request with its address in the source. */
const ADDRESSED =
  /\b(?:fetch|sendBeacon|ajax|axios|\$http|post|put|patch|open)\s*\(\s*(?:["'`](?:get|post|put|patch|delete)["'`]\s*,\s*)?["'`]([^"'`]*)["'`]/gi;
const BEACON = /\bsendBeacon\s*\(\s*["'`]([^"'`]*)["'`]/g;
/** `classList.remove`, `el.remove()` and `ga("send", "event")` write nothing. */
const ONLY_PAGE = /\bclassList\s*\??\.\s*remove\s*\(|\.remove(?:Attribute|Child|EventListener|Property|Item)?\s*\(|sendBeacon|\bcancel(?:AnimationFrame|IdleCallback)\s*\(|\bsend\(\s*["']event/g;
const WRITING = /\bmethod["']?\s*:\s*["'`](?:post|put|patch|delete)\b|\.post\s*\(|\bopen\(\s*["'`](?:post|put|patch|delete)\b/i;
const SUBMITS = /(?:\.form)?\.(?:submit|requestSubmit)\s*\(/g;
/** The name of a function in front of its parameters is no call. */
const HEAD = /^(?:async\s*)?(?:function\s*)?[\w$]*\s*\((?=[^)]*\)\s*(?:=>\s*)?\{)/;

/** Return whether a handler orders something, or sends a request that does not only count the visit. */
export function sourceWrites(source: string): boolean {
  const bare = source.replace(ONLY_PAGE, "").replace(HEAD, "(");
  return ORDERS.test(bare) || (REQUESTS.test(bare) && !sourceCounts(source)) || goesElsewhere(source, BEACON);
}

/** Return whether a handler sends a request that is no plain reading, or calls something that orders. Sending a form is neither. */
export function sourceSends(source: string): boolean {
  const bare = source.replace(ONLY_PAGE, "").replace(HEAD, "(").replace(SUBMITS, "(");
  return ORDERS.test(bare) || (WRITING.test(bare) && !sourceCounts(source));
}

/** Return whether a handler only counts the visit, as far as its source says. An address that is in the source counts more than other words. */
export function sourceCounts(source: string): boolean {
  return COUNTS.test(source) && !goesElsewhere(source, ADDRESSED);
}

/** Return whether one of the addresses in the source is not that of a counter. */
function goesElsewhere(source: string, calls: RegExp): boolean {
  return [...source.matchAll(calls)].some(([, address]) => !COUNTS.test(address!));
}
