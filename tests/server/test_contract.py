"""The OpenAPI and AsyncAPI documents are valid and complete, and agree with the codec on every message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from tests.support.handlers import Notes
from uiap.cli.main import main
from uiap.drivers.scripted import ScriptedDriver
from uiap.host.sessions.session_services import SessionServices
from uiap.protocol.negotiation import Support
from uiap.server import contract
from uiap.spec.messages import MESSAGES
from uiap.transports.binding import HttpBinding

SPECS = Path(__file__).parents[2] / ".uiap" / "node" / "node_modules" / "@asyncapi" / "specs" / "schemas"


def refs(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        discriminator = value.get("discriminator")
        own |= (
            set(discriminator["mapping"].values())
            if isinstance(discriminator, dict) and "mapping" in discriminator
            else set()
        )
        return own.union(*map(refs, value.values()))
    return set().union(*map(refs, value)) if isinstance(value, list) else set()


def resolve(document: Any, ref: str) -> Any:
    found = document
    for step in ref.removeprefix("#/").split("/"):
        found = found[step.replace("~1", "/").replace("~0", "~")]
    return found


def test_openapi_is_valid_by_the_official_validator():
    validator = pytest.importorskip("openapi_spec_validator")
    assert list(validator.OpenAPIV31SpecValidator(contract.openapi()).iter_errors()) == []


def test_asyncapi_is_valid_by_the_official_schema():
    file = SPECS / "3.0.0-without-$id.json"
    if not file.exists():
        pytest.skip(
            "the npm package @asyncapi/specs is not in .uiap/node; `python -m bench mcp` puts it there"
        )
    jsonschema_rs.validator_for(json.loads(file.read_text())).validate(contract.asyncapi())


@pytest.mark.parametrize("document", [contract.openapi(), contract.asyncapi()], ids=["openapi", "asyncapi"])
def test_every_reference_resolves(document: dict[str, Any]):
    wanted = refs(document)
    assert len(wanted) > 100
    for ref in wanted:
        assert resolve(document, ref) is not None, ref


def test_every_served_message_is_documented_in_its_direction():
    services = SessionServices(ScriptedDriver(Notes().page()), rules="standard")
    offered = {row.type for row in contract.served_messages()}
    assert set(services.handlers) <= offered
    assert {extension.id for extension in services.support.extensions} <= set(contract.OWNERS)
    receive, send = (contract.asyncapi()["operations"][side]["messages"] for side in ("receive", "send"))
    assert len(receive) + len(send) == len(offered)
    asked = {MESSAGES[name].type for name in services.handlers} - {
        row.type for row in contract.served_messages() if contract.from_clients(row)
    }
    assert asked <= {"uiap.policy.handoff.completed"}  # an event that the side of a person may also send
    assert Support(profiles=()).versions == ("0.1",)


def test_the_paths_are_those_of_the_binding():
    paths, binding = contract.openapi()["paths"], HttpBinding()
    assert set(paths) == {
        binding.session_path,
        binding.message_path_template,
        binding.event_stream_path_template,
        binding.session_path + "/{sessionId}",
        "/health",
        "/metrics",
    }
    assert contract.asyncapi()["channels"]["session"]["address"] == binding.websocket_path


def test_a_valid_message_matches_its_schema_and_an_invalid_one_does_not():
    document = contract.asyncapi()
    schema = {"$ref": "#/components/schemas/Message_action_request", "components": document["components"]}
    check = jsonschema_rs.validator_for(schema)
    good = {
        "uiap": "0.1",
        "kind": "request",
        "type": "action.request",
        "id": "m1",
        "sessionId": "s",
        "ts": "2026-01-01T00:00:00Z",
        "source": {"role": "agent", "id": "a"},
        "payload": {"actionId": "ui.activate", "target": {"ref": {"by": "semantic", "role": "button"}}},
    }
    check.validate(good)
    for member, value in (("type", "action.cancel"), ("kind", "event"), ("payload", {"actionId": 1})):
        assert not check.is_valid({**good, member: value}), member


@pytest.mark.parametrize("flag", ["--openapi", "--asyncapi"])
def test_the_command_prints_the_document_without_starting_a_server(
    flag: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["serve", flag]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed[flag.removeprefix("--")].startswith("3.")
