"""Hostile envelopes against the session, compared with a naive reference. `make soak CASE=P3` runs the full number."""

from __future__ import annotations

import os

import pytest

from tests.reference.envelope_twin import judge
from tests.support.conversation import Conversation, envelope
from tests.support.mutations import mutants
from uiap.protocol import commands as do
from uiap.protocol import events as when

COUNT = int(os.environ.get("UIAP_FUZZ", "6000"))
SERVED = frozenset({"session.initialize", "session.ping", "session.terminate", "capabilities.list"}) | {
    "action.request",
    "action.cancel",
    "uiap.policy.get",
}


class Window(dict[str, None]):
    """The last 1,024 message ids; older ones are dropped, as in the session."""

    def add(self, id: str) -> None:
        if id not in self:
            self[id] = None
            if len(self) > 1024:
                del self[next(iter(self))]


def open_conversation() -> Conversation:
    talk = Conversation(served=SERVED)
    talk.open()
    return talk


@pytest.mark.parametrize("seed", range(2))
def test_hostile_envelopes_get_the_specified_code_and_pointer(seed):
    talk, seen = open_conversation(), Window(init_1=None)
    taken = refused = 0
    for text in mutants(seed, COUNT // 2):
        code, pointer, answer_to = judge(text, seen)
        commands = talk.receive(text)
        sent = talk.sent
        delivered = [c for c in commands if isinstance(c, do.Deliver)]
        if code is not None:
            assert not delivered, text
        if code is None and answer_to is not None:
            taken += 1
            check_valid_envelope(talk, sent, delivered, answer_to, text)
        elif answer_to is not None:
            refused += 1
            (error,) = sent
            assert error["type"] == "error", text
            assert error["payload"]["code"] == code, (text, error)
            assert error["correlationId"] == answer_to
            assert error["payload"]["detail"]["path"].startswith(pointer), (text, error)
        else:
            # there is no request to answer: at most an error event about an unreadable text, never a response
            assert all(s["kind"] == "event" and s["type"] == "error" for s in sent), (text, sent)
        if (taken + refused) % 1000 == 0:
            assert_alive(talk, seen)
    assert taken > COUNT // 20
    assert refused > COUNT // 20
    assert_alive(talk, seen)


def check_valid_envelope(talk, sent, delivered, answer_to, text):
    """Check a message with a valid envelope: it is delivered, or the error points into its payload."""
    if delivered:
        (one,) = delivered
        if one.kind == "request":
            from uiap.spec.core import ErrorPayload

            error = ErrorPayload(code="not_found", message="fuzz")
            talk.feed(when.Declined(at=talk.at, request_id=one.id, error=error))
        return
    if sent and sent[0]["type"] == "error":
        assert sent[0]["payload"]["code"] == "invalid_payload", (text, sent)
        assert sent[0]["payload"].get("detail", {}).get("path", "").startswith("/payload"), (text, sent)
        return
    assert [s["type"] for s in sent] == ["session.pong"], (text, sent)


def assert_alive(talk, seen):
    id = f"control_{talk.mono}"
    talk.mono += 1
    seen.add(id)
    talk.receive(envelope("session.ping", {}, id=id))
    assert talk.sent[0]["type"] == "session.pong"
