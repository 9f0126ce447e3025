"""A delta is checked as a whole before anything changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.graph.pages import Page, delta
from uiap.graph.changes import NodeKind
from uiap.graph.plan import DeltaPlan, InvalidDelta
from uiap.spec.web import NodeDelta, NodePatch


def page() -> Page:
    made = Page()
    scope = made.scope("form", "User")
    made.element("button", "Save", scope_id=scope)
    return made


def plan(**members: Any) -> DeltaPlan:
    made = page()
    tables: dict[NodeKind, dict[str, Any]] = {
        "documents": {one.document_id: one for one in made.documents},
        "scopes": {one.scope_id: one for one in made.scopes},
        "elements": {one.instance_id: one for one in made.elements},
        "collections": {},
        "opaque_regions": {},
    }

    def dependents(kind: NodeKind, key: str) -> Iterable[tuple[NodeKind, str]]:
        if kind == "scopes":
            yield from (("elements", one.instance_id) for one in made.elements if one.scope_id == key)

    return DeltaPlan(tables, dependents, delta("r1", "r2", 2, **members))


def test_a_patch_is_applied_to_a_copy() -> None:
    made = plan(elements=NodeDelta(updated=(NodePatch(key="f0e2", patch={"name": "Send"}),)))
    assert made.after("elements", "f0e2").name == "Send"
    assert made.after("elements", "f0e1").name == "User"


def test_an_added_and_a_removed_node_are_known_before_the_delta_is_applied() -> None:
    extra = replace(page().elements[1], instance_id="f0e9")
    made = plan(elements=NodeDelta(added=(extra,), removed=("f0e2",)))
    assert made.has("elements", "f0e9") and not made.has("elements", "f0e2")


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"elements": NodeDelta(updated=(NodePatch(key="f0e9", patch={"name": "x"}),))}, "f0e9"),
        ({"elements": NodeDelta(removed=("f0e9",))}, "f0e9"),
        ({"elements": NodeDelta(added=(page().elements[1],))}, "f0e2"),
        ({"scopes": NodeDelta(removed=("f0s1",))}, "f0s1"),
        ({"elements": NodeDelta(updated=(NodePatch(key="f0e2", patch={"role": 7}),))}, "f0e2"),
    ],
    ids=["unknown update", "unknown removal", "repeated key", "scope in use", "invalid patch"],
)
def test_a_delta_that_does_not_fit_is_refused_with_its_reason(members: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidDelta, match=words):
        plan(**members)
