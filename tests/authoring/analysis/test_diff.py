"""Differences of bundles: the changes, their version step, and whether the new version allows them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import action, built, manifest, messages, package, policy, workflow
from uiap.authoring.analysis.diff import BundleDiff, diff, next_version
from uiap.authoring.versions import parse_version
from uiap.spec.authoring import UIAPCompiledBundle

BUTTON = {
    "id": "e",
    "role": "button",
    "name": "Save",
    "match": [{"by": "annotation", "attr": "data-uiap-id", "value": "e"}, {"by": "text", "text": "Save"}],
}
LINK = {"id": "f", "role": "link", "match": [{"by": "text", "text": "More"}]}
RULE = {"id": "r", "match": {}, "effect": "confirm"}


def bundle(
    version: str = "1.0.0", app: Any = None, locale: str | None = None, **sections: Any
) -> UIAPCompiledBundle:
    listed = [
        manifest(
            "App", "app", {"appId": "a", "displayName": "A", "environments": [{"id": "eu"}], **(app or {})}
        )
    ]
    for kind, section, usual in (
        ("Bindings", "elements", [BUTTON, LINK]),
        ("Actions", "actions", [action("a")]),
        ("PolicySet", "policies", [policy("p", rules=[RULE])]),
        ("WorkflowCatalog", "workflows", [workflow("w")]),
    ):
        listed.append(manifest(kind, section, {section: sections.get(section, usual)}))
    texts = {"n": {"messages": sections.get("texts", {"k": {"default": "t"}})}}
    listed.append(manifest("LocalePack", "texts", {"namespaces": texts}))
    result = built(
        package(*listed, version=version, compatibility=sections.get("compatibility", {"uiapCore": "^0.1"})),
        **({"locale": locale} if locale else {}),
    )
    assert result.bundle is not None, messages(result)
    return result.bundle


def changes(**new: Any) -> list[tuple[str, str, str, str]]:
    found = diff(bundle(locale="de"), bundle(locale="de", **new))
    return [(c.what, c.id, c.how, c.bump) for c in found.changes]


TABLE: list[tuple[str, dict[str, Any], list[tuple[str, str, str, str]]]] = [
    ("nothing", {}, []),
    (
        "a new element",
        {"elements": [BUTTON, LINK, {"id": "g", "match": [{"by": "text", "text": "New"}]}]},
        [("element", "g", "added", "minor")],
    ),
    ("an element gone", {"elements": [BUTTON]}, [("element", "f", "removed", "major")]),
    (
        "an element under another id",
        {"elements": [BUTTON, {**LINK, "id": "more"}]},
        [("element", "f", "renamed", "major")],
    ),
    (
        "another name",
        {"elements": [{**BUTTON, "name": "Store"}, LINK]},
        [("element", "e", "changed", "patch")],
    ),
    (
        "one more matcher",
        {"elements": [{**BUTTON, "match": [*BUTTON["match"], {"by": "label", "text": "x"}]}, LINK]},
        [("element", "e", "changed", "patch")],
    ),  # type: ignore[misc]
    (
        "matchers with nothing in common",
        {"elements": [{**BUTTON, "match": [{"by": "label", "text": "x"}]}, LINK]},
        [("element", "e", "changed", "major")],
    ),
    (
        "another role",
        {"elements": [{**BUTTON, "role": "link"}, LINK]},
        [("element", "e", "changed", "major")],
    ),
    ("another risk", {"actions": [action("a", "confirm")]}, [("action", "a", "changed", "major")]),
    ("another title", {"actions": [action("a", title="T")]}, [("action", "a", "changed", "patch")]),
    (
        "an optional argument",
        {"actions": [action("a", args=[{"name": "x", "type": "string"}])]},
        [("action", "a", "changed", "minor")],
    ),
    (
        "a required argument",
        {"actions": [action("a", args=[{"name": "x", "type": "string", "required": True}])]},
        [("action", "a", "changed", "major")],
    ),
    (
        "one more mode",
        {"actions": [action("a", executionModes=["appAction", "semanticUi"])]},
        [("action", "a", "changed", "minor")],
    ),
    (
        "one mode less",
        {"actions": [action("a", executionModes=["semanticUi"])]},
        [("action", "a", "changed", "major")],
    ),
    (
        "another handler",
        {"actions": [action("a", implementation={"kind": "sdkHandler", "ref": "z"})]},
        [("action", "a", "changed", "major")],
    ),
    (
        "a stricter rule",
        {"policies": [policy("p", rules=[{**RULE, "effect": "deny"}])]},
        [("policy", "p", "changed", "major")],
    ),
    (
        "a more lenient default",
        {"policies": [policy("p", rules=[RULE], defaults={"onSafe": "allow"})]},
        [("policy", "p", "changed", "major")],
    ),
    (
        "a reworded policy",
        {"policies": [policy("p", rules=[RULE], title="T")]},
        [("policy", "p", "changed", "patch")],
    ),
    (
        "a new policy",
        {"policies": [policy("p", rules=[RULE]), policy("q")]},
        [("policy", "q", "added", "minor")],
    ),
    (
        "a reworded workflow",
        {"workflows": [workflow("w", title="New")]},
        [("workflow", "w", "changed", "patch")],
    ),
    (
        "a reworded step",
        {
            "workflows": [
                workflow(
                    "w",
                    steps=[
                        {"id": "a", "type": "instruction", "text": "new"},
                        {"id": "z", "type": "complete"},
                    ],
                )
            ]
        },
        [("workflow", "w", "changed", "patch")],
    ),
    (
        "another step",
        {"workflows": [workflow("w", steps=[{"id": "a", "type": "complete"}])]},
        [("workflow", "w", "changed", "major")],
    ),
    (
        "one mode less",
        {"workflows": [workflow("w", interactionModes=["guide"])]},
        [("workflow", "w", "changed", "major")],
    ),
    (
        "a new workflow",
        {"workflows": [workflow("v", goals=["x"]), workflow("w")]},
        [("workflow", "v", "added", "minor")],
    ),
    ("another text", {"texts": {"k": {"default": "u"}}}, [("text", "n.k", "changed", "patch")]),
    (
        "a new text",
        {"texts": {"k": {"default": "t"}, "l": {"default": "u"}}},
        [("text", "n.l", "added", "minor")],
    ),
    ("another display name", {"app": {"displayName": "B"}}, [("app", "displayName", "changed", "patch")]),
    ("an environment gone", {"app": {"environments": []}}, [("app", "environments/eu", "removed", "major")]),
    (
        "a new locale",
        {"app": {"supportedLocales": ["de"]}},
        [("app", "supportedLocales/de", "added", "minor")],
    ),
    ("another app", {"app": {"appId": "b"}}, [("app", "b", "changed", "major")]),
    ("another core", {"compatibility": {"uiapCore": "*"}}, [("compatibility", "", "changed", "major")]),
]


@pytest.mark.requirement("AUTH-11b", "AUTH-11c", "AUTH-11d")
@pytest.mark.requirement("AUTH-11", "AUTH-5.3b")
@pytest.mark.parametrize(("name", "new", "expected"), TABLE, ids=[row[0] for row in TABLE])
def test_each_change_needs_its_version_step(
    name: str, new: Any, expected: list[tuple[str, str, str, str]]
) -> None:
    assert changes(**new) == expected


def _diff(old: str, new: str, **sections: Any) -> BundleDiff:
    return diff(bundle(old), bundle(new, **sections))


@pytest.mark.requirement("AUTH-11")
@pytest.mark.parametrize(
    ("old", "new", "needed", "enough"),
    [
        ("1.2.3", "2.0.0", "major", True),
        ("1.2.3", "1.3.0", "major", False),
        ("1.2.3", "1.3.0", "minor", True),
        ("1.2.3", "1.2.4", "minor", False),
        ("1.2.3", "1.2.4", "patch", True),
        ("1.2.3", "1.2.3", "patch", False),
        ("1.2.3", "1.2.3", "none", True),
        ("1.2.3", "1.2.2", "none", False),
        ("2.0.0", "1.0.0", "major", False),
        ("0.1.0", "0.2.0", "major", True),
        ("0.1.0", "0.1.1", "major", False),
        ("0.1.0", "0.1.1", "minor", True),
        ("0.1.0", "0.1.0", "patch", False),
    ],
)
def test_a_version_step_must_be_large_enough(old: str, new: str, needed: str, enough: bool) -> None:
    sections: dict[str, Any] = {
        "major": {"elements": [BUTTON]},
        "minor": {"workflows": [workflow("w"), workflow("v")]},
        "patch": {"actions": [action("a", title="T")]},
        "none": {},
    }[needed]
    found = _diff(old, new, **sections)
    assert (found.needed, found.enough) == (needed, enough)


@pytest.mark.parametrize(
    ("old", "needed", "proposed"),
    [
        ("1.2.3", "major", "2.0.0"),
        ("1.2.3", "minor", "1.3.0"),
        ("1.2.3", "patch", "1.2.4"),
        ("0.1.2", "major", "0.2.0"),
        ("0.1.2", "minor", "0.1.3"),
        ("1.0.0-rc.1", "patch", "1.0.0"),
        ("1.2.3", "none", "1.2.3"),
    ],
)
def test_the_next_version_is_proposed(old: str, needed: Any, proposed: str) -> None:
    assert str(next_version(parse_version(old), needed)) == proposed
