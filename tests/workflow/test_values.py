"""Values of arguments: literals, parameters, results and inserted texts."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.spec.workflow import StepResult
from uiap.workflow.values import MissingValue, resolved, shown_text

PARAMETERS = {"title": "Intro", "count": 2, "on": True}
RESULTS = {"create": StepResult(status="succeeded", return_value={"video": {"id": 7}, "tags": ["a", "b"]})}


@pytest.mark.requirement("WF-5")
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        (1, 1),
        (None, None),
        ({"$param": "count"}, 2),
        ({"$result": "create.video.id"}, 7),
        ({"$result": "create.tags.1"}, "b"),
        ("{{title}} x {{ count }} {{on}}", "Intro x 2 true"),
        ([{"$param": "on"}, "{{title}}"], [True, "Intro"]),
        ({"$param": "count", "other": 1}, {"$param": "count", "other": 1}),
        ({"deep": {"$param": "title"}}, {"deep": "Intro"}),
        ("1 + {{count}}", "1 + 2"),
    ],
)
def test_references_are_replaced_and_nothing_is_calculated(value: Any, expected: Any) -> None:
    assert resolved(value, PARAMETERS, RESULTS) == expected


@pytest.mark.parametrize(
    "value",
    [
        {"$param": "nothing"}, "{{nothing}}", {"$result": "later.id"}, {"$result": "create.tags.9"},
        {"$result": "create.tags.²"}, {"$result": "create.tags.٣"}, {"$result": f"create.tags.{'9' * 5_000}"},
    ],
    ids=lambda value: str(value)[:40],
)  # fmt: skip
def test_a_missing_value_is_an_error(value: Any) -> None:
    with pytest.raises(MissingValue):
        resolved(value, PARAMETERS, RESULTS)


def test_a_text_for_a_person_keeps_an_unknown_placeholder() -> None:
    assert shown_text("{{title}} by {{owner}}", PARAMETERS) == "Intro by {{owner}}"
