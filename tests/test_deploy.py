"""The files in deploy/: every service has a health check, and its command line is one that uiap understands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from uiap.cli.serve import command as serve
from uiap.cli.worker import command as worker

DEPLOY = Path(__file__).resolve().parent.parent / "deploy"
COMMANDS: dict[str, click.Command] = {"serve": serve, "worker": worker}


def compose() -> dict[str, Any]:
    services: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    return services


def containers() -> dict[str, Any]:
    """Return the containers of all manifests that the kustomization names."""
    names = yaml.safe_load((DEPLOY / "kubernetes" / "kustomization.yaml").read_text())["resources"]
    found = {}
    for name in names:
        for manifest in yaml.safe_load_all((DEPLOY / "kubernetes" / name).read_text()):
            if manifest["kind"] in ("Deployment", "StatefulSet"):
                pod = manifest["spec"]["template"]
                assert pod["metadata"]["labels"] == manifest["spec"]["selector"]["matchLabels"]
                for container in pod["spec"]["containers"]:
                    found[container["name"]] = container
    return found


def options(arguments: list[str], tmp_path: Path) -> dict[str, Any]:
    """Parse the arguments as the command would. A file that they name is created first."""
    name, *rest = arguments
    file = tmp_path / "tokens.json"
    file.write_text("[]")
    given = [str(file) if "tokens" in one and "/" in one else one for one in rest]
    params: dict[str, Any] = COMMANDS[name].make_context(name, given).params
    return params


def test_every_service_of_the_fleet_has_a_health_check() -> None:
    services = compose()
    assert set(services) == {"database", "server", "worker"}
    assert all(one["healthcheck"]["test"][0] == "CMD" for one in services.values())
    found = containers()
    assert set(found) == {"postgres", "server", "worker"}
    assert all({"readinessProbe", "livenessProbe"} <= set(one) for one in found.values())


@pytest.mark.parametrize("name", ["server", "worker"])
def test_a_compose_service_checks_the_address_that_its_command_serves(name: str, tmp_path: Path) -> None:
    service = compose()[name]
    given = options(service["command"], tmp_path)
    port = given["port"] if name == "server" else given["health"]
    assert f"http://127.0.0.1:{port}/health" in service["healthcheck"]["test"][-1]
    if name == "server":
        assert "127.0.0.1" in given["names"]  # other host names are refused


@pytest.mark.parametrize("name", ["server", "worker"])
def test_a_probe_of_kubernetes_asks_the_port_that_the_container_serves(name: str, tmp_path: Path) -> None:
    container = containers()[name]
    given = options(container["args"], tmp_path)
    (port,) = container["ports"]
    served = given["port"] if name == "server" else int(given["health"].rpartition(":")[2])
    assert port["containerPort"] == served
    for probe in ("readinessProbe", "livenessProbe"):
        asked = container[probe]["httpGet"]
        assert (asked["path"], asked["port"]) == ("/health", port["name"])
        if name == "server":
            assert asked["httpHeaders"][0]["value"] in given["names"]


def test_the_image_has_what_the_fleet_needs() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    assert "[server,workflows,postgres]" in text and "UIAP_BROWSER=" in text and "USER 10001" in text
