"""Render a graph or a result as HTML for notebooks.

Text of a page is always escaped. The HTML loads nothing and runs no script.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import msgspec

from uiap.api.absent import to_builtins

if TYPE_CHECKING:
    from uiap.api.graph import Graph
    from uiap.api.result import Result
    from uiap.spec.capability import SuccessSignal

MAX_ROWS = 200
_BOX = "font:13px/1.4 system-ui,sans-serif;border:1px solid #8886;border-radius:6px;padding:8px 12px;max-width:60em"
_CELL = "text-align:left;padding:1px 10px 1px 0;vertical-align:top"
_COLOURS = {"succeeded": "#1a7f37", "failed": "#cf222e", "cancelled": "#9a6700"}


def graph_html(graph: Graph) -> str:
    """Return the outline, and the elements as a folded table."""
    elements = list(graph)
    rows = [
        (e.instance_id, e.role, e.name or "", e.stable_id or "", ", ".join(e.affordances))
        for e in elements[:MAX_ROWS]
    ]
    more = f"<p>… and {len(elements) - MAX_ROWS} more</p>" if len(elements) > MAX_ROWS else ""
    head = f"<b>{_text(graph.url)}</b> · {len(elements)} elements · {_text(graph.revision)}"
    outline = f"<pre style='white-space:pre-wrap;margin:6px 0'>{_text(graph.outline(budget=2_000))}</pre>"
    table = _table(("ref", "role", "name", "stable id", "affordances"), rows)
    return _boxed(head, outline, f"<details><summary>elements</summary>{table}{more}</details>")


def result_html(result: Result) -> str:
    """Return status, target, side effect, evidence and error as a table."""
    colour = _COLOURS.get(result.status, "#57606a")
    head = f"<b style='color:{colour}'>{_text(result.status)}</b> {_text(result.payload.action_id)}"
    facts: list[tuple[str, str]] = []
    if result.target is not None:
        facts.append(("target", f"{result.target.role} {result.target.name or ''}".strip()))
    facts.append(("side effect", result.side_effect_state or "unknown"))
    facts += [("observed", _signal(signal)) for signal in result.verification.observed]
    facts += [("missing", _signal(signal)) for signal in result.verification.missing or ()]
    if result.error is not None:
        facts.append(("error", f"{result.error.code}: {result.error.message}"))
    if result.replayed:
        facts.append(("replayed", "an earlier result of this key; nothing was done now"))
    if "durationMs" in result.metadata:
        facts.append(("took", f"{result.metadata['durationMs']:.0f} ms"))
    return _boxed(head, _table((), facts))


def _signal(signal: SuccessSignal) -> str:
    plain: dict[str, object] = to_builtins(signal)
    kind = plain.pop("kind")
    return f"{kind} {msgspec.json.encode(plain).decode()}" if plain else str(kind)


def _boxed(*parts: str) -> str:
    return f"<div style='{_BOX}'>{''.join(parts)}</div>"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th style='{_CELL}'>{_text(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='{_CELL}'>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table style='border-collapse:collapse'>{f'<tr>{top}</tr>' if top else ''}{body}</table>"


def _text(value: object) -> str:
    return escape(str(value), quote=True)
