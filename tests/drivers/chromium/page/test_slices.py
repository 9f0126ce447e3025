"""A large delta is applied in slices that are valid one by one, and gives the same graph as the whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from msgspec import UNSET

from tests.support.playbook import button
from uiap.drivers.chromium.page.messages import FrameDelta
from uiap.drivers.chromium.page.slices import SlicedWork, slices_of
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import (
    DocumentNode,
    ElementNode,
    NodeDelta,
    NodePatch,
    PageGraph,
    PageGraphDelta,
    RouteInfo,
    ScopeNode,
)

COUNT = 40


def element(number: int, **members: object) -> ElementNode:
    made = button(f"Row {number}")
    return msgspec.structs.replace(made, instance_id=f"d1e{number}", document_id="d1", **members)


def graph() -> PageGraph:
    return PageGraph(
        profile="web@0.1",
        model_version="0.1",
        revision="rev_0",
        seq=0,
        captured_at="2026-03-26T14:00:00.000Z",
        route=RouteInfo(url="http://app.test/"),
        documents=(DocumentNode(document_id="d1", kind="root", access="full"),),
        scopes=(),
        elements=tuple(element(number) for number in range(COUNT)),
    )


def large_delta() -> FrameDelta:
    """Everything changes: a new scope with new rows in it, new names, a moved row, and the old half is removed."""
    scope = ScopeNode(scope_id="s1", document_id="d1", kind="form")
    added = tuple(element(100 + number, scope_id="s1") for number in range(COUNT))
    nested = element(200, parent_instance_id="d1e100")
    kept = range(COUNT // 2, COUNT)
    return FrameDelta(
        route=RouteInfo(url="http://app.test/next"),
        scopes=NodeDelta(added=(scope,)),
        elements=NodeDelta(
            added=(*added, nested),
            updated=(
                *(NodePatch(key=f"d1e{number}", patch={"name": f"New {number}"}) for number in kept),
                NodePatch(key="d1e39", patch={"parentInstanceId": "d1e100"}),
            ),
            removed=tuple(f"d1e{number}" for number in range(COUNT // 2)),
        ),
    )


def applied(slices: list[FrameDelta]) -> GraphStore:
    store = GraphStore(graph())
    for number, part in enumerate(slices, 1):
        delta = PageGraphDelta(
            base_revision=f"rev_{number - 1}",
            revision=f"rev_{number}",
            seq=number,
            captured_at="2026-03-26T14:00:00.000Z",
            route=part.route,
            scopes=part.scopes,
            elements=part.elements,
        )
        assert isinstance(store.apply(delta), Applied)
    return store


@pytest.mark.parametrize("size", [1, 3, 7, 20])
def test_the_slices_give_the_same_graph_as_the_whole_delta(size: int) -> None:
    whole, sliced = applied([large_delta()]), applied(slices_of(large_delta(), size))
    assert [one.instance_id for one in whole] == [one.instance_id for one in sliced]
    assert dict(whole.elements) == dict(sliced.elements)
    assert dict(whole.scopes) == dict(sliced.scopes)
    assert whole.route == sliced.route


def test_no_slice_adds_or_updates_more_than_its_size() -> None:
    for part in slices_of(large_delta(), 7):
        if part.elements is not UNSET:
            assert len(part.elements.added or ()) + len(part.elements.updated or ()) <= 7


def test_a_small_delta_and_one_that_replaces_nodes_stay_whole() -> None:
    assert len(slices_of(large_delta())) == 1
    assert len(slices_of(FrameDelta())) == 1
    replacing = FrameDelta(
        elements=NodeDelta(added=tuple(map(element, range(COUNT))), removed=("d1e1",)),
    )
    assert slices_of(replacing, 5) == [replacing]


async def test_other_messages_wait_for_the_slices_and_keep_their_order() -> None:
    done: list[str] = []

    def step(name: str) -> Callable[[], bool]:
        return lambda: done.append(name) is None

    work = SlicedWork()
    work.do(lambda: done.append("before"))
    work.begin()
    running = asyncio.create_task(work.run([step("first"), step("second")]))
    work.do(lambda: done.append("after"))
    assert work.busy
    await work.idle(20)
    await running
    assert done == ["before", "first", "second", "after"]
    assert not work.busy


async def test_slices_end_when_their_document_is_gone() -> None:
    done: list[int] = []
    work = SlicedWork()
    work.begin()
    await work.run([lambda: False, lambda: done.append(1) is None])
    await work.idle(1)
    assert done == []
