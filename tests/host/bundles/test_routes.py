"""Routes of a bundle on a live page."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.host.bundles.routes import Routes
from uiap.spec.authoring import PathMatcher, RouteBinding, RouteIdMatcher, TitleMatcher, UrlPatternMatcher
from uiap.spec.web import RouteInfo

ROUTES = Routes(
    (
        RouteBinding(id="list", match=(PathMatcher(value="/videos"),)),
        RouteBinding(id="new", match=(PathMatcher(value="/videos/new"),)),
        RouteBinding(id="one", match=(UrlPatternMatcher(value="/videos/:id"),)),
        RouteBinding(id="help", match=(TitleMatcher(value="Help"),)),
    )
)


@pytest.mark.requirement("AUTH-5.3", "RUN-8")
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


BELOW = Routes(
    (
        RouteBinding(id="list", match=(PathMatcher(value="/videos"),)),
        RouteBinding(id="one", parent_route_id="list", match=(UrlPatternMatcher(value="/videos/:id"),)),
        RouteBinding(id="loop", parent_route_id="loop", match=(PathMatcher(value="/loop"),)),
        RouteBinding(id="named", match=(RouteIdMatcher(value="billing"),)),
        RouteBinding(id="rest", match=(UrlPatternMatcher(value="/files/**"),)),
    )
)


@pytest.mark.requirement("RUN-13")
def test_a_page_below_a_route_is_included_in_it() -> None:
    below, loop = GraphStore(Page("/videos/17").graph()), GraphStore(Page("/loop").graph())
    assert BELOW.includes(below, ("list",)) and BELOW.includes(below, ("one",))
    assert not BELOW.includes(GraphStore(Page("/videos").graph()), ("one",))
    assert BELOW.includes(loop, ("loop",)) and not BELOW.includes(loop, ("list",))


@pytest.mark.requirement("RUN-8")
def test_a_route_is_recognised_by_the_id_that_the_page_publishes() -> None:
    assert BELOW.of(RouteInfo(url="http://app.test/x", route_id="billing")) == ("named",)
    assert BELOW.of(RouteInfo(url="http://app.test/x", route_id="shipping")) == ()


@pytest.mark.requirement("RUN-7")
def test_a_route_gets_the_id_of_its_binding_where_the_page_publishes_none() -> None:
    assert BELOW.name(RouteInfo(url="http://app.test/videos/9")).route_id == "one"
    assert BELOW.name(RouteInfo(url="http://app.test/elsewhere")).route_id is UNSET
    assert BELOW.name(RouteInfo(url="http://app.test/videos/9", route_id="own")).route_id == "own"


@pytest.mark.requirement("RUN-9", "RUN-38")
def test_a_route_has_an_address_with_its_parameters_filled_in() -> None:
    assert BELOW.address("list", {}) == "/videos"
    assert BELOW.address("one", {"id": "a b/c"}) == "/videos/a%20b%2Fc"


@pytest.mark.parametrize(
    ("id", "why"),
    [("one", "needs params: id"), ("rest", "no address"), ("named", "no address"), ("none", "no route")],
)
def test_a_route_without_an_address_is_refused_with_the_reason(id: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        BELOW.address(id, {})


@pytest.mark.requirement("RUN-32")
@pytest.mark.parametrize(
    ("mode", "url", "id"),
    [
        ("hash", "http://app.test/app#/videos", "list"),
        ("hash", "http://app.test/app#!/videos/3?tab=1", "one"),
        ("history", "http://app.test/videos#/loop", "list"),
    ],
)
def test_the_routing_mode_of_the_app_says_where_the_path_is(mode: str, url: str, id: str) -> None:
    routes = Routes(BELOW.by_id.values(), mode)
    assert routes.of(RouteInfo(url=url, path="/other")) == (id,)
    assert routes.address("list", {}) == ("#/videos" if mode == "hash" else "/videos")
