"""Text to envelope and back. Knows the envelope rules of companions §3.3.1 and nothing of sessions.

The fast path is one typed decode. Only when it fails are the checks walked one by one, in the order of the
table, to find the first that failed: strictness costs nothing on valid traffic.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import jiter
import msgspec
from msgspec import UNSET, UnsetType

from uiap.protocol.duplicates import duplicate_member, duplicate_member_in
from uiap.protocol.pointer import expectation_of, pointer_of
from uiap.protocol.refusal import Refusal
from uiap.spec import aliases
from uiap.spec.base import Identifier, MessageType, Struct, Timestamp, Version
from uiap.spec.core import PARTICIPANT_ROLES, Envelope, EnvelopeHeader

MAX_DEPTH = 200  # jiter's own bound, so that one parser decides
S = TypeVar("S", bound=Struct)


class Inbound(EnvelopeHeader):
    """An envelope whose header was checked and whose payload is still text."""

    session_id: str | UnsetType = UNSET  # one that names no session is for the session to refuse

    @property
    def answerable(self) -> str | None:
        """The id an error may be sent to. Never answer an error, an event or a response (§3.3.1)."""
        return self.id if self.kind == "request" and self.type != "error" else None


_decoder = msgspec.json.Decoder(Inbound)
_encoder = msgspec.json.Encoder()


def read_envelope(text: str, versions: Collection[str]) -> Inbound | Refusal:
    """The envelope part of the table: everything before the session is asked."""
    data = text.encode()
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH and _too_deep(data):
        return Refusal("invalid_envelope", f"the message nests deeper than {MAX_DEPTH} levels", announce=True)
    try:
        envelope = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _diagnose(data, versions)
    if (
        envelope.uiap in versions
        and _whole(envelope)
        and not duplicate_member(data, _encoder.encode(envelope))
    ):
        return envelope
    return _diagnose(data, versions)


def _too_deep(data: bytes) -> bool:
    """Asked only where there are enough brackets for it to be possible."""
    try:
        jiter.from_json(data)
    except ValueError as error:
        return "recursion limit" in str(error)
    return False


def _whole(envelope: Inbound) -> bool:
    if envelope.kind == "response" and envelope.correlation_id is UNSET:
        return False
    return bytes(envelope.payload)[:1] == b"{"


def read_payload(envelope: Inbound, payload_type: type[S]) -> S | Refusal:
    """The last row of the table: the payload's mandatory members."""
    raw = bytes(envelope.payload)
    try:
        payload = msgspec.json.decode(raw, type=payload_type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _read_aliased(envelope, raw, payload_type, str(error))
    if duplicate_member(raw, _encoder.encode(payload)):
        return _repeated("invalid_payload", "/payload", envelope.answerable)
    return payload


def _read_aliased(envelope: Inbound, raw: bytes, payload_type: type[S], error: str) -> S | Refusal:
    """Names that drifted in the suite are accepted on input (companions §2), after the strict reading failed."""
    try:
        plain = aliases.normalise(payload_type, msgspec.json.decode(raw))
        payload = msgspec.convert(plain, payload_type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        path = pointer_of(error, "/payload")
        return Refusal(
            "invalid_payload",
            f"payload of `{envelope.type}` is not valid at `{path}`: {expectation_of(error)}",
            path,
            {"expected": expectation_of(error)},
            envelope.answerable,
        )
    if duplicate_member_in(raw):
        return _repeated("invalid_payload", "/payload", envelope.answerable)
    return payload


def _repeated(code: str, path: str, correlation_id: str | None) -> Refusal:
    return Refusal(
        code, "an object names the same member twice; send each member once", path, {}, correlation_id
    )


def _fits(kind: Any) -> Callable[[object], bool]:
    """The spec's own constraint as a yes or no, so that pattern and length stand in one place."""

    def fits(value: object) -> bool:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            return False
        return True

    return fits


_is_version, _is_type, _is_instant, _is_id = map(_fits, (Version, MessageType, Timestamp, Identifier))


def _participant_fault(value: object) -> str | None:
    """The member at fault in a ParticipantRef, or None."""
    if not isinstance(value, dict):
        return ""
    if value.get("role") not in PARTICIPANT_ROLES:
        return "/role"
    return None if _is_id(value.get("id")) else "/id"


def _diagnose(data: bytes, versions: Collection[str]) -> Inbound | Refusal:
    """Walk the table for a text that the typed decode would not take."""
    try:
        body = jiter.from_json(data, allow_inf_nan=False)
    except ValueError:
        message = "the message is not JSON; send one JSON object in UTF-8"
        return Refusal("invalid_envelope", message, announce=True)
    if not isinstance(body, dict):
        message = "the message is not a JSON object; send one envelope"
        return Refusal("invalid_envelope", message, announce=True)
    if _header_repeats(data):
        return _repeated("invalid_envelope", "", _attributable(body))
    failed = _first_failure(body, versions)
    if failed is not None:
        return failed.about(_attributable(body))
    try:
        return _decoder.decode(_encoder.encode(aliases.normalise(Envelope, _session_as_text(body))))
    except msgspec.DecodeError as error:
        path = pointer_of(str(error))
        return Refusal("invalid_envelope", expectation_of(str(error)), path, {}, _attributable(body))


def _header_repeats(data: bytes) -> bool:
    """A repeated member outside the payload; what is inside is the payload's own fault."""
    # the hook is called for the outermost object last, and its value is what `loads` returns
    names: list[str] = json.loads(data, object_pairs_hook=lambda pairs: [name for name, _ in pairs])
    if len(set(names)) != len(names):
        return True
    parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return any(duplicate_member_in(bytes(part)) for name, part in parts.items() if name != "payload")


def _first_failure(body: dict[str, Any], versions: Collection[str]) -> Refusal | None:
    kind, get = body.get("kind"), body.get
    if not _is_version(get("uiap")):
        return Refusal("invalid_envelope", "`uiap` must be a version such as `0.1`", "/uiap")
    if get("uiap") not in versions:
        detail = {"supportedVersions": sorted(versions)}
        return Refusal("unsupported_version", f"version `{get('uiap')}` is not spoken here", "/uiap", detail)
    # `error` as a kind is an alias on input (companions §3.6)
    if kind not in ("request", "response", "event") and not (kind == "error" and get("type") == "error"):
        return Refusal("invalid_envelope", "`kind` must be request, response or event", "/kind")
    if not _is_type(get("type")):
        return Refusal("invalid_envelope", "`type` must be `error` or a dotted message type", "/type")
    if not _is_id(get("id")):
        return Refusal("invalid_envelope", "`id` must be a string of 1 to 128 characters", "/id")
    correlation = get("correlationId")
    if (
        not _is_id(correlation)
        if kind == "response"
        else ("correlationId" in body and not _is_id(correlation))
    ):
        message = "`correlationId` must be the id of the request this answers"
        return Refusal("invalid_envelope", message, "/correlationId")
    if not _is_instant(get("ts")):
        return Refusal("invalid_envelope", "`ts` must be an RFC 3339 time ending in Z", "/ts")
    fault = _participant_fault(get("source"))
    if fault is not None:
        return Refusal("invalid_envelope", "`source` must have a known role and an id", f"/source{fault}")
    if not isinstance(get("payload"), dict):
        return Refusal("invalid_envelope", "`payload` must be an object", "/payload")
    return None


def _session_as_text(body: dict[str, Any]) -> dict[str, Any]:
    """A `sessionId` that is no string names no session, and the session says so; null is an absent one."""
    session = body.get("sessionId", "")
    if isinstance(session, str):
        return body
    return {
        key: "" if key == "sessionId" else value
        for key, value in body.items()
        if key != "sessionId" or session is not None
    }


def _attributable(body: object) -> str | None:
    """A broken message can still be a request somebody waits on."""
    if not isinstance(body, dict) or not _is_id(body.get("id")):
        return None
    answered = body.get("kind") in ("response", "event", "error") or body.get("type") == "error"
    return None if answered else str(body["id"])


def write(envelope: Envelope) -> str:
    """One envelope as one line of JSON."""
    return _encoder.encode(envelope).decode()
