"""The requests that belong to an action, and the evidence they give."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.host.observation.traffic import Traffic

POLL = {"type": "script", "stack": {"callFrames": [{"url": "a.js", "lineNumber": 1, "columnNumber": 2}]}}
CLICK = {"type": "script", "stack": {"callFrames": [{"url": "a.js", "lineNumber": 9, "columnNumber": 2}]}}
TIMER = {
    "type": "script",
    "stack": {"callFrames": [], "parent": {"description": "setTimeout", "callFrames": []}},
}


class Tab(Traffic):
    def send(
        self, id: str, at: float, *, by: dict[str, Any] = CLICK, kind: str = "Fetch", url: str = "/save"
    ) -> Tab:
        self.request_sent(id, kind, "POST", f"http://app.test{url}", by, at)
        return self

    def act(self, begun: float = 10.0, until: float = 10.02) -> Tab:
        self.begin_action(begun - 0.01)
        self.input_dispatched(begun, until)
        return self


def test_a_request_of_the_input_is_open_until_its_response() -> None:
    tab = Tab().act().send("r1", 10.01)
    assert tab.open_count(10.02) == 1
    tab.response_received("r1", 200, 10.3)
    tab.request_ended("r1", False, "", 10.31)
    assert (tab.open_count(10.32), tab.failure(), tab.idle_since) == (0, None, 10.31)
    assert tab.attribution().answered == ((10.3, 10.31 + 0.25),)


@pytest.mark.parametrize("at", [9.9, 10.2])
def test_a_request_before_or_after_the_input_is_not_its_own(at: float) -> None:
    tab = Tab()
    tab.begin_action(9.8)
    tab.input_dispatched(10.0, 10.02)
    assert tab.send("r1", at).open_count(11.0) == 0


def test_a_request_of_a_timer_is_not_one_of_the_input() -> None:
    assert Tab().act().send("r1", 10.01, by=TIMER).open_count(10.02) == 0
    assert Tab().act().send("r1", 10.01, by=TIMER, kind="Document").attribution().navigating is False


def test_a_background_request_is_not_own_but_the_same_url_from_another_script_position_is() -> None:
    tab = Tab().send("r0", 5.0, by=POLL)
    tab.act().send("r1", 10.01, by=POLL)
    assert tab.open_count(10.02) == 0
    assert tab.send("r2", 10.01, by=CLICK).open_count(10.02) == 1


def test_a_poll_during_an_action_is_background_in_the_next_action() -> None:
    tab = Tab().act()
    tab.send("r1", 10.5, by=POLL)
    tab.end_action()
    tab.act(20.0, 20.02)
    assert tab.send("r2", 20.01, by=POLL).open_count(20.02) == 0


OTHER = {"type": "other"}


@pytest.mark.parametrize("url", ["/list", "/list?page=2"])
def test_a_link_to_a_page_that_was_opened_without_an_action_is_own(url: str) -> None:
    tab = Tab().send("r0", 5.0, by=OTHER, kind="Document", url="/list")
    tab.act().send("r1", 10.01, by=OTHER, kind="Document", url=url)
    assert tab.attribution().navigating is True
    tab.end_action()
    tab.begin_action(15.0)  # an action that goes to an address has no input of its own
    tab.send("r2", 15.01, by=OTHER, kind="Document", url="/list")
    tab.end_action()
    assert tab.act(20.0, 20.02).send("r3", 20.01, by=OTHER, kind="Document").attribution().navigating is True


def test_a_page_that_loads_itself_again_and_again_is_background() -> None:
    tab = Tab()
    for number in range(3):
        tab.send(f"r{number}", 5.0 + number, by=OTHER, kind="Document", url="/board")
    tab.act().send("r9", 10.01, by=OTHER, kind="Document", url="/board")
    assert tab.attribution().navigating is False


def test_a_request_right_after_an_own_response_is_own_too() -> None:
    tab = Tab().act().send("r1", 10.01)
    tab.response_received("r1", 200, 10.3)
    tab.request_ended("r1", False, "", 10.3)
    tab.send("r2", 10.35, url="/list")
    assert tab.open_count(10.36) == 1


@pytest.mark.parametrize("status", [400, 404, 500])
def test_an_error_status_is_a_failure(status: int) -> None:
    tab = Tab().act().send("r1", 10.01)
    tab.response_received("r1", status, 10.1)
    assert tab.failure() == f"POST /save was answered with {status}"


def test_a_missing_response_is_a_failure_and_an_abort_is_not() -> None:
    tab = Tab().act().send("r1", 10.01).send("r2", 10.01).send("r3", 10.01)
    tab.request_ended("r2", True, "net::ERR_ABORTED", 10.1)
    tab.request_ended("r3", True, "left", 10.1)
    assert tab.failure() is None
    tab.request_ended("r1", True, "net::ERR_EMPTY_RESPONSE", 10.1)
    assert tab.failure() == "POST /save: net::ERR_EMPTY_RESPONSE"


def test_a_body_that_the_page_does_not_read_is_not_awaited() -> None:
    tab = Tab().act().send("r1", 10.01)
    tab.response_received("r1", 200, 10.1)
    assert (tab.open_count(10.15), tab.open_count(10.21)) == (1, 0)


@pytest.mark.parametrize("kind", ["Image", "EventSource", "Ping", "WebSocket"])
def test_images_and_streams_are_no_evidence(kind: str) -> None:
    assert Tab().act().send("r1", 10.01, kind=kind).open_count(10.02) == 0


def test_a_document_request_of_the_input_is_a_navigation() -> None:
    tab = Tab().act().send("r1", 10.08, kind="Document")
    assert tab.attribution().navigating
    tab.document_replaced()
    assert tab.attribution().navigating
    tab.response_received("r1", 500, 10.2)
    assert tab.failure() == "POST /save was answered with 500"


def test_a_form_with_a_late_redirect_still_belongs_to_the_input() -> None:
    """A login: the server takes time to check the password, and then redirects."""
    tab = Tab().act().send("r1", 10.01, kind="Document", url="/login")
    tab.response_received("r1", 302, 10.9)
    tab.request_sent("r1", "Document", "GET", "http://app.test/home", CLICK, 10.9)
    assert tab.attribution().navigating and tab.attribution().wrote
    tab.response_received("r1", 500, 11.0)
    assert tab.failure() == "GET /home was answered with 500"


def test_the_driver_ends_the_task_of_an_input_once() -> None:
    tab = Tab()
    tab.begin_action(9.9)
    tab.input_dispatched(10.0, None)
    assert tab.send("r1", 10.3).open_count(10.31) == 1
    tab.input_ended(10.0, 10.32)
    tab.input_ended(10.0, 99.0)
    assert tab.send("r2", 10.4, url="/poll").open_count(10.5) == 1
    tab.begin_action(11.0)
    tab.input_dispatched(11.0, None)
    tab.input_ended(10.0, 11.1)
    assert tab.send("r3", 11.2).open_count(11.3) == 1


def test_a_repeated_request_replaces_the_failure_of_the_first() -> None:
    tab = Tab().act().send("r1", 10.01)
    tab.response_received("r1", 503, 10.1)
    tab.request_ended("r1", False, "", 10.1)
    assert tab.failure() == "POST /save was answered with 503"
    tab.send("r2", 10.15)
    tab.response_received("r2", 200, 10.2)
    assert tab.failure() is None


def test_a_failed_telemetry_request_is_no_failure_of_the_action() -> None:
    tab = Tab().act().send("r1", 10.01, url="/analytics/click")
    tab.response_received("r1", 503, 10.1)
    assert tab.failure() is None


def test_a_request_of_a_script_is_left_to_the_tracer_where_there_is_one() -> None:
    tab = Tab().act().send("r1", 10.01)
    tab.response_received("r1", 503, 10.1)
    assert tab.failure(scripted=False) is None
    form = Tab().act().send("r1", 10.01, kind="Document")
    form.response_received("r1", 503, 10.1)
    assert form.failure(scripted=False) == "POST /save was answered with 503"


def test_only_the_own_document_decides_about_an_arrival() -> None:
    tab = Tab().act()
    tab.request_sent("d", "Document", "GET", "http://app.test/", {}, 10.01)
    tab.response_received("d", 200, 10.1)
    tab.request_sent("f", "Document", "GET", "http://ads.test/frame?x=1", {}, 10.12, embedded=True)
    tab.response_received("f", 500, 10.15)
    tab.send("q", 10.13, url="/data")
    tab.request_ended("q", True, "net::ERR_CONNECTION_REFUSED", 10.16)
    tab.send("open", 10.14, url="/stream")
    assert tab.document_failure() is None
    assert tab.failed_parts() == (
        "http://ads.test/frame: 500",
        "http://app.test/data: net::ERR_CONNECTION_REFUSED",
        "http://app.test/stream: no answer yet",
    )
    tab.response_received("d", 500, 10.2)
    assert tab.document_failure() == "GET / was answered with 500"


def test_a_frame_of_the_page_that_a_press_led_to_is_no_failure_of_the_press() -> None:
    tab = Tab().act()
    tab.request_sent("f", "Document", "POST", "http://app.test/upload", CLICK, 10.01, embedded=True)
    tab.response_received("f", 500, 10.1)
    assert tab.failure() == "POST /upload was answered with 500"
    page = Tab().act()
    page.request_sent("d", "Document", "GET", "http://app.test/next", CLICK, 10.01)
    page.response_received("d", 200, 10.1)
    page.request_sent("f", "Document", "GET", "http://ads.test/frame", {}, 10.12, embedded=True)
    page.response_received("f", 500, 10.15)
    assert page.failure() is None


def test_a_page_that_polls_fast_costs_little_per_request() -> None:
    tab = Tab().act()
    for number in range(2_000):
        tab.send(f"r{number}", 10.01 + number / 100, url=f"/poll/{number}")
        tab.response_received(f"r{number}", 200, 10.012 + number / 100)
        tab.request_ended(f"r{number}", False, "", 10.013 + number / 100)
    assert len(tab.own_requests()) == 2_000


@pytest.mark.parametrize(("method", "awaited"), [("POST", 1), ("GET", 0)])
def test_a_page_that_a_write_led_to_is_awaited_until_it_has_fetched_its_data(
    method: str, awaited: int
) -> None:
    tab = Tab()
    tab.request_sent("r0", "Fetch", "GET", "http://app.test/alarm", POLL, 5.0)
    tab.act()
    tab.request_sent("r1", "Document", method, "http://app.test/", CLICK, 10.01)
    tab.document_replaced()
    tab.request_ended("r1", False, "", 10.05)
    tab.request_sent("r2", "Fetch", "GET", "http://app.test/alarm", POLL, 10.1)
    assert tab.open_count(10.2) == awaited, "the same request was sent by the page before"
    tab.request_ended("r2", False, "", 10.4)
    assert tab.open_count(10.5) == 0 and tab.idle_since == (10.4 if awaited else 10.05)
