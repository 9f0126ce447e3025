"""Success signals derived from two observed pages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.discovery.simulated_app import Element, Page, explore
from uiap.discovery.events import Effects
from uiap.discovery.knowledge.signals import StateFacts, observed_signals
from uiap.spec.capability import StableIdRef, ToastContains, UIState

BEFORE = StateFacts("videos", "/videos", (), frozenset({"search"}), (("c1", 3),))


def kinds(after: StateFacts, effects: Effects | None = None, **members: object) -> list[str]:
    return [one.kind for one in observed_signals(BEFORE, after, effects or Effects(), **members)]  # type: ignore[arg-type]


def test_nothing_changed_gives_no_signal() -> None:
    assert kinds(BEFORE) == []


def test_another_route_is_named_and_its_parts_are_not() -> None:
    after = replace(
        BEFORE, route="video", pattern="/videos/:id", parts=frozenset({"form"}), counts=(("c1", 9),)
    )
    (signal,) = observed_signals(BEFORE, after, Effects())
    assert signal.kind == "route.changed" and signal.pattern == "/videos/:id"  # type: ignore[union-attr]


def test_on_the_same_route_dialogs_parts_and_counts_are_signals() -> None:
    after = replace(
        BEFORE, modal=("confirm",), parts=frozenset({"search", "menu", "confirm"}), counts=(("c1", 4),)
    )
    assert kinds(after) == ["dialog.opened", "element.appeared", "collection.count"]


def test_a_message_is_cut_before_the_part_that_differs_the_next_time() -> None:
    effects = Effects(toasts=("Saved at 10:30:15",), statuses=("Ready",))
    signals = observed_signals(BEFORE, BEFORE, effects)
    assert [(one.kind, one.text) for one in signals] == [  # type: ignore[union-attr]
        ("toast.contains", "Saved at"),
        ("status.contains", "Ready"),
    ]


def test_an_entered_value_and_an_opened_control_are_signals_of_the_target() -> None:
    target = StableIdRef(value="title")
    assert kinds(BEFORE, target=target, entered="Hello") == ["value.equals"]
    assert kinds(BEFORE, target=target, opened=UIState(expanded=True)) == ["element.state"]


@pytest.mark.requirement("DISC-15.5b")
def test_validation_entities_and_counts_are_signals_too() -> None:
    before = replace(BEFORE, invalid=frozenset({"form"}), entities=(("video", 3),))
    after = replace(before, invalid=frozenset(), entities=(("video", 4),), counts=(("c1", 4),))
    found = observed_signals(before, after, Effects())
    assert [one.kind for one in found] == ["collection.count", "validation.none", "entity.created"]
    fewer = observed_signals(before, replace(before, entities=(("video", 2),)), Effects())
    assert [one.kind for one in fewer] == ["entity.deleted"]


@pytest.mark.requirement("DISC-15.5b")
def test_a_signal_that_the_page_declares_is_a_success_signal_of_the_action() -> None:
    declared = {"success": (ToastContains(text="Saved"),), "default_action": "video.save"}
    package, _, _ = explore({"/": Page([Element("button", "Save", more=declared)])})
    (action,) = [one for one in package.action_catalog.actions if one.id == "video.save"]
    assert action.success_signals == (ToastContains(text="Saved"),)
