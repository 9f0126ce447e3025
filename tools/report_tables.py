"""The tables of a soak report: parts with the same figures share one table, with a row for each part.

If at least half of the cells have a figure, all parts share one table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

MAX_COLUMNS = 6
STATUSES = ("succeeded", "failed", "cancelled")
RESULTS_NOTE = "A result is counted as: status, side effect, and error code if there is one."

AllFigures = Mapping[str, Mapping[str, Any]]


def tables(all_figures: AllFigures) -> list[str]:
    """Return the lines of all tables, with a note if results are counted."""
    lines = ["", RESULTS_NOTE] if any(_counts_results(found) for found in all_figures.values()) else []
    names = list(dict.fromkeys(name for found in all_figures.values() for name in found))
    filled = sum(len(found) for found in all_figures.values())
    if len(all_figures) > 1 and len(names) <= MAX_COLUMNS and 2 * filled >= len(names) * len(all_figures):
        return [*lines, *_rows_table(all_figures, names)]
    for shared, group in groupby(all_figures.items(), lambda item: tuple(item[1])):
        parts = dict(group)
        if len(parts) > 1 and len(shared) <= MAX_COLUMNS:
            lines += _rows_table(parts, list(shared))
        else:
            for unit, figures in parts.items():
                lines += ["", f"## {part_name(unit)}", "", "| figure | value |", "|---|---|"]
                lines += [f"| {name} | {_cell(value)} |" for name, value in figures.items()]
    return lines


def part_name(unit: str) -> str:
    """Return the name of a unit for a reader: `part 3` for the third of several equal units."""
    words = unit.replace("_", " ")
    return f"part {words}" if words.isdigit() else words


def _rows_table(parts: AllFigures, names: list[str]) -> Iterator[str]:
    yield from ("", f"| part | {' | '.join(names)} |", f"|---|{'---|' * len(names)}")
    for unit, figures in parts.items():
        cells = (_cell(figures.get(name, "")) for name in names)
        yield f"| {part_name(unit)} | {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _counts_results(figures: Mapping[str, Any]) -> bool:
    return any(name.startswith(STATUSES) and len(name.split()) >= 2 for name in figures)
