"""The ten build steps: each step sees the results of the earlier ones."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest

from tests.authoring.folders import (
    action,
    built,
    codes,
    discovery_run,
    folder,
    manifest,
    messages,
    package,
    workflow,
)
from uiap.authoring.build import build

STEPS = [
    "load_package",
    "resolve_imports",
    "load_manifests",
    "apply_discovery",
    "apply_overlays",
    "resolve_locales",
    "apply_reviews",
    "validate_references",
    "generate_bundle",
    "check_gates",
]
ROUTE = {"id": "home", "match": [{"kind": "path", "value": "/"}]}


def overlay(id: str, target: str, path: str, op: str, value: Any, **more: Any) -> dict[str, Any]:
    patch = {"manifestId": target, "path": path, "op": op, "value": value, **more}
    return manifest("Overlay", id, {"selector": {}, "patches": [patch]})


@pytest.mark.requirement("AUTH-7")
def test_the_build_function_is_the_ten_steps_in_the_order_of_the_spec() -> None:
    tree = ast.parse(inspect.getsource(build))
    calls = sorted(
        (node.lineno, node.func.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in STEPS
    )
    assert [name for _, name in calls] == STEPS


@pytest.mark.requirement("AUTH-7c")
@pytest.mark.requirement("AUTH-7", "AUTH-5.10")
def test_overlays_apply_to_content_from_discovery() -> None:
    found = {"routeId": "home", "titles": ["Found"], "discoveredBy": [], "confidence": "high"}
    rule = {"kind": "route", "targetManifestId": "b"}
    take = manifest("DiscoveryImport", "take", {"source": {"runId": "r"}, "accept": [rule]})
    change = overlay("o", "b", "/spec/routes/0/title", "replace", "Better")
    files = package(manifest("Bindings", "b", {"routes": []}), take, change)
    result = built(files, discovery={"r": discovery_run("r", routes=[found])})
    assert result.bundle is not None, messages(result)
    assert result.bundle.bindings.routes[0].title == "Better"  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-7", "AUTH-5.8b")
def test_texts_are_resolved_after_overlays() -> None:
    texts = manifest("LocalePack", "t", {"namespaces": {"n": {"messages": {"k": {"default": "old"}}}}})
    routes = manifest("Bindings", "b", {"routes": [{**ROUTE, "title": "plain"}]})
    refer = overlay("o", "b", "/spec/routes/0/title", "replace", {"ref": "n.k"})
    reword = overlay("p", "t", "/spec/namespaces/n/messages/k/default", "replace", "new")
    result = built(package(texts, routes, refer, reword))
    assert result.bundle is not None, messages(result)
    assert result.bundle.bindings.routes[0].title == "new"  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-7", "AUTH-5.9")
def test_reviews_apply_to_content_from_overlays() -> None:
    acts = manifest("Actions", "acts", {"actions": []}, state="draft")
    added = overlay("o", "acts", "/spec/actions", "append", action("late"))
    decision = {
        "target": {"manifestId": "acts", "itemId": "late"},
        "state": "approved",
        "by": "a",
        "at": "2026-01-01T00:00:00Z",
    }
    prod = {"channels": [{"name": "prod", "requiredReviewState": "approved"}]}
    files = package(acts, added, manifest("ReviewSet", "r", {"decisions": [decision]}), publish=prod)
    result = built(files, channel="prod")
    assert result.data, messages(result)


@pytest.mark.requirement("AUTH-7")
def test_references_are_checked_on_the_result_of_all_earlier_steps() -> None:
    element = {"id": "e", "match": [{"by": "text", "text": "x"}], "routeIds": ["home"]}
    late = package(
        manifest("Bindings", "b", {"routes": [], "elements": [element]}),
        overlay("o", "b", "/spec/routes", "append", ROUTE),
    )
    assert codes(built(late)) == []
    gone = package(
        manifest("Bindings", "b", {"routes": [ROUTE], "elements": [element]}),
        manifest(
            "Overlay",
            "o",
            {"selector": {}, "patches": [{"manifestId": "b", "path": "/spec/routes/0", "op": "remove"}]},
        ),
    )
    assert codes(built(gone)) == ["unresolved"]


@pytest.mark.requirement("AUTH-7", "AUTH-9", "AUTH-12")
def test_gates_come_last_and_refuse_a_finished_bundle() -> None:
    files = package(
        state="draft", publish={"channels": [{"name": "prod", "requiredReviewState": "approved"}]}
    )
    result = built(files, channel="prod")
    assert result.preview and not result.data
    assert result.bundle is None


@pytest.mark.requirement("AUTH-12")
def test_a_bundle_is_resolved_and_sorted() -> None:
    acts = manifest("Actions", "acts", {"actions": [action("b"), action("a")]})
    flows = manifest("WorkflowCatalog", "flows", {"workflows": [workflow("z"), workflow("y")]})
    bundle = built(package(acts, flows)).bundle
    assert bundle is not None
    assert [a.id for a in bundle.actions or ()] == ["a", "b"]
    assert [w.id for w in bundle.workflows or ()] == ["y", "z"]
    assert bundle.profile == "web@0.1"


def test_with_a_cache_only_changed_texts_are_read_again() -> None:
    base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
    files, cache = folder("videoland-example"), {}  # type: dict[str, str], Cache
    first = built(files, imports=base, channel="staging", cache=cache)
    size = len(cache)
    assert built(files, imports=base, channel="staging", cache=cache).data == first.data
    assert len(cache) == size
    files["app.uiap.yaml"] = files["app.uiap.yaml"].replace("displayName: Videoland", "displayName: Filmland")
    second = built(files, imports=base, channel="staging", cache=cache)
    assert len(cache) == size + 1
    assert second.data == built(files, imports=base, channel="staging").data != first.data


def test_a_shared_cache_never_leaks_one_context_into_another() -> None:
    base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
    files, cache = folder("videoland-example"), {}  # type: dict[str, str], Cache
    contexts = [
        {"channel": "prod"},
        {"channel": "staging"},
        {"channel": "staging", "locale": "en"},
        {"channel": "staging"},
    ]
    for context in contexts:
        fresh = built(files, imports=base, **context)
        assert built(files, imports=base, cache=cache, **context).preview == fresh.preview


def test_a_build_without_files_returns_a_diagnostic() -> None:
    result = build({}, now="2026-06-01T00:00:00Z")
    assert codes(result) == ["no_package"]
