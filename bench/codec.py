"""Decode, validate and dispatch one `action.request`: our codec against the same types in pydantic v2.

The message is the example of the specification (Action Runtime §17). The contestants take turns in short rounds,
so that a busy machine slows all of them equally. The best round of each counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import jiter
from pydantic import TypeAdapter

from bench import pydantic_twins as twins
from bench.table import Claim, show
from uiap.protocol import codec
from uiap.protocol.refusal import Refusal
from uiap.spec.messages import MESSAGES

SUMMARY = "decoding, validation and dispatch of an action.request, compared with pydantic v2"
ROUNDS, TURNS = 300, 200
REQUIRED = 4.0
VERSIONS = ("0.1",)
TEXT = (
    '{ "uiap": "0.1", "kind": "request", "type": "action.request", "id": "msg_77", "sessionId": "sess_123", '
    '"ts": "2026-03-26T14:03:00.000Z", "source": { "role": "agent", "id": "onboarding-agent" }, "payload": '
    '{ "actionId": "ui.activate", "target": { "ref": { "by": "stableId", "value": "video.submit" }, '
    '"expectedRole": "button", "expectedName": "Video erstellen" }, "verification": { "policy": "all", '
    '"signals": [ { "kind": "route.changed", "pattern": "/videos/:id" }, { "kind": "toast.contains", '
    '"text": "erstellt" } ], "timeoutMs": 8000, "requireRevisionAdvance": true }, "presentation": '
    '{ "ghostCursor": true, "highlight": "spotlight", "pace": "humanized" }, "timeoutMs": 12000 }}'
)


def handle(payload: Any) -> Any:
    return payload


HANDLERS: dict[str, Callable[[Any], Any]] = dict.fromkeys(
    ("action.request", "session.ping", "action.cancel"), handle
)
_union: TypeAdapter[Any] = TypeAdapter(twins.AnyEnvelope)


def ours() -> Any:
    """Decode as the session does, with every check of the envelope, among them repeated members and depth."""
    envelope = codec.read_envelope(TEXT, VERSIONS)
    assert not isinstance(envelope, Refusal)
    type = envelope.type
    return HANDLERS[type](codec.read_payload(envelope, MESSAGES[type].payload))


def ours_types_alone() -> Any:
    """Check only the types, as pydantic does: repeated members are not detected."""
    envelope = codec._typed_decoder.decode(TEXT)
    type = envelope.type
    if envelope.uiap not in VERSIONS or envelope.ts.tzinfo is None:
        raise AssertionError("the example is valid")
    return HANDLERS[type](codec.read_payload(envelope, MESSAGES[type].payload))


def pydantic_in_two_steps() -> Any:
    """Decode the envelope, then the payload of its type: the design of any dispatching server."""
    envelope = twins.Envelope.model_validate_json(TEXT)
    type = envelope.type
    return HANDLERS[type](twins.PAYLOADS[type].model_validate(envelope.payload, strict=False))


def pydantic_in_two_steps_refusing_repeats() -> Any:
    """Give the same guarantees as ours: pydantic's own parser does not detect repeated members."""
    body = jiter.from_json(TEXT.encode(), catch_duplicate_keys=True, allow_inf_nan=False)
    envelope = twins.Envelope.model_validate(body, strict=False)
    type = envelope.type
    return HANDLERS[type](twins.PAYLOADS[type].model_validate(envelope.payload, strict=False))


def pydantic_in_one_closed_union() -> Any:
    """Know every message type in advance and check only the types: the best case of pydantic."""
    envelope = _union.validate_json(TEXT)
    return HANDLERS[envelope.type](envelope.payload)


CONTESTANTS = (
    ours,
    ours_types_alone,
    pydantic_in_two_steps,
    pydantic_in_two_steps_refusing_repeats,
    pydantic_in_one_closed_union,
)


def measure() -> dict[str, float]:
    """Return the microseconds per message, by contestant."""
    best = {contestant.__name__: float("inf") for contestant in CONTESTANTS}
    for _ in range(ROUNDS):
        for contestant in CONTESTANTS:
            begun = time.perf_counter()
            for _ in range(TURNS):
                contestant()
            best[contestant.__name__] = min(best[contestant.__name__], (time.perf_counter() - begun) / TURNS)
    return {name: seconds * 1e6 for name, seconds in best.items()}


def run() -> bool:
    assert ours().action_id == pydantic_in_two_steps().action_id == pydantic_in_one_closed_union().action_id
    spent = measure()
    rows = [("contestant", "µs", "× ours")]
    rows += [(name.replace("_", " "), f"{us:.2f}", f"{us / spent['ours']:.2f}") for name, us in spent.items()]
    # The claim is about the code path of a session. The other rows show where its time is spent.
    ratio = spent["pydantic_in_two_steps"] / spent["ours"]
    claim = Claim(
        f"{ratio:.2f}× faster than the same types in pydantic (at least {REQUIRED:g}×)", ratio >= REQUIRED
    )
    return show(f"codec: {len(TEXT)} characters of action.request", rows, [claim])
