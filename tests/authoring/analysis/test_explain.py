"""Explanations: the file, import, overlay, discovery run or locale pack of a value; the last one decides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import action, built, discovery_run, folder, manifest, package
from uiap.authoring.analysis.explain import explain
from uiap.authoring.analysis.provenance import provenance
from uiap.authoring.pointer import BadPointer

BASE = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}


def example(**context: Any) -> Any:
    return built(folder("videoland-example"), imports=BASE, **context)


def steps(result: Any, pointer: str) -> list[tuple[str, str, Any]]:
    return [(s.by, s.file, s.line) for s in explain(result, pointer).steps]


@pytest.mark.requirement("AUTH-10")
def test_a_value_of_a_file_names_file_and_line() -> None:
    found = explain(example(channel="staging"), "/actions/video.create/risk/level")
    assert found.value == "confirm"
    assert found.pointer == "/actions/1/risk/level"
    assert [(s.by, s.manifest_id, s.file, s.line, s.pointer) for s in found.steps] == [
        ("manifest", "actions.core", "actions/core.uiap.yaml", 17, "/spec/actions/0/risk/level")
    ]


def test_an_imported_value_names_package_version_and_file() -> None:
    (step,) = explain(example(channel="staging"), "/actions/session.signOut/risk").steps
    assert (step.by, step.manifest_id, step.note) == ("import", "base:actions.core", "uiap.shared.base 0.1.3")
    assert (step.file, step.line) == ("base:actions/core.uiap.yaml", 14)


def test_a_patched_value_names_the_file_and_then_the_overlay() -> None:
    assert steps(example(channel="prod"), "/policies/default/document/defaults/onUnknownAction") == [
        ("manifest", "policies/default.uiap.yaml", 14),
        ("overlay", "overlays/prod.uiap.yaml", 10),
    ]
    assert steps(example(channel="staging"), "/policies/0/document/defaults/onUnknownAction") == [
        ("manifest", "policies/default.uiap.yaml", 14)
    ]


def test_an_upserted_item_names_its_overlay_for_every_member() -> None:
    found = steps(example(channel="prod"), "/workflows/0/interactionModes")
    assert [s[0] for s in found] == ["manifest", "overlay"]


def test_a_text_names_its_locale_pack() -> None:
    found = steps(example(channel="staging", locale="en"), "/workflows/0/title")
    assert [(by, file) for by, file, _ in found] == [
        ("manifest", "workflows/onboarding.uiap.yaml"),
        ("locale", "locales/common.uiap.yaml"),
    ]
    assert steps(example(channel="staging", locale="en"), "/locales/route.videos.title")[0][0] == "locale"


def test_a_discovered_value_names_its_run() -> None:
    seen = {"discoveredBy": [], "confidence": "high"}
    run = discovery_run("run1", actions=[{"id": "found", "kind": "domain", **seen}])
    rule = {"kind": "action", "targetManifestId": "acts"}
    take = manifest("DiscoveryImport", "take", {"source": {"runId": "run1"}, "accept": [rule]}, state="draft")
    acts = manifest("Actions", "acts", {"actions": [action("own")]}, state="draft")
    result = built(package(acts, take), discovery={"run1": run})
    (step,) = explain(result, "/actions/found/risk/level").steps
    assert (step.by, step.file, step.note) == ("discovery", "take.uiap.yaml", "copy (run run1)")
    assert [r.source for r in provenance(result)["actions/own"]] == ["manual"]


@pytest.mark.parametrize(
    ("pointer", "by"),
    [
        ("/app/displayName", "manifest"),
        ("/version", "package"),
        ("/compatibility/uiapCore", "package"),
        ("/buildContext/channel", "context"),
        ("/digest", "computed"),
        ("/bindings/elements/video.title/role", "manifest"),
    ],
)
def test_every_part_of_the_bundle_has_a_source(pointer: str, by: str) -> None:
    assert [s.by for s in explain(example(channel="staging"), pointer).steps] == [by]


@pytest.mark.parametrize(
    "pointer", ["/nope", "/actions/9", "/actions/nobody/risk", "actions", "/app/displayName/x"]
)
def test_a_pointer_to_a_missing_value_is_refused(pointer: str) -> None:
    with pytest.raises(BadPointer):
        explain(example(channel="staging"), pointer)


@pytest.mark.requirement("AUTH-10")
def test_every_item_of_the_bundle_has_provenance() -> None:
    result = example(channel="staging")
    records = provenance(result)
    assert set(records) == {
        f"{section}/{id}" for section, items in result.content.items.items() for id in items
    }
    assert all(records.values())
    assert [(r.source, r.ref) for r in records["actions/session.signOut"]] == [
        ("import", "uiap.shared.base@0.1.3")
    ]
