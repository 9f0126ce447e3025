"""Every request ends exactly once, whichever event reports it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.drivers.recorder import Recorder
from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.chromium.page.network import NetworkWatcher
from uiap.drivers.events import RequestEnded, RequestSent, ResponseReceived


class Wired:
    def __init__(self) -> None:
        self.connection = CdpConnection()
        self.recorder = Recorder()
        self.network = NetworkWatcher("t1", "F1", self.recorder)
        self.network.watch(self.connection.session("S1"))

    def tell(self, method: str, **params: Any) -> None:
        self.connection.feed(json.dumps({"method": method, "sessionId": "S1", "params": params}))

    def sent(self, request: str, *, frame: str = "ROOT", loader: str = "L1", **more: Any) -> None:
        described = {"url": f"http://x/{request}", "method": "POST"}
        self.tell(
            "Network.requestWillBeSent",
            requestId=request,
            frameId=frame,
            loaderId=loader,
            request=described,
            **more,
        )

    @property
    def ended(self) -> list[tuple[str, bool, str]]:
        return [(event.request, event.failed, event.reason) for event in self.recorder.of(RequestEnded)]


@pytest.fixture
async def wired() -> Wired:
    return Wired()


async def test_request_is_in_flight_until_it_ends(wired: Wired) -> None:
    wired.sent("r1")
    assert list(wired.network.in_flight) == ["r1"]
    wired.tell("Network.loadingFinished", requestId="r1")
    wired.tell("Network.loadingFinished", requestId="r1")
    assert not wired.network.in_flight
    assert wired.ended == [("r1", False, "")]


async def test_failure_has_the_reason_of_the_browser(wired: Wired) -> None:
    wired.sent("r1")
    wired.tell("Network.loadingFailed", requestId="r1", errorText="net::ERR_FAILED")
    assert wired.ended == [("r1", True, "net::ERR_FAILED")]


async def test_redirect_is_a_response_and_a_new_request(wired: Wired) -> None:
    wired.sent("r1")
    wired.sent("r1", redirectResponse={"url": "http://x/r1", "status": 302})
    assert [event.status for event in wired.recorder.of(ResponseReceived)] == [302]
    assert [event.redirected_from for event in wired.recorder.of(RequestSent)] == [None, "http://x/r1"]
    assert wired.network.in_flight == ("r1",)


async def test_requests_of_a_document_end_when_it_is_left(wired: Wired) -> None:
    wired.sent("old", loader="L1")
    wired.sent("L2", loader="L2")  # the request of the new document
    wired.sent("elsewhere", frame="F", loader="L9")
    wired.network.fail_requests_of("ROOT", "L2")
    assert wired.ended == [("old", True, "left")]
    assert wired.network.in_flight == ("L2", "elsewhere")


async def test_request_of_a_document_that_loads_in_another_process_ends(wired: Wired) -> None:
    wired.sent("L5", frame="F", loader="L5")
    wired.network.end_navigation_of("F")
    assert wired.ended == [("L5", False, "")]


async def test_crash_ends_all_requests(wired: Wired) -> None:
    wired.sent("r1")
    wired.sent("r2", frame="F")
    wired.network.fail_all()
    assert [request for request, failed, _ in wired.ended if failed] == ["r1", "r2"]
