"""Deviating names are read as the names they stand for, and nothing else is touched."""

import copy
from typing import Any

import msgspec
import pytest

from tests.spec.samples import sample, spec_types
from uiap.spec.aliases import canonical_extension, canonical_type, normalise
from uiap.spec.authoring import CompatibilitySpec, ElementBinding
from uiap.spec.base import Struct
from uiap.spec.core import Envelope
from uiap.spec.messages import MESSAGES
from uiap.spec.policy import PolicyMatch


def test_execution_modes_of_the_guides_are_read() -> None:
    request = {
        "actionId": "ui.activate",
        "preferredExecutionModes": ["semanticDom", "browserInput", "webdriver", "vision", "appAction"],
    }
    modes = ["semanticUi", "inputSynthesis", "externalDriver", "visionAssist", "appAction"]
    assert normalise("action.request", request)["preferredExecutionModes"] == modes
    msgspec.convert(normalise("action.request", request), MESSAGES["action.request"].payload)


def test_modes_are_found_wherever_the_type_has_them() -> None:
    document = {"rules": [{"obligations": [{"kind": "limitExecutionModes", "modes": ["webdriver"]}]}]}
    read = normalise("uiap.policy.document", {"documents": [document]})
    assert read["documents"][0]["rules"][0]["obligations"][0]["modes"] == ["externalDriver"]
    assert normalise("uiap.policy.evaluate", {"executionMode": "vision"}) == {"executionMode": "visionAssist"}
    nested = normalise(PolicyMatch, {"not": {"executionModes": ["vision"]}})
    assert nested == {"not": {"executionModes": ["visionAssist"]}}


def test_words_inside_free_objects_stay() -> None:
    free = {"executionMode": "vision", "affordances": ["activatable"], "scopes": [{"id": "a"}]}
    request = {"actionId": "a", "args": free, "metadata": free}
    assert normalise("action.request", request) == request


def test_the_guides_scope_and_affordance_are_read() -> None:
    graph = {"scopes": [{"id": "s1", "kind": "list"}], "elements": [{"affordances": ["activatable", "read"]}]}
    read = normalise("web.state.snapshot", {"graph": graph})["graph"]
    assert read == {
        "scopes": [{"scopeId": "s1", "kind": "list"}],
        "elements": [{"affordances": ["activate", "read"]}],
    }
    delta = {"delta": {"scopes": {"added": [{"id": "s1"}]}}}
    assert normalise("web.state.delta", delta) == {"delta": {"scopes": {"added": [{"scopeId": "s1"}]}}}


def test_a_given_scope_id_is_not_replaced() -> None:
    graph = {"scopes": [{"id": "other", "scopeId": "s1"}]}
    assert normalise("web.state.snapshot", {"graph": graph}) == {"graph": graph}


@pytest.mark.parametrize(("extra", "kind"), [({"correlationId": "m1"}, "response"), ({}, "event")])
def test_an_error_kind_is_read_as_response_or_event(extra: dict[str, str], kind: str) -> None:
    assert normalise(Envelope, {"kind": "error", "type": "error", **extra})["kind"] == kind


def test_an_error_kind_on_another_type_stays_wrong() -> None:
    assert normalise(Envelope, {"kind": "error", "type": "session.ping"})["kind"] == "error"


def test_the_old_policy_name_is_read_everywhere_an_extension_is_named() -> None:
    assert canonical_extension("uicp.policy") == "uiap.policy"
    assert canonical_extension("uicp.workflow") == "uicp.workflow"
    assert canonical_type("uicp.policy.evaluate") == "uiap.policy.evaluate"
    assert canonical_type("uicp.policyx.evaluate") == "uicp.policyx.evaluate"
    assert normalise("uicp.policy.evaluate", {"executionMode": "vision"}) == {"executionMode": "visionAssist"}
    envelope = {"type": "uicp.policy.get", "extensions": {"uicp.policy": {}}}
    assert normalise(Envelope, envelope) == {"type": "uiap.policy.get", "extensions": {"uiap.policy": {}}}
    needs = {"uiapCore": "*", "extensions": [{"id": "uicp.policy", "range": "*"}]}
    assert normalise(CompatibilitySpec, needs)["extensions"] == [{"id": "uiap.policy", "range": "*"}]


def test_both_spellings_in_one_handshake_are_one_offer() -> None:
    offers = [
        {"id": "uicp.policy", "versions": ["0.1"], "required": False},
        {"id": "uiap.workflow", "versions": ["0.1"]},
        {"id": "uiap.policy", "versions": ["0.2", "0.1"], "required": True},
    ]
    assert normalise("session.initialize", {"supportedExtensions": offers})["supportedExtensions"] == [
        {"id": "uiap.policy", "versions": ["0.1", "0.2"], "required": True},
        {"id": "uiap.workflow", "versions": ["0.1"]},
    ]


def test_a_bare_risk_level_is_read_as_a_descriptor() -> None:
    binding = {"id": "a", "match": [], "risk": "confirm"}
    assert normalise(ElementBinding, binding)["risk"] == {"level": "confirm"}


@pytest.mark.parametrize("of", list(spec_types()), ids=lambda of: of.__name__)
def test_canonical_values_come_back_as_they_were(of: type[Struct]) -> None:
    value = sample(of, full=True)
    before = copy.deepcopy(value)
    read = normalise(of, value)
    assert value == before
    assert msgspec.convert(read, of) == msgspec.convert(value, of)


@pytest.mark.parametrize(
    "wrong", [None, 3, "a", [], {"supportedExtensions": 1}, {"supportedExtensions": [1]}]
)
@pytest.mark.parametrize("name", ["session.initialize", "web.state.snapshot", "no.such.type"])
def test_a_value_of_the_wrong_shape_is_left_to_the_decoder(name: str, wrong: Any) -> None:
    assert normalise(name, wrong) == wrong


def test_offers_with_broken_versions_are_left_to_the_decoder() -> None:
    offers = [{"id": "uicp.policy", "versions": 1}, {"id": "uiap.policy", "versions": [[]]}]
    read = normalise("session.initialize", {"supportedExtensions": offers})["supportedExtensions"]
    assert [offer["versions"] for offer in read] == [1, [[]]]


def test_a_value_nested_too_deeply_is_left_to_the_decoder() -> None:
    value: dict[str, Any] = {}
    for _ in range(5000):
        value = {"not": value}
    assert normalise(PolicyMatch, value) is value
