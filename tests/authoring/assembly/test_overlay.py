"""Overlays: selection, order, and reported conflicts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import action, built, codes, manifest, messages, package, workflow

APP = manifest(
    "App", "app", {"appId": "a", "displayName": "A", "metadata": {"x": 1, "l": [1, 2], "o": {"p": 1}}}
)


def overlay(
    id: str, *patches: dict[str, Any], selector: dict[str, Any] | None = None, **head: Any
) -> dict[str, Any]:
    full = [{"manifestId": "app", **patch} for patch in patches]
    return manifest("Overlay", id, {"selector": selector or {}, "patches": full}, **head)


def at(path: str, op: str = "replace", **members: Any) -> dict[str, Any]:
    return {"path": f"/spec/metadata/{path}", "op": op, **members}


def metadata(*overlays: dict[str, Any], **context: Any) -> Any:
    result = built(package(APP, *overlays), **context)
    assert result.bundle is not None, messages(result)
    return result.bundle.app.metadata


@pytest.mark.requirement("AUTH-5.8a", "AUTH-8")
def test_only_overlays_the_context_selects_apply() -> None:
    prod = overlay("o", at("x", value=2), selector={"channels": ["prod"], "environments": ["eu"]})
    channels = {"publish": {"channels": [{"name": "prod"}]}}
    files = package(APP, prod, **channels)
    for context, value in (
        ({}, 1),
        ({"environment": "eu"}, 1),
        ({"channel": "prod", "environment": "eu"}, 2),
    ):
        result = built(files, **context)  # type: ignore[arg-type]
        assert result.bundle is not None and result.bundle.app.metadata["x"] == value  # type: ignore[index]


@pytest.mark.requirement("AUTH-5.8b")
def test_overlays_apply_in_the_order_of_the_package() -> None:
    first, second = overlay("z", at("l", "append", value=3)), overlay("a", at("l", "append", value=4))
    assert metadata(first, second)["l"] == [1, 2, 3, 4]
    assert metadata(second, first)["l"] == [1, 2, 4, 3]


@pytest.mark.requirement("AUTH-5.8b")
def test_patches_of_one_overlay_apply_in_order_and_may_overlap() -> None:
    assert metadata(overlay("o", at("x", value=2), at("x", value=3)))["x"] == 3


CONFLICTS = [
    (at("x", value=2), at("x", value=3)),
    (at("x", value=2), at("x", "remove")),
    (at("o", value={}), at("o/p", value=2)),
    (at("o/p", value=2), at("o", "remove")),
    (at("o", "merge", value={"q": 1}), at("o", "merge", value={"r": 1})),
    (at("o", "merge", value={"q": 1}), at("o/p", value=2)),
    (at("l", "append", value=3), at("l", value=[])),
    (at("l", "append", value=3), at("l/0", value=0)),
    (at("l/0", "remove"), at("l/1", value=0)),
    (at("l/1", value=0), at("l/0", "remove")),
    (at("l/0", "remove"), at("l/1", "remove")),
    (at("l/0", "remove"), at("l", "append", value=3)),
]


@pytest.mark.requirement("AUTH-5.8b")
@pytest.mark.parametrize(("left", "right"), CONFLICTS)
def test_two_overlays_that_change_the_same_value_are_an_error_that_names_both(left: Any, right: Any) -> None:
    result = built(package(APP, overlay("left", left), overlay("right", right)))
    assert result.data == b""
    (error,) = [d for d in result.errors if d.code == "overlay_conflict"]
    assert "`left` (left.uiap.yaml, patch 1)" in error.message
    assert "`right` (right.uiap.yaml, patch 1)" in error.message
    assert (error.file, error.pointer) == ("right.uiap.yaml", "/spec/patches/0")


@pytest.mark.requirement("AUTH-5.8b")
@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (at("x", value=2), at("x", value=2), {"x": 2}),
        (at("x", "remove"), at("x", "remove"), {}),
        (at("l", "append", value=3), at("l", "append", value=3), {"l": [1, 2, 3, 3]}),
        (at("l/1", "remove"), at("l/0", value=9), {"l": [9]}),
        (at("x", value=2), at("o/p", value=2), {"x": 2, "o": {"p": 2}}),
    ],
)
def test_patches_that_are_equal_or_do_not_overlap_are_applied(left: Any, right: Any, expected: Any) -> None:
    found = metadata(overlay("left", left), overlay("right", right))
    assert {key: found[key] for key in expected} == expected


@pytest.mark.requirement("AUTH-5.8b")
def test_upserts_conflict_only_on_equal_identities() -> None:
    actions = manifest("Actions", "acts", {"actions": [action("a")]})

    def upsert(id: str, title: str) -> dict[str, Any]:
        value = action(id, title=title)
        return {
            "manifestId": "acts",
            "path": "/spec/actions",
            "op": "upsert",
            "matchKey": "id",
            "value": value,
        }

    apart = built(package(APP, actions, overlay("l", upsert("a", "x")), overlay("r", upsert("b", "y"))))
    assert apart.bundle is not None, messages(apart)
    assert [(a.id, a.title) for a in apart.bundle.actions or ()] == [("a", "x"), ("b", "y")]
    together = package(APP, actions, overlay("l", upsert("a", "x")), overlay("r", upsert("a", "y")))
    assert codes(built(together)) == ["overlay_conflict"]


@pytest.mark.requirement("AUTH-5.8a")
@pytest.mark.parametrize(
    "patch",
    [
        {"path": "/apiVersion", "op": "replace", "value": "x"},
        {"path": "/kind", "op": "replace", "value": "Package"},
        {"path": "/metadata/id", "op": "replace", "value": "other"},
        {"path": "/metadata/reviewState", "op": "replace", "value": "draft"},
        {"path": "/metadata", "op": "merge", "value": {"source": "manual"}},
        {"path": "/metadata", "op": "replace", "value": {"id": "app"}},
        {"path": "", "op": "merge", "value": {"status": {"digest": "x"}}},
        {"path": "/metadata/reviewState", "op": "remove"},
    ],
)
def test_identity_and_approval_cannot_be_patched(patch: dict[str, Any]) -> None:
    assert codes(built(package(APP, overlay("o", patch)))) == ["overlay_protected"]


@pytest.mark.requirement("AUTH-5.8a")
def test_packages_overlays_and_reviews_cannot_be_patched() -> None:
    reviews = manifest("ReviewSet", "r", {"decisions": []})
    for target in ("o", "r"):
        patch = {"manifestId": target, "path": "/metadata/title", "op": "replace", "value": "x"}
        assert codes(built(package(APP, reviews, overlay("o", patch)))) == ["overlay_target"]
    patch = {"manifestId": "package", "path": "/spec/version", "op": "replace", "value": "9.0.0"}
    assert codes(built(package(APP, overlay("o", patch)))) == ["unknown_manifest"]


def test_a_patched_manifest_must_still_be_valid() -> None:
    broken = overlay("o", {"path": "/spec/appId", "op": "replace", "value": 7})
    assert codes(built(package(APP, broken))) == ["overlay_result"]
    root = overlay("o", {"path": "", "op": "replace", "value": {}})
    assert codes(built(package(APP, root))) == ["overlay_protected"]


def test_an_unselected_overlay_is_still_checked() -> None:
    off = overlay("o", {"path": "nope", "op": "append"}, selector={"channels": ["dev"]})
    assert sorted(codes(built(package(APP, off)))) == ["bad_patch", "bad_pointer"]


CATALOG = manifest("WorkflowCatalog", "flows", {"workflows": [workflow("w")]})


def flow_patch(path: str, value: Any) -> dict[str, Any]:
    return {
        "manifestId": "flows",
        "path": f"/spec/workflows/0/definition/{path}",
        "op": "replace",
        "value": value,
    }


@pytest.mark.requirement("AUTH-5.6b")
def test_an_overlay_that_changes_the_meaning_of_a_workflow_needs_a_new_version() -> None:
    steps = [{"id": "a", "type": "action", "actionId": "ui.activate"}, {"id": "z", "type": "complete"}]
    silent = built(package(APP, CATALOG, overlay("o", flow_patch("steps", steps))))
    assert codes(silent) == ["workflow_reinterpreted"]
    wider = built(
        package(APP, CATALOG, overlay("o", flow_patch("interactionModes", ["guide", "assist", "auto"])))
    )
    assert codes(wider) == ["workflow_reinterpreted"]
    loud = built(
        package(APP, CATALOG, overlay("o", flow_patch("steps", steps), flow_patch("version", "2.0.0")))
    )
    assert (codes(loud), codes(loud, "info")) == ([], ["workflow_overlaid"])


@pytest.mark.requirement("AUTH-5.6b")
def test_an_overlay_may_restrict_a_workflow_or_reword_it() -> None:
    gentle = overlay("o", flow_patch("interactionModes", ["guide"]), flow_patch("title", "New words"))
    result = built(package(APP, CATALOG, gentle))
    assert (codes(result), codes(result, "info")) == ([], []), messages(result)
