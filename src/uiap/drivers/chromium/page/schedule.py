"""The schedule of a page: its next frames, and for how long none of its timers is due."""

from __future__ import annotations

from uiap.drivers.chromium.page.graph_feed import GraphFeed

# A page that is not shown has no frames.
TWO_FRAMES = """new Promise((done) => {
  setTimeout(done, 1000);
  requestAnimationFrame(() => requestAnimationFrame(() => done()));
})"""
# The browser ends an idle period before the next frame or timer of the page is due, and none is longer than 50 ms.
# A short one is followed by another, and after 50 ms the last one counts. A timer that is due already shortens none, so
# it runs first and the browser is asked again.
IDLE_PERIOD = """new Promise((done) => {
  const begun = performance.now();
  const ask = (again) => requestIdleCallback((period) => {
    const left = period.timeRemaining();
    if (left >= 40 && !again) setTimeout(ask, 0, true);
    else if (left >= 40 || performance.now() - begun >= 50) done(left);
    else ask(false);
  }, { timeout: 50 });
  ask(false);
})"""


async def drawn(feed: GraphFeed, *, timeout: float) -> None:
    """Wait for two frames of the page: handlers of scrolling run before the frame is drawn."""
    await feed.wait_until_published(timeout)
    for tracked in feed.readable_documents()[:1]:
        await feed.tab.evaluate_isolated(tracked.document, TWO_FRAMES, timeout=timeout)


async def quiet_ahead(feed: GraphFeed, *, timeout: float) -> float:
    """Return for how many seconds no timer of the page is due; 0 if it has frames, which have their own timers."""
    await feed.wait_until_published(timeout)
    documents = feed.readable_documents()
    if len(documents) != 1:
        return 0.0
    return float(await feed.tab.evaluate_isolated(documents[0].document, IDLE_PERIOD, timeout=timeout)) / 1000
