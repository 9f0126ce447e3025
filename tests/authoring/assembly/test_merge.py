"""Merging manifests of a kind: joined items, contradictions, and items that the context does not select."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import action, built, codes, manifest, messages, package, policy, workflow

MATCH = [{"by": "text", "text": "x"}]


def two(kind: str, section: str, left: Any, right: Any) -> dict[str, str]:
    return package(manifest(kind, "left", {section: [left]}), manifest(kind, "right", {section: [right]}))


@pytest.mark.requirement("AUTH-7.1")
@pytest.mark.parametrize(
    ("kind", "section", "item"),
    [
        ("Actions", "actions", action("a")),
        ("Bindings", "elements", {"id": "e", "match": MATCH}),
        ("PolicySet", "policies", policy("p")),
        ("WorkflowCatalog", "workflows", workflow("w")),
    ],
)
def test_equal_items_are_merged_into_one(kind: str, section: str, item: Any) -> None:
    result = built(two(kind, section, item, item))
    assert codes(result) == [], messages(result)
    assert result.content is not None
    (merged,) = result.content.items[section].values()
    assert [m.id for m in merged.origins] == ["left", "right"]


@pytest.mark.requirement("AUTH-7.1", "AUTH-5.4b", "AUTH-5.6b")
@pytest.mark.parametrize(
    ("kind", "section", "left", "right"),
    [
        (
            "Actions",
            "actions",
            action("a"),
            action("a", implementation={"kind": "serverAction", "ref": "other"}),
        ),
        ("Actions", "actions", action("a"), action("a", "confirm")),
        (
            "Bindings",
            "elements",
            {"id": "e", "match": MATCH, "role": "link"},
            {"id": "e", "match": MATCH, "role": "tab"},
        ),
        ("PolicySet", "policies", policy("p"), policy("p", defaults={"onSafe": "deny"})),
        ("WorkflowCatalog", "workflows", workflow("w"), workflow("w", category="setup")),
        ("WorkflowCatalog", "workflows", workflow("w"), workflow("w", goals=["more"])),
    ],
)
def test_items_that_contradict_each_other_name_both_files(
    kind: str, section: str, left: Any, right: Any
) -> None:
    (error,) = built(two(kind, section, left, right)).errors
    assert error.code == "merge_conflict"
    assert "(left.uiap.yaml)" in error.message and "(right.uiap.yaml)" in error.message


@pytest.mark.requirement("AUTH-7.1")
def test_parts_without_contradictions_are_joined() -> None:
    left = {"id": "e", "match": MATCH, "metadata": {"a": 1}}
    right = {"id": "e", "match": MATCH, "role": "link", "metadata": {"b": 2}}
    result = built(two("Bindings", "elements", left, right))
    element = result.bundle.bindings.elements[0]  # type: ignore[union-attr, index]
    assert (element.role, element.metadata) == ("link", {"a": 1, "b": 2})


@pytest.mark.requirement("AUTH-7.1c")
@pytest.mark.requirement("AUTH-7.1")
def test_different_matchers_of_one_element_need_a_review() -> None:
    result = built(
        two(
            "Bindings",
            "elements",
            {"id": "e", "match": MATCH},
            {"id": "e", "match": [{"by": "label", "text": "y"}]},
        )
    )
    assert (codes(result), codes(result, "warning")) == ([], ["match_conflict"])
    assert [m.by for m in result.bundle.bindings.elements[0].match] == ["text"]  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-5.4b", "AUTH-5.6b")
@pytest.mark.parametrize(
    ("kind", "section", "item"),
    [
        ("Actions", "actions", action("a")),
        ("WorkflowCatalog", "workflows", workflow("w")),
        ("Bindings", "elements", {"id": "e", "match": MATCH}),
        ("PolicySet", "policies", policy("p")),
    ],
)
def test_a_repeated_id_in_a_list_is_an_error(kind: str, section: str, item: Any) -> None:
    assert codes(built(package(manifest(kind, "m", {section: [item, item]})))) == ["duplicate_id"]


def capabilities(id: str, *actions: dict[str, Any], **members: Any) -> dict[str, Any]:
    bare = [{k: v for k, v in a.items() if k != "implementation"} for a in actions]
    document = {
        "modelVersion": "0.1",
        "profile": "web@0.1",
        "roles": ["button"],
        "stateKeys": ["visible"],
        "affordances": ["activate"],
        "actions": bare,
        "riskLevels": ["safe", "confirm", "blocked"],
        "successSignalKinds": ["toast.contains"],
        **members,
    }
    return manifest("Capabilities", id, {"document": document})


@pytest.mark.requirement("AUTH-7.1b")
@pytest.mark.requirement("AUTH-5.2", "AUTH-7.1")
def test_capability_documents_are_merged() -> None:
    left = capabilities("l", action("a"), roles=["button", "link"])
    right = capabilities("r", action("a"), action("b"), roles=["link", "tab"], metadata={"x": 1})
    document = built(package(left, right)).bundle.capabilities  # type: ignore[union-attr]
    assert document.roles == ("button", "link", "tab")
    assert [a.id for a in document.actions] == ["a", "b"]
    assert document.metadata == {"x": 1}


@pytest.mark.requirement("AUTH-5.2", "AUTH-7.1")
def test_capability_documents_that_contradict_each_other_are_an_error() -> None:
    assert codes(built(package(capabilities("l"), capabilities("r", profile="x@1")))) == ["merge_conflict"]
    assert (
        codes(built(package(capabilities("l", action("a")), capabilities("r", action("a", title="T"))))) == []
    )
    clash = package(capabilities("l", action("a", title="S")), capabilities("r", action("a", title="T")))
    assert codes(built(clash)) == ["merge_conflict"]


@pytest.mark.requirement("AUTH-5.2")
def test_capabilities_with_a_lower_risk_than_actions_are_an_error_and_stricter_ones_win() -> None:
    acts = manifest("Actions", "acts", {"actions": [action("a", "confirm")]})
    assert codes(built(package(acts, capabilities("c", action("a", "safe"))))) == ["capability_conflict"]
    strict = built(package(acts, capabilities("c", action("a", "blocked"))))
    assert codes(strict) == [] and "capability_conflict" in codes(strict, "warning")
    assert strict.bundle.actions[0].risk.level == "blocked"  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-7.1g")
@pytest.mark.requirement("AUTH-5.5")
def test_several_policies_are_kept_and_the_stricter_default_is_reported() -> None:
    files = package(
        manifest(
            "PolicySet",
            "ps",
            {
                "policies": [
                    policy("lax", defaults={"onSafe": "allow"}),
                    policy("strict", defaults={"onSafe": "deny"}),
                ]
            },
        )
    )
    result = built(files)
    assert [p.id for p in result.bundle.policies] == ["lax", "strict"]  # type: ignore[union-attr]
    (info,) = [d for d in result.diagnostics if d.code == "policy_conflict"]
    assert "the stricter `deny` wins" in info.message


@pytest.mark.requirement("AUTH-12b")
@pytest.mark.requirement("AUTH-8", "AUTH-12")
def test_only_content_for_the_context_is_in_the_bundle() -> None:
    only = {"environments": ["eu"]}
    files = package(
        manifest("Actions", "a", {"actions": [action("eu", selectors=[only]), action("all")]}),
        manifest("PolicySet", "p", {"policies": [{**policy("eu"), "selector": only}, policy("all")]}),
        manifest(
            "WorkflowCatalog", "w", {"workflows": [{**workflow("eu"), "selector": only}, workflow("all")]}
        ),
    )
    for context, ids in (
        ({}, ["all"]),
        ({"environment": "us"}, ["all"]),
        ({"environment": "eu"}, ["all", "eu"]),
    ):
        bundle = built(files, **context).bundle
        assert bundle is not None
        for items in (bundle.actions, bundle.policies, bundle.workflows):
            assert sorted(item.id for item in items) == ids  # type: ignore[union-attr]
