"""Decode text into envelopes and encode envelopes as text.

This module checks the envelope rules of the protocol. `session` checks the rules that depend on session state.

The fast path decodes header and payload together, with a type chosen by `type`. If it fails, `_diagnose` runs the
checks one by one in the order of the specification and reports the first that fails. Valid traffic never pays for it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from types import new_class
from typing import TYPE_CHECKING, Any, TypeVar, Union

import jiter
import msgspec
from msgspec import UNSET, UnsetType

from uiap.protocol.allowed_values import with_allowed_values
from uiap.protocol.duplicates import has_duplicate_member, proves_no_duplicate, scan_for_duplicate_member
from uiap.protocol.pointer import expectation_of, pointer_of
from uiap.protocol.refusal import Refusal
from uiap.spec import aliases
from uiap.spec.base import ExtensionId, Identifier, JsonObject, MessageType, Struct, Timestamp, Version
from uiap.spec.core import PARTICIPANT_ROLES, Envelope, MessageKind, ParticipantRef
from uiap.spec.messages import MESSAGES

MAX_DEPTH = 200  # the limit built into jiter, so that both parsers agree
HEADER_COLONS = 11  # seven required members, two members of `source`, two in the timestamp
S = TypeVar("S", bound=Struct)


class Inbound(Struct):
    """An envelope whose header is valid; `read_payload` returns its payload."""

    uiap: str
    kind: MessageKind
    id: Identifier
    correlation_id: Identifier | UnsetType = UNSET
    session_id: str | UnsetType = UNSET  # the session refuses an unknown id
    source: ParticipantRef
    target: ParticipantRef | UnsetType = UNSET
    extensions: dict[ExtensionId, JsonObject] | UnsetType = UNSET

    if TYPE_CHECKING:
        type: str
        ts: Any
        payload: Any

    @property
    def answerable(self) -> str | None:
        """Return the id that an error may answer, or None: errors, events and responses are never answered."""
        return self.id if self.kind == "request" and self.type != "error" else None


class _RawInbound(Inbound):
    """An envelope whose payload is still text, because its type is unknown or its payload is invalid."""

    uiap: Version
    type: MessageType
    ts: Timestamp
    payload: msgspec.Raw


def _envelope_type(type: str, payload: type[Struct]) -> Any:
    """Return an envelope type that decodes one message type together with its payload."""
    members = {"__annotations__": {"ts": datetime, "payload": payload}, "type": type}
    name = "Inbound_" + type.replace(".", "_")
    return new_class(name, (Inbound,), {"tag_field": "type", "tag": type}, lambda body: body.update(members))


_typed_decoder = msgspec.json.Decoder(
    Union[tuple(_envelope_type(row.type, row.payload) for row in MESSAGES.values())]  # noqa: UP007
)
_raw_decoder = msgspec.json.Decoder(_RawInbound)
_encoder = msgspec.json.Encoder()


def read_envelope(text: str, versions: Collection[str]) -> Inbound | Refusal:
    """Return the envelope in `text`, or the first failed check that does not depend on session state."""
    try:
        envelope: Inbound = _typed_decoder.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return _decode_header(text, versions)
    if (
        envelope.uiap in versions
        # any other spelling of UTC adds a colon, so the count below would not match
        and envelope.ts.tzinfo is UTC
        and (envelope.kind != "response" or envelope.correlation_id is not UNSET)
        and envelope.target is UNSET
        and envelope.extensions is UNSET
    ):
        payload = bytearray(len(text))
        _encoder.encode_into(envelope.payload, payload)
        colons = HEADER_COLONS + (envelope.session_id is not UNSET) + (envelope.correlation_id is not UNSET)
        if proves_no_duplicate(text, payload, colons, MAX_DEPTH):
            return envelope
    return _decode_header(text, versions)


def _decode_header(text: str, versions: Collection[str]) -> Inbound | Refusal:
    """Decode the header and leave the payload as text, so that session checks come before payload checks."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return _not_json()
    if data.count(b"{") + data.count(b"[") > MAX_DEPTH and _too_deep(data):
        return Refusal("invalid_envelope", f"the message nests deeper than {MAX_DEPTH} levels", announce=True)
    try:
        envelope = _raw_decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _diagnose(data, versions)
    if (
        envelope.uiap in versions
        and _is_complete(envelope)
        and not has_duplicate_member(data, _encoder.encode(envelope))
    ):
        return envelope
    return _diagnose(data, versions)


def _too_deep(data: bytes) -> bool:
    """Return whether jiter rejects the nesting depth. Call it only if there are enough brackets."""
    try:
        jiter.from_json(data, cache_mode="none")
    except ValueError as error:
        return "recursion limit" in str(error)
    return False


def _is_complete(envelope: _RawInbound) -> bool:
    if envelope.kind == "response" and envelope.correlation_id is UNSET:
        return False
    return bytes(envelope.payload)[:1] == b"{"


def read_payload(envelope: Inbound, payload_type: type[S]) -> S | Refusal:
    """Return the decoded payload, or a refusal that points at the invalid member. This is the last check."""
    if type(envelope.payload) is payload_type:
        return envelope.payload  # already decoded with the header
    raw = _payload_text(envelope)
    try:
        payload = msgspec.json.decode(raw, type=payload_type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return _read_aliased(envelope, raw, payload_type, str(error))
    if has_duplicate_member(raw, _encoder.encode(payload)):
        return _duplicate_member_refusal("invalid_payload", "/payload", envelope.answerable)
    return payload


def _payload_text(envelope: Inbound) -> bytes:
    if isinstance(envelope, _RawInbound):
        return bytes(envelope.payload)
    return _encoder.encode(envelope.payload)  # decoded as another type than the caller wants


def _read_aliased(envelope: Inbound, raw: bytes, payload_type: type[S], error: str) -> S | Refusal:
    """Decode again with the alias names that the specification accepts on input."""
    try:
        plain = aliases.normalise(payload_type, msgspec.json.decode(raw))
        payload = msgspec.convert(plain, payload_type)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        path = pointer_of(error, "/payload")
        expected = with_allowed_values(expectation_of(error), payload_type, pointer_of(error))
        return Refusal(
            "invalid_payload",
            f"payload of `{envelope.type}` is not valid at `{path}`: {expected}",
            path,
            {"expected": expected},
            envelope.answerable,
        )
    if scan_for_duplicate_member(raw):
        return _duplicate_member_refusal("invalid_payload", "/payload", envelope.answerable)
    return payload


def _duplicate_member_refusal(code: str, path: str, correlation_id: str | None) -> Refusal:
    return Refusal(
        code, "an object names the same member twice; send each member once", path, {}, correlation_id
    )


def _satisfies(kind: Any) -> Callable[[object], bool]:
    """Return a predicate for a spec type, so that pattern and length are defined only in the spec types."""

    def fits(value: object) -> bool:
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError:
            return False
        return True

    return fits


_is_version, _is_type, _is_timestamp, _is_id = map(_satisfies, (Version, MessageType, Timestamp, Identifier))


def _participant_fault(value: object) -> str | None:
    """Return the pointer of the invalid member of a ParticipantRef, or None."""
    if not isinstance(value, dict):
        return ""
    if value.get("role") not in PARTICIPANT_ROLES:
        return "/role"
    return None if _is_id(value.get("id")) else "/id"


def _diagnose(data: bytes, versions: Collection[str]) -> Inbound | Refusal:
    """Check a text that the typed decoders rejected, rule by rule."""
    try:
        body = jiter.from_json(data, allow_inf_nan=False, cache_mode="none")
    except ValueError:
        return _not_json()
    if not isinstance(body, dict):
        message = "the message is not a JSON object; send one envelope"
        return Refusal("invalid_envelope", message, announce=True)
    if _has_duplicate_header_member(data):
        return _duplicate_member_refusal("invalid_envelope", "", _answerable_id(body))
    failed = _first_failure(body, versions)
    if failed is not None:
        return failed.about(_answerable_id(body))
    header = aliases.normalise(Envelope, _with_text_session_id(body))
    # keep the payload as text: parsing and encoding it again would hide duplicate members
    header["payload"] = msgspec.json.decode(data, type=dict[str, msgspec.Raw])["payload"]
    try:
        return _raw_decoder.decode(_encoder.encode(header))
    except msgspec.DecodeError as error:
        path = pointer_of(str(error))
        return Refusal("invalid_envelope", expectation_of(str(error)), path, {}, _answerable_id(body))


def _not_json() -> Refusal:
    return Refusal(
        "invalid_envelope", "the message is not JSON; send one JSON object in UTF-8", announce=True
    )


def _has_duplicate_header_member(data: bytes) -> bool:
    """Return whether a member outside the payload occurs twice; `read_payload` checks the payload."""
    # the hook runs last for the outermost object, and `loads` returns its value
    names: list[str] = json.loads(data, object_pairs_hook=lambda pairs: [name for name, _ in pairs])
    if len(set(names)) != len(names):
        return True
    parts = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    return any(scan_for_duplicate_member(bytes(part)) for name, part in parts.items() if name != "payload")


def _first_failure(body: dict[str, Any], versions: Collection[str]) -> Refusal | None:
    kind, get = body.get("kind"), body.get
    if not _is_version(get("uiap")):
        return Refusal("invalid_envelope", "`uiap` must be a version such as `0.1`", "/uiap")
    if get("uiap") not in versions:
        detail = {"supportedVersions": sorted(versions)}
        return Refusal("unsupported_version", f"version `{get('uiap')}` is not supported", "/uiap", detail)
    # the kind `error` is accepted on input as an alias of an `error` response
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
    if not _is_timestamp(get("ts")):
        return Refusal("invalid_envelope", "`ts` must be an RFC 3339 time ending in Z", "/ts")
    fault = _participant_fault(get("source"))
    if fault is not None:
        return Refusal("invalid_envelope", "`source` must have a known role and an id", f"/source{fault}")
    if not isinstance(get("payload"), dict):
        return Refusal("invalid_envelope", "`payload` must be an object", "/payload")
    return None


def _with_text_session_id(body: dict[str, Any]) -> dict[str, Any]:
    """Replace a `sessionId` that is not a string by "", which the session refuses; drop one that is null."""
    session = body.get("sessionId", "")
    if isinstance(session, str):
        return body
    return {
        key: "" if key == "sessionId" else value
        for key, value in body.items()
        if key != "sessionId" or session is not None
    }


def _answerable_id(body: object) -> str | None:
    """Return the id of an invalid message that may still be a request a peer waits on, or None."""
    if not isinstance(body, dict) or not _is_id(body.get("id")):
        return None
    answered = body.get("kind") in ("response", "event", "error") or body.get("type") == "error"
    return None if answered else str(body["id"])


def write(envelope: Envelope) -> str:
    """Return the envelope as one line of JSON."""
    return _encoder.encode(envelope).decode()
