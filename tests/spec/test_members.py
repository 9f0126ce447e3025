"""Strict by envelope, flexible by payload: mandatory members are enforced, unknown ones ignored, absence kept."""

import json
from typing import Any

import msgspec
import pytest

from tests.spec.samples import required, sample, spec_types
from uiap.spec.action import ActionTarget, VerificationSpec
from uiap.spec.base import Struct
from uiap.spec.capability import CapabilityDocument, UIState
from uiap.spec.core import Envelope, SessionInitializePayload
from uiap.spec.messages import MESSAGES
from uiap.spec.text import AuthoredMessage
from uiap.spec.web import PageGraphDelta, ScopeNode, WebElementState

TYPES = list(spec_types())


def decode(value: Any, of: Any) -> Any:
    return msgspec.json.decode(json.dumps(value).encode(), type=of)


def encode(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def with_strangers(value: Any) -> Any:
    """The same value with an unknown member in every object that has a fixed shape."""
    return {**value, "x.unknown": {"any": [1]}}


def test_every_payload_is_among_the_types_under_test() -> None:
    assert {row.payload for row in MESSAGES.values()} <= set(TYPES)


@pytest.mark.parametrize("of", TYPES, ids=lambda of: of.__name__)
def test_a_missing_mandatory_member_is_refused(of: type[Struct]) -> None:
    whole = sample(of, full=False)
    decode(whole, of)
    for member in required(of):
        less = {name: value for name, value in whole.items() if name != member}
        with pytest.raises(msgspec.ValidationError, match=f"`{member}`".replace("$", r"\$")):
            decode(less, of)


@pytest.mark.parametrize("of", TYPES, ids=lambda of: of.__name__)
def test_all_members_survive_and_unknown_ones_are_ignored(of: type[Struct]) -> None:
    whole = sample(of, full=True)
    assert encode(decode(whole, of)) == whole
    assert encode(decode(with_strangers(whole), of)) == whole


@pytest.mark.parametrize("of", TYPES, ids=lambda of: of.__name__)
def test_absent_optional_members_stay_absent(of: type[Struct]) -> None:
    least = sample(of, full=False)
    assert encode(decode(least, of)) == least


@pytest.mark.requirement("CAP-10")
@pytest.mark.parametrize("member", ["roles", "stateKeys", "affordances", "actions", "riskLevels"])
def test_a_capability_document_without_a_mandatory_part_is_refused(member: str) -> None:
    document = sample(CapabilityDocument, full=False)
    del document[member]
    with pytest.raises(msgspec.ValidationError, match=member):
        decode(document, CapabilityDocument)


@pytest.mark.requirement("CAP-2.1")
def test_a_declared_vendor_word_needs_its_prefix() -> None:
    document = sample(CapabilityDocument, full=False)
    decode(
        document | {"roles": ["button", "x.videoland.asset-card"], "riskTags": ["x.acme.gdpr"]},
        CapabilityDocument,
    )
    for wrong in (
        {"roles": ["asset-card"]},
        {"roles": ["x."]},
        {"riskTags": ["gdpr"]},
        {"roles": ["xbutton"]},
    ):
        with pytest.raises(msgspec.ValidationError):
            decode(document | wrong, CapabilityDocument)


@pytest.mark.requirement("CAP-5")
@pytest.mark.parametrize(
    "state",
    [
        {"checked": "mixed"},
        {"checked": False},
        {"current": False},
        {"current": "page"},
        {"invalid": True},
        {"invalid": "spelling"},
        {"hasPopup": False},
        {"hasPopup": "tree"},
        {"numericValue": 3},
        {"numericValue": 3.5},
        {"visible": False, "enabled": True},
    ],
)
def test_state_keys_take_their_stated_values(state: dict[str, Any]) -> None:
    assert encode(decode(state, UIState)) == state
    assert encode(decode(state, WebElementState)) == state


@pytest.mark.requirement("CAP-5")
@pytest.mark.parametrize(
    "state",
    [
        {"checked": "yes"},
        {"current": True},
        {"current": "row"},
        {"invalid": "wrong"},
        {"hasPopup": True},
        {"visible": "true"},
        {"textValue": 1},
        {"orientation": "diagonal"},
        {"visible": None},
    ],
)
def test_state_keys_refuse_other_values(state: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        decode(state, UIState)
    with pytest.raises(msgspec.ValidationError):
        decode(state, WebElementState)


def test_an_ambiguous_target_cannot_be_asked_for() -> None:
    assert decode({"allowAmbiguous": False}, ActionTarget).allow_ambiguous is False
    with pytest.raises(msgspec.ValidationError, match="allowAmbiguous"):
        decode({"allowAmbiguous": True}, ActionTarget)


def test_an_explicit_false_differs_from_an_absent_member() -> None:
    assert encode(decode({"requireRevisionAdvance": False}, VerificationSpec)) == {
        "requireRevisionAdvance": False
    }
    assert encode(decode({}, VerificationSpec)) == {}


def test_lost_focus_differs_from_unchanged_focus() -> None:
    delta = sample(PageGraphDelta, full=False)
    assert decode(delta, PageGraphDelta).focus is msgspec.UNSET
    assert decode(delta | {"focus": None}, PageGraphDelta).focus is None
    assert encode(decode(delta | {"focus": None}, PageGraphDelta)) == delta | {"focus": None}


def test_a_text_object_is_localized_or_a_reference_never_both() -> None:
    for good in ({"default": "a"}, {"ref": "a.b", "fallback": "c"}):
        assert encode(decode(good, AuthoredMessage)) == good
    for wrong in ({}, {"fallback": "c"}, {"default": "a", "ref": "a.b"}):
        with pytest.raises(msgspec.ValidationError, match="either `default` or `ref`"):
            decode(wrong, AuthoredMessage)


def test_scope_kinds_are_open_under_the_vendor_prefix_only() -> None:
    scope = sample(ScopeNode, full=False)
    assert decode(scope | {"kind": "x.acme.board"}, ScopeNode).kind == "x.acme.board"
    with pytest.raises(msgspec.ValidationError):
        decode(scope | {"kind": "board"}, ScopeNode)


@pytest.mark.parametrize(
    "wrong",
    [
        {"uiap": "0.1\n"},
        {"uiap": "1"},
        {"uiap": "٠.١"},
        {"kind": "command"},
        {"type": "Session.initialize"},
        {"type": "session"},
        {"type": "session.ping\n"},
        {"id": ""},
        {"id": "m" * 129},
        {"ts": "2026-03-26T14:00:00+01:00"},
        {"ts": "2026-13-26T14:00:00Z"},
        {"ts": "2026-03-26 14:00:00Z"},
        {"source": {"role": "robot", "id": "a"}},
        {"source": {"role": "agent", "id": ""}},
        {"payload": []},
        {"payload": None},
    ],
    ids=str,
)
def test_a_malformed_envelope_member_is_refused(wrong: dict[str, Any]) -> None:
    whole = sample(Envelope, full=False)
    with pytest.raises(msgspec.ValidationError):
        decode(whole | wrong, Envelope)


@pytest.mark.parametrize(
    "wrong", [{"supportedVersions": []}, {"supportedExtensions": [{"id": "a", "versions": []}]}]
)
def test_an_empty_offer_is_refused(wrong: dict[str, Any]) -> None:
    whole = sample(SessionInitializePayload, full=False)
    with pytest.raises(msgspec.ValidationError):
        decode(whole | wrong, SessionInitializePayload)


def test_spec_values_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        UIState(visible=True).visible = False  # type: ignore[misc]
