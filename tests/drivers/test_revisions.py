"""Revisions of a screen that is read as a whole."""

from __future__ import annotations

import re
from typing import Any

from tests.graph.pages import Page
from uiap.drivers.events import GraphChanged
from uiap.drivers.revisions import RevisionTracker, current_timestamp
from uiap.spec.web import PageGraph


def graph(*names: str) -> PageGraph:
    page = Page()
    for name in names:
        page.element("button", name)
    return page.graph()


def tracker() -> tuple[RevisionTracker, list[Any]]:
    made, events = RevisionTracker(), []
    made.start(events.append, "android:")
    events.clear()
    return made, events


def test_the_first_reading_is_a_graph_and_the_next_one_a_delta_with_its_token() -> None:
    made, events = tracker()
    made.update(graph("Save"))
    made.update(graph("Saved"), made.next_token())
    whole, change = (one for one in events if isinstance(one, GraphChanged))
    assert whole.graph is not None and change.delta is not None
    assert (whole.revision, change.revision) == ("rev_1", "rev_2")
    assert change.token is not None


def test_an_equal_reading_is_no_new_revision() -> None:
    made, events = tracker()
    first = made.update(graph("Save"))
    count = len(events)
    assert made.update(graph("Save")).revision == first.revision
    assert len(events) == count


def test_a_reading_can_be_stored_first_and_emitted_later() -> None:
    made, events = tracker()
    made.update(graph("Save"), emit=False)
    assert not any(isinstance(one, GraphChanged) for one in events)
    made.emit_initial()
    assert any(isinstance(one, GraphChanged) for one in events)


def test_every_gesture_has_its_own_token_and_times_are_in_utc() -> None:
    made, _ = tracker()
    assert made.next_token() != made.next_token()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", current_timestamp())
