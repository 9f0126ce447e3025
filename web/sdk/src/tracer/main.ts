/**
 * The tracer: follows a guarded input through the page's own world to the work that it sets going.
 *
 * It runs in the main world of every frame, before any script of the page. The publisher runs in an isolated world and
 * cannot see the page's callbacks. Both share one detached text node that the page cannot reach: the tracer writes the
 * present tag into it and dispatches an event on it, and the publisher then knows which mutations belong to which input.
 *
 * The page could interfere with its own world. So a report of the tracer may prove an effect, but never lowers a risk.
 */

import { traceChannels } from "./channels.ts";
import { traceDatabases } from "./databases.ts";
import { traceRequests } from "./requests.ts";
import { tags } from "./tags.ts";
import { traceTasks } from "./tasks.ts";

/** The driver replaces it by a name that no page knows. */
const NAME = "__UIAP_TRACER__";

function link(): void {
  const cell = document.createTextNode("");
  const listen = cell.addEventListener.bind(cell);
  const dispatch = cell.dispatchEvent.bind(cell);
  const data = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data")!;
  const write = data.set!.bind(cell) as (text: string) => void;
  const read = data.get!.bind(cell) as () => string;
  const stringify = JSON.stringify;

  tags.attach({
    onTag(tag) {
      write(tag ?? "");
      dispatch(new Event("tag"));
    },
    onWork(tag) {
      write(tag);
      dispatch(new Event("work"));
    },
  });
  listen("enter", () => tags.enter(read()));
  listen("pending", () => {
    const now = performance.now();
    const work = tags.pending(read()).slice(0, 20);
    write(stringify(work.map(({ kind, since, detail }) => [kind, Math.round(now - since), detail])));
  });

  const send = window.dispatchEvent.bind(window);
  window.addEventListener(`${NAME}:ask`, () => send(new FocusEvent(`${NAME}:cell`, { relatedTarget: cell })));
}

link();
traceTasks();
traceRequests();
traceChannels();
traceDatabases();
