"""The store: applying deltas, refusing them, history; compared with a naive reference on random walks."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph import walks
from tests.graph.pages import Page, delta, grid, patch
from tests.reference import graph_twin as twin
from uiap.graph.changes import KINDS
from uiap.graph.diff import diff
from uiap.graph.names import normalised
from uiap.graph.store import Applied, GraphStore, NeedsResync
from uiap.spec.web import FocusInfo, NodeDelta, NodePatch, PageGraph, PageGraphDelta, ScopeNode

QUICK = settings(max_examples=40, deadline=None, derandomize=True)
WIRE = {"opaque_regions": "opaqueRegions"}


def wire(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def wire_nodes(store: GraphStore, member: str) -> dict[str, Any]:
    key = twin.KEYS[member]
    graph = wire(store.snapshot())
    return {node[key]: node for node in graph.get(member, [])}


def same(store: GraphStore, graph: dict[str, Any]) -> None:
    for member, key in twin.KEYS.items():
        assert wire_nodes(store, member) == {node[key]: node for node in graph[member]}
    now = wire(store.snapshot())
    for member in ("revision", "seq", "route", "focus"):
        assert now.get(member) == graph.get(member)


@QUICK
@given(st.data())
@pytest.mark.requirement("MDM-R3c", "MDM-R3d")
def test_a_random_walk_of_deltas_ends_where_the_naive_twin_ends(data: st.DataObject) -> None:
    graphs = [walks.page()]
    store = GraphStore(msgspec.convert(graphs[0], PageGraph))
    for number in range(1, data.draw(st.integers(2, 6)) + 1):
        change = data.draw(walks.deltas(graphs[-1], number))
        after = twin.apply(graphs[-1], change)
        assert after is not None
        assert isinstance(store.apply(msgspec.convert(change, PageGraphDelta)), Applied)
        graphs.append(after)
        same(store, after)
    for earlier in graphs:
        changes = store.since(earlier["revision"])
        assert changes is not None
        for kind in KINDS:
            member = WIRE.get(kind, kind)
            nodes = getattr(changes, kind)
            added, removed, updated = twin.changed_nodes(earlier, graphs[-1], member)
            key = twin.KEYS[member]
            assert {wire(one)[key] for one in nodes.added} == added
            assert {wire(one)[key] for one in nodes.removed} == removed
            assert {one.key for one in nodes.updated} == updated
            assert all(one.members for one in nodes.updated)


@QUICK
@given(st.data())
def test_a_baseline_returns_every_node_as_it_was_and_names_follow_the_elements(data: st.DataObject) -> None:
    graph = walks.page()
    store = GraphStore(msgspec.convert(graph, PageGraph))
    roles = {one.role for one in store} | {"button", "link"}
    for role in roles:
        store.names(role)
    was = {kind: dict(getattr(store, kind)) for kind in KINDS}
    baseline = store.baseline()
    for number in range(1, 5):
        change = data.draw(walks.deltas(graph, number))
        graph = twin.apply(graph, change) or graph
        store.apply(msgspec.convert(change, PageGraphDelta))
    for role in roles:
        assert store.names(role) == {
            one.instance_id: normalised(one.name or "") for one in store.by_role(role)
        }
    if data.draw(st.booleans()):
        store.load(msgspec.convert(walks.page(), PageGraph))
    for kind in KINDS:
        for key in {*was[kind], *getattr(store, kind)}:
            assert baseline[kind].get(key) == was[kind].get(key)


@QUICK
@given(st.data())
def test_every_element_is_walked_once_and_after_its_parent(data: st.DataObject) -> None:
    graph = walks.page()
    store = GraphStore(msgspec.convert(graph, PageGraph))
    for number in range(1, 5):
        change = data.draw(walks.deltas(graph, number))
        graph = twin.apply(graph, change) or graph
        store.apply(msgspec.convert(change, PageGraphDelta))
    order = [element.instance_id for element in store]
    assert sorted(order) == sorted(store.elements)
    for place, key in enumerate(order):
        around = store.tree.parent(key)
        assert around is None or order.index(around) < place


def page() -> Page:
    made = Page()
    region = made.scope("region", "Main")
    bar = made.element("group", scope_id=region, parent_instance_id="f0e1")
    made.element("button", "Save", scope_id=region, parent_instance_id=bar, stable_id="save")
    made.element("button", "Cancel", scope_id=region, parent_instance_id=bar)
    return made


@pytest.mark.requirement("MDM-R3c")
def test_a_delta_from_another_revision_is_dropped_until_a_snapshot_as_new_arrives() -> None:
    store = GraphStore(page().graph())
    dropped = store.apply(delta("r7", "r8", 8, elements=patch("f0e3", name="Store")))
    assert isinstance(dropped, NeedsResync)
    assert dropped.seq == 8
    # the right base does not help any more: something in between is missing
    assert isinstance(store.apply(delta("r1", "r9", 9)), NeedsResync)
    assert store.element("f0e3").name == "Save"  # type: ignore[union-attr]
    assert isinstance(store.load(page().graph("r6", 6), "resync"), NeedsResync)
    assert store.needs_resync
    assert isinstance(store.load(page().graph("r9", 9), "resync"), Applied)
    assert isinstance(store.apply(delta("r9", "r10", 10)), Applied)


BAD_DELTAS: dict[str, dict[str, Any]] = {
    "an added key that is there": {"elements": NodeDelta(added=(page().elements[2],))},
    "a removed key that is not there": {"elements": NodeDelta(removed=("nope",))},
    "an updated key that is not there": {"elements": patch("nope", name="x")},
    "an update of a node it removes": {
        "elements": NodeDelta(removed=("f0e4",), updated=(NodePatch(key="f0e4", patch={"name": "x"}),))
    },
    "a patch that makes no element": {"elements": patch("f0e3", role="nonsense")},
    "a patch that takes a needed member": {"elements": patch("f0e3", state=None)},
    "a patch that changes the key": {"elements": patch("f0e3", instanceId="other")},
    "a parent that is not there": {"elements": patch("f0e3", parentInstanceId="nope")},
    "a scope that is not there": {"elements": patch("f0e3", scopeId="nope")},
    "a parent removed under its children": {"elements": NodeDelta(removed=("f0e2",))},
    "a scope removed around its elements": {"scopes": NodeDelta(removed=("f0s1",))},
    "a document removed under its scopes": {"documents": NodeDelta(removed=("f0",))},
}


@pytest.mark.parametrize("members", BAD_DELTAS.values(), ids=BAD_DELTAS)
def test_a_delta_that_does_not_fit_changes_nothing_and_asks_for_a_snapshot(members: dict[str, Any]) -> None:
    store = GraphStore(page().graph())
    before = store.snapshot()
    assert isinstance(store.apply(delta("r1", "r2", 2, **members)), NeedsResync)
    assert store.snapshot() == before


@pytest.mark.requirement("MDM-R3c")
def test_a_revision_that_does_not_advance_is_refused() -> None:
    store = GraphStore(page().graph())
    assert isinstance(store.apply(delta("r1", "r2", 1)), NeedsResync)


def test_a_scope_may_go_together_with_its_elements() -> None:
    store = GraphStore(page().graph())
    everything = tuple(element.instance_id for element in store)
    done = store.apply(
        delta("r1", "r2", 2, scopes=NodeDelta(removed=("f0s1",)), elements=NodeDelta(removed=everything))
    )
    assert done == Applied("r2", 2, 5)
    assert not store.elements
    assert store.by_role("button") == ()


def test_the_descendants_of_a_replaced_node_keep_their_position() -> None:
    store = GraphStore(page().graph())
    bar = page().elements[1]
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(removed=("f0e2",), added=(bar,))))
    assert [element.instance_id for element in store] == ["f0e1", "f0e2", "f0e3", "f0e4"]


PLACES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["f0e3", "f0e4", "new"]),
    ({"after": None}, ["new", "f0e3", "f0e4"]),
]
PLACES += [({"after": "f0e3"}, ["f0e3", "new", "f0e4"]), ({"after": "nope"}, ["f0e3", "f0e4", "new"])]


@pytest.mark.parametrize(("metadata", "order"), PLACES)
def test_an_added_element_is_placed_where_the_publisher_says_or_at_the_end_of_its_parent(
    metadata: dict[str, Any], order: list[str]
) -> None:
    store = GraphStore(page().graph())
    new = Page()
    new.element("button", "New", instance_id="new", parent_instance_id="f0e2", metadata=metadata)
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(added=tuple(new.elements))))
    assert [element.instance_id for element in store.children("f0e2")] == order


def test_a_snapshot_with_circles_and_lost_parents_still_shows_every_element() -> None:
    made = Page()
    made.element("group", instance_id="a", parent_instance_id="b")
    made.element("group", instance_id="b", parent_instance_id="a")
    made.element("button", "Lost", instance_id="c", parent_instance_id="nowhere")
    store = GraphStore(made.graph())
    assert sorted(element.instance_id for element in store) == ["a", "b", "c"]
    assert len(list(store.ancestors("a"))) <= 2


def test_a_move_under_itself_is_not_followed() -> None:
    store = GraphStore(page().graph())
    store.apply(delta("r1", "r2", 2, elements=patch("f0e1", parentInstanceId="f0e3")))
    assert {element.instance_id for element in store} == set(store.elements)


def test_the_order_of_a_snapshot_counts_more_than_the_position_that_an_earlier_delta_gave() -> None:
    page = Page()
    for name in ("late", "first", "second"):
        after = {"late": None, "first": None, "second": "first"}[name]
        page.element("button", name, instance_id=name, metadata={"after": after})
    store = GraphStore(page.graph())
    assert [element.instance_id for element in store] == ["late", "first", "second"]


@pytest.mark.requirement("MDM-R3d")
def test_changes_name_the_members_with_old_and_new_value() -> None:
    store = GraphStore(page().graph())
    store.apply(delta("r1", "r2", 2, elements=patch("f0e3", name="Saving", state={"enabled": False})))
    store.apply(delta("r2", "r3", 3, elements=patch("f0e3", name="Saved"), focus=FocusInfo(target="f0e3")))
    changes = store.since("r1")
    assert changes is not None
    (one,) = changes.elements.updated
    assert one.members == {"name": ("Save", "Saved"), "state.enabled": (msgspec.UNSET, False)}
    assert changes.focus == (None, FocusInfo(target="f0e3"))
    assert not store.since("r3")


@pytest.mark.requirement("MDM-R3c")
def test_the_history_keeps_at_least_sixteen_revisions_and_drops_older_ones() -> None:
    store = GraphStore(page().graph(), keep=1)
    for number in range(1, 40):
        store.apply(
            delta(f"r{number}", f"r{number + 1}", number + 1, elements=patch("f0e3", name=str(number)))
        )
    assert store.since("r23") is None
    assert store.since("r24") is not None
    assert store.since("never") is None


def test_a_late_snapshot_does_not_undo_later_deltas() -> None:
    store = GraphStore(page().graph())
    store.apply(delta("r1", "r2", 2, elements=patch("f0e3", name="Saved")))
    assert store.load(page().graph("r1", 1), "requested") == Applied("r2", 2, 0)
    assert store.elements["f0e3"].name == "Saved"


def test_a_resync_of_the_same_page_keeps_history_and_a_navigation_ends_it() -> None:
    store = GraphStore(page().graph())
    changed = page()
    changed.element("button", "Undo")
    store.load(changed.graph("r5", 5), "resync")
    changes = store.since("r1")
    assert changes is not None
    assert [one.name for one in changes.elements.added] == ["Undo"]
    store.load(page().graph("r1", 1), "navigation")
    assert store.since("r5") is None


@pytest.mark.requirement("CAP-3")
def test_lookups_follow_the_changes_of_an_element() -> None:
    store = GraphStore(page().graph())
    other = ScopeNode(scope_id="f0s9", kind="form", document_id="f0")
    moved = patch("f0e3", stableId="store", scopeId="f0s9", role="link", metadata={"record": "id:7"})
    store.apply(delta("r1", "r2", 2, scopes=NodeDelta(added=(other,)), elements=moved))
    assert store.by_stable_id("save") == ()
    element = store.elements["f0e3"]
    assert store.by_stable_id("store") == (element,)
    assert store.by_scope("f0s9") == (element,)
    assert store.by_role("link") == (element,)
    assert store.by_record("id:7") == (element,)


def test_all_elements_with_a_repeated_stable_id_are_returned() -> None:
    made = page()
    made.element("button", "Save", stable_id="save")
    assert len(GraphStore(made.graph()).by_stable_id("save")) == 2


def test_a_small_delta_converts_only_its_own_nodes_on_a_page_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store = GraphStore(grid(1_000).graph())
    calls: list[str] = []
    original = msgspec.to_builtins

    def counted(value: Any, **options: Any) -> Any:
        calls.append(type(value).__name__)
        return original(value, **options)

    monkeypatch.setattr(msgspec, "to_builtins", counted)
    done = store.apply(delta("r1", "r2", 2, elements=patch("f0e10", text="new")))
    assert done == Applied("r2", 2, 1)
    assert calls == ["ElementNode"]


def test_five_thousand_levels_are_walked_without_recursion() -> None:
    made = Page()
    above = made.element("group")
    for _ in range(5_000):
        above = made.element("group", parent_instance_id=above)
    store = GraphStore(made.graph())
    assert sum(1 for _ in store) == 5_001
    assert sum(1 for _ in store.ancestors(above)) == 5_000


def _replace_once(store: GraphStore, page: Page, old: str, number: int) -> str:
    """Remove an element and add the one that replaced it, as the page script reports a re-rendered control."""
    page.elements = [one for one in page.elements if one.instance_id != old]
    new = page.element("checkbox", "Done", instance_id=f"f0n{number}", metadata={"was": old})
    step = diff(store.snapshot(), page.graph(f"r{number}", number))
    assert isinstance(store.apply(step), Applied)
    return new


def test_an_element_is_followed_through_all_of_its_replacements() -> None:
    page = Page()
    first = page.element("checkbox", "Done")
    store = GraphStore(page.graph())
    second = _replace_once(store, page, first, 2)
    third = _replace_once(store, page, second, 3)
    followed = store.current(first)
    assert followed is not None and followed.instance_id == third
    assert store.current("never published") is None


def test_of_two_elements_that_replace_the_same_one_neither_counts() -> None:
    page = Page()
    first = page.element("checkbox", "Done")
    store = GraphStore(page.graph())
    _replace_once(store, page, first, 2)
    page.element("checkbox", "Done", instance_id="f0n3", metadata={"was": first})
    assert isinstance(store.apply(diff(store.snapshot(), page.graph("r3", 3))), Applied)
    assert store.current(first) is None


def test_the_elements_of_a_frame_follow_the_frame() -> None:
    page = Page()
    for name in ("before", "frame", "after"):
        page.element("button", name)
    graph = page.graph()
    host = graph.elements[1].instance_id
    inner = msgspec.structs.replace(
        graph.elements[1], instance_id="inner", document_id="d2", parent_instance_id=msgspec.UNSET
    )
    document = msgspec.structs.replace(graph.documents[0], document_id="d2", host_instance_id=host)
    framed = msgspec.structs.replace(
        graph, documents=(*graph.documents, document), elements=(*graph.elements, inner)
    )
    ids = [one.instance_id for one in GraphStore(framed)]
    assert ids.index("inner") == ids.index(host) + 1
