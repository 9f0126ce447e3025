"""Paths to known states, and what the run learns from one action about others."""

from __future__ import annotations

import msgspec
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
from uiap.discovery import commands, events

OFFICE = {
    "/": Page(
        [
            Element("button", "File", opens="file", state={"expanded": False}),
            Element("button", "Show one", scope="file", opens="one"),
            Element("button", "Show two", scope="file", opens="two"),
            Element("button", "Close", scope="one", closes="one"),
        ],
        (
            Scope("file", "menu", "File", hidden=True),
            Scope("one", "dialog", "One", hidden=True, modal=True),
            Scope("two", "region", "Two", hidden=True),
        ),
    )
}


def test_a_state_one_step_away_is_reached_by_that_step() -> None:
    _, _, run = explore(OFFICE)
    loads = [one for one in run.commands if isinstance(one, commands.Load)]
    assert len(loads) == 1, "a state one step away is not loaded again"


class MenuBar(SimulatedApp):
    """A desktop-like menu bar: while one menu is open, pressing another only closes it."""

    def press(self, node: str) -> events.Effects:
        name = self.nodes[node].name
        if self.open & {"file", "edit"} and name in ("File", "Edit"):
            self.pressed.append(name)
            self.open.clear()
            return events.Effects()
        return super().press(node)


def test_an_action_that_only_closed_a_menu_is_repeated_afterwards() -> None:
    bar = [
        Element("button", "File", opens="file", state={"has_popup": "menu"}),
        Element("button", "Edit", opens="edit", state={"has_popup": "menu"}),
        Element("menuitem", "Delete it", scope="file"),
        Element("menuitem", "Delete that", scope="edit"),
    ]
    parts = (Scope("file", "menu", "File", hidden=True), Scope("edit", "menu", "Edit", hidden=True))
    package = SimulatedRun(MenuBar({"/": Page(bar, parts)}), environment()).complete()
    names = {name for one in package.element_catalog.elements for name in one.names or ()}
    assert {"Delete it", "Delete that"} <= names


class AppWithTheme(SimulatedApp):
    """A button whose effect every page shows until an address is loaded."""

    def press(self, node: str) -> events.Effects:
        dark = "dark" in self.open
        found = super().press(node)
        if dark:
            self.open.add("dark")  # the setting is kept on every page
        return msgspec.structs.replace(found, storage_changed="dark" in self.open and not dark)


def test_a_stored_setting_does_not_make_every_page_a_new_state() -> None:
    part = (Scope("dark", "region", "Dark", hidden=True),)
    links = [Element("link", name, href=f"/{name.lower()}") for name in ("A", "B", "C")]
    theme = Element("button", "Show dark", opens="dark")
    pages = {f"/{name}": Page([theme, *links], part, title=name) for name in ("", "a", "b", "c")}
    package = SimulatedRun(AppWithTheme(pages), environment()).complete()
    seen = [(one.route_id, "dark" in str(one.scope_ids)) for one in package.transition_graph.states]
    assert sum(dark for _, dark in seen) <= 1 and len({route for route, _ in seen}) == 4


@pytest.mark.requirement("DISC-11.5d", "DISC-2.1")
def test_parameters_of_a_list_are_visited_one_by_one_and_not_in_every_combination() -> None:
    class Filtered(SimulatedApp):
        """Each link adds its parameter to the current ones, as in a list with facets."""

        def press(self, node: str) -> events.Effects:
            self.load(self.nodes[node].href or "/")
            return events.Effects()

    keys = ("year", "month", "state", "house", "order", "owner", "size", "kind")

    class Growing(Filtered):
        def load(self, url: str) -> bool:
            here = url.partition("?")[2]
            have = [one.partition("=")[0] for one in here.split("&") if one]
            self.pages["/list"] = Page(
                [
                    Element(
                        "link", f"by {key}", href="/list?" + "&".join(f"{k}=1" for k in sorted({*have, key}))
                    )
                    for key in keys
                    if key not in have
                ],
                tuple(Scope(f"f{key}", "region", f"Filtered by {key}") for key in have),
            )
            return super().load(url)

    app = Growing({"/": Page([Element("link", "List", href="/list")]), "/list": Page()})
    package = SimulatedRun(app, environment()).complete()
    assert len(package.transition_graph.states) <= 2 + len(keys)


def test_a_link_to_a_file_is_not_followed() -> None:
    links = [Element("link", "As JSON", href="/rows.json?_size=10"), Element("link", "Rows", href="/rows")]
    package, app, _ = explore({"/": Page(links), "/rows": Page(title="Rows"), "/rows.json": Page()})
    assert not [url for url in app.loaded if ".json" in url]
    assert {one.route_id for one in package.route_catalog.routes} == {"/", "/rows"}


@pytest.mark.requirement("DISC-11.3a")
def test_a_combination_of_known_scopes_is_not_a_new_state() -> None:
    class Panels(SimulatedApp):
        """Each button opens or closes its panel."""

        def press(self, node: str) -> events.Effects:
            one = self.nodes[node]
            self.pressed.append(one.name)
            self.open ^= {one.opens or ""}
            return events.Effects()

    names = ("left", "right", "top", "bottom")
    controls = [Element("button", f"Show {name}", opens=name, state={"pressed": False}) for name in names]
    inside = [Element("button", f"Delete {name}", scope=name) for name in names]
    parts = tuple(Scope(name, "region", name.title(), hidden=True) for name in names)
    package = SimulatedRun(Panels({"/": Page([*controls, *inside], parts)}), environment()).complete()
    assert len(package.transition_graph.states) <= 1 + len(names), "not one for each of sixteen combinations"
    found = {scope.scope_id for scope in package.scope_catalog.scopes}
    assert set(names) <= found
