"""The members of a request from Python arguments."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from uiap.api.requests import presentation, reply_timeout_s, signals, target, verification
from uiap.spec.action import ActionTarget
from uiap.spec.capability import CustomRef, InstanceIdRef, RouteChanged, SemanticRef, StableIdRef
from uiap.timeouts import REPLY_S


def test_an_element_is_named_by_role_and_name_or_by_an_id_with_expectations() -> None:
    named = target(None, None, "button", "Save", None)
    assert isinstance(named, ActionTarget) and isinstance(named.ref, SemanticRef)
    assert named.expected_name is UNSET
    known = target("e7", None, "button", "Save", None)
    assert isinstance(known, ActionTarget) and isinstance(known.ref, InstanceIdRef)
    assert (known.expected_role, known.expected_name) == ("button", "Save")
    stable = target(None, "save", None, None, None)
    assert isinstance(stable, ActionTarget) and isinstance(stable.ref, StableIdRef)
    assert target(None, None, None, None, None) is UNSET


def test_a_name_alone_is_searched_by_its_words() -> None:
    named = target(None, None, None, "Guests", "form")
    assert isinstance(named, ActionTarget)
    assert named.ref == CustomRef(value='words:{"text": "Guests", "within": "form"}')


def test_a_role_may_have_its_name_of_aria() -> None:
    day = target(None, None, "gridcell", "14", None)
    assert isinstance(day, ActionTarget) and day.ref == SemanticRef(role="cell", name="14")


def test_signals_may_be_written_as_in_the_protocol() -> None:
    assert signals([{"kind": "route.changed", "pattern": "/x"}, RouteChanged()]) == (
        RouteChanged(pattern="/x"),
        RouteChanged(),
    )


def test_verification_is_left_out_unless_something_is_asked_for() -> None:
    assert verification((), None, None) is UNSET
    asked = verification([RouteChanged()], None, None)
    assert asked is not UNSET and asked.policy == "all" and asked.timeout_ms is UNSET
    bounded = verification((), None, 100)
    assert bounded is not UNSET and bounded.policy is UNSET and bounded.timeout_ms == 100


@pytest.mark.parametrize(
    ("given", "shown"), [(None, False), (False, False), (True, True), ({"narration": "x"}, True)]
)
def test_a_presentation_is_sent_only_if_it_is_wanted(given: object, shown: bool) -> None:
    assert (presentation(given) is not UNSET) is shown  # type: ignore[arg-type]


def test_a_reply_may_take_longer_than_the_wait_it_answers() -> None:
    assert reply_timeout_s(2_000) == 2 + REPLY_S
    assert reply_timeout_s(None) == REPLY_S
