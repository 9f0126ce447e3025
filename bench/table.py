"""The output of a benchmark: rows of figures, and claims that must be met."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Claim(NamedTuple):
    """One ratio or bound. `met` decides the exit code."""

    text: str
    met: bool


def show(title: str, rows: Sequence[tuple[str, ...]], claims: Sequence[Claim]) -> bool:
    """Print the table and the claims. Return whether every claim is met."""
    print(f"\n{title}")
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        first, *rest = (
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  " + "  ".join([first, *rest]))
    for claim in claims:
        print(f"  {'met   ' if claim.met else 'MISSED'} {claim.text}")
    return all(claim.met for claim in claims)
