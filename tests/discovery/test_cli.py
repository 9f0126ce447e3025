from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from tests.discovery.test_machine import SHOP
from tests.discovery.world import discovered
from uiap.cli.discover import command, write_report
from uiap.errors import Unavailable


@pytest.fixture
def packages(tmp_path: Path) -> tuple[str, str]:
    fewer = {path: page for path, page in SHOP.items() if path != "/team"}
    for name, pages in (("one", SHOP), ("two", fewer)):
        (tmp_path / name).write_bytes(msgspec.json.encode(discovered(pages)[0]))
    return str(tmp_path / "one"), str(tmp_path / "two")


@pytest.mark.requirement("DISC-17.2")
def test_diff_tells_what_vanished(packages: tuple[str, str]) -> None:
    done = CliRunner().invoke(command, ["diff", *packages], standalone_mode=False)
    assert "- route /team" in done.output
    plain = CliRunner().invoke(command, ["diff", *packages, "--json"], standalone_mode=False)
    assert {"kind": "route", "id": "/team", "members": []} in json.loads(plain.output)["vanished"]


def test_an_address_needs_no_command_and_help_tells_of_both() -> None:
    told = CliRunner().invoke(command, ["--help"])
    assert told.exit_code == 0 and "--max-states" in told.output and "diff A B" in told.output


def test_a_seed_that_is_none_is_refused_before_anything_starts(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        command, ["http://app.test/", "--seed", "nonsense", "--out", str(tmp_path / "o")]
    )
    assert done.exit_code == 2 and "KIND:VALUE" in done.output


def test_a_finished_run_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text("{}")
    done = CliRunner().invoke(command, ["http://app.test/", "--out", str(tmp_path)])
    assert isinstance(done.exception, Unavailable) and "another --out" in str(done.exception)


@pytest.mark.requirement("DISC-2.6")
def test_what_may_be_production_needs_a_name(tmp_path: Path) -> None:
    done = CliRunner().invoke(command, ["https://shop.com/", "--out", str(tmp_path / "o")])
    assert isinstance(done.exception, Unavailable) and "--authorised-by" in str(done.exception)


def test_the_report_stands_beside_the_package(tmp_path: Path) -> None:
    write_report(tmp_path, discovered(SHOP)[0])
    assert "Transition graph" in (tmp_path / "report.html").read_text("utf-8")
