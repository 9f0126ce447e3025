"""Definitions of the HTTP binding: routing members, retry delays, the limit of connections."""

from __future__ import annotations

import json

import pytest

from uiap.spec.http import RECONNECT_DEFAULTS, HTTPBindingConfig
from uiap.transports.binding import (
    SESSION_PATH,
    ConnectionLimit,
    HttpBinding,
    assigned_session,
    envelope,
    error_code,
    error_envelope,
    read_routing,
    retry_delay,
)


def test_only_the_members_for_routing_are_read() -> None:
    text = json.dumps(
        {"id": "m1", "kind": "request", "type": "session.ping", "payload": {"deep": [1]}, "x": 1}
    )
    routing = read_routing(text)
    assert routing is not None
    assert (routing.id, routing.kind, routing.type, routing.sessionId) == (
        "m1",
        "request",
        "session.ping",
        None,
    )


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"id": "", "kind": "event"}', '{"id": 7, "kind": "event"}']
)
def test_a_text_that_is_no_envelope_has_no_routing(text: str) -> None:
    assert read_routing(text) is None


def test_an_error_answers_its_request_and_is_an_event_without_one() -> None:
    answer = json.loads(error_envelope("busy", "try later", "m1"))
    assert (answer["kind"], answer["correlationId"]) == ("response", "m1")
    assert json.loads(error_envelope("busy", "try later"))["kind"] == "event"
    assert error_code(error_envelope("busy", "try later")) == "busy"


def test_the_assigned_session_is_read_from_the_answer() -> None:
    text = envelope("response", "session.initialized", {"sessionId": "ses_1"})
    assert assigned_session(text) == "ses_1"
    assert assigned_session(envelope("event", "session.ping", {})) == ""


def test_retry_delays_grow_up_to_their_limit_and_then_end() -> None:
    delays = [retry_delay(RECONNECT_DEFAULTS, attempt, 0.5) for attempt in range(1, 20)]
    known = [delay for delay in delays if delay is not None]
    assert known == sorted(known) and known[0] < known[-1]
    assert delays[-1] is None
    low, high = retry_delay(RECONNECT_DEFAULTS, 3, 0.0), retry_delay(RECONNECT_DEFAULTS, 3, 1.0)
    assert low is not None and high is not None and low < high


def test_a_configuration_replaces_only_the_paths_it_names() -> None:
    binding = HttpBinding.of(HTTPBindingConfig(base_url="http://app.test", session_path="/s"))
    assert binding.session_path == "/s"
    assert binding.websocket_path == HttpBinding().websocket_path
    assert HttpBinding.of(None).session_path == SESSION_PATH


def test_a_connection_over_the_limit_is_not_acquired_until_another_ends() -> None:
    limit = ConnectionLimit(1)
    with limit.acquire() as first, limit.acquire() as second:
        assert (first, second) == (True, False)
    with limit.acquire() as third:
        assert third
