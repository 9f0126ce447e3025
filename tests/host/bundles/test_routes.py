"""Routes of a bundle on a live page."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.host.bundles.routes import Routes
from uiap.spec.authoring import PathMatcher, RouteBinding, TitleMatcher, UrlPatternMatcher

ROUTES = Routes(
    (
        RouteBinding(id="list", match=(PathMatcher(value="/videos"),)),
        RouteBinding(id="new", match=(PathMatcher(value="/videos/new"),)),
        RouteBinding(id="one", match=(UrlPatternMatcher(value="/videos/:id"),)),
        RouteBinding(id="help", match=(TitleMatcher(value="Help"),)),
    )
)


@pytest.mark.requirement("AUTH-5.3")
@pytest.mark.parametrize(
    ("path", "title", "ids"),
    [
        ("/videos/", "Videos", ("list",)),
        ("/videos/new", "New", ("new",)),
        ("/videos/17", "Blue lamp", ("one",)),
        ("/faq", "Help", ("help",)),
        ("/elsewhere", "", ()),
    ],
)
def test_a_page_is_on_the_route_whose_matcher_fits_best(path: str, title: str, ids: tuple[str, ...]) -> None:
    store = GraphStore(Page(path, title).graph())
    assert ROUTES.current(store) == ids
    assert ROUTES.includes(store, ("list", "unknown")) is (ids == ("list",))


def test_without_a_known_route_every_page_is_included() -> None:
    assert ROUTES.includes(GraphStore(Page().graph()), ("unknown",))
