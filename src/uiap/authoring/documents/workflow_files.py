"""Reads workflow definitions from a file: a `WorkflowCatalog` manifest, or one definition by itself."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.authoring.documents.source import read
from uiap.errors import UiapError
from uiap.spec.workflow import WorkflowDefinition


def read_definitions(file: str, content: bytes) -> tuple[WorkflowDefinition, ...]:
    """Return the definitions in a file. Raise UiapError with the first fault."""
    source = read(file, content)
    if source.faults:
        raise UiapError(f"`{file}`: {source.faults[0].message}")
    plain = source.value
    if not isinstance(plain, dict):
        raise UiapError(f"`{file}` has no workflow; it needs a WorkflowCatalog or one definition")
    return tuple(_definition(file, one) for one in _plain_definitions(plain))


def _plain_definitions(plain: dict[str, Any]) -> list[Any]:
    if plain.get("kind") != "WorkflowCatalog":
        return [plain]
    listed = plain.get("spec", {}).get("workflows", [])
    return [one.get("definition") for one in listed if isinstance(one, dict)]


def _definition(file: str, plain: Any) -> WorkflowDefinition:
    try:
        return msgspec.convert(plain, WorkflowDefinition)
    except msgspec.ValidationError as error:
        raise UiapError(f"`{file}` is not a workflow: {error}") from None
