"""One-line lies, one per obligation: with each, the test that cites the obligation must turn red (`make prove`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from uiap.runtime import bond, lifecycle, machine, outcome, permission, resolve, verification
from uiap.runtime import events as when
from uiap.runtime.check import Ready
from uiap.runtime.machine import Action
from uiap.runtime.verify import Passed
from uiap.signals import change, element, watch
from uiap.signals.verdict import Verdict


class Breaker(NamedTuple):
    requirement: str
    test: str
    lie: Callable[[], Any]


def _row(state: str, event: type[when.Event], does: Any) -> None:
    machine.TRANSITIONS = {**machine.TRANSITIONS, (state, event): does}  # type: ignore[dict-item]


def _after(name: str, then: Callable[[Any], Any]) -> None:
    """Whatever the method decides, this is done to the action after it."""
    told = getattr(Action, name)

    def lying(self: Any, *args: Any, **members: Any) -> Any:
        said = told(self, *args, **members)
        then(self)
        return said

    setattr(Action, name, lying)


def _before(name: str, first: Callable[[Any], Any]) -> None:
    told = getattr(Action, name)

    def lying(self: Any, *args: Any, **members: Any) -> Any:
        first(self)
        return told(self, *args, **members)

    setattr(Action, name, lying)


def _say_yes(self: Any, matter: Any, at: Any) -> Any:
    told(self, matter, at)
    return permission.Proceed()


told = permission.Permission.decide


def _count_focus() -> None:
    change.STATES = (*change.STATES, "focused")  # type: ignore[assignment]
    change._counts = lambda patch: True


MACHINE = "tests/runtime/test_machine.py::test_"
WATCH = "tests/signals/test_watch.py::test_"

BREAKERS: dict[str, Breaker] = {
    "success-is-assumed": Breaker(
        "ACT-3.4", MACHINE + "a_change_that_only_coincides_is_no_success",
        lambda: setattr(verification, "judge", lambda *_: Passed("assumed")),
    ),
    "performed-without-an-intent-on-disk": Breaker(
        "ACT-3.2", MACHINE + "an_intent_that_cannot_be_written_down_is_not_carried_out",
        lambda: _row("EXECUTING", when.NotRecorded, Action._recorded),
    ),
    "a-move-that-is-not-in-the-spec": Breaker(
        "ACT-4", "tests/runtime/test_lifecycle.py::test_recovering_is_never_entered_from_executing",
        lambda: setattr(lifecycle, "MOVES", {**lifecycle.MOVES, "EXECUTING": frozenset({"RECOVERING"})}),
    ),
    "nobody-is-asked": Breaker(
        "ACT-5.3", MACHINE + "risk_confirm_asks_and_pauses",
        lambda: setattr(permission.Permission, "decide", _say_yes),
    ),
    "one-grant-for-everything": Breaker(
        "ACT-5.4", MACHINE + "a_grant_is_not_good_for_another_element",
        lambda: setattr(bond.Bond, "covers", lambda *_: True),
    ),
    "a-no-is-a-yes": Breaker(
        "ACT-5.5", MACHINE + "a_denial_cancels",
        lambda: _row("AWAITING_CONFIRMATION", when.Denied, Action._confirmed),
    ),
    "cancelled-means-nothing-happened": Breaker(
        "ACT-5.6", MACHINE + "cancelling_says_the_truth_about_what_was_done",
        lambda: _before("_cancel_with", lambda action: setattr(action.execution, "acting", False)),
    ),
    "the-first-of-two-equals": Breaker(
        "ACT-8.2b", MACHINE + "two_equal_targets_are_refused_not_guessed",
        lambda: setattr(resolve, "LEAD", -1.0),
    ),
    "stale-for-ever": Breaker(
        "ACT-8.3", MACHINE + "a_target_that_is_stale_twice_is_stale_target",
        lambda: _after("_stale", lambda action: setattr(action, "_re_resolved", False)),
    ),
    "always-ready": Breaker(
        "ACT-9.2", MACHINE + "a_target_that_is_not_ready_is_waited_for_and_then_refused",
        lambda: setattr(machine, "check", lambda *_: Ready()),
    ),
    "text-goes-anywhere": Breaker(
        "ACT-9.3", MACHINE + "text_does_not_go_where_it_cannot",
        lambda: setattr(machine, "check", lambda *_: Ready()),
    ),
    "a-refused-press-is-final-success": Breaker(
        "ACT-9.5", MACHINE + "a_press_that_would_hit_something_else_is_checked_again_and_never_sent_twice",
        lambda: _row("EXECUTING", when.Refused, lambda action, event: action._verify(event.at)),
    ),
    "reaching-into-other-origins": Breaker(
        "ACT-13.2", MACHINE + "what_lies_in_an_opaque_region_is_refused_by_its_own_code",
        lambda: setattr(machine, "opaque", lambda _: outcome.Failure("target_not_found", "not seen")),
    ),
    "dialogs-are-ignored": Breaker(
        "ACT-14", MACHINE + "a_dialog_of_the_page_waits_for_a_person_and_then_fails_cleanly",
        lambda: setattr(Action, "_asked_by_page", lambda action, event: action._verify(event.at)),
    ),
    "focus-is-an-effect": Breaker(
        "ACT-12.2", WATCH + "focus_hover_cover_and_busy_are_never_effects",
        _count_focus,
    ),
    "a-revision-is-not-needed": Breaker(
        "ACT-12.4", MACHINE + "a_revision_is_waited_for_where_one_is_required",
        lambda: setattr(verification, "judge", lambda *_: Passed("no matter")),
    ),
    "a-gesture-is-believed-whatever-it-read-back": Breaker(
        "ACT-11.12", "tests/runtime/test_read_back.py::test_scrolling_the_page_succeeds_only_if_it_moved",
        lambda: setattr(Action, "_read_back", lambda action, event: action._verify(event.at)),
    ),
    "a-highlight-is-an-effect": Breaker(
        "ACT-11.3", "tests/runtime/test_read_back.py::test_a_highlight_claims_nothing",
        lambda: setattr(machine, "ACTIONS", {**machine.ACTIONS, "ui.highlight": machine.ACTIONS["ui.focus"]}),
    ),
    "arguments-are-not-read": Breaker(
        "ACT-SEC.1", MACHINE + "wrong_arguments_are_refused_before_anything_happens",
        lambda: setattr(machine, "faults", lambda *_: []),
    ),
    "what-held-before-is-new": Breaker(
        "ACT-6.3", "tests/signals/test_kinds.py::test_what_was_there_before_is_no_evidence",
        lambda: setattr(
            element.end_state, "__code__",
            (lambda before, now, log: Verdict(bool(now and now[1]), attribution="caused")).__code__,
        ),
    ),
    "everything-after-us-is-ours": Breaker(
        "ACT-SEC.3", WATCH + "a_clock_beside_a_dead_button_never_counts",
        lambda: setattr(watch.Watch, "_habitual", lambda *_: False),
    ),
}  # fmt: skip
