"""A label that reports success for a moment is a message, if it came after the answers."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.signals.work import PendingWork


def page() -> Page:
    made = Page()
    made.element("button", "Save")
    return made


def label(words: str) -> Change:
    return lambda made: node(made, "f0e1", name=words)


@pytest.mark.parametrize(
    ("words", "shown_s", "answered", "confirmed"),
    [
        ("Saved ✓", 2.0, (100.1, 100.4), True),
        ("Saved ✓", 0.2, (100.1, 100.4), False),
        ("Saved ✓", 2.0, (100.9, 101.0), False),
        ("Saving", 2.0, (100.1, 100.4), False),
        ("Saved ✓", 1.5, None, True),
        ("Saved ✓", 0.6, None, False),
    ],
)
def test_a_label_that_is_gone_counts_if_it_came_after_the_answer_and_could_be_read(
    words: str, shown_s: float, answered: tuple[float, float] | None, confirmed: bool
) -> None:
    tab = Tab(page()).acts(target="f0e1").shows(label(words), OURS, after=0.3)
    tab.shows(label("Save"), OURS, after=shown_s)
    report = tab.report(*([answered] if answered else []))
    assert (report.change, report.attribution) == (
        (f"it said `{words}`", "caused") if confirmed else (None, None)
    )


def test_a_label_that_is_still_there_or_that_another_cause_showed_is_no_passing_one() -> None:
    shown = Tab(page()).acts(target="f0e1").shows(label("Saved ✓"), OURS)
    assert shown.report().change == 'button "Saved ✓": name changed'
    other = Tab(page()).acts(target="f0e1").shows(label("Saved ✓"), "op0")
    assert other.shows(label("Save"), "op0", after=2.0).report().change is None


def test_a_label_before_the_answer_to_an_open_request_is_only_a_hope() -> None:
    tab = Tab(page()).acts(target="f0e1")
    tab.watch.work_received(OURS, (PendingWork("request", 100.0, "/save"),), 100.0)
    tab.shows(label("Saved ✓"), OURS).shows(label("Save"), OURS, after=2.0)
    assert tab.report((99.0, 99.5)).change is None


def test_a_message_that_comes_and_goes_is_no_label() -> None:
    made = page()
    made.element("status", text="Ready")
    tab = Tab(made).acts(target="f0e1")
    for words in ("Saved ✓", "Ready"):
        tab.shows(lambda shown, words=words: node(shown, "f0e2", text=words), OURS, after=2.0)  # type: ignore[misc]
    assert tab.report((100.0, 100.1)).change is None
