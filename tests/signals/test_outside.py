"""Tabs, downloads, the clipboard and printing: which belong to our input."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab
from uiap.signals.outside import ASKED_S, DEFAULT_ACTION_S, OutsideEvent, State
from uiap.spec.capability import CustomSuccess


def acting(*signals: CustomSuccess) -> Tab:
    page = Page()
    page.element("button", "Go")
    return Tab(page).acts(*signals)


def tab_opened(at: float, url: str = "") -> OutsideEvent:
    return OutsideEvent("tab", at, "done", url=url, id="t2")


def test_a_tab_that_our_script_asked_for_is_an_effect_with_its_address() -> None:
    tab = acting(CustomSuccess(name="tab.opened", payload={"url": "/help"}))
    assert not tab.verdict().holds
    tab.watch.outside_received(OutsideEvent("tab", 103.0, token=OURS, url="http://a/help"))
    tab.watch.outside_received(tab_opened(103.1))
    report = tab.report()
    assert report.verdicts[0].attribution == "caused" and report.change == "a new tab opened: http://a/help"
    assert report.outside == {"openedTabs": [{"tab": "t2", "url": "http://a/help"}]}


@pytest.mark.parametrize(("after", "caused"), [(0.2, True), (DEFAULT_ACTION_S + 0.1, False)])
def test_a_tab_that_no_script_asked_for_comes_from_a_link_right_after_the_input(
    after: float, caused: bool
) -> None:
    tab = acting()
    tab.watch.outside_received(tab_opened(tab.now + after))
    assert (tab.report().attribution == "caused") is caused
    assert bool(tab.report().outside) is caused


@pytest.mark.parametrize("between", [True, False])
def test_a_late_report_on_the_tab_of_an_earlier_action_is_no_effect(between: bool) -> None:
    tab = acting()
    first = OutsideEvent("tab", tab.now + 0.1, "begun", url="http://a/help", id="t2")
    if not between:
        tab.watch.outside_received(first)
    tab.watch.close(tab.now + 0.2)
    if between:
        tab.watch.outside_received(first)
    tab.acts()
    tab.watch.outside_received(tab_opened(tab.now + 0.1, "http://a/help"))
    assert tab.report().change is None and not tab.report().outside


def test_a_new_tab_is_awaited_and_its_refused_page_fails_the_input() -> None:
    def event(state: State, reason: str = "") -> OutsideEvent:
        return OutsideEvent("tab", tab.now + 0.1, state, url="http://a/may", id="t2", reason=reason)

    tab = acting()
    tab.watch.work_received(OURS, (), tab.now)
    tab.watch.outside_received(event("begun"))
    assert [one.kind for one in tab.report().work or ()] == ["tab"]
    tab.watch.outside_received(event("failed", "was answered with 404"))
    tab.watch.outside_received(event("done"))
    assert tab.report().contradiction == "the page of the new tab was answered with 404"
    assert not tab.report().work


def test_a_tab_of_another_script_is_not_ours() -> None:
    tab = acting()
    tab.watch.outside_received(OutsideEvent("tab", tab.now, token=None, url="http://ads/"))
    tab.watch.outside_received(tab_opened(tab.now + 0.1, "http://ads/"))
    assert tab.report().attribution == "coincident" and tab.report().outside == {}


def test_a_script_is_asked_for_only_some_seconds() -> None:
    tab = acting()
    tab.watch.outside_received(OutsideEvent("tab", 101.0, token=OURS))
    tab.watch.outside_received(tab_opened(101.0 + ASKED_S + 1))
    assert tab.report().attribution == "coincident"


def test_a_download_is_followed_to_its_end_and_named() -> None:
    tab = acting(CustomSuccess(name="download.completed", payload={"name": "*.csv"}))
    tab.watch.work_received(OURS, (), 100.1)
    tab.watch.outside_received(OutsideEvent("navigation", 100.1, token=OURS, url="http://a/file"))
    tab.watch.outside_received(
        OutsideEvent("download", 100.2, "begun", url="http://a/file", id="g1", name="a.csv")
    )
    report = tab.report()
    assert not report.verdicts[0].holds and report.change == "a download started: a.csv"
    assert [work.words for work in report.work or ()] == ["a download a.csv"]
    tab.watch.outside_received(OutsideEvent("download", 101.0, "done", id="g1", name="a (2).csv"))
    report = tab.report()
    assert report.verdicts[0].attribution == "caused" and report.work == ()
    assert report.outside == {"downloads": [{"name": "a (2).csv", "state": "completed"}]}


def test_a_download_that_failed_is_no_completed_one() -> None:
    tab = acting(CustomSuccess(name="download.completed"))
    event = OutsideEvent("download", tab.now, "failed", id="g1", name="a.csv", reason="canceled")
    tab.watch.outside_received(event)
    assert not tab.report().verdicts[0].holds
    assert tab.report().outside == {"downloads": [{"name": "a.csv", "state": "failed", "reason": "canceled"}]}
    assert tab.report().contradiction == "the download of `a.csv` failed"
    refused = OutsideEvent("download", tab.now, "failed", id="g1", name="a.csv", reason="not allowed")
    tab.watch.outside_received(refused)
    assert tab.report().contradiction is None, "it is our own refusal"


@pytest.mark.parametrize(("kind", "name"), [("clipboard", "clipboard.written"), ("print", "print.requested")])
@pytest.mark.parametrize(("token", "attribution"), [(OURS, "caused"), (None, "coincident")])
def test_the_clipboard_and_a_print_are_effects_of_the_input_that_asked(
    kind: str, name: str, token: str | None, attribution: str
) -> None:
    tab = acting(CustomSuccess(name=name))
    tab.watch.outside_received(OutsideEvent(kind, tab.now, token=token))  # type: ignore[arg-type]
    assert tab.verdict().attribution == attribution


def test_a_download_that_was_asked_for_is_awaited_until_the_browser_reports_it() -> None:
    tab = acting()
    tab.watch.work_received(OURS, (), 100.1)
    assert tab.report().work == ()
    tab.watch.outside_received(OutsideEvent("download", 100.1, token=OURS, url="http://a/a.csv"))
    assert [one.kind for one in tab.report().work or ()] == ["download"]
    tab.watch.outside_received(OutsideEvent("download", 100.2, "done", url="http://a/a.csv", id="d1"))
    assert tab.report().work == ()
