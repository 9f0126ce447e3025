"""The difference of two graphs: applied to the first, the delta gives the second."""

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph import walks
from tests.graph.pages import Page
from tests.reference import graph_twin as twin
from uiap.graph.changes import KEY_OF, KINDS
from uiap.graph.diff import diff, is_empty
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import FocusInfo, PageGraph


def by_key(graph: PageGraph) -> dict[str, Any]:
    return {kind: {getattr(one, KEY_OF[kind]): one for one in getattr(graph, kind) or ()} for kind in KINDS}


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.data())
def test_the_difference_of_two_graphs_applied_to_the_first_gives_the_second(data: st.DataObject) -> None:
    first = walks.page()
    first = twin.apply(first, data.draw(walks.deltas(first, 1))) or first
    second = first
    for number in range(2, 4):
        second = twin.apply(second, data.draw(walks.deltas(second, number))) or second
    before, after = msgspec.convert(first, PageGraph), msgspec.convert(second, PageGraph)
    store = GraphStore(before)
    assert isinstance(store.apply(diff(before, after)), Applied)
    now = store.snapshot()
    assert by_key(now) == by_key(after)
    assert (now.revision, now.seq, now.route, now.focus) == (
        after.revision,
        after.seq,
        after.route,
        after.focus,
    )


def test_the_same_graph_gives_an_empty_delta() -> None:
    page = Page()
    page.element("button", "Save")
    assert is_empty(diff(page.graph("r1", 1), page.graph("r2", 2)))


def test_a_node_a_patch_cannot_express_is_replaced() -> None:
    before, after = Page(), Page()
    before.element("button", "Save")
    after.element("button", "Save", metadata={"note": None})
    store = GraphStore(before.graph())
    store.apply(diff(before.graph(), after.graph("r2", 2)))
    assert store.elements["f0e1"].metadata == {"note": None}


def test_a_delta_reports_a_lost_focus_and_an_empty_modal_stack() -> None:
    before, after = Page(), Page()
    before.more = {"focus": FocusInfo(target="f0e1"), "modal_stack": ("f0s1",)}
    change = diff(before.graph(), after.graph("r2", 2))
    assert change.focus is None
    assert change.modal_stack == ()
