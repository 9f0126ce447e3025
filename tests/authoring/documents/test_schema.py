"""Schemas from the types: all faults of a document at once, each with its pointer and a hint."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
import ryaml

from tests.authoring.folders import action, folder, manifest, workflow
from uiap.authoring.documents.schema import editor_schema, schema_faults
from uiap.spec.authoring import AUTHORING_KINDS


def found(kind: str, spec: Any) -> list[tuple[str, str, str]]:
    return [(f.code, f.pointer, f.hint) for f in schema_faults(kind, manifest(kind, "x", spec))]


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    ("kind", "spec", "fault"),
    [
        (
            "App",
            {"appId": "a", "displayNam": "A", "displayName": "A"},
            ("unknown_member", "/spec/displayNam", "did you mean `displayName`?"),
        ),
        (
            "App",
            {"appId": 7, "displayName": "A"},
            ("wrong_type", "/spec/appId", "put it in quotes: YAML reads it as a number or a boolean"),
        ),
        ("App", {"appId": "a"}, ("missing_member", "/spec", "")),
        (
            "Actions",
            {"actions": [action("a", executionModes=["semanticUI"])]},
            ("unknown_word", "/spec/actions/0/executionModes/0", "did you mean `semanticUi`?"),
        ),
        (
            "Bindings",
            {"elements": [{"id": "e", "match": [{"by": "anotation"}]}]},
            ("unknown_word", "/spec/elements/0/match/0/by", "did you mean `annotation`?"),
        ),
        (
            "Bindings",
            {"elements": [{"id": "e", "match": [{"by": "label"}]}]},
            ("missing_member", "/spec/elements/0/match/0", ""),
        ),
        (
            "Bindings",
            {"elements": [{"id": "e", "match": [], "risk": "confrm"}]},
            ("unknown_word", "/spec/elements/0/risk", "did you mean `confirm`?"),
        ),
        (
            "WorkflowCatalog",
            {"workflows": [workflow("w", category="tusk")]},
            ("unknown_word", "/spec/workflows/0/definition/category", "did you mean `task`?"),
        ),
        (
            "WorkflowCatalog",
            {"workflows": [workflow("w", interactionModes=[])]},
            ("wrong_value", "/spec/workflows/0/definition/interactionModes", ""),
        ),
        (
            "WorkflowCatalog",
            {"workflows": [workflow("w", steps=[{"id": "a", "type": "complet"}])]},
            ("unknown_word", "/spec/workflows/0/definition/steps/0/type", "did you mean `complete`?"),
        ),
    ],
)
def test_a_fault_has_a_pointer_and_a_suggestion(kind: str, spec: Any, fault: tuple[str, str, str]) -> None:
    assert fault in found(kind, spec)


def test_all_faults_are_reported_not_only_the_first() -> None:
    elements = [{"id": n, "match": "x", "role": "buton"} for n in range(5)]
    assert len(found("Bindings", {"elements": elements})) == 15


def test_vendor_members_are_accepted() -> None:
    assert found("App", {"appId": "a", "displayName": "A", "x.acme.flag": {"any": 1}}) == []


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("key", [1, True, None, 1.5])
def test_keys_that_are_not_text_are_refused(key: Any) -> None:
    document = manifest("App", "x", {"appId": "a", "displayName": "A", "metadata": {"deep": [{key: 1}]}})
    assert [(f.code, f.pointer) for f in schema_faults("App", document)] == [
        ("key_not_text", "/spec/metadata/deep/0")
    ]


def test_the_editor_schema_admits_the_example_and_refuses_a_wrong_kind() -> None:
    validator = jsonschema_rs.Draft202012Validator(editor_schema())
    kinds = set()
    for text in folder("videoland-example").values():
        document = ryaml.loads(text)
        kinds.add(document["kind"])
        assert list(validator.iter_errors(document)) == []
    assert kinds <= set(AUTHORING_KINDS)
    assert not validator.is_valid({"kind": "Nothing"})
    assert not validator.is_valid(
        {"apiVersion": "uiap.authoring/v0.1", "kind": "App", "metadata": {"id": "a"}, "spec": {}}
    )
