"""A thumbnail is drawn from the redacted graph alone."""

from __future__ import annotations

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp
from uiap.discovery.report.thumbnail import shared_controls, thumbnail_svg


def drawing(page: Page, opened: str = "") -> str:
    app = SimulatedApp({"/": page})
    app.open = {opened}
    return thumbnail_svg(app.graph())


def test_controls_are_drawn_by_role_and_escaped() -> None:
    svg = drawing(Page([Element("link", "Home", href="/"), Element("textbox", "<b>Name")], title="A & B"))
    assert "class=link" in svg and "class=field" in svg
    assert "&lt;b&gt;Name" in svg and "A &amp; B" in svg and "<b>" not in svg


def test_an_open_dialog_is_drawn_over_the_page_and_alone() -> None:
    page = Page(
        [Element("button", "Behind"), Element("button", "Inside", scope="ask")],
        (Scope("ask", "dialog", "Question", hidden=True, modal=True),),
    )
    assert "class=over" in drawing(page, "ask")
    assert "Inside" in drawing(page, "ask") and "Behind" not in drawing(page, "ask")


def test_a_page_with_many_controls_ends_at_the_frame() -> None:
    svg = drawing(Page([Element("button", f"Control number {n}") for n in range(200)]))
    assert svg.count("<g ") < 30


def test_the_own_controls_of_a_screen_are_drawn_before_those_of_the_menu() -> None:
    menu = [Element("link", f"Entry {letter}", href=f"/{letter}") for letter in "abc"]
    graphs = [SimulatedApp({"/": Page([*menu, Element("button", f"Own {n}")])}).graph() for n in range(3)]
    svg = thumbnail_svg(graphs[0], shared_controls(graphs))
    assert svg.index("Own 0") < svg.index("Entry a")
    assert shared_controls(graphs[:2]) == frozenset()
