"""Which pages are one state: pages with other parameters, and lists with filters and columns."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from tests.discovery.simulated_app import BASE, Element, Page, Scope, SimulatedApp, SimulatedRun, environment
from uiap.discovery.knowledge.candidates import element_key, is_in_record
from uiap.graph.store import GraphStore
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.web import ElementNode, WebElementState

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
    # An order and a second page show other data. The link that removes a filter is new.
    assert states(package) == ["/", "/books", "/books?"]


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
    assert states(package) == ["/", "/shop/books", "/shop/books?", "/shop/films"]


def test_parameters_that_add_a_control_make_another_state() -> None:
    package = SimulatedRun(Library(("/shop/books", "/shop/films"), editing=True), environment()).complete()
    assert states(package) == ["/", "/shop/books", "/shop/books?", "/shop/films", "/shop/films?"]


def test_elements_of_a_merged_page_are_in_the_catalog() -> None:
    package = SimulatedRun(Library(("/shop/books", "/shop/films")), environment()).complete()
    again = [one for one in package.element_catalog.elements if "Show all again" in (one.names or ())]
    assert {route for one in again for route in one.routes or ()} >= {"/shop/books", "/shop/films"}


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
    app = Library()
    app.load(BASE + "/books")
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


CHROME = Element("button", "Show path", opens="path")
SHOWN = (Element("link", "Start", href="/", scope="path"), Scope("path", "region", "Path", hidden=True))


def shop(paths: int, opened: Element) -> dict[str, Page]:
    """Return pages that share one control and have one of their own."""
    pages = {
        f"/p{word}": Page([CHROME, opened, Element("button", f"Sing {word}")], (SHOWN[1],), f"Page {word}")
        for word in "abcdef"[:paths]
    }
    return {"/": Page([Element("link", f"To {path}", href=path) for path in pages]), **pages}


def pressed(pages: dict[str, Page]) -> int:
    app = SimulatedApp(pages)
    SimulatedRun(app, environment()).complete()
    return app.pressed.count("Show path")


def test_a_control_with_the_same_effect_on_three_routes_is_not_tried_on_the_rest() -> None:
    assert pressed(shop(2, SHOWN[0])) == 2
    assert pressed(shop(6, SHOWN[0])) == 3


def test_a_control_that_shows_an_input_is_tried_on_every_route() -> None:
    assert pressed(shop(6, Element("textbox", "Where to", scope="path"))) == 6
