"""The session state machine, tested as conversations."""

from __future__ import annotations

import msgspec
import pytest

from tests.support.conversation import SUPPORT, Conversation, envelope, initialize
from uiap.protocol import commands as do
from uiap.protocol import events as when
from uiap.spec.core import (
    CapabilitiesChangedPayload,
    CapabilitiesListedPayload,
    ErrorPayload,
    ParticipantInfo,
    SessionPingPayload,
)


def test_a_handshake_selects_what_both_sides_support():
    talk = Conversation()
    answer = talk.open(
        supportedExtensions=[{"id": "uiap.policy", "versions": ["0.1", "0.2"], "required": True}]
    )
    assert answer["type"] == "session.initialized"
    assert answer["kind"] == "response"
    assert answer["correlationId"] == "init_1"
    assert answer["sessionId"] == "sess_1"
    payload = answer["payload"]
    assert payload["selectedVersion"] == "0.1"
    assert payload["selectedProfiles"] == ["web@0.1"]
    assert payload["selectedExtensions"] == [{"id": "uiap.policy", "version": "0.1"}]
    assert payload["limits"]["maxPendingRequests"] == 32
    assert talk.session.state == "active"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"supportedVersions": ["9.9"]}, "unsupported_version"),
        ({"supportedProfiles": ["tv@0.1"]}, "unsupported_profile"),
        (
            {"supportedExtensions": [{"id": "x.none.such", "versions": ["0.1"], "required": True}]},
            "required_extension_unavailable",
        ),
        ({"supportedVersions": []}, "invalid_payload"),
    ],
)
def test_a_failed_handshake_is_refused_and_may_be_retried(change, code):
    talk = Conversation()
    talk.receive(initialize(**change))
    assert talk.error["code"] == code
    assert talk.session.state == "new"
    assert talk.receive(initialize() | {"id": "init_2"}) == [talk.commands[0]]
    assert isinstance(talk.commands[0], do.Admit)


def test_a_peer_that_only_knows_the_policy_alias_gets_the_alias():
    talk = Conversation()
    answer = talk.open(supportedExtensions=[{"id": "uicp.policy", "versions": ["0.1"]}])
    assert answer["payload"]["selectedExtensions"] == [{"id": "uicp.policy", "version": "0.1"}]
    (delivered,) = talk.request("uicp.policy.get", {})
    assert isinstance(delivered, do.Deliver)
    assert delivered.type == "uiap.policy.get"
    from uiap.spec.policy import PolicyChangedPayload

    talk.feed(
        when.Published(at=talk.at, type="uiap.policy.changed", payload=PolicyChangedPayload(revision="r2"))
    )
    assert talk.sent[0]["type"] == "uicp.policy.changed"


def test_both_spellings_of_the_policy_extension_count_as_one_offer():
    talk = Conversation()
    offers = [
        {"id": "uicp.policy", "versions": ["0.1"]},
        {"id": "uiap.policy", "versions": ["0.1"], "required": True},
    ]
    answer = talk.open(supportedExtensions=offers)
    assert answer["payload"]["selectedExtensions"] == [{"id": "uiap.policy", "version": "0.1"}]


def test_a_rejected_caller_gets_an_error_and_no_session():
    talk = Conversation()
    talk.receive(initialize())
    talk.feed(when.TurnedAway(at=talk.at, error=ErrorPayload(code="unauthorized", message="no such token")))
    assert talk.error["code"] == "unauthorized"
    assert "sessionId" not in talk.sent[0]
    assert talk.session.state == "new"


REFUSALS = [
    ("not json", None, None),
    ("[1, 2]", None, None),
    (envelope("session.ping", {}, uiap="1"), "invalid_envelope", "/uiap"),
    (envelope("session.ping", {}, uiap="7.0"), "unsupported_version", "/uiap"),
    (envelope("session.ping", {}, kind="shout"), "invalid_envelope", "/kind"),
    (envelope("Session.ping", {}), "invalid_envelope", "/type"),
    (envelope("session.ping", {}, ts="yesterday"), "invalid_envelope", "/ts"),
    (envelope("session.ping", {}, source={"role": "ghost", "id": "x"}), "invalid_envelope", "/source/role"),
    (envelope("session.ping", {}, source={"role": "agent", "id": ""}), "invalid_envelope", "/source/id"),
    (envelope("session.ping", []), "invalid_envelope", "/payload"),
    (envelope("session.ping", {}, sessionId=None), "session_required", "/sessionId"),
    (envelope("session.ping", {}, sessionId="sess_other"), "session_not_found", "/sessionId"),
    (envelope("session.ping", {}, sessionId=7), "session_not_found", "/sessionId"),
    (envelope("x.vendor.thing", {}), "unsupported_type", "/type"),
    (envelope("uiap.workflow.list", {}), "unsupported_type", "/type"),
    (envelope("action.request", {}), "invalid_payload", "/payload/actionId"),
    (
        envelope("action.request", {"actionId": "ui.activate", "timeoutMs": "soon"}),
        "invalid_payload",
        "/payload/timeoutMs",
    ),
    (initialize() | {"sessionId": "sess_1"}, "invalid_state", "/type"),
]


@pytest.mark.parametrize(("body", "code", "path"), REFUSALS)
def test_each_failed_check_has_its_code_and_pointer(body, code, path):
    talk = Conversation()
    talk.open()
    talk.receive(body)
    if code is None:
        assert talk.sent[0]["kind"] == "event"
        assert talk.error["code"] == "invalid_envelope"
        return
    assert talk.error["code"] == code
    assert talk.error["detail"]["path"] == path
    assert talk.sent[0]["correlationId"] == body["id"]


def test_an_id_used_twice_is_refused():
    talk = Conversation()
    talk.open()
    talk.receive(envelope("session.ping", {}))
    talk.receive(envelope("session.ping", {}))
    assert talk.error["code"] == "duplicate_message"


def test_a_duplicate_member_is_refused_at_every_depth():
    talk = Conversation()
    talk.open()
    ping = msgspec.json.encode(envelope("session.ping", {}, id="d1")).decode()
    talk.receive(ping[:-1] + ',"type":"session.ping"}')
    assert talk.error["code"] == "invalid_envelope"
    request = envelope("action.request", {"actionId": "a.b", "args": {"x": {"k": 1}}}, id="d2")
    talk.receive(msgspec.json.encode(request).decode().replace('{"k":1}', '{"k":1,"k":2}'))
    assert talk.error["code"] == "invalid_payload"


@pytest.mark.parametrize("kind", ["event", "response"])
def test_an_invalid_event_or_response_is_logged_and_never_answered(kind):
    talk = Conversation()
    talk.open()
    (noted,) = talk.receive(envelope("x.vendor.thing", {}, kind=kind, correlationId="c1"))
    assert isinstance(noted, do.Note)


def test_an_error_is_never_answered_with_an_error():
    talk = Conversation()
    talk.open()
    payload = {"code": "internal_error", "message": "oops"}
    for body in (
        envelope("error", payload, id="e1", kind="response", correlationId="nobody"),
        envelope("error", payload, id="e2", kind="event"),
        envelope("error", {"code": 3}, id="e3", kind="response", correlationId="nobody"),
        envelope("error", payload, id="e4", kind="error"),
        envelope("error", payload, id="e5", kind="request"),
        envelope("error", payload, id="e6", kind="event", sessionId="sess_other"),
        envelope("error", payload, id="e7", kind="event", sessionId=None),
    ):
        assert [type(c) for c in talk.receive(body)] == [do.Note], body


def test_unknown_members_are_ignored_at_every_level():
    talk = Conversation()
    talk.open()
    (delivered,) = talk.request("capabilities.list", {"profile": "web@0.1", "later": 1}, later={"x": 1})
    assert isinstance(delivered, do.Deliver)
    assert delivered.payload.profile == "web@0.1"


def test_a_request_is_answered_once_with_the_reply_of_the_host():
    talk = Conversation()
    talk.open()
    talk.request("capabilities.list", {})
    listed = CapabilitiesListedPayload(revision="c1")
    talk.feed(when.Answered(at=talk.at, request_id="ask_1", type="capabilities.listed", payload=listed))
    assert talk.sent[0]["correlationId"] == "ask_1"
    talk.request("capabilities.list", {})
    error = ErrorPayload(code="not_found", message="no document")
    talk.feed(when.Declined(at=talk.at, request_id="ask_2", error=error))
    assert talk.error["code"] == "not_found"


def test_more_open_requests_than_allowed_are_busy():
    talk = Conversation(max_pending_requests=2)
    talk.open()
    talk.request("capabilities.list", {})
    talk.request("capabilities.list", {})
    talk.request("capabilities.list", {})
    assert talk.error["code"] == "busy"
    assert talk.error["retryable"] is True
    listed = CapabilitiesListedPayload(revision="c1")
    talk.feed(when.Answered(at=talk.at, request_id="ask_1", type="capabilities.listed", payload=listed))
    assert isinstance(talk.request("capabilities.list", {})[0], do.Deliver)


def test_a_message_over_the_limit_is_too_large():
    talk = Conversation(max_message_bytes=200)
    talk.receive("x" * 201)
    assert talk.error["code"] == "payload_too_large"
    talk.feed(when.Garbled(at=talk.at, size=9))
    assert talk.error["code"] == "invalid_envelope"


def test_a_ping_is_answered_with_its_nonce():
    talk = Conversation()
    talk.open()
    talk.request("session.ping", {"nonce": "n1"})
    assert (talk.sent[0]["type"], talk.sent[0]["payload"]) == ("session.pong", {"nonce": "n1"})


def test_a_silent_peer_is_pinged_then_suspended_and_its_results_are_kept():
    talk = Conversation(heartbeat_s=30, resume_s=60)
    talk.open()
    talk.wait(30)
    assert talk.sent[0]["type"] == "session.ping"
    talk.wait(29)
    assert talk.sent == []
    commands = talk.wait(1)
    assert [type(c) for c in commands] == [do.CloseTransport, do.Suspend, do.WakeAt]
    assert talk.session.state == "suspended"
    changed = CapabilitiesChangedPayload(revision="c2")
    assert talk.feed(when.Published(at=talk.at, type="capabilities.changed", payload=changed)) == []
    back = initialize(resume={"sessionId": "sess_1"}) | {"id": "init_2"}
    talk.feed(when.Resumed(at=talk.at, text=msgspec.json.encode(back).decode()))
    kinds = [sent["type"] for sent in talk.sent]
    assert kinds[0] == "session.initialized"
    assert talk.sent[0]["payload"]["resumed"] is True
    assert kinds[-1] == "capabilities.changed"
    assert talk.session.state == "active"


def test_a_pong_keeps_the_session_alive():
    talk = Conversation(heartbeat_s=30)
    talk.open()
    talk.wait(30)
    ping = talk.sent[0]
    talk.receive(envelope("session.pong", {}, kind="response", correlationId=ping["id"], id="p1"))
    assert talk.commands == []
    talk.wait(29)
    assert talk.session.state == "active"
    talk.wait(1)
    assert talk.sent[0]["type"] == "session.ping"


def test_a_resume_sends_only_missed_messages_and_drops_resent_ids():
    talk = Conversation(resume_s=60)
    talk.open()
    changed = [CapabilitiesChangedPayload(revision=f"c{n}") for n in range(3)]
    ids = []
    for payload in changed:
        talk.feed(when.Published(at=talk.at, type="capabilities.changed", payload=payload))
        ids.append(talk.sent[0]["id"])
    talk.request("capabilities.list", {})
    talk.feed(when.TransportLost(at=talk.at))
    back = initialize(resume={"sessionId": "sess_1", "lastMessageId": ids[1]}) | {"id": "init_2"}
    talk.feed(when.Resumed(at=talk.at, text=msgspec.json.encode(back).decode()))
    assert [sent["payload"].get("revision") for sent in talk.sent[1:]] == ["c2"]
    assert talk.receive(envelope("capabilities.list", {}, id="ask_1")) == []
    talk.receive(envelope("session.ping", {}, id="new_1"))
    talk.receive(envelope("session.ping", {}, id="new_1"))
    assert talk.error["code"] == "duplicate_message"


def test_a_suspended_session_ends_with_its_resume_window():
    talk = Conversation(resume_s=60)
    talk.open()
    talk.feed(when.TransportLost(at=talk.at))
    assert [type(c) for c in talk.wait(59)] == [do.WakeAt]
    assert talk.wait(1) == [do.Finish("idle_timeout")]
    talk.request("session.ping", {})
    assert talk.error["code"] == "session_not_active"


def test_terminate_settles_open_work_before_it_is_answered():
    talk = Conversation()
    talk.open()
    assert talk.request("session.terminate", {"reason": "completed"}) == [do.Settle("completed")]
    talk.request("capabilities.list", {})
    assert talk.error["code"] == "session_not_active"
    talk.feed(when.Ended(at=talk.at, reason="completed"))
    assert talk.sent[0]["type"] == "session.terminated"
    assert talk.sent[0]["correlationId"] == "ask_1"
    assert [type(c) for c in talk.commands[1:]] == [do.CloseTransport, do.Finish]


def test_an_idle_session_is_ended_but_not_while_work_is_open():
    talk = Conversation(heartbeat_s=0, idle_s=600)
    talk.open()
    talk.request("capabilities.list", {})
    talk.wait(600)
    assert talk.session.state == "active"
    listed = CapabilitiesListedPayload(revision="c1")
    talk.feed(when.Answered(at=talk.at, request_id="ask_1", type="capabilities.listed", payload=listed))
    talk.request("capabilities.list", {})
    talk.feed(when.Answered(at=talk.at, request_id="ask_2", type="capabilities.listed", payload=listed))
    assert talk.wait(600) == [do.Settle("idle_timeout")]


def test_a_request_of_the_host_is_correlated_with_its_answer():
    talk = Conversation()
    talk.open()
    talk.feed(when.Asked(at=talk.at, type="session.ping", payload=SessionPingPayload()))
    id = talk.sent[0]["id"]
    (note,) = talk.receive(envelope("session.pong", {}, kind="response", correlationId="other", id="r0"))
    assert isinstance(note, do.Note)
    assert talk.receive(envelope("session.pong", {}, kind="response", correlationId=id, id="r1")) == []


def test_the_same_events_give_the_same_commands():
    def run() -> list[object]:
        talk = Conversation()
        seen: list[object] = [talk.open()]
        for body in (envelope("session.ping", {}), envelope("session.ping", {}), "junk"):
            seen.append(talk.receive(body))
        return seen

    assert run() == run()


def test_a_version_other_than_the_negotiated_one_is_refused_after_the_handshake():
    talk = Conversation(support=type(SUPPORT)(versions=("0.1", "0.2"), profiles=("web@0.1",)))
    talk.open(supportedVersions=["0.1"], supportedExtensions=[])
    talk.request("session.ping", {}, uiap="0.2")
    assert talk.error["code"] == "unsupported_version"


def test_envelopes_name_this_side_as_the_source():
    talk = Conversation()
    answer = talk.open()
    assert answer["source"] == {"role": "bridge", "id": "web-runtime"}
    assert isinstance(talk.session.terms.me, ParticipantInfo)
