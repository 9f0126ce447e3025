"""Loading one manifest: parsed, checked by the schema of its kind, and inspected once."""

from __future__ import annotations

from uiap.authoring.documents.document import Loaded, inspect, load

APP = """apiVersion: uiap.authoring/v0.1
kind: App
metadata: {id: app}
spec: {appId: videoland, displayName: Videoland}
"""


def test_a_valid_document_has_its_facts_and_no_error() -> None:
    loaded = load("app.uiap.yaml", APP)
    if loaded.document is None:
        raise AssertionError([str(one) for one in loaded.diagnostics])
    assert loaded.document["kind"] == "App" and not loaded.error
    assert inspect(loaded.document) == loaded.facts


def test_an_unknown_member_is_an_error_and_there_is_no_document() -> None:
    loaded = load("app.uiap.yaml", APP.replace("displayName:", "displaName:"))
    assert loaded.document is None and loaded.error
    assert any("displaName" in one.message for one in loaded.diagnostics)


def test_equal_texts_of_one_file_are_loaded_once() -> None:
    cache: dict[bytes, Loaded] = {}
    assert load("app.uiap.yaml", APP, cache) is load("app.uiap.yaml", APP, cache)
    assert load("other.uiap.yaml", APP, cache).document == load("app.uiap.yaml", APP, cache).document
