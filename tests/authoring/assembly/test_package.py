"""Packages and their manifests: valid ones, and a diagnostic for every fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.authoring.folders import NOW, built, codes, discovery_run, manifest, messages, package, text
from uiap.authoring import build
from uiap.spec.authoring import AUTHORING_KINDS

DISCOVERED = {"source": {"runId": "r1"}, "accept": []}
SPECS: dict[str, Any] = {
    "App": {"appId": "a", "displayName": "A"},
    "Capabilities": {
        "document": {
            "modelVersion": "0.1",
            "profile": "web@0.1",
            "roles": ["button"],
            "stateKeys": [],
            "affordances": [],
            "actions": [],
            "riskLevels": ["safe"],
            "successSignalKinds": [],
        }
    },
    "Bindings": {"routes": [{"id": "r", "match": [{"kind": "path", "value": "/"}]}]},
    "Actions": {"actions": []},
    "PolicySet": {"policies": []},
    "WorkflowCatalog": {"workflows": []},
    "LocalePack": {"namespaces": {"n": {"messages": {"k": {"default": "x"}}}}},
    "Overlay": {"selector": {}, "patches": []},
    "ReviewSet": {"decisions": []},
}


@pytest.mark.requirement("AUTH-3", "AUTH-5.1")
def test_all_eleven_kinds_share_one_envelope_and_build_together() -> None:
    documents = [manifest(kind, kind.lower(), spec) for kind, spec in SPECS.items()]
    documents.append(manifest("DiscoveryImport", "discovery", DISCOVERED))
    assert {d["kind"] for d in documents} | {"Package"} == set(AUTHORING_KINDS)
    result = built(package(*documents), discovery={"r1": discovery_run("r1")})
    assert codes(result) == [], messages(result)
    assert result.bundle is not None
    assert result.bundle.app.app_id == "a"


@pytest.mark.requirement("AUTH-3")
@pytest.mark.parametrize("kind", SPECS)
@pytest.mark.parametrize("member", ["apiVersion", "metadata", "spec"])
def test_every_kind_is_refused_without_its_envelope(kind: str, member: str) -> None:
    document = manifest(kind, "x", SPECS[kind])
    files = package(document)
    del document[member]
    files["x.uiap.yaml"] = text(document)
    result = built(files)
    assert ("missing_member", f"the member `{member}` is missing") in [
        (d.code, d.message) for d in result.errors
    ]


@pytest.mark.requirement("AUTH-3")
def test_another_api_version_or_kind_is_refused() -> None:
    files = package()
    files["app.core.uiap.yaml"] = files["app.core.uiap.yaml"].replace("v0.1", "v9")
    assert "unknown_word" in codes(built(files))
    files["app.core.uiap.yaml"] = text({**manifest("App", "app.core", SPECS["App"]), "kind": "Aplication"})
    assert "unknown_kind" in codes(built(files))


@pytest.mark.requirement("AUTH-3.1")
def test_the_version_in_the_metadata_equals_the_version_in_the_spec() -> None:
    files = package()
    root = json.loads(files["package.uiap.yaml"])
    del root["metadata"]["version"]
    assert codes(built({**files, "package.uiap.yaml": text(root)})) == ["no_version"]
    root["metadata"]["version"] = "1.0.1"
    assert codes(built({**files, "package.uiap.yaml": text(root)})) == ["version_differs"]


@pytest.mark.requirement("AUTH-3.1")
def test_manifest_ids_are_unique_and_agree_with_the_package() -> None:
    twice = package(manifest("Actions", "a", {"actions": []}))
    root = json.loads(twice["package.uiap.yaml"])
    root["spec"]["manifests"].append({"id": "a", "kind": "Actions", "path": "b.uiap.yaml"})
    files = {**twice, "package.uiap.yaml": text(root), "b.uiap.yaml": twice["a.uiap.yaml"]}
    assert "duplicate_id" in codes(built(files))
    other = {**twice, "a.uiap.yaml": twice["a.uiap.yaml"].replace('"id":"a"', '"id":"z"')}
    assert codes(built(other)) == ["id_differs"]
    root["spec"]["manifests"] = [{"id": "package", "kind": "Actions", "path": "a.uiap.yaml"}]
    named = {
        "package.uiap.yaml": text(root),
        "a.uiap.yaml": twice["a.uiap.yaml"].replace('"id":"a"', '"id":"package"'),
    }
    assert "duplicate_id" in codes(built(named))


@pytest.mark.requirement("AUTH-3.1")
def test_metadata_accepts_owners_labels_tags_source_and_state_only() -> None:
    head = {
        "owners": [{"id": "team", "role": "approver"}],
        "labels": {"a": "b"},
        "tags": ["t"],
        "source": "mixed",
    }
    assert codes(built(package(manifest("App", "app", SPECS["App"], **head)))) == []
    bad = {"owners": [{"role": "boss"}], "source": "found", "labels": {"a": 1}, "colour": "red"}
    found = {d.pointer for d in built(package(manifest("App", "app", SPECS["App"], **bad))).errors}
    assert found >= {"/metadata/owners/0", "/metadata/source", "/metadata/labels/a", "/metadata/colour"}


@pytest.mark.requirement("AUTH-4.1a")
def test_there_is_exactly_one_package_and_one_app() -> None:
    files = package()
    assert codes(built({"app.uiap.yaml": files["app.core.uiap.yaml"]})) == ["no_package"]
    assert codes(built({**files, "more.uiap.yaml": files["package.uiap.yaml"]})) == ["second_package"]
    assert codes(built(package(app=False))) == ["app_count"]
    two = package(manifest("App", "a", SPECS["App"]), manifest("App", "b", SPECS["App"]))
    (error,) = built(two).errors
    assert error.code == "app_count"
    assert "`a`" in error.message and "`b`" in error.message


@pytest.mark.requirement("AUTH-4.1c")
@pytest.mark.parametrize(
    ("wanted", "context", "code"),
    [
        ({"uiapCore": ">=0.2"}, {}, "incompatible_core"),
        ({"uiapCore": "soon"}, {}, "bad_range"),
        ({"uiapCore": "*", "sdk": {"web": "^2"}}, {}, "incompatible_sdk"),
        (
            {"uiapCore": "*", "extensions": [{"id": "uiap.policy", "range": "^9", "required": True}]},
            {},
            "incompatible_extension",
        ),
        (
            {"uiapCore": "*", "extensions": [{"id": "x.nobody", "range": "*", "required": True}]},
            {},
            "incompatible_extension",
        ),
        ({"uiapCore": "*", "appVersions": ["^2"]}, {"app_version": "1.0.0"}, "incompatible_app_version"),
    ],
)
def test_an_incompatible_package_is_refused(wanted: Any, context: Any, code: str) -> None:
    assert codes(built(package(compatibility=wanted), **context)) == [code]


@pytest.mark.requirement("AUTH-4.1c")
def test_a_compatible_package_is_not_refused() -> None:
    wanted = {
        "uiapCore": ">=0.1 <0.2",
        "extensions": [
            {"id": "uicp.policy", "range": "^0.1", "required": True},
            {"id": "x.nobody", "range": "*"},
        ],
        "sdk": {"web": "0.1"},
        "appVersions": ["^1", "winter"],
    }
    result = built(package(compatibility=wanted), app_version="1.9.0")
    assert codes(result) == [], messages(result)
    assert codes(result, "warning") == ["incompatible_extension"]
    assert result.bundle is not None
    assert [e.id for e in result.bundle.compatibility.extensions or ()] == ["uiap.policy", "x.nobody"]


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    "path", ["../secret.uiap.yaml", "/etc/passwd", "file:///etc/passwd", "http://a/b.uiap.yaml", "a\\b"]
)
def test_a_manifest_path_outside_the_package_is_refused(path: str) -> None:
    files = package(manifest("Actions", "a", {"actions": []}))
    files["package.uiap.yaml"] = files["package.uiap.yaml"].replace(
        "a.uiap.yaml", path.replace("\\", "\\\\"), 1
    )
    root = json.loads(files["package.uiap.yaml"])
    root["spec"]["manifests"] = [{"id": "a", "kind": "Actions", "path": path}]
    result = built({**files, "package.uiap.yaml": text(root)})
    (error,) = [d for d in result.errors if d.code == "bad_path"]
    assert error.pointer == "/spec/manifests/0/path"


@pytest.mark.requirement("AUTH-4.1d")
def test_a_missing_file_is_an_error_unless_it_is_optional() -> None:
    files = package(manifest("Actions", "a", {"actions": []}))
    del files["a.uiap.yaml"]
    assert codes(built(files)) == ["file_missing"]
    root = json.loads(files["package.uiap.yaml"])
    root["spec"]["manifests"][1]["required"] = False
    result = built({**files, "package.uiap.yaml": text(root)})
    assert (codes(result), codes(result, "warning")) == ([], ["optional_missing"])


def test_a_file_under_another_case_is_named_in_the_hint() -> None:
    files = package(manifest("Actions", "a", {"actions": []}))
    files["A.uiap.yaml"] = files.pop("a.uiap.yaml")
    (error,) = built(files).errors
    assert error.hint == "the file is called `A.uiap.yaml`"


def test_a_file_that_is_not_listed_is_a_warning() -> None:
    files = {**package(), "extra.uiap.yaml": text(manifest("Actions", "extra", {"actions": []}))}
    assert codes(built(files), "warning") == ["unlisted_file"]


@pytest.mark.requirement("AUTH-8b")
@pytest.mark.requirement("AUTH-8")
def test_without_a_context_the_default_channel_of_the_package_is_used() -> None:
    channels = [{"name": "staging", "requiredReviewState": "approved"}]
    files = package(state="draft", publish={"defaultChannel": "staging", "channels": channels})
    result = build(files, now=NOW)
    assert result.context.channel == "staging"
    assert codes(result, "refusal") == ["gate_review_state"]


def test_all_problems_are_reported_at_once_in_a_fixed_order() -> None:
    files = package(
        manifest("Bindings", "b", {"elements": [{"id": "e", "match": [], "rol": "button"}], "rutes": []}),
        manifest("Actions", "a", {"actions": [{"id": "x"}]}),
        manifest("PolicySet", "p", {"policies": [{"id": 7, "document": {}}]}),
    )
    first = built(files).diagnostics
    assert len({d.file for d in first}) == 3
    assert len(first) >= 8
    assert built(dict(reversed(files.items()))).diagnostics == first


def test_strict_packages_turn_warnings_into_errors() -> None:
    lax = package(manifest("Bindings", "b", {"elements": [{"id": "e", "match": []}]}))
    assert codes(built(lax), "warning") == ["no_matcher"]
    strict = package(
        manifest("Bindings", "b", {"elements": [{"id": "e", "match": []}]}), build={"strict": True}
    )
    assert codes(built(strict)) == ["no_matcher"]


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("folder", ["../out", "/tmp/out", "C:\\out", "~/out"])
def test_nothing_is_written_outside_the_package(folder: str) -> None:
    assert codes(built(package(build={"outDir": folder}))) == ["bad_path"]


@pytest.mark.requirement("AUTH-SEC.1")
def test_too_many_files_are_refused() -> None:
    files = {f"f{n}.uiap.yaml": "" for n in range(10_001)}
    assert codes(built(files)) == ["too_many_files"]


def test_items_missing_because_of_an_unreadable_file_are_not_reported() -> None:
    """An invalid App, Actions and LocalePack give three errors, not nine."""
    route = {"id": "r", "match": [{"kind": "path", "value": "/"}], "title": {"ref": "n.k"}}
    element = {
        "id": "e",
        "match": [{"by": "text", "text": "x"}],
        "defaultAction": "save",
        "scopeId": "nowhere",
    }
    patch = {"manifestId": "acts", "path": "/spec/actions", "op": "append", "value": {}}
    decision = {"target": {"manifestId": "acts"}, "state": "approved", "by": "a", "at": NOW}
    files = package(
        manifest("App", "app", {"appId": "a"}),
        manifest("Bindings", "b", {"routes": [route], "elements": [element]}),
        manifest("Actions", "acts", {"actions": 7}),
        manifest("LocalePack", "texts", {"namespaces": 7}),
        manifest("Overlay", "o", {"selector": {}, "patches": [patch]}),
        manifest("ReviewSet", "rev", {"decisions": [decision]}),
    )
    found = [(d.code, d.file) for d in built(files).diagnostics]
    assert found == [
        ("wrong_type", "acts.uiap.yaml"),
        ("missing_member", "app.uiap.yaml"),
        ("unresolved", "b.uiap.yaml"),
        ("wrong_type", "texts.uiap.yaml"),
    ]


def test_items_missing_because_of_an_absent_optional_manifest_are_reported() -> None:
    element = {"id": "e", "match": [{"by": "text", "text": "x"}], "scopeId": "nowhere"}
    files = package(manifest("Bindings", "b", {"elements": [element]}), manifest("Bindings", "more", {}))
    root = json.loads(files["package.uiap.yaml"])
    root["spec"]["manifests"][-1]["required"] = False
    del files["more.uiap.yaml"]
    assert codes(built({**files, "package.uiap.yaml": text(root)})) == ["unresolved"]
