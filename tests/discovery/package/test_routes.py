"""Routes: the rules that make one, and the addresses that are one route."""

from __future__ import annotations

import pytest

from tests.discovery.shop import route_ids
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
from uiap.spec.web import PageGraph


class AppWithViews(SimulatedApp):
    """Its navigation shows another view with another title at the same address."""

    def graph(self) -> PageGraph:
        page = self.pages["/"]
        title = "Reports" if "reports" in self.open else "Home"
        self.pages["/"] = Page(page.elements, page.scopes, title)
        return super().graph()


class AppWithRouter(SimulatedApp):
    """Its routes are in the fragment of the address."""

    def page(self, url: str) -> Page | None:
        return self.pages["/team"] if "#/team" in url else self.pages["/"]


@pytest.mark.requirement("DISC-15.1b")
def test_a_view_that_navigation_shows_at_the_same_address_is_a_route() -> None:
    reports = Element("button", "Show reports", opens="reports")
    page = Page(
        [reports, Element("tab", "Year", scope="reports")], (Scope("reports", "region", "R", hidden=True),)
    )
    package = SimulatedRun(AppWithViews({"/": page}), environment()).complete()
    view = next(one for one in package.route_catalog.routes if one.route_id == "/#reports")
    assert view.titles == ("Reports",) and view.entry_actions == ("ui.activate",)
    assert {ref.source for ref in view.discovered_by} == {"dom", "transition"}


@pytest.mark.requirement("DISC-15.1b")
def test_a_path_an_annotation_and_a_router_make_a_route_each() -> None:
    def pages(href: str, route: str | None = None) -> dict[str, Page]:
        team = Page([Element("tab", "A")], title="Team", route=route)
        return {"/": Page([Element("link", "Team", href=href)], title="Home"), "/team": team}

    assert route_ids(explore(pages("/team"))[0]) == {"/", "/team"}
    assert route_ids(explore(pages("/team", "team.list"))[0]) == {"/", "team.list"}
    package = SimulatedRun(AppWithRouter(pages("/#/team")), environment()).complete()
    assert {one.metadata["url"] for one in package.transition_graph.states} == {f"{BASE}/", f"{BASE}/#/team"}


@pytest.mark.requirement("DISC-15.1c")
def test_addresses_that_differ_in_the_id_of_a_record_are_one_route_with_a_pattern() -> None:
    numbers = [Element("link", f"Video {n}", href=f"/videos/{n}") for n in range(5)]
    names = [Element("link", name, href=f"/wiki/{name}") for name in ("alpha", "beta", "gamma", "delta")]
    back = Page([Element("link", "Back", href="/")])
    pages = {"/": Page([*numbers, *names]), "/videos/:id": Page([Element("tab", "Cut")])}
    package, _, _ = explore({**pages, **{f"/wiki/{one.name}": back for one in names}})
    routes = {one.route_id: one.metadata["pattern"] for one in package.route_catalog.routes}
    assert routes == {"/": "/", "/videos/:id": "/videos/:id", "/wiki/:name": "/wiki/:name"}
