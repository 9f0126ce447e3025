"""Every example the documents print is read into its type and written again without loss."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from tests.spec import shared
from uiap.spec.authoring import UIAPAuthoringDocument
from uiap.spec.capability import CapabilityDocument
from uiap.spec.core import Envelope, ExtensionOffer
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.messages import MESSAGES
from uiap.spec.policy import PolicyDocument

EXAMPLES = Path(__file__).parent / "examples"


def again(value: Any, of: Any) -> Any:
    """Through the typed struct and back."""
    typed = msgspec.json.decode(json.dumps(value).encode(), type=of)
    return json.loads(msgspec.json.encode(typed))


def assert_message_survives(message: dict[str, Any]) -> None:
    row = MESSAGES[message["type"]]
    assert message["kind"] in row.kinds
    assert again(message, Envelope) == message
    assert again(message["payload"], row.payload) == message["payload"]


@shared.needs_texts
@pytest.mark.requirement("ACT-5.1c", "ACT-5.2", "ACT-5.8", "ACT-6.1", "ACT-6.2", "ACT-6.3")
def test_the_four_messages_of_the_action_example_survive() -> None:
    messages = list(shared.json_objects(shared.text("seed-000")))
    assert [m["type"] for m in messages] == [
        "action.request",
        "action.accepted",
        "action.progress",
        "action.result",
    ]
    for message in messages:
        assert_message_survives(message)


@shared.needs_texts
@pytest.mark.requirement("CAP-7", "CAP-7.2", "CAP-10")
def test_the_capability_document_example_survives() -> None:
    (document,) = shared.json_objects(shared.text("seed-002"))
    assert document["profile"] == "web@0.1"
    assert again(document, CapabilityDocument) == document
    assert document["actions"][2]["args"][1]["required"] is False


@shared.needs_texts
@pytest.mark.requirement("DISC-3")
def test_the_discovery_examples_survive() -> None:
    offer, plan, fragment = shared.json_objects(shared.text("seed-003"))
    assert again(offer, ExtensionOffer) == offer
    assert_message_survives(plan)
    types = {field.encode_name: field.type for field in msgspec.structs.fields(DiscoveryPackage)}
    for member, value in fragment.items():
        assert again(value, types[member]) == value


@shared.needs_texts
@pytest.mark.requirement("DISC-6")
def test_a_fragment_is_not_taken_for_a_discovery_package() -> None:
    *_, fragment = shared.json_objects(shared.text("seed-003"))
    with pytest.raises(msgspec.ValidationError, match="environment"):
        msgspec.convert(fragment, DiscoveryPackage)


@shared.needs_texts
def test_the_manifest_text_prints_no_json() -> None:
    assert list(shared.json_objects(shared.text("seed-004"))) == []


@shared.needs_texts
def test_the_companion_handshake_and_policy_survive() -> None:
    found = [o for o in shared.json_objects(shared.text("companions")) if "uiap" in o or "modelVersion" in o]
    initialize, initialized, policy = found
    assert_message_survives(initialize)
    assert_message_survives(initialized)
    assert again(policy, PolicyDocument) == policy


@pytest.mark.requirement("AUTH-3")
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_manifest_example_survives(path: Path) -> None:
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert again(document, UIAPAuthoringDocument) == document


@shared.needs_texts
@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_manifest_example_equals_the_document(path: Path) -> None:
    restored = "".join(path.read_text(encoding="utf-8").split())
    assert restored in "".join(shared.text("seed-004").split())


def test_all_four_manifest_examples_are_here() -> None:
    assert len(list(EXAMPLES.glob("*.yaml"))) == 4
