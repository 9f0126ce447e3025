"""Arguments of workflow steps: references and literals."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.spec.workflow import ParamReference, ResultReference, workflow_value


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ({"$param": "title"}, ParamReference(param="title")),
        ({"$result": "create.id"}, ResultReference(result="create.id")),
    ],
)
def test_an_object_with_one_reference_is_that_reference(value: dict[str, Any], read: object) -> None:
    assert workflow_value(value) == read


@pytest.mark.parametrize(
    "value", ["$param", {"$param": 7}, {"$param": "a", "x": 1}, {"$other": "a"}, ["$param"], {}, None]
)
def test_everything_else_is_a_literal(value: Any) -> None:
    assert workflow_value(value) is value
