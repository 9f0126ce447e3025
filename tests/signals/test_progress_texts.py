"""Texts that say that something is under way: the effect has begun, and has not ended."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab, node
from uiap.signals.progress_texts import is_progress


@pytest.mark.parametrize(
    ("text", "progress"),
    [
        ("running 14/42", True), ("Queued", True), ("Uploading 20 %", True), ("Checking…", True), ("45%", True),
        ("Wird geladen", True), ("En cours", True), ("処理中", True),
        ("Saved", False), ("100%", False), ("The server is running", False), ("Tests run: 42", False),
        ("x" * 80 + "…", False),
    ],
)  # fmt: skip
def test_progress_is_recognised_by_its_words(text: str, progress: bool) -> None:
    assert is_progress(text) is progress


@pytest.mark.parametrize(
    ("text", "token", "kinds"), [("Queued", OURS, ["progress"]), ("Ready", OURS, []), ("Queued", None, [])]
)
def test_a_text_of_progress_that_our_input_left_is_work(
    text: str, token: str | None, kinds: list[str]
) -> None:
    page = Page()
    page.element("button", "Render")
    page.element("status", text="Idle")
    tab = Tab(page).acts(target="f0e1")
    tab.watch.work_received(OURS, (), 100.0)
    tab.shows(lambda made: node(made, "f0e2", text=text), token)
    assert [one.kind for one in tab.report().work or ()] == kinds


@pytest.mark.parametrize(
    ("role", "name", "kinds"),
    [
        ("status", "Loading…", ["progress"]),
        ("searchbox", "Search…", []),
        ("menuitem", "Save as…", []),
        ("button", "Export...", []),
    ],
)
def test_the_label_of_a_control_that_appeared_is_no_progress(role: str, name: str, kinds: list[str]) -> None:
    page = Page()
    page.element("button", "Render")
    tab = Tab(page).acts(target="f0e1")
    tab.watch.work_received(OURS, (), 100.0)
    tab.shows(lambda made: made.element(role, name), OURS)
    assert [one.kind for one in tab.report().work or ()] == kinds


@pytest.mark.parametrize(("role", "kinds"), [("button", ["progress"]), ("searchbox", [])])
def test_a_button_that_is_renamed_may_speak_of_progress_and_a_field_never_does(
    role: str, kinds: list[str]
) -> None:
    page = Page()
    page.element("button", "Render")
    page.element(role, "Save")
    tab = Tab(page).acts(target="f0e1")
    tab.watch.work_received(OURS, (), 100.0)
    tab.shows(lambda made: node(made, "f0e2", name="Saving…"), OURS)
    assert [one.kind for one in tab.report().work or ()] == kinds


@pytest.mark.parametrize(("value", "kinds"), [(0, ["progress"]), (60, ["progress"]), (100, [])])
def test_a_bar_that_has_not_reached_its_end_is_work(value: int, kinds: list[str]) -> None:
    page = Page()
    page.element("button", "Render")
    tab = Tab(page).acts(target="f0e1")
    tab.watch.work_received(OURS, (), 100.0)
    tab.shows(lambda made: made.element("progress", state={"numeric_value": value, "max": 100}), OURS)
    assert [one.kind for one in tab.report().work or ()] == kinds


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("name", "evidence"), [("Syncing…", False), ("Please wait", False), ("14 of 42…", True), ("Synced", True)]
)
def test_a_label_that_only_asks_to_wait_is_no_effect(name: str, evidence: bool) -> None:
    page = Page()
    page.element("button", "Sync")
    tab = Tab(page).acts(target="f0e1")
    tab.shows(lambda made: node(made, "f0e1", name=name), OURS)
    assert (tab.report().change is not None) is evidence
