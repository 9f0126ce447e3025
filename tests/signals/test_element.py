"""Verdicts on elements: visible or not, and in a state or not."""

from __future__ import annotations

from typing import Any

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.signals.element import judge_appeared, judge_disappeared, judge_end_state, read_state, read_visible
from uiap.signals.log import SignalLog
from uiap.spec.capability import (
    ElementAppeared,
    ElementDisappeared,
    ElementState,
    SemanticRef,
    StableIdRef,
    UIState,
)

TOAST = StableIdRef(value="toast")


def store(**state: Any) -> GraphStore:
    page = Page()
    page.element("checkbox", "Subtitles", state=state, stable_id="toast")
    return GraphStore(page.graph())


def test_an_element_appeared_only_if_it_was_not_visible_before() -> None:
    signal, log = ElementAppeared(target=TOAST), SignalLog()
    log.touch("f0e1", "caused")
    assert read_visible(signal, store(visible=False)) == ()
    assert judge_appeared(signal, (), ("f0e1",), log).attribution == "caused"
    assert not judge_appeared(signal, ("f0e1",), ("f0e1",), log).holds
    assert not judge_appeared(signal, (), (), log).holds


def test_an_element_disappeared_only_if_it_was_visible_before() -> None:
    signal, log = ElementDisappeared(target=TOAST), SignalLog()
    assert judge_disappeared(signal, ("f0e1",), (), log).holds
    assert not judge_disappeared(signal, (), (), log).holds


def test_an_unpublished_state_counts_as_false() -> None:
    wanted = ElementState(target=TOAST, state=UIState(checked=False))
    assert read_state(wanted, store()) == ("f0e1", True)
    assert read_state(wanted, store(checked=True)) == ("f0e1", False)


def test_a_target_that_is_not_exactly_one_element_has_no_state() -> None:
    page = Page()
    for _ in range(2):
        page.element("checkbox", "Subtitles")
    signal = ElementState(target=SemanticRef(role="checkbox", name="Subtitles"), state=UIState(checked=False))
    assert read_state(signal, GraphStore(page.graph())) is None


def test_an_end_state_that_was_reached_before_is_marked() -> None:
    log = SignalLog()
    assert judge_end_state(("f0e1", True), ("f0e1", True), log).already
    assert not judge_end_state(("f0e1", False), ("f0e1", True), log).already
    assert not judge_end_state(None, None, log).holds
