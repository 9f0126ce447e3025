"""Breakers of the action runtime that a live page shows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from tests.broken.patching import patch
from uiap.actions.ops import Click, Press
from uiap.actions.registry import ACTIONS
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.chromium.input import perform
from uiap.host.execution import executor
from uiap.host.execution.presenter import Presenter
from uiap.runtime import resolve, transitions
from uiap.runtime.states import checking_preconditions, executing

LIVE = "tests/browser/test_live_duties.py::test_"
SYNTHESIS = "tests/browser/test_synthesis.py::test_"


async def _nothing(*_: Any, **__: Any) -> Any:
    return None


async def _no_elements(*_: Any, **__: Any) -> list[str]:
    return []


def _never_wait(action: Any, at: Any, _back: Any, why: str) -> Any:
    return transitions.fail(action, at, "target_not_interactable", why)


def _never_say_annotation() -> None:
    original = resolve._candidate

    def broken(store: Any, target: Any, element: Any, by: Any, level: float) -> Any:
        return original(store, target, element, "semantic" if by == "annotation" else by, max(level, 0.5))

    patch(resolve, "_candidate", broken)


def _without_annotations() -> None:
    original = resolve._by_stable_id
    patch(resolve, "_by_stable_id", lambda *args: [c for c in original(*args) if c.by != "annotation"])


def _text_for_value() -> None:
    original = executor.read_element
    patch(
        executor,
        "read_element",
        lambda store, node, what: original(store, node, "text" if what == "value" else what),
    )


def _always_clear() -> None:
    plain = ACTIONS["ui.enterText"]
    ACTIONS["ui.enterText"] = dataclasses.replace(  # type: ignore[index]
        plain,
        plan=lambda mode, guard, element, args: plain.plan(mode, guard, element, {**args, "clear": True}),
    )


def _without_boxes() -> None:
    original = transitions.resolved_target
    patch(transitions, "resolved_target", lambda *args: replace(original(*args), bbox=UNSET))


def _skip_verification_on_devices() -> None:
    """Believe a driver that cannot attribute effects."""
    original = executing.begin_verifying
    patch(
        executing,
        "begin_verifying",
        lambda action, at: (
            transitions.succeed(action, at, "applied")
            if action.terms.abilities.attribution != "causal"
            else original(action, at)
        ),
    )


def _click_by_events() -> None:
    perform._HANDLERS[Click, "semanticUi"] = perform.Performer.synthesize


LIVE_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "a-state-is-never-entered": (
        "ACT-4b", LIVE + "each_state_is_reached_on_a_live_page",
        lambda: patch(checking_preconditions, "wait_for", _never_wait),
    ),
    "a-hint-is-accepted-and-not-drawn": (
        "ACT-5.1g", LIVE + "each_hint_draws_what_it_names_and_nothing_else",
        lambda: patch(Presenter, "present", _nothing),
    ),
    "an-annotation-is-called-semantic": (
        "ACT-6.1b", LIVE + "each_way_to_a_target_finds_it_on_a_live_page", _never_say_annotation),
    "the-meaning-is-not-looked-at": (
        "ACT-8.1c", LIVE + "each_way_to_a_target_finds_it_on_a_live_page", _without_annotations),
    "hints-need-a-made-up-graph": (
        "ACT-8.1d", LIVE + "each_way_to_a_target_finds_it_on_a_live_page",
        lambda: patch(ChromiumDriver, "elements_by_hint", _no_elements),
    ),
    "the-text-is-read-for-the-value": (
        "ACT-11.1b", LIVE + "a_field_is_read_as_it_is_and_text_is_added_to_it", _text_for_value),
    "adding-text-clears-the-field": (
        "ACT-11.5b", LIVE + "a_field_is_read_as_it_is_and_text_is_added_to_it", _always_clear),
    "a-button-gets-raw-events": (
        "ACT-10.2a", SYNTHESIS + "without_trusted_input_element_methods_are_used_and_no_synthetic_events",
        _click_by_events,
    ),
    "a-native-button-gets-raw-events": (
        "ACT-10.2d", SYNTHESIS + "without_trusted_input_element_methods_are_used_and_no_synthetic_events",
        _click_by_events,
    ),
    "synthetic-input-is-presses-alone": (
        "ACT-10.4b", SYNTHESIS + "synthetic_input_covers_keys_on_request",
        lambda: perform._HANDLERS.pop((Press, "inputSynthesis")),
    ),
    "every-navigation-loads-the-page": (
        "ACT-11.14b", "tests/browser/test_navigation.py::"
        "test_a_history_router_changes_the_route_and_the_page_keeps_its_state",
        lambda: patch(ChromiumDriver, "change_route", _nothing),
    ),
    "a-device-has-a-path-of-its-own": (
        "ACT-1a", "tests/host/handlers/test_action_duties.py::"
        "test_a_surface_that_is_not_the_web_passes_the_same_states_to_the_same_kind_of_result",
        _skip_verification_on_devices,
    ),
    "the-printed-members-are-missing": (
        "ACT-17b", "tests/runtime/test_exchange.py::test_the_submit_button_of_section_17", _without_boxes),
}  # fmt: skip
