"""Draws the transition graph as SVG: a lane for each route, its states in order, and the actions between them.

Every text that comes from a page is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from uiap.spec.discovery import DiscoveryPackage, DiscoveryStateNode, DiscoveryTransition

LANE_HEIGHT, COLUMN_WIDTH, LEFT_MARGIN, BOX_WIDTH, BOX_HEIGHT = 62, 168, 210, 132, 34
MAX_STATES, STATES_PER_LANE = 160, 6
"""The first 160 states are drawn, 6 in a row; a lane continues in the next row."""


class StateBox(NamedTuple):
    state: DiscoveryStateNode
    x: int
    y: int


def transition_graph_svg(package: DiscoveryPackage) -> str:
    graph = package.transition_graph
    boxes = _place_states(graph.states[:MAX_STATES])
    if not boxes:
        return "<p>No state was found.</p>"
    names = _names(package)
    width = max(box.x for box in boxes.values()) + BOX_WIDTH + 40
    height = max(box.y for box in boxes.values()) + BOX_HEIGHT + 30
    parts = [
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        'aria-label="Transition graph: a lane for each route">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z"/></marker></defs>',
        *_lanes(boxes, width),
        *(line for edge in graph.edges if (line := _edge(edge, boxes))),
        *(_box(box, names.get(box.state.state_id, "")) for box in boxes.values()),
        "</svg>",
    ]
    left = len(graph.states) - len(boxes)
    note = f"<p>{left} more states are in the package.</p>" if left > 0 else ""
    return "".join(parts) + note


def _place_states(states: tuple[DiscoveryStateNode, ...]) -> dict[str, StateBox]:
    lanes: dict[str, list[DiscoveryStateNode]] = {}
    for state in states:
        lanes.setdefault(state.route_id or "", []).append(state)
    rows = [
        members[first : first + STATES_PER_LANE]
        for members in lanes.values()
        for first in range(0, len(members), STATES_PER_LANE)
    ]
    return {
        state.state_id: StateBox(state, LEFT_MARGIN + column * COLUMN_WIDTH, 16 + row * LANE_HEIGHT)
        for row, members in enumerate(rows)
        for column, state in enumerate(members)
    }


def _names(package: DiscoveryPackage) -> dict[str, str]:
    """Map each state id to a name: the open dialog, else the label of the first action that led there."""
    names: dict[str, str] = {}
    seeded = {one.state_id for one in package.transition_graph.states if "seed" in (one.metadata or {})}
    for edge in package.transition_graph.edges:
        label = (edge.metadata or {}).get("label", "")
        if edge.from_state_id != edge.to_state_id and edge.to_state_id not in seeded:
            names.setdefault(edge.to_state_id, str(label or ""))
    for state in package.transition_graph.states:
        if state.modal_stack:
            names[state.state_id] = state.modal_stack[-1]
    return names


def _lanes(boxes: dict[str, StateBox], width: int) -> Iterator[str]:
    done: set[int] = set()
    for box in boxes.values():
        if box.y not in done:
            done.add(box.y)
            yield f'<rect class="lane" x="0" y="{box.y - 10}" width="{width}" height="{BOX_HEIGHT + 20}"/>'
            name = escape(_short(box.state.route_id or "", 26))
            yield f'<text class="route" x="12" y="{box.y + 21}">{name}</text>'


def _box(box: StateBox, name: str) -> str:
    state = box.state
    url = str((state.metadata or {}).get("url", ""))
    kind = "modal" if state.modal_stack else "seed" if "seed" in (state.metadata or {}) else "state"
    title = escape(f"{state.state_id} · {name} · {url} · {state.confidence} confidence")
    words = escape(_short(name or "start", 17))
    return (
        f'<g class="{kind}"><title>{title}</title>'
        f'<rect x="{box.x}" y="{box.y}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="7"/>'
        f'<text x="{box.x + 9}" y="{box.y + 15}">{words}</text>'
        f'<text class="id" x="{box.x + 9}" y="{box.y + 28}">{escape(state.state_id)}</text></g>'
    )


def _edge(edge: DiscoveryTransition, boxes: dict[str, StateBox]) -> str:
    one, other = boxes.get(edge.from_state_id), boxes.get(edge.to_state_id)
    if one is None or other is None or one is other:
        return ""
    label = (edge.metadata or {}).get("label", "")
    title = (
        f"<title>{escape(f'{edge.via_action_id} {label}: {edge.from_state_id} → {edge.to_state_id}')}</title>"
    )
    x1: float
    y1: float
    x2: float
    y2: float
    if one.y == other.y and other.x > one.x:
        x1, y1, x2, y2 = one.x + BOX_WIDTH, one.y + BOX_HEIGHT / 2, other.x, other.y + BOX_HEIGHT / 2
        bend = 0 if other.x - one.x == COLUMN_WIDTH else 26
        path = f"M{x1} {y1} C{x1 + 18} {y1 - bend} {x2 - 18} {y2 - bend} {x2} {y2}"
    elif one.y == other.y:
        x1, x2, y = one.x + BOX_WIDTH / 2, other.x + BOX_WIDTH / 2, one.y
        path = f"M{x1} {y} C{x1} {y - 16} {x2} {y - 16} {x2} {y}"
    else:
        down = other.y > one.y
        x1, y1 = one.x + BOX_WIDTH * 0.6, one.y + (BOX_HEIGHT if down else 0)
        x2, y2 = other.x + BOX_WIDTH * 0.4, other.y + (0 if down else BOX_HEIGHT)
        path = f"M{x1} {y1} C{x1} {(y1 + y2) / 2} {x2} {(y1 + y2) / 2} {x2} {y2}"
    kind = "edge low" if edge.confidence == "low" else "edge"
    return f'<path class="{kind}" d="{path}" marker-end="url(#tip)">{title}</path>'


def _short(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
