"""What a benchmark says: rows of figures, and the ratios it must keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Claim(NamedTuple):
    """One stated ratio or bound; `kept` decides the exit code."""

    text: str
    kept: bool


def show(title: str, rows: Sequence[tuple[str, ...]], claims: Sequence[Claim]) -> bool:
    """Print the table and the claims; True when every claim is kept."""
    print(f"\n{title}")
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        first, *rest = (
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  " + "  ".join([first, *rest]))
    for claim in claims:
        print(f"  {'kept  ' if claim.kept else 'MISSED'} {claim.text}")
    return all(claim.kept for claim in claims)
