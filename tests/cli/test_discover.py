"""`uiap discover`: its options, its report and the comparison of packages."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import explore
from uiap.cli.discover import command, write_report
from uiap.errors import Unavailable


@pytest.fixture
def packages(tmp_path: Path) -> tuple[str, str]:
    fewer = {path: page for path, page in SHOP.items() if path != "/team"}
    for name, pages in (("one", SHOP), ("two", fewer)):
        (tmp_path / name).write_bytes(msgspec.json.encode(explore(pages)[0]))
    return str(tmp_path / "one"), str(tmp_path / "two")


@pytest.mark.requirement("DISC-17.2")
def test_diff_lists_the_findings_that_vanished(packages: tuple[str, str]) -> None:
    result = CliRunner().invoke(command, ["diff", *packages], standalone_mode=False)
    assert "- route /team" in result.output
    plain = CliRunner().invoke(command, ["diff", *packages, "--json"], standalone_mode=False)
    assert {"kind": "route", "id": "/team", "members": []} in json.loads(plain.output)["vanished"]


def test_an_address_runs_without_a_command_and_help_names_the_other_commands() -> None:
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0 and "--max-states" in result.output and "diff A B" in result.output


def test_an_invalid_seed_is_refused_before_the_run_starts(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        command, ["http://app.test/", "--seed", "nonsense", "--out", str(tmp_path / "o")]
    )
    assert result.exit_code == 2 and "KIND:VALUE" in result.output


def test_a_finished_package_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    result = CliRunner().invoke(command, ["http://app.test/", "--out", str(tmp_path)])
    assert isinstance(result.exception, Unavailable) and "another --out" in str(result.exception)


@pytest.mark.requirement("DISC-2.6")
def test_a_host_that_may_be_production_needs_an_authorisation(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, ["https://shop.com/", "--out", str(tmp_path / "o")])
    assert isinstance(result.exception, Unavailable) and "--authorised-by" in str(result.exception)


def test_the_report_is_written_next_to_the_package(tmp_path: Path) -> None:
    write_report(tmp_path, explore(SHOP)[0])
    assert "Transition graph" in (tmp_path / "report.html").read_text("utf-8")
