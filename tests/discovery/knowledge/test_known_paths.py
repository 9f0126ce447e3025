"""Coming back, and what one press says about the next: steps instead of loads, menus, things that pages keep."""

from __future__ import annotations

import msgspec
import pytest

from tests.discovery.world import El, Journey, Page, Part, World, asked, discovered
from uiap.discovery import commands as do
from uiap.discovery import events as when

OFFICE = {
    "/": Page(
        [
            El("button", "File", opens="file", state={"expanded": False}),
            El("button", "Show one", scope="file", opens="one"),
            El("button", "Show two", scope="file", opens="two"),
            El("button", "Close", scope="one", closes="one"),
        ],
        (
            Part("file", "menu", "File", hidden=True),
            Part("one", "dialog", "One", hidden=True, modal=True),
            Part("two", "region", "Two", hidden=True),
        ),
    )
}


def test_a_state_one_step_away_is_reached_by_that_step() -> None:
    _, _, journey = discovered(OFFICE)
    loads = [one for one in journey.commands if isinstance(one, do.Load)]
    assert len(loads) == 1, "what is one step away is not loaded again"


class MenuBar(World):
    """As desktop-like menus are: with one open, pressing another only closes it."""

    def press(self, node: str) -> when.Effects:
        name = self.nodes[node].name
        if self.open & {"file", "edit"} and name in ("File", "Edit"):
            self.pressed.append(name)
            self.open.clear()
            return when.Effects()
        return super().press(node)


def test_a_press_that_only_closed_a_menu_is_done_again_where_it_led() -> None:
    bar = [
        El("button", "File", opens="file", state={"has_popup": "menu"}),
        El("button", "Edit", opens="edit", state={"has_popup": "menu"}),
        El("menuitem", "Delete it", scope="file"),
        El("menuitem", "Delete that", scope="edit"),
    ]
    parts = (Part("file", "menu", "File", hidden=True), Part("edit", "menu", "Edit", hidden=True))
    package = Journey(MenuBar({"/": Page(bar, parts)}), asked()).go()
    names = {name for one in package.element_catalog.elements for name in one.names or ()}
    assert {"Delete it", "Delete that"} <= names


class Dark(World):
    """One button that every page goes on showing the effect of, until an address is loaded anew."""

    def press(self, node: str) -> when.Effects:
        dark = "dark" in self.open
        found = super().press(node)
        if dark:
            self.open.add("dark")  # wherever a link led
        return msgspec.structs.replace(found, storage_changed="dark" in self.open and not dark)


def test_what_pages_keep_does_not_make_every_other_page_a_new_state() -> None:
    part = (Part("dark", "region", "Dark", hidden=True),)
    links = [El("link", name, href=f"/{name.lower()}") for name in ("A", "B", "C")]
    theme = El("button", "Show dark", opens="dark")
    pages = {f"/{name}": Page([theme, *links], part, title=name) for name in ("", "a", "b", "c")}
    package = Journey(Dark(pages), asked()).go()
    seen = [(one.route_id, "dark" in str(one.scope_ids)) for one in package.transition_graph.states]
    assert sum(dark for _, dark in seen) <= 1 and len({route for route, _ in seen}) == 4


@pytest.mark.requirement("DISC-11.5d", "DISC-2.1")
def test_parameters_of_a_list_are_looked_at_one_by_one_and_not_in_every_combination() -> None:
    class Filtered(World):
        """Each link adds its parameter to those that are there already, as lists with facets do."""

        def press(self, node: str) -> when.Effects:
            self.load(self.nodes[node].href or "/")
            return when.Effects()

    keys = ("year", "month", "state", "house", "order", "owner", "size", "kind")

    class Growing(Filtered):
        def load(self, url: str) -> bool:
            here = url.partition("?")[2]
            have = [one.partition("=")[0] for one in here.split("&") if one]
            self.pages["/list"] = Page(
                [
                    El("link", f"by {key}", href="/list?" + "&".join(f"{k}=1" for k in sorted({*have, key})))
                    for key in keys
                    if key not in have
                ],
                tuple(Part(f"f{key}", "region", f"Filtered by {key}") for key in have),
            )
            return super().load(url)

    world = Growing({"/": Page([El("link", "List", href="/list")]), "/list": Page()})
    package = Journey(world, asked()).go()
    assert len(package.transition_graph.states) <= 2 + len(keys)


def test_a_link_to_a_file_is_no_place_to_look_at() -> None:
    links = [El("link", "As JSON", href="/rows.json?_size=10"), El("link", "Rows", href="/rows")]
    package, world, _ = discovered({"/": Page(links), "/rows": Page(title="Rows"), "/rows.json": Page()})
    assert not [url for url in world.loaded if ".json" in url]
    assert {one.route_id for one in package.route_catalog.routes} == {"/", "/rows"}


@pytest.mark.requirement("DISC-11.3a")
def test_parts_that_were_all_seen_are_no_new_state_when_they_stand_together() -> None:
    class Panels(World):
        """Each button opens its panel, or closes it again."""

        def press(self, node: str) -> when.Effects:
            one = self.nodes[node]
            self.pressed.append(one.name)
            self.open ^= {one.opens or ""}
            return when.Effects()

    names = ("left", "right", "top", "bottom")
    controls = [El("button", f"Show {name}", opens=name, state={"pressed": False}) for name in names]
    inside = [El("button", f"Delete {name}", scope=name) for name in names]
    parts = tuple(Part(name, "region", name.title(), hidden=True) for name in names)
    package = Journey(Panels({"/": Page([*controls, *inside], parts)}), asked()).go()
    assert len(package.transition_graph.states) <= 1 + len(names), "not one for each of sixteen combinations"
    found = {scope.scope_id for scope in package.scope_catalog.scopes}
    assert set(names) <= found
