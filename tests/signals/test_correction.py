"""An effect that the page takes back after the result is corrected, once, with the handle of its action."""

from __future__ import annotations

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab
from uiap.signals.correction import CORRECTION, REMEMBERED_S, ReportedEffect, ReportedEffects
from uiap.spec.web import CustomSignal


def add_row(page: Page) -> None:
    page.element("listitem", "Order 7", instance_id="row")


def remove_row(page: Page) -> None:
    page.elements = [one for one in page.elements if one.instance_id != "row"]


class ActedTab:
    """A tab whose action added a row, and reported that."""

    def __init__(self) -> None:
        page = Page()
        page.element("button", "Add")
        self.tab = Tab(page).acts().shows(add_row, OURS)
        self.tab.report()
        tokens, changes = self.tab.watch.close(self.tab.now)
        self.effects = ReportedEffects()
        self.effects.add(ReportedEffect("act_1", "ui.activate", tokens, changes, self.tab.now))

    def corrections(self, token: str | None = OURS, after: float = 0.0) -> list[CustomSignal]:
        return self.effects.corrections(token, self.tab.store, self.tab.now + after)


def test_an_effect_that_its_own_work_takes_back_is_corrected_once() -> None:
    acted = ActedTab()
    assert acted.corrections() == []
    acted.tab.shows(remove_row, OURS, after=4.0)
    (correction,) = acted.corrections()
    assert correction.name == CORRECTION and correction.payload["actionHandle"] == "act_1"
    assert 'listitem "Order 7"' in correction.payload["message"]
    assert acted.corrections() == []


def test_a_change_by_somebody_else_corrects_nothing() -> None:
    acted = ActedTab()
    acted.tab.shows(remove_row, after=4.0)
    assert acted.corrections(token=None) == []


def test_what_another_input_changed_back_is_corrected_neither_then_nor_later() -> None:
    acted = ActedTab()
    acted.tab.shows(remove_row, "another input", after=4.0)
    assert acted.corrections(token="another input") == []
    assert acted.corrections() == []


def test_an_old_effect_and_a_left_document_are_forgotten() -> None:
    acted = ActedTab()
    acted.tab.shows(remove_row, OURS, after=1.0)
    assert acted.corrections(after=REMEMBERED_S + 1) == []
    other = ActedTab()
    other.effects.clear()
    other.tab.shows(remove_row, OURS)
    assert other.corrections() == []


def test_a_message_that_disappears_is_no_correction() -> None:
    page = Page()
    page.element("button", "Add")
    tab = Tab(page).acts().shows(lambda p: p.element("status", "Saved", instance_id="toast"), OURS)
    tab.report()
    _, changes = tab.watch.close(tab.now)
    assert changes == ()
