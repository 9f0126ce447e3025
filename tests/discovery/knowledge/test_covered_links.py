"""Pages behind a dialog that the application opens by itself are visited by their addresses."""

from __future__ import annotations

from tests.discovery.simulated_app import BASE, Element, Page, Scope, explore

WELCOME = Scope("welcome", "dialog", "Welcome", modal=True)
SKIP = Element("button", "Skip", scope="welcome", writes="/api/seen")


def test_a_dialog_that_does_not_close_hides_no_page() -> None:
    menu = (Element("link", "Runs", href="/runs"), Element("link", "Log out", href="/logout"))
    pages = {
        "/": Page([*menu, SKIP], (WELCOME,)),
        "/runs": Page([Element("link", "Jobs", href="/jobs"), SKIP], (WELCOME,), title="Runs"),
        "/jobs": Page(title="Jobs"),
        "/logout": Page(title="Bye"),
    }
    package, app, _ = explore(pages)
    assert {one.route_id for one in package.transition_graph.states} == {"/", "/runs", "/jobs"}
    assert f"{BASE}/logout" not in app.loaded


def test_links_behind_a_dialog_that_a_press_opened_are_followed_on_the_page_itself() -> None:
    ask = Scope("ask", "dialog", "Question", hidden=True, modal=True)
    pages = {
        "/": Page(
            [
                Element("button", "View details", opens="ask"),
                Element("link", "Runs", href="/runs"),
                Element("button", "Close", scope="ask", closes="ask"),
            ],
            (ask,),
        ),
        "/runs": Page(title="Runs"),
    }
    _, app, _ = explore(pages)
    assert "Runs" in app.pressed
