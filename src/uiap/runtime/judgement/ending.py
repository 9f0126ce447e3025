"""The third question: has the work ended that the action set going?

Where a tracer reports the work of the input, its end is known. Otherwise the observed state must last a short time.
"""

from __future__ import annotations

from uiap.runtime.events import Observed
from uiap.signals.work import FOLLOWED_S, wait_until

SETTLE_S = 0.05  # without a tracer, and after a page has loaded, the observed state must last this long
QUIET_S = 0.04  # a page that has loaded and schedules nothing for this long has settled; a browser looks 0.05 s ahead
GIVE_UP_S = 0.5  # all work of the input has ended this long ago, and no effect of it was observed


def settled_at(
    event: Observed, first_met: float, met_at: float, *, arrival: bool, draft: bool = False
) -> float:
    """Return the monotonic time at which an observed effect counts as lasting.

    A chain of timers may never end, so an effect is followed for a bounded time after it was first observed.
    """
    report = event.report
    if arrival and event.complete and not event.loading and event.quiet_ahead >= QUIET_S:
        return event.at.mono
    if report.work is None or arrival:
        return max(met_at, report.latest, event.idle_since) + SETTLE_S
    return min(wait_until(report.work, effect=True, draft=draft), first_met + FOLLOWED_S)


def gives_up_at(event: Observed) -> float | None:
    """Return when nothing is left that could bring the effect; None while that is not known."""
    report = event.report
    if report.work is None or event.requests_open or report.busy is not None:
        return None
    ended = max(
        report.work_changed_at, report.latest, event.idle_since, wait_until(report.work, effect=False)
    )
    return ended + GIVE_UP_S


def pending_words(event: Observed) -> list[str]:
    """Return the work that has not ended and may still change something, in words, each once."""
    return list(dict.fromkeys(work.words for work in event.report.work or () if not work.harmless))
