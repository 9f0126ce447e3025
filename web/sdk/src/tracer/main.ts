/**
 * The tracer: follows a guarded input through the page's own world to the work that it sets going.
 *
 * It runs in the main world of every frame, before any script of the page. The publisher runs in an isolated world and
 * cannot see the page's callbacks. Both share one detached text node that the page cannot reach: the tracer writes the
 * present tag into it and dispatches an event on it, and the publisher then knows which mutations belong to which input.
 *
 * The page could interfere with its own world. So a report of the tracer may prove an effect, but never lowers a risk.
 */

import { isContentComing, traceChannels } from "./channels.ts";
import { traceDatabases } from "./databases.ts";
import { traceElementLook } from "./element_look.ts";
import { traceElements } from "./elements.ts";
import { reportListeners, traceListeners } from "./listeners.ts";
import { traceLook } from "./look.ts";
import { reportTo, traceOutside } from "./reports.ts";
import { traceRequests } from "./requests.ts";
import { attachHere, joinDocument, NAME, tags } from "./tags.ts";
import { quietFor, startingFor, traceTasks } from "./tasks.ts";

// Taken before any page script runs. The page may replace these later.
const NativeEvent = Event;
const NativeFocusEvent = FocusEvent;
const { stringify } = JSON;

function link(): void {
  const cell = document.createTextNode("");
  const listen = cell.addEventListener.bind(cell);
  const dispatch = cell.dispatchEvent.bind(cell);
  const data = Object.getOwnPropertyDescriptor(CharacterData.prototype, "data")!;
  const write = data.set!.bind(cell) as (text: string) => void;
  const read = data.get!.bind(cell) as () => string;

  attachHere({
    onTag(tag) {
      write(tag ?? "");
      dispatch(new NativeEvent("tag"));
    },
    onWork(tag) {
      write(tag);
      dispatch(new NativeEvent("work"));
    },
  });
  reportTo((text) => {
    write(text);
    dispatch(new NativeEvent("report"));
  });
  listen("presses", () => reportListeners(dispatch));
  listen("enter", () => tags.enter(read()));
  listen("schedule", () => write(stringify([quietFor(), startingFor(), isContentComing()])));
  listen("pending", () => {
    const now = tags.now();
    const work = tags.pending(read()).slice(0, 20);
    write(stringify(work.map(({ kind, since, detail, source }) => [kind, Math.round(now - since), detail, source ?? ""])));
  });

  const send = window.dispatchEvent.bind(window);
  addEventListener(`${NAME}:ask`, () => send(new NativeFocusEvent(`${NAME}:cell`, { relatedTarget: cell })));
}

/** Return whether the tracer runs here already: a frame may keep its window for its first document. */
function isInstalled(): boolean {
  let answered = false;
  const onAnswer = (): void => {
    answered = true;
  };
  addEventListener(`${NAME}:cell`, onAnswer, { once: true });
  dispatchEvent(new Event(`${NAME}:ask`));
  removeEventListener(`${NAME}:cell`, onAnswer);
  return answered;
}

/** Install the wrappers of one module. A document that forbids them is traced without them. */
function attempt(trace: () => void): void {
  try {
    trace();
  } catch {
    // An error here would look like one of the page.
  }
}

if (!isInstalled()) {
  link();
  joinDocument();
  for (const trace of [traceTasks, traceRequests, traceChannels, traceDatabases, traceElements, traceOutside, traceLook, traceElementLook, traceListeners]) attempt(trace);
}
