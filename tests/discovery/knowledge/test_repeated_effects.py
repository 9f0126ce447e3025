"""Controls with the same effect on several routes are not tried on the others."""

from __future__ import annotations

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp, SimulatedRun, environment

SHARED_BUTTON = Element("button", "Show path", opens="path")
SHOWN_LINK = Element("link", "Start", href="/", scope="path")
SHOWN_SCOPE = Scope("path", "region", "Path", hidden=True)


def shop_pages(count: int, shown: Element) -> dict[str, Page]:
    """Return pages that share one control and have one of their own."""
    pages = {
        f"/p{word}": Page(
            [SHARED_BUTTON, shown, Element("button", f"Sing {word}")], (SHOWN_SCOPE,), f"Page {word}"
        )
        for word in "abcdef"[:count]
    }
    return {"/": Page([Element("link", f"To {path}", href=path) for path in pages]), **pages}


def press_count(pages: dict[str, Page]) -> int:
    app = SimulatedApp(pages)
    SimulatedRun(app, environment()).complete()
    return app.pressed.count("Show path")


def test_a_control_with_the_same_effect_on_three_routes_is_not_tried_on_the_rest() -> None:
    assert press_count(shop_pages(2, SHOWN_LINK)) == 2
    assert press_count(shop_pages(6, SHOWN_LINK)) == 3


def test_a_control_that_shows_an_input_is_tried_on_every_route() -> None:
    assert press_count(shop_pages(6, Element("textbox", "Where to", scope="path"))) == 6
