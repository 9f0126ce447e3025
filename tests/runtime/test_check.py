"""The preconditions of a target: one readiness for each fact of a probe."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.runtime.check import NeverReady, NotReadyYet, OutOfView, ProbeFacts, Ready, StaleTarget, check

SAVE = ("button", "Save", None)


def readiness(checks: Any = "pointer", expected: Any = SAVE, **facts: Any) -> Any:
    return check(
        checks, ProbeFacts(**{"attached": True, "role": "button", "name": "Save", **facts}), expected
    )


def test_an_element_that_is_as_expected_is_ready() -> None:
    assert readiness() == Ready()
    assert readiness(name="SAVE") == Ready()  # a style sheet may add upper case after the page was read


@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"attached": False}, StaleTarget),
        ({"name": "Delete"}, StaleTarget),
        ({"role": "link"}, StaleTarget),
        ({"visible": False}, NotReadyYet),
        ({"enabled": False}, NotReadyYet),
        ({"blocked": True}, NotReadyYet),
        ({"stable": False}, NotReadyYet),
        ({"in_viewport": False}, OutOfView),
        ({"obscured": True, "covering": "a banner"}, OutOfView),
    ],
)
def test_each_obstacle_has_its_kind(facts: dict[str, Any], kind: type) -> None:
    found = readiness(**facts)
    assert isinstance(found, kind) and found.why


def test_an_element_of_another_record_or_of_none_is_stale() -> None:
    assert isinstance(readiness(expected=("button", "Save", "video:1"), record="video:2"), StaleTarget)
    assert isinstance(readiness(expected=("button", "Save", "video:1")), StaleTarget)


def test_text_goes_only_into_elements_that_take_text() -> None:
    field = ("textbox", "Title", None)
    assert readiness("text", field, role="textbox", name="Title", editable=True) == Ready()
    assert isinstance(readiness("text", field, role="textbox", name="Title", readonly=True), NeverReady)
    assert isinstance(readiness("text", SAVE), NeverReady)


def test_reading_needs_only_that_the_element_is_there() -> None:
    assert readiness("present", visible=False, enabled=False) == Ready()
