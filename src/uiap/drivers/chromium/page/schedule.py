"""The schedule of a page: its next frames, and for how long none of its timers is due."""

from __future__ import annotations

import json

from uiap.drivers.chromium.page.graph_feed import GraphFeed
from uiap.drivers.driver import PageSchedule

# A page that is not shown has no frames.
TWO_FRAMES = """new Promise((done) => {
  setTimeout(done, 1000);
  requestAnimationFrame(() => requestAnimationFrame(() => done()));
})"""
# An idle period begins when no task waits, and ends before the next frame or timer is due; none is longer than 50 ms.
# The browser's own timers shorten it too, so the tracer is asked for those of the page. A short period is followed by
# another, and after 50 ms the last one counts. A timer that is due already shortens none, so it runs first and the
# browser is asked again.
IDLE_PERIOD = """new Promise((done) => {
  const begun = performance.now();
  const ask = (again) => requestIdleCallback((period) => {
    const { quiet, starting, coming } = globalThis.__uiap?.schedule() ?? { quiet: 0, starting: 0, coming: false };
    const left = Math.max(period.timeRemaining(), quiet);
    if (left >= 40 && !again) setTimeout(ask, 0, true);
    else if (left >= 40 || performance.now() - begun >= 50) done(JSON.stringify([left, starting, coming]));
    else ask(false);
  }, { timeout: 50 });
  ask(false);
})"""


async def drawn(feed: GraphFeed, *, timeout: float) -> None:
    """Wait for two frames of the page: handlers of scrolling run before the frame is drawn."""
    await feed.wait_until_published(timeout)
    for tracked in feed.readable_documents()[:1]:
        await feed.tab.evaluate_isolated(tracked.document, TWO_FRAMES, timeout=timeout)


async def schedule(feed: GraphFeed, *, timeout: float) -> PageSchedule:
    """Return what the page has planned. Frames have their own timers, so a page with frames is never known as quiet."""
    await feed.wait_until_published(timeout)
    documents = feed.readable_documents()
    if not documents:
        return PageSchedule()
    answer = await feed.tab.evaluate_isolated(documents[0].document, IDLE_PERIOD, timeout=timeout)
    quiet, starting, coming = json.loads(answer)
    quiet_for = quiet / 1000 if len(documents) == 1 else 0.0
    return PageSchedule(quiet_for=quiet_for, starting_for=starting / 1000, content_coming=coming)
