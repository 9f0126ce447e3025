"""Draws the states of an action as an SVG for the website, from the table in `uiap.runtime.lifecycle`.

GitHub draws the same moves from the Mermaid block in docs/runtime.md. The website replaces that block, because Mermaid
would have to be loaded from another host.
"""

from __future__ import annotations

from collections.abc import Mapping

from uiap.runtime.lifecycle import MOVES
from uiap.spec.action import FINAL_STATES, RuntimeState

WIDTH, BOX_WIDTH, BOX_HEIGHT, ROW = 760, 250, 40, 92
CENTER, SIDE = 270, 620
"""The horizontal centers of the two columns."""
PLACES: Mapping[RuntimeState, tuple[int, float]] = {
    "RECEIVED": (CENTER, 0),
    "RESOLVING_TARGET": (CENTER, 1),
    "CHECKING_PRECONDITIONS": (CENTER, 2),
    "EXECUTING": (CENTER, 3),
    "VERIFYING": (CENTER, 4),
    "SUCCEEDED": (CENTER, 5),
    "RECOVERING": (SIDE, 1.2),
    "AWAITING_CONFIRMATION": (SIDE, 2.2),
    "WAITING_FOR_USER": (SIDE, 3.2),
}
"""Column and row of each state. FAILED and CANCELLED are left out: every open state leads to both."""


def drawn_moves() -> list[tuple[RuntimeState, RuntimeState]]:
    """Return the moves of the diagram: all of the table but those to FAILED and CANCELLED."""
    return [(state, to) for state, targets in MOVES.items() for to in sorted(targets) if to in PLACES]


def svg() -> str:
    """Return the diagram."""
    height = 5 * ROW + BOX_HEIGHT + 60
    parts = [
        f'<svg class="states" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="States of an action">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>',
        *(_arrow(*move) for move in drawn_moves()),
        *(_box(state) for state in PLACES),
        f'<text x="{WIDTH / 2}" y="{height - 12}" class="note">'
        "Every open state can also end in FAILED or CANCELLED.</text>",
        "</svg>",
    ]
    return "\n".join(parts)


def _middle(state: RuntimeState) -> tuple[float, float]:
    column, row = PLACES[state]
    return column, 20 + row * ROW + BOX_HEIGHT / 2


def _box(state: RuntimeState) -> str:
    x, y = _middle(state)
    final = " final" if state in FINAL_STATES else ""
    return (
        f'<rect class="state{final}" x="{x - BOX_WIDTH / 2}" y="{y - BOX_HEIGHT / 2}" width="{BOX_WIDTH}" '
        f'height="{BOX_HEIGHT}" rx="6"/><text x="{x}" y="{y + 5}">{state}</text>'
    )


def _arrow(start: RuntimeState, end: RuntimeState) -> str:
    (x1, y1), (x2, y2) = _middle(start), _middle(end)
    if x1 != x2:
        side = 1 if x2 > x1 else -1
        shift = 8 * side  # the two directions between a pair of boxes lie side by side
        from_x, to_x = x1 + side * BOX_WIDTH / 2, x2 - side * BOX_WIDTH / 2
        tilt = max(-10.0, min(10.0, (y2 - y1) / 8))
        path = f"M{from_x} {y1 + shift + tilt}L{to_x} {y2 + shift - tilt}"
    elif 0 < y2 - y1 <= ROW:
        path = f"M{x1} {y1 + BOX_HEIGHT / 2}L{x2} {y2 - BOX_HEIGHT / 2}"
    else:
        edge, bulge = x1 - BOX_WIDTH / 2, 30 + abs(y2 - y1) / 4
        path = f"M{edge} {y1}C{edge - bulge} {y1} {edge - bulge} {y2} {edge} {y2}"
    return f'<path class="move" d="{path}" marker-end="url(#arrow)"/>'
