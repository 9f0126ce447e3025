"""A value that is not allowed is answered with those that are."""

from __future__ import annotations

import pytest

from uiap.protocol.allowed_values import allowed_values, with_allowed_values
from uiap.spec.action import ActionRequestPayload
from uiap.spec.capability import UI_ROLES
from uiap.spec.tools import ToolsFindPayload, ToolsTabsPayload


@pytest.mark.parametrize(
    ("payload", "pointer", "values"),
    [
        (ToolsFindPayload, "/role", UI_ROLES),
        (ActionRequestPayload, "/target/ref/role", UI_ROLES),
        (ToolsTabsPayload, "/do", ("list", "open", "show", "close")),
        (ToolsFindPayload, "/text", ()),
        (ToolsFindPayload, "/nothing", ()),
    ],
)
def test_the_values_of_a_member(payload: type, pointer: str, values: tuple[str, ...]):
    assert set(allowed_values(payload, pointer)) == set(values)


def test_the_message_lists_them():
    said = with_allowed_values("Invalid enum value 'x'", ToolsTabsPayload, "/do")
    assert said == "Invalid enum value 'x'; use one of close, list, open, show"
    assert with_allowed_values("Expected `str`", ToolsTabsPayload, "/do") == "Expected `str`"
