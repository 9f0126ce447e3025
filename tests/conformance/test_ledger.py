"""The requirement ledger equals the shared one, counts citations, and reports unknown ids."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import ENTRY, environment
from uiap.conformance import ledger
from uiap.errors import Unavailable

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "spec" / "requirements.yaml"


@pytest.mark.skipif(not SHARED.is_file(), reason="the shared requirement ledger is not beside this checkout")
def test_the_ledger_equals_the_shared_one_word_for_word():
    theirs = yaml.safe_load(SHARED.read_text("utf-8"))
    ours = ledger.read(ROOT)
    assert ours.specs == {part["spec"]: [r["id"] for r in part["requirements"]] for part in theirs}
    expected = {
        r["id"]: (r["level"], r["text"], r.get("breaker", ""))
        for part in theirs
        for r in part["requirements"]
    }
    assert {id: (r.level, r.text, r.breaker) for id, r in ours.requirements.items()} == expected


def test_no_test_cites_an_unknown_requirement():
    assert ledger.read(ROOT).unknown == {}


def test_every_id_is_unique():
    ours = ledger.read(ROOT)
    ids = [id for ids in ours.specs.values() for id in ids]
    assert len(ids) == len(set(ids)) == len(ours.requirements)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A small checkout with three requirements: one cited by a test, one by a case, one not cited."""
    for folder in ("conformance/requirements", "conformance/cases/act", "tests/act"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "conformance/requirements/act.yaml").write_text(
        "spec: ACT\nsource: a seed\nrequirements:\n"
        '- {id: ACT-1, level: MUST, text: "one"}\n'
        '- {id: ACT-2, level: SHOULD, text: "two"}\n'
        '- {id: ACT-3, level: MAY, text: "three"}\n'
    )
    (tmp_path / "tests/act/test_one.py").write_text(
        'import pytest\n@pytest.mark.requirement("ACT-1")\ndef test_a(): ...\n'
        '@requirement("ACT-1")\ndef test_b(): ...\n'
        '# requirement("ACT-3") in a comment does not count\n"""requirement("ACT-3")"""\n'
    )
    (tmp_path / "conformance/requirements/gaps.yaml").write_text("gaps:\n- {id: ACT-3, reason: no device}\n")
    (tmp_path / "tests/broken").mkdir()
    (tmp_path / "tests/broken/breakers.py").write_text(
        'LIES = {"lie": ("ACT-1", "tests/act/test_one.py::test_a", None), "other": ("a", "b")}\n'
        'MORE = Breaker("ACT-3", "nothing cites it", None)\n'
    )
    (tmp_path / "conformance/cases/act/two.yaml").write_text("requirements: [ACT-2]\nsteps: []\n")
    return tmp_path


def test_citations_are_counted_with_file_and_line(checkout: Path):
    found = ledger.read(checkout)
    assert found.covered == {"ACT-1", "ACT-2"}
    assert found.citations["ACT-1"] == ["tests/act/test_one.py:2", "tests/act/test_one.py:4"]
    assert found.citations["ACT-2"] == ["conformance/cases/act/two.yaml"]
    assert found.unknown == {}
    assert found.proved == {"ACT-1"} and found.gaps == {"ACT-3": "no device"}


def test_a_gap_is_a_known_requirement_that_nothing_proves():
    ours = ledger.read(ROOT)
    assert set(ours.gaps) <= set(ours.requirements) - ours.proved


def test_the_checkout_is_found_from_any_folder_inside_it(checkout: Path):
    assert ledger.find_root(checkout / "tests" / "act") == checkout
    with pytest.raises(Unavailable, match="inside a checkout"):
        ledger.find_root(Path("/"))


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*ENTRY, "conformance", "requirements", *arguments],
        cwd=checkout,
        env=environment(checkout),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_command_prints_counts_and_missing_requirements(checkout: Path):
    done = run(checkout, "--missing")
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    counts = ["1", "proved,", "1", "cited,", "1", "missing", "of", "3"]
    assert lines == [["ACT", *counts], ["all", *counts], ["ACT-3", "MAY", "three", "(no", "device)"]]


def test_an_unknown_citation_fails_and_is_reported_with_its_location(checkout: Path):
    (checkout / "tests/test_two.py").write_text('requirement("ACT-9", "ACT-3")\n')
    done = run(checkout)
    assert done.returncode == 1
    assert "unknown requirement `ACT-9` cited at tests/test_two.py:1" in done.stderr
    assert "missing of   3" in done.stdout
