"""A link whose press a script handles is not pressed: its address is loaded, and the page is still that of the link."""

from __future__ import annotations

from tests.discovery.simulated_app import BASE, Element, Page, explore


def handled(name: str, href: str, *, method: str = "request") -> Element:
    return Element("link", name, href=href, more={"metadata": {"href": href, "method": method}})


def test_the_address_of_a_handled_link_is_loaded_and_nothing_is_pressed() -> None:
    pages = {"/": Page([handled("View", "/rows")]), "/rows": Page([Element("link", "Home", href="/")])}
    package, app, _ = explore(pages)
    assert {one.route_id for one in package.transition_graph.states} == {"/", "/rows"}
    assert "View" not in app.pressed and f"{BASE}/rows" in app.loaded


def test_a_link_with_its_own_method_with_parameters_or_with_an_order_is_left_alone() -> None:
    links = [
        handled("View", "/posted", method="post"),
        handled("View rows", "/rows?of=lamps"),
        handled("Delete", "/rows/delete"),
        handled("Star", "/rows/3/star"),
    ]
    _, app, _ = explore({"/": Page(links)})
    assert app.pressed == [] and set(app.loaded) == {BASE + "/"}
