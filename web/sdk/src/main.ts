/**
 * Entry point: `__uiap_boot(config)` starts the publisher in this frame, and `__uiap` answers the driver. Both exchange
 * strings.
 */

import { causeLink } from "./cause/link.ts";
import { Channel } from "./channel.ts";
import { readyState } from "./dom.ts";
import { Page } from "./graph/page.ts";
import { EarlyInputs } from "./guard/early_inputs.ts";
import { eventGuard } from "./guard/guard.ts";
import { Inputs } from "./guard/inputs.ts";
import { Facts } from "./perform/facts.ts";
import { Performer } from "./perform/perform.ts";
import { Prober } from "./perform/probe.ts";
import { Publisher } from "./publisher.ts";
import type { Config } from "./types.ts";
import { Api } from "./api.ts";

const VERSION = "0.1.0";
const BINDING = "__uiap_push";
const isFirst = !Object.hasOwn(globalThis, "__uiap_boot");
const early = isFirst ? new EarlyInputs() : null;

/**
 * Return whether this session may read the frame. The script is injected into every frame, and stays silent in the
 * others.
 */
function mayRead(config: Config): boolean {
  if (config.root) return true;
  const here = self.origin;
  return here !== "null" && (here === config.rootOrigin || config.bridgedOrigins.includes(here));
}

function readConfig(text: string): Config {
  const given = JSON.parse(text) as Partial<Config>;
  return {
    frameKey: given.frameKey ?? "f0",
    root: given.root ?? true,
    rootOrigin: given.rootOrigin ?? null,
    bridgedOrigins: given.bridgedOrigins ?? [],
    binding: given.binding ?? BINDING,
    secret: given.secret ?? "",
    maxElements: given.maxElements ?? 20_000,
    annotationPrefix: given.annotationPrefix ?? "data-uiap-",
    attributes: given.attributes ?? [],
    tracer: given.tracer ?? "",
    recording: given.recording ?? false,
  };
}

function boot(text: string): string {
  if (globalThis.__uiap) return JSON.stringify({ ok: true, again: true });
  const config = readConfig(text);
  const channel = new Channel(config.secret);
  if (!channel.open(config.binding)) return JSON.stringify({ ok: false, reason: "no_binding" });
  if (!config.recording || !mayRead(config)) early?.take();
  if (!mayRead(config)) {
    channel.push({ t: "refused", frame: config.frameKey, origin: self.origin });
    return JSON.stringify({ ok: false, reason: "origin" });
  }
  if (config.tracer) causeLink.connect(config.tracer);
  const page = new Page(config, document);
  const publisher = new Publisher(page, channel);
  const facts = new Facts(page);
  const markCause = (token: string, at?: number): void => publisher.markCause(token, at);
  eventGuard.attach({ channel, facts, markCause: markCause, onHandled: () => publisher.onHandled() });
  const performer = new Performer(facts, markCause);
  const inputs = new Inputs(facts, channel, publisher, config.recording ? early : null);
  const api = new Api(page, channel, publisher, facts, new Prober(facts), performer, inputs);
  Object.defineProperty(globalThis, "__uiap", { value: api, configurable: false, writable: false });
  publisher.start();
  return JSON.stringify({ ok: true });
}

declare global {
  // eslint-disable-next-line no-var
  var __uiap: Api | undefined;
  // eslint-disable-next-line no-var
  var __uiap_boot: ((config: string) => string) | undefined;
}

/** Report that the script runs here, before it knows the session. The driver answers with the boot call. */
function hello(): void {
  const push = Object.getOwnPropertyDescriptor(globalThis, BINDING)?.value as unknown;
  if (typeof push !== "function") return;
  (push as (text: string) => void)(
    JSON.stringify({ t: "hello", seq: 0, version: VERSION, url: location.href.slice(0, 4_000), origin: self.origin, readyState: readyState(document) }),
  );
}

if (isFirst) {
  Object.defineProperty(globalThis, "__uiap_boot", { value: boot, configurable: false, writable: false });
  hello();
}
