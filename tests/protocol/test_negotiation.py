"""Negotiation of versions, profiles and extensions."""

from __future__ import annotations

import pytest

from uiap.protocol.negotiation import Agreement, Support, negotiate
from uiap.protocol.refusal import Refusal
from uiap.spec.core import ExtensionOffer, ParticipantInfo, SessionInitializePayload

SUPPORT = Support(
    versions=("0.9", "0.10"),
    profiles=("web@0.1", "x.uiap.desktop@0.1"),
    extensions=(ExtensionOffer(id="uiap.policy", versions=("0.1", "0.2")),),
)


def offer(versions=("0.9",), profiles=("web@0.1",), extensions=()):
    return SessionInitializePayload(
        supported_versions=versions,
        supported_profiles=profiles,
        supported_extensions=tuple(ExtensionOffer(id=i, versions=v, required=r) for i, v, r in extensions),
        participant=ParticipantInfo(role="agent", id="a"),
    )


def test_versions_are_compared_as_numbers():
    agreed = negotiate(offer(versions=("0.2", "0.9", "0.10")), SUPPORT)
    assert isinstance(agreed, Agreement)
    assert agreed.version == "0.10"


def test_profiles_keep_the_order_of_the_offer():
    agreed = negotiate(offer(profiles=("x.uiap.desktop@0.1", "tv@0.1", "web@0.1")), SUPPORT)
    assert isinstance(agreed, Agreement)
    assert agreed.profiles == ("x.uiap.desktop@0.1", "web@0.1")


def test_an_offer_without_profiles_selects_no_profiles():
    agreed = negotiate(offer(profiles=()), SUPPORT)
    assert isinstance(agreed, Agreement)
    assert agreed.profiles == ()


@pytest.mark.parametrize(
    ("offered", "selected"),
    [
        ([("uiap.policy", ("0.1", "0.2"), False)], [("uiap.policy", "0.2")]),
        ([("uicp.policy", ("0.1",), True)], [("uicp.policy", "0.1")]),
        ([("uicp.policy", ("0.1",), False), ("uiap.policy", ("0.2",), True)], [("uiap.policy", "0.2")]),
        ([("uiap.workflow", ("0.1",), False)], []),
    ],
)
def test_the_highest_common_extension_version_is_selected_in_the_peers_spelling(offered, selected):
    agreed = negotiate(offer(extensions=offered), SUPPORT)
    assert isinstance(agreed, Agreement)
    assert [(e.id, e.version) for e in agreed.extensions] == selected


@pytest.mark.parametrize("offered", [[("uiap.workflow", ("0.1",), True)], [("uicp.policy", ("7.0",), True)]])
def test_a_required_extension_that_is_unavailable_is_refused_by_name(offered):
    refused = negotiate(offer(extensions=offered), SUPPORT)
    assert isinstance(refused, Refusal)
    assert refused.code == "required_extension_unavailable"


def test_an_extension_required_by_this_side_must_be_offered():
    strict = Support(extensions=(ExtensionOffer(id="uiap.policy", versions=("0.1",), required=True),))
    refused = negotiate(offer(versions=("0.1",), profiles=()), strict)
    assert isinstance(refused, Refusal)
    assert refused.detail == {"extensions": ["uiap.policy"]}
