"""Variants that are no states: the same panel over another page, renamed controls, pages of one template."""

from __future__ import annotations

import pytest

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp, explore
from uiap.discovery.knowledge.naming import scope_path_key
from uiap.discovery.knowledge.states import shown_by_press
from uiap.graph.store import GraphStore
from uiap.spec.web import ScopeNode

PANEL = Scope("panel", "region", "Settings", hidden=True)
MENU = (
    Element("button", "Settings", opens="panel"),
    Element("button", "View colours", scope="panel"),
)


def places(*elements: Element, title: str = "") -> Page:
    return Page((*MENU, *elements), (PANEL,), title)


@pytest.mark.requirement("DISC-11.3a")
def test_the_same_panel_over_another_page_is_no_further_state() -> None:
    package, app, _ = explore(
        {
            "/": places(Element("link", "Files", href="/files")),
            "/files": places(Element("link", "Home", href="/")),
        }
    )
    assert app.pressed.count("Settings") == 2
    assert len(package.transition_graph.states) == 3


@pytest.mark.requirement("DISC-11.3a")
def test_another_panel_of_a_control_with_the_same_name_is_a_state() -> None:
    other = Page(
        (Element("button", "Settings", opens="panel"), Element("button", "View sizes", scope="panel")),
        (PANEL,),
    )
    package, _, _ = explore({"/": places(Element("link", "Files", href="/files")), "/files": other})
    assert len(package.transition_graph.states) == 4


def page_of(*elements: Element) -> GraphStore:
    return GraphStore(SimulatedApp({"/": Page(elements)}).graph())


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        (("Theme (light)", "Help"), ("Theme (dark)", "Help"), 0),
        (("Open drawer", "Help"), ("", "Help"), 0),
        (("Fold", "Help"), ("Fold",), 0),
        (("Help",), ("Help", "Search"), 1),
        (("Projects", "Show project"), ("Projects", "Show document"), 1),
        (("Theme (light)", "Help"), ("Theme (dark)", "Colours"), 2),
    ],
)
def test_a_press_shows_something_if_a_named_control_is_new(
    before: tuple[str, ...], after: tuple[str, ...], count: int
) -> None:
    old, new = (page_of(*(Element("button", name) for name in names)) for names in (before, after))
    pressed = next(one for one in old.elements.values() if one.name == before[0])
    assert len(shown_by_press(old, new, pressed)) == count


@pytest.mark.requirement("DISC-11.3b")
def test_the_third_page_of_one_parent_that_offers_the_same_is_no_further_state() -> None:
    names = ("user", "queue", "status", "month", "year")
    menu = tuple(Element("link", f"By {name}", href=f"/reports/{name}") for name in names)
    pages = {f"/reports/{name}": Page((*menu, Element("button", "View chart")), title=name) for name in names}
    package, app, _ = explore({"/": Page(menu), **pages})
    routes = [one.route_id for one in package.transition_graph.states]
    assert len(routes) == 3
    assert len(app.loaded) < len(names) + 2


@pytest.mark.requirement("DISC-11.3a")
def test_a_press_that_closes_a_menu_leads_back_to_the_page_without_it() -> None:
    page = Page(
        (
            Element("button", "People", opens="people", closes="groups", state={"expanded": False}),
            Element("button", "Groups", opens="groups", closes="people", state={"expanded": False}),
            Element("link", "Ada", href="/ada", scope="people"),
            Element("link", "Choir", href="/choir", scope="groups"),
        ),
        (Scope("people", "menu", "People", hidden=True), Scope("groups", "menu", "Groups", hidden=True)),
    )
    package, _, _ = explore({"/": page, "/ada": Page(title="Ada"), "/choir": Page(title="Choir")})
    routes = [one.route_id for one in package.transition_graph.states]
    assert sorted(routes) == ["/", "/", "/", "/ada", "/choir"]


def test_an_application_inside_itself_counts_once_in_the_path_of_a_scope() -> None:
    outer, inner = (ScopeNode(scope_id=f"d1s{n}", kind="app", document_id="d1") for n in (1, 2))
    region = ScopeNode(scope_id="d1s3", kind="region", document_id="d1", name="News")
    assert scope_path_key((outer, inner, region)) == scope_path_key((outer, region))
