"""The log of a run: the requests that could write."""

from __future__ import annotations

from uiap.discovery.events import BlockedRequest, Effects
from uiap.discovery.knowledge.transitions import NetworkLog


def test_requests_are_counted_and_those_that_reached_the_server_are_listed_once() -> None:
    log = NetworkLog()
    effects = Effects(
        blocked=(BlockedRequest("POST", "http://app.test/api/save", "write"),),
        reached=("PUT http://app.test/api/track",),
    )
    log.add(effects, "/items")
    log.add(effects, "/items")
    assert log.held == {"POST http://app.test/api/save": 2}
    assert list(log.reached) == ["PUT http://app.test/api/track"]


def test_a_post_that_a_page_needs_to_load_is_named_with_the_option_that_permits_it() -> None:
    log = NetworkLog()
    blocked = (
        BlockedRequest("POST", "http://app.test/api/items?page=1", "write", "XHR"),
        BlockedRequest("POST", "http://app.test/track", "write", "XHR"),
        BlockedRequest("POST", "http://app.test/api/items/delete", "write", "XHR"),
    )
    log.add(Effects(blocked=blocked), "/items", on_load=True)
    assert log.read_options == {"--read-request 'POST http://app.test/api/items*'": {"/items"}}
