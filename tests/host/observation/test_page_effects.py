"""A write that reached the server is reported, and only one that the network guard did not decide about."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from uiap.drivers import events
from uiap.host.observation.page_effects import GuardedRequests, PageEffects

URL = "http://app.test/graphql"


class ListenedPage:
    """A page that only passes events on."""

    def __init__(self) -> None:
        self.driver = SimpleNamespace(tabs=SimpleNamespace(active="t1"))
        self._listeners: list[Callable[[Any], None]] = []

    def listen(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def publish(self, event: Any) -> None:
        for one in list(self._listeners):
            one(event)


def permitted() -> events.RequestPermitted:
    return events.RequestPermitted(tab="t1", at=1.0, url=URL, method="POST")


def answered() -> events.ResponseReceived:
    return events.ResponseReceived(tab="t1", at=2.0, request="r1", url=URL, method="POST", status=200)


def test_an_answer_in_a_later_step_than_the_decision_is_expected() -> None:
    page: Any = ListenedPage()
    guarded = GuardedRequests(page)
    with PageEffects(page, guarded):
        page.publish(permitted())
    with PageEffects(page, guarded) as later:
        page.publish(answered())
    assert later.effects().reached == ()


def test_a_write_that_the_guard_never_decided_about_is_reported() -> None:
    page: Any = ListenedPage()
    guarded = GuardedRequests(page)
    with PageEffects(page, guarded) as effects:
        page.publish(answered())
    assert effects.effects().reached == (f"POST {URL}",)
    guarded.stop()
    page.publish(permitted())
    assert guarded.decided == set()
