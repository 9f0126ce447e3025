"""A thumbnail of a screen, drawn from its redacted graph: scopes as boxes, controls by role, in document order.

It shows nothing that the stored graph does not have, so it needs no screenshot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from html import escape

from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, visible_elements
from uiap.spec.web import ElementNode, PageGraph

WIDTH, HEIGHT = 240, 150
_LEFT, _TOP, _ROW, _GAP = 8, 24, 13, 4
_MAX_LETTERS = 22
_MIN_SCREENS = 3
_LETTER_WIDTH = 4.4
_FIELDS = frozenset(
    {"textbox", "textarea", "searchbox", "combobox", "spinbutton", "datepicker", "timepicker"}
)
_SMALL = frozenset({"checkbox", "radio", "switch"})


def shared_controls(graphs: Iterable[PageGraph]) -> frozenset[str]:
    """Return the controls that most screens have, such as a menu. They do not tell one screen from another."""
    counts: Counter[str] = Counter()
    total = 0
    for graph in graphs:
        total += 1
        counts.update({_key(one) for one in _controls(GraphStore(graph))})
    return frozenset(key for key, count in counts.items() if total >= _MIN_SCREENS and count * 2 > total)


def thumbnail_svg(graph: PageGraph, shared: frozenset[str] = frozenset()) -> str:
    """Return the drawing, own controls before shared ones; a dialog lies over the rest of the page."""
    store = GraphStore(graph)
    title = escape((graph.route.title or graph.route.path or "")[:34])
    top = store.modal_stack[-1] if store.modal_stack else None
    inside = [one for one in _controls(store) if top is None or one.scope_id == top]
    inside.sort(key=lambda one: _key(one) in shared)
    box = (
        f"<rect class=over x=18 y={_TOP - 4} width={WIDTH - 36} height={HEIGHT - _TOP - 4} rx=4 />"
        if top
        else ""
    )
    left = _LEFT + (18 if top else 0)
    drawn = "".join(_drawn(inside, left, WIDTH - left))
    return (
        f'<svg class=thumb viewBox="0 0 {WIDTH} {HEIGHT}" role=img aria-hidden=true>'
        f"<rect class=page width={WIDTH} height={HEIGHT} rx=6 /><rect class=bar width={WIDTH} height=17 rx=6 />"
        f"<text x={_LEFT} y=12>{title}</text>{box}{drawn}</svg>"
    )


def _key(one: ElementNode) -> str:
    return f"{one.role} {one.name or one.text or ''}"


def _controls(store: GraphStore) -> Iterator[ElementNode]:
    for one in visible_elements(store):
        if is_actionable(one) or one.role == "label":
            yield one


def _drawn(elements: list[ElementNode], left: int, right: int) -> Iterator[str]:
    """Yield the controls from left to right, row by row, as far as there is space."""
    x, y = float(left), float(_TOP)
    for one in elements:
        label = (one.name or one.text or "")[:_MAX_LETTERS]
        width = max(14.0, len(label) * _LETTER_WIDTH + 8)
        if x + width > right:
            x, y = float(left), y + _ROW + _GAP
        if y + _ROW > HEIGHT - 4:
            return
        yield f"<g class={_look(one)}><rect x={x:.0f} y={y:.0f} width={width:.0f} height={_ROW} rx=2 />"
        yield f"<text x={x + 4:.0f} y={y + 9:.0f}>{escape(label)}</text></g>"
        x += width + _GAP


def _look(one: ElementNode) -> str:
    if one.role in _FIELDS:
        return "field"
    if one.role in _SMALL:
        return "small"
    if one.role in ("link", "label", "tab"):
        return str(one.role)
    return "press"
