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
    log.add(effects)
    log.add(effects)
    assert log.held == {"POST http://app.test/api/save": 2}
    assert list(log.reached) == ["PUT http://app.test/api/track"]
