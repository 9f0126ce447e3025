"""Variants that are no states: the same panel over another page, renamed controls, pages of one template."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from tests.discovery.simulated_app import (
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery.knowledge.naming import scope_path_key
from uiap.discovery.knowledge.page_keys import shown_by_press
from uiap.discovery.knowledge.states import State, StateIndex
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
        (("Theme (light)", "Help"), ("Theme (dark)", "Colours"), 1),
        (("Light theme", "Help"), ("Dark theme", "Colours"), 2),
    ],
)
def test_a_press_shows_something_if_a_named_control_is_new(
    before: tuple[str, ...], after: tuple[str, ...], count: int
) -> None:
    old, new = (page_of(*(Element("button", name) for name in names)) for names in (before, after))
    pressed = next(one for one in old.elements.values() if one.name == before[0])
    assert len(shown_by_press(old, new, pressed)) == count


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


@pytest.mark.requirement("DISC-11.3a")
def test_two_open_sections_are_no_further_state() -> None:
    sections = (
        Element("button", "Details", opens="details", state={"expanded": False}),
        Element("button", "Files", opens="files", state={"expanded": False}),
        Element("button", "View due date", scope="details"),
        Element("button", "View all files", scope="files"),
    )
    scopes = (
        Scope("details", "region", "Details", hidden=True),
        Scope("files", "region", "Files", hidden=True),
    )
    package, _, _ = explore({"/": Page(sections, scopes)})
    assert len(package.transition_graph.states) == 3


@pytest.mark.requirement("DISC-11.3a")
def test_the_same_menu_with_another_entry_selected_is_no_further_state() -> None:
    def themes(chosen: str, *more: Element) -> Page:
        entries = (
            Element("button", name, scope="panel", state={"pressed": name == chosen})
            for name in ("Light", "Dark")
        )
        return Page((Element("button", "Show themes", opens="panel"), *entries, *more), (PANEL,))

    files = themes("Dark", Element("button", "View files"))
    package, _, _ = explore({"/": themes("Light", Element("link", "Files", href="/files")), "/files": files})
    assert len(package.transition_graph.states) == 3


class SlowApp(SimulatedApp):
    """An application whose first page is read before all of it is there, the first time it is loaded."""

    def page(self, url: str) -> Page | None:
        if url.endswith("/files"):
            return Page((Element("button", "View files"),), title="Files")
        late = () if self.loaded.count(url) <= 1 else (Element("button", "View charts"),)
        early = (Element("link", "Files", href="/files"), Element("button", "View help"))
        return Page((*early, *late), title="Home")


@pytest.mark.requirement("DISC-11.3a")
def test_an_address_that_shows_more_when_it_is_loaded_again_is_the_same_state_and_explored() -> None:
    app = SlowApp({})
    package = SimulatedRun(app, environment()).complete()
    assert [one.route_id for one in package.transition_graph.states] == ["/", "/files"]
    assert "View charts" in app.pressed


def tab_page(*shown: Element) -> Page:
    tabs = [Element("link", one, href=f"#{one.lower()}") for one in ("General", "API", "Info")]
    return Page([*tabs, *shown])


@pytest.mark.requirement("DISC-11.3a")
def test_each_part_of_a_page_that_a_link_shows_in_place_of_another_is_a_state() -> None:
    info = tab_page(Element("label", "Version 3", more={"affordances": ("read",)}))
    general = tab_page(Element("textbox", "Title"), Element("button", "Save"))
    pages = {
        "/": general,
        "/#general": general,
        "/#api": tab_page(Element("textbox", "Key")),
        "/#info": info,
    }
    package, app, _ = explore(pages)
    assert {"API", "Info"} <= set(app.pressed)
    assert len(package.transition_graph.states) == 3


def test_a_link_that_folds_a_section_shows_no_further_state() -> None:
    package, _, _ = explore({"/": tab_page(Element("button", "View all")), "/#info": tab_page()})
    assert len(package.transition_graph.states) == 1


def test_links_that_only_scroll_to_a_part_show_no_further_state() -> None:
    package, app, _ = explore({"/": tab_page(Element("textbox", "Title"))})
    assert app.pressed == ["General", "API", "Info"]
    assert len(package.transition_graph.states) == 1


def test_the_same_part_of_another_page_is_tried_too() -> None:
    pages = {
        path + part: Page(
            [
                Element("link", "Users", href="/users"),
                Element("link", "Access", href="#access"),
                *(
                    [Element("textbox", f"Access of {path}")]
                    if part
                    else [Element("textbox", f"Name of {path}")]
                ),
            ]
        )
        for path in ("/", "/users")
        for part in ("", "#access")
    }
    package, app, _ = explore(pages)
    assert app.pressed.count("Access") == 2
    assert len(package.transition_graph.states) == 4


@pytest.mark.requirement("DISC-11.3a")
def test_a_page_with_and_without_the_dialog_it_opens_by_itself_is_one_state() -> None:
    welcome = Scope("welcome", "dialog", "Welcome", hidden=True, modal=True)
    skip = Element("button", "Skip", scope="welcome")
    app = SimulatedApp({"/": Page([Element("link", "Jobs", href="/jobs"), skip], (welcome,))})
    without, app.open = GraphStore(app.graph()), {"welcome"}
    index, state = StateIndex(None), cast(State, SimpleNamespace(principal=None, modal=("welcome",)))
    index.add_address(state, GraphStore(app.graph()))
    assert index.find_same_address(None, without) == (state, False)


@pytest.mark.requirement("DISC-11.3a")
@pytest.mark.parametrize(
    ("after", "shows"),
    [
        ((Element("button", "Copy link"), Element("popover", "Copy link")), False),
        ((Element("button", "Copy link"), Element("button", "Copy link to file")), True),
        ((Element("button", "Copy link"), Element("popover", "Choose a format")), True),
    ],
)
def test_a_tooltip_with_the_name_of_the_pressed_control_shows_nothing(
    after: tuple[Element, ...], shows: bool
) -> None:
    one, other = (GraphStore(SimulatedApp({"/": Page(elements)}).graph()) for elements in (after[:1], after))
    assert bool(shown_by_press(one, other, one.elements["d1e2"])) is shows


@pytest.mark.requirement("DISC-11.3a")
def test_a_control_that_only_becomes_a_part_of_a_record_is_not_shown() -> None:
    """The bars of a chart are records; the buttons beside them count as their parts on some charts only."""

    def page(record: str | None) -> GraphStore:
        buttons = [
            Element("button", name, record=record and f"{record}{name}") for name in ("Profit", "Sales")
        ]
        return GraphStore(SimulatedApp({"/": Page(buttons)}).graph())

    plain, chart = page(None), page("key:")
    assert shown_by_press(plain, chart, plain.elements["d1e2"]) == frozenset()


def test_a_menu_of_page_sizes_is_no_further_state() -> None:
    sizes = [Element("link", f"{size} rows", href=f"/?size={size}", scope="sizes") for size in (10, 25)]
    opener = Element("button", "View sizes", opens="sizes", state={"expanded": False})
    page = Page([opener, *sizes], (Scope("sizes", "list", "Sizes", hidden=True),))
    other = [Element("link", "Archive", href="/archive", scope="sizes"), *sizes]
    menu = Page([opener, *other], (Scope("sizes", "list", "Sizes", hidden=True),))
    assert len(explore({"/": page})[0].transition_graph.states) == 1
    assert len(explore({"/": menu, "/archive": Page(title="Archive")})[0].transition_graph.states) == 3
