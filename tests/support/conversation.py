"""A test helper for the session machine: the test is written as a conversation.

talk = Conversation()
talk.open()
talk.request("session.ping", {})
assert talk.sent[0]["type"] == "session.pong"
"""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.protocol import commands as do
from uiap.protocol import events as when
from uiap.protocol.negotiation import Support
from uiap.protocol.session import Session, SessionTerms
from uiap.spec.core import ExtensionOffer, ParticipantInfo

SUPPORT = Support(
    profiles=("web@0.1",),
    extensions=(
        ExtensionOffer(id="uiap.policy", versions=("0.1",)),
        ExtensionOffer(id="uiap.workflow", versions=("0.1",)),
    ),
)
TS = "2026-03-26T14:00:00.000Z"


def envelope(type: str, payload: Any, **members: Any) -> dict[str, Any]:
    """Return a valid request. Members given by name replace its own; None removes one."""
    body = {
        "uiap": "0.1",
        "kind": "request",
        "type": type,
        "id": "msg_1",
        "sessionId": "sess_1",
        "ts": TS,
        "source": {"role": "agent", "id": "tester"},
        "payload": payload,
        **members,
    }
    return {key: value for key, value in body.items() if value is not None}


def initialize(**payload: Any) -> dict[str, Any]:
    body = {
        "supportedVersions": ["0.1"],
        "supportedProfiles": ["web@0.1"],
        "supportedExtensions": [{"id": "uiap.policy", "versions": ["0.1"]}],
        "participant": {"role": "agent", "id": "tester"},
        **payload,
    }
    return envelope("session.initialize", body, id="init_1", sessionId=None)


class Conversation:
    """Feed texts and instants to one session and keep its commands."""

    def __init__(self, **terms: Any) -> None:
        self.mono = 100.0
        self.session = Session(
            SessionTerms(
                session_id="sess_1",
                seed="seed",
                me=ParticipantInfo(role="bridge", id="web-runtime"),
                support=terms.pop("support", SUPPORT),
                **terms,
            )
        )
        self.commands: list[do.Command] = []
        self._ids = 0

    @property
    def at(self) -> when.Instant:
        return when.Instant(self.mono, TS)

    def feed(self, event: when.Event) -> list[do.Command]:
        self.commands = self.session.handle(event)
        return self.commands

    def receive(self, body: Any) -> list[do.Command]:
        text = body if isinstance(body, str) else msgspec.json.encode(body).decode()
        return self.feed(when.Received(at=self.at, text=text))

    def request(self, type: str, payload: Any, **members: Any) -> list[do.Command]:
        """Receive a request with a new id."""
        self._ids += 1
        return self.receive(envelope(type, payload, **{"id": f"ask_{self._ids}", **members}))

    def open(self, **payload: Any) -> dict[str, Any]:
        self.receive(initialize(**payload))
        assert isinstance(self.commands[0], do.Admit), self.commands
        self.feed(when.Admitted(at=self.at))
        return self.sent[0]

    def wait(self, seconds: float) -> list[do.Command]:
        self.mono += seconds
        return self.feed(when.Woke(at=self.at))

    @property
    def sent(self) -> list[dict[str, Any]]:
        """The envelopes that the session sent in the last step, decoded."""
        return [msgspec.json.decode(c.text) for c in self.commands if isinstance(c, do.SendText)]

    @property
    def error(self) -> dict[str, Any]:
        """The single error that the session sent in the last step."""
        (only,) = self.sent
        assert only["type"] == "error", only
        payload: dict[str, Any] = only["payload"]
        return payload
