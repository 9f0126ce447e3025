"""The benchmark of the roadmap's capabilities: each has a flow with a figure, and the docs claim no more than that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import capabilities

DOCS = (Path(__file__).parents[2] / "docs" / "parity.md").read_text("utf-8")


@pytest.mark.browser
@pytest.mark.requirement("MDM-X", "MDM-R3g", "MDM-R4c", "MDM-R5b")
async def test_each_capability_has_a_flow_with_a_figure() -> None:
    figures = await capabilities.measure()
    assert [name for name, one in figures.items() if not one.met] == []
    text = {one.capability: one.text for one in figures.values()}
    assert set(text) == {"R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R10"}
    diff, whole = map(int, re.findall(r"(\d+) of (\d+) tokens", text["R3"])[0])
    assert 0 < diff < whole / 2
    assert text["R4"].startswith("0 of 6 presses miss their card, 6 without")
    done, steps = re.findall(r"(\d) of 3 set, with (\d+) steps", text["R5"])[0]
    assert done == "3" and int(steps) >= 3


def rows() -> dict[str, tuple[str, str]]:
    """Return the state and the proof of each capability in the table of the docs."""
    table = DOCS.partition("## The capabilities of its roadmap")[2]
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line
    ]
    return {row[0]: (row[1], row[2]) for row in cells if len(row) == 3 and row[0].startswith("R")}


@pytest.mark.requirement("MDM-S", "MDM-X")
def test_a_capability_is_complete_only_with_a_figure_and_a_test() -> None:
    assert set(rows()) == set(capabilities.FLOWS)
    root = Path(__file__).parents[2]
    for name, (state, proof) in rows().items():
        assert state == "complete", name
        assert re.search(r"\d", proof.partition("`")[0]), f"{name} is called complete without a figure"
        tests = re.findall(r"`(tests/[\w/]+\.py)`", proof)
        assert tests and all((root / one).exists() for one in tests), name
