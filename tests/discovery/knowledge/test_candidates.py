"""The candidate actions of a page: their order, their keys and the elements they mean."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.simulated_app import (
    BASE,
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery import commands, events
from uiap.discovery.knowledge.candidates import element_key, find_element, is_in_record, read_candidates
from uiap.discovery.knowledge.page_keys import state_shape
from uiap.discovery.plan.address import AllowedOrigins
from uiap.graph.fingerprint import fingerprint
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode, WebElementState

ALLOWED = AllowedOrigins.of(BASE)


def store(
    *elements: Element, parts: tuple[Scope, ...] = (), url: str = BASE + "/", title: str = ""
) -> GraphStore:
    app = SimulatedApp({"/": Page(elements, parts, title), "/x/:id": Page(elements, parts, title)})
    app.url = url
    return GraphStore(app.graph())


@pytest.mark.requirement("DISC-11.5a", "DISC-2.4")
def test_candidates_are_tried_in_the_order_of_their_rank() -> None:
    page = Page(
        [
            Element("button", "Show details"),
            Element("button", "Panel", opens="p", state={"expanded": False}),
            Element("link", "Videos", href="/v"),
            Element("button", "View report", more={"default_action": "report.view"}),
        ],
        (Scope("p", "region", "Panel", hidden=True),),
    )
    _, app, _ = explore({"/": page, "/v": Page(title="V")})
    assert app.pressed == ["View report", "Videos", "Panel", "Show details"]


@pytest.mark.requirement("DISC-11.5b")
def test_an_element_that_cannot_be_used_is_not_a_candidate() -> None:
    found = read_candidates(
        store(
            Element("button", "Show", state={"blocked": True}),
            Element("link", "Here", href="/", state={"current": "page"}),
            Element("tab", "Chosen", state={"selected": True}),
            Element("button", "Close"),
        ),
        ALLOWED,
    ).found
    assert [one.label for one in found] == ["Close"]


@pytest.mark.requirement("DISC-11.5f")
@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"enabled": False}, "it is disabled"),
        ({"blocked": True}, "it is blocked"),
        ({"visible": False}, None),
        ("target_not_interactable", "target_not_interactable"),
        ("stale_target", "stale_target"),
    ],
    ids=["disabled", "blocked", "hidden", "covered, moving or outside", "detached"],
)
def test_each_condition_alone_keeps_the_run_from_acting_and_is_recorded(
    broken: Any, reason: str | None
) -> None:
    """The graph shows what is disabled, blocked or hidden. The runtime checks the rest and refuses the press."""

    class Refusing(SimulatedRun):
        def answer(self, command: commands.Command) -> events.Event:
            if isinstance(command, commands.Act) and isinstance(broken, str):
                return events.Acted(at=self.now(), status="failed", error=broken, observed=self.app.observe())
            return super().answer(command)

    state = broken if isinstance(broken, dict) else {}
    page = Page([Element("button", "Show", opens="p", state=state)], title="Home")
    run = Refusing(SimulatedApp({"/": page}), environment())
    package = run.complete()
    assert run.app.pressed == [] and len(package.transition_graph.states) == 1
    recorded = [one.metadata.get("error") for one in package.transition_graph.edges] + [
        *package.metadata["notTried"]
    ]
    assert reason is None or reason in recorded
    assert any("Show" in (one.names or ()) for one in package.element_catalog.elements) == (
        reason is not None
    )


def test_while_a_dialog_is_open_only_its_elements_are_candidates() -> None:
    box = Scope("box", "dialog", "Sure?", modal=True)
    found = read_candidates(
        store(Element("link", "Away", href="/a"), Element("button", "Close", scope="box"), parts=(box,)),
        ALLOWED,
    ).found
    assert [one.label for one in found] == ["Close"]


@pytest.mark.requirement("DISC-11.5c")
def test_a_step_is_found_again_by_stable_id_and_by_role_name_and_scope() -> None:
    before = store(Element("button", "Close"), Element("button", "Show", more={"stable_id": "x.show"}))
    after = store(
        Element("link", "New", href="/n"),
        Element("button", "Zeigen", more={"stable_id": "x.show"}),
        Element("button", "Close"),
    )
    by_label = {one.label: one.step for one in read_candidates(before, ALLOWED).found}
    assert (found := find_element(after, by_label["Show"])) is not None and found.name == "Zeigen"
    assert (found := find_element(after, by_label["Close"])) is not None and found.name == "Close"


@pytest.mark.requirement("DISC-11.3a", "DISC-11.3b")
def test_states_that_offer_the_same_are_one_and_those_that_do_not_are_not() -> None:
    rows = [Element("link", f"Row {n}", href=f"/x/{n}", record=f"data-id:{n}") for n in range(3)]
    more = [Element("link", f"Row {n}", href=f"/x/{n}", record=f"data-id:{n}") for n in range(9)]
    assert state_shape(store(*rows)) == state_shape(store(*more))
    assert state_shape(store(Element("tab", "A"))) != state_shape(
        store(Element("tab", "A", state={"selected": True}))
    )
    one, other = store(url=BASE + "/x/1", title="One"), store(url=BASE + "/x/2", title="Two")
    assert fingerprint(one).digest == fingerprint(other).digest


def test_each_link_of_a_record_is_followed_for_one_record() -> None:
    rows = [
        Element("link", text, href=href, scope="list", record=f"data-id:{n}")
        for n in range(1, 5)
        for text, href in ((f"Row {n}", f"/rows/{n}"), (f"Owner {n}", f"/owners/{n}"))
    ]
    pages = {
        "/": Page(rows, (Scope("list", "list", "Rows"),)),
        "/rows/:id": Page([Element("link", "Home", href="/")], title="Row"),
        "/owners/:id": Page([Element("link", "Home", href="/")], title="Owner"),
    }
    package, _, _ = explore(pages)
    assert {one.route_id for one in package.route_catalog.routes} == {"/", "/rows/:id", "/owners/:id"}


def node(id: str, role: str, parent: str, **more: Any) -> ElementNode:
    return ElementNode(
        instance_id=id,
        document_id="d1",
        parent_instance_id=parent,
        role=role,  # type: ignore[arg-type]
        state=WebElementState(visible=True),
        affordances=("read", "activate"),
        **more,
    )


def test_a_column_header_is_not_a_record_of_the_list() -> None:
    app = SimulatedApp({"/": Page([Element("link", "Home", href="/")])})
    table = (
        node("d1e90", "row", "d1e1"),
        node("d1e91", "cell", "d1e90", metadata={"header": "column"}),
        node("d1e92", "link", "d1e91", name="Title"),
        node("d1e93", "row", "d1e1"),
        node("d1e94", "cell", "d1e93"),
        node("d1e95", "link", "d1e94", name="Emma"),
    )
    graph = app.graph()
    store = GraphStore(msgspec.structs.replace(graph, elements=(*graph.elements, *table)))
    title, emma = store.element("d1e92"), store.element("d1e95")
    assert title is not None and not is_in_record(store, title) and "title" in element_key(store, title)
    assert emma is not None and is_in_record(store, emma) and "emma" not in element_key(store, emma)


@pytest.mark.requirement("DISC-11.5d")
def test_a_refused_link_does_not_stand_for_a_permitted_link_to_the_same_kind_of_page() -> None:
    found = read_candidates(
        store(
            Element("link", "Run never", href="/studies/3"),
            Element("link", "Never run", href="/studies/4"),
            Element("link", "Baking", href="/studies/1"),
            Element("link", "Packing", href="/studies/2"),
        ),
        ALLOWED,
    ).found
    assert [(one.label, one.judgement.side_effect) for one in found] == [
        ("Run never", "data_write"),
        ("Baking", "navigation"),
    ]
