"""text.appeared and text.disappeared, over the page or in a scope."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab
from uiap.signals.since import judge_since
from uiap.spec.capability import CustomSuccess
from uiap.spec.web import ToastShownSignal


def page() -> Page:
    found = Page()
    found.element("button", "Go")
    found.element("heading", "Order 6")
    return found


def text(name: str, words: str, **payload: str) -> CustomSuccess:
    return CustomSuccess(name=f"text.{name}", payload={"text": words, **payload})


def test_a_text_of_our_input_appears() -> None:
    tab = Tab(page()).acts(text("appeared", "order 7"))
    assert not tab.verdict().holds
    verdict = tab.shows(lambda p: p.element("heading", "Order 7"), OURS).verdict()
    assert verdict.evidence and verdict.attribution == "caused"


def test_a_text_that_was_there_proves_nothing() -> None:
    assert Tab(page()).acts(text("appeared", "Order 6")).verdict().already


def test_a_text_of_another_cause_is_not_caused() -> None:
    tab = Tab(page()).acts(text("appeared", "Order 7"))
    verdict = tab.shows(lambda p: p.element("heading", "Order 7"), None).verdict()
    assert verdict.holds and verdict.attribution == "coincident"


def test_a_short_message_counts_after_it_is_gone() -> None:
    tab = Tab(page()).acts(text("appeared", "saved"))
    assert tab.says(ToastShownSignal(text="Order saved"), OURS).verdict().attribution == "caused"


def test_a_text_disappears() -> None:
    tab = Tab(page()).acts(text("disappeared", "Order 6"))
    assert not tab.verdict().holds
    assert tab.shows(lambda p: p.elements.pop(), OURS).verdict().attribution == "caused"
    assert not Tab(page()).acts(text("disappeared", "never there")).verdict().holds


@pytest.mark.parametrize("words", ["Total 5", "Pay soon", "Fee 1"])
def test_a_scope_narrows_the_text(words: str) -> None:
    shown = page()
    form = shown.scope("form", "Order", text="Pay soon")
    other = shown.scope("region", "News")
    shown.element("listitem", "Total 5", scope_id=form)
    shown.element("listitem", "Fee 1", scope_id=shown.scope("group", "Fees", parent=form))
    assert Tab(shown).acts(text("appeared", words, scope=form)).verdict().holds
    assert not Tab(shown).acts(text("appeared", words, scope=other)).verdict().holds


def test_without_an_action_the_current_page_counts() -> None:
    now = Tab(page()).store
    shown, gone = judge_since((text("appeared", "Order 6"), text("disappeared", "Order 6")), None, now, ())
    assert shown.holds and not gone.holds
