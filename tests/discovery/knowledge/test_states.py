"""Which pages are one state: pages with other parameters, and lists with filters and columns."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp, SimulatedRun, environment
from uiap.discovery.events import ObservedGraph
from uiap.discovery.knowledge.knowledge import Knowledge
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.graph.store import GraphStore
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.web import CollectionNode

PARTS = (Scope("list", "table", "Books"),)


class Library(SimulatedApp):
    """Lists that are filtered by parameters; a filtered list has a link that removes the filter."""

    def __init__(self, lists: tuple[str, ...] = ("/books",), *, editing: bool = False) -> None:
        super().__init__({})
        self._lists, self._editing = lists, editing

    def page(self, url: str) -> Page | None:
        path, asked_for = urlsplit(url).path or "/", parse_qs(urlsplit(url).query)
        if path == "/":
            return Page([Element("link", f"To {one}", href=one) for one in self._lists], title="Home")
        if path not in self._lists:
            return None
        return Page(list(self._elements(path, asked_for)), PARTS, f"List {path}")

    def _elements(self, path: str, given: dict[str, Any]) -> Any:
        yield Element("button", f"About {path}")
        yield Element("link", "Home", href="/")
        yield Element("link", "Newest", href=f"{path}?order=new")
        yield Element("link", "Page two", href=f"{path}?page=2")
        yield Element("link", "Only lent", href=f"{path}?lent=1")
        yield Element("textbox", "Search", scope="list")
        if "lent" in given:
            yield Element("link", "Show all again", href=path)
            if self._editing:
                yield Element("button", "Call back what is lent")
        if "page" not in given:
            yield Element("button", "Stream all")


def states(package: DiscoveryPackage) -> list[str]:
    found = (str(one.metadata["url"]) for one in package.transition_graph.states if one.metadata)
    return sorted(urlsplit(one).path + ("?" if urlsplit(one).query else "") for one in found)


@pytest.mark.requirement("DISC-11.3a")
def test_a_page_with_other_parameters_that_offers_nothing_new_is_the_same_state() -> None:
    package = SimulatedRun(Library(), environment()).complete()
    # An order and a second page show other data. The link that removes a filter leads to the same page.
    assert states(package) == ["/", "/books"]


def test_another_page_of_a_list_is_not_a_review_item() -> None:
    package = SimulatedRun(Library(), environment()).complete()
    edges = [one for one in package.transition_graph.edges if one.from_state_id == one.to_state_id]
    unresolved = {bool(one.metadata and one.metadata.get("unresolved")): one.target for one in edges}
    assert unresolved.keys() == {True, False}  # the button that does nothing, and the other pages of lists
    described = " ".join(one.description for one in package.review_queue.items)
    assert (
        "link `Newest` led to no other state" not in described
        and "button `About /books` led to no" in described
    )


def test_the_filters_of_a_sibling_list_are_not_new() -> None:
    package = SimulatedRun(Library(("/shop/books", "/shop/films")), environment()).complete()
    assert states(package) == ["/", "/shop/books", "/shop/films"]


def test_parameters_that_add_a_control_make_another_state() -> None:
    package = SimulatedRun(Library(("/shop/books", "/shop/films"), editing=True), environment()).complete()
    assert states(package) == ["/", "/shop/books", "/shop/books?", "/shop/films", "/shop/films?"]


def test_elements_of_a_merged_page_are_in_the_catalog() -> None:
    package = SimulatedRun(Library(("/shop/books", "/shop/films")), environment()).complete()
    again = [one for one in package.element_catalog.elements if "Show all again" in (one.names or ())]
    assert {route for one in again for route in one.routes or ()} >= {"/shop/books", "/shop/films"}


@pytest.mark.requirement("DISC-11.3c")
@pytest.mark.parametrize(
    ("switch", "apart"),
    [
        ("includeTextValues", {True}),
        ("includeCollections", {True}),
        ("ignoreTransientToasts", {False}),
        ("ignoreSpinners", {False}),
    ],
)
def test_each_switch_of_the_fingerprint_policy_changes_which_pages_are_one_state(
    switch: str, apart: set[bool]
) -> None:
    read: dict[str, Any] = {"affordances": ("read",)}
    show = Element("button", "Show")
    variants = {
        "includeTextValues": [
            [Element("combobox", "Size", state={"text_value": size})] for size in ("Small", "Large")
        ],
        "includeCollections": [[show], [show]],
        "ignoreTransientToasts": [[show], [show, Element("toast", "Saved", more=read)]],
        "ignoreSpinners": [[show], [show, Element("spinner", "Loading", more=read)]],
    }
    for value in (True, False):
        knowledge = Knowledge(
            RunPlan(RunTerms(run_id="r", environment=environment(fingerprint={switch: value})))
        )
        found = []
        for n, elements in enumerate(variants[switch]):
            graph = SimulatedApp(
                {"/": Page([Element("table", "Rows", more=read), *elements], title="Home")}
            ).graph()
            rows = CollectionNode(
                collection_id="c1", owner_instance_id="d1e2", role="table", count=n + 1, signature=f"s{n}"
            )
            store = GraphStore(msgspec.structs.replace(graph, collections=(rows,)))
            found.append(knowledge.identify(ObservedGraph(f"sha256:{n}", graph), store, None)[0])
        assert (found[0] is not found[1]) == (value in apart), value
