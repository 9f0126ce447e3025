"""Workflow definitions in files: a catalog, or one definition."""

from __future__ import annotations

import msgspec
import pytest

from tests.workflow.simulated import DONE, definition
from uiap.authoring.documents.workflow_files import read_definitions
from uiap.errors import UiapError

ONE = definition(DONE)


def test_a_catalog_and_a_single_definition_are_read() -> None:
    plain = msgspec.to_builtins(ONE)
    catalog = {"kind": "WorkflowCatalog", "spec": {"workflows": [{"definition": plain}]}}
    assert read_definitions("a.json", msgspec.json.encode(plain)) == (ONE,)
    assert read_definitions("a.json", msgspec.json.encode(catalog)) == (ONE,)


@pytest.mark.parametrize(
    ("text", "message"), [("a: [", "`a.yaml`:"), ("- 1", "has no workflow"), ("id: x", "is not a workflow")]
)
def test_a_file_that_is_no_workflow_is_refused(text: str, message: str) -> None:
    with pytest.raises(UiapError, match=message):
        read_definitions("a.yaml", text.encode())
