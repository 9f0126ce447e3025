"""The report of a run as one HTML file: its outcome, its timeline, and each action with its proof.

Every value is escaped, and the file loads nothing. Values of private parameters are masked.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.trace_html import document
from uiap.host.workflows.history import RunAction, RunHistory
from uiap.spec.workflow import WorkflowDefinition
from uiap.workflow.texts import plain_text

STYLE = """
.steps td:first-child { white-space: nowrap } .ok { color: var(--good) } .no { color: var(--bad) }
pre.changes { max-height: 160px; margin: 6px 0 2px }
"""
MARKS = {"succeeded": "✓", "failed": "✗", "cancelled": "✗"}


def report_html(history: RunHistory, definition: WorkflowDefinition) -> str:
    """Return the report of a run as one HTML file."""
    instance = history.instance
    title = f"{plain_text(definition.title) or definition.id}: {instance.status}"
    parts = [_head(history, definition), _actions(history.actions), _timeline(history)]
    raw = escape(msgspec.json.format(msgspec.json.encode(history), indent=2).decode())
    parts.append(f"<details><summary>run as JSON</summary><pre>{raw}</pre></details>")
    return document(title, "\n".join(parts), STYLE)


def _head(history: RunHistory, definition: WorkflowDefinition) -> str:
    instance = history.instance
    facts: list[tuple[str, Any]] = [
        ("run", instance.instance_id),
        ("workflow", f"{definition.id} {definition.version}, mode {instance.mode}"),
        ("application", history.url),
        ("acted for", history.principal),
        ("from", f"{instance.started_at} to {instance.updated_at}"),
        ("parameters", ", ".join(f"{name}={value}" for name, value in instance.parameters.items())),
        ("failure", "" if instance.error is UNSET else instance.error.message),
        ("waits for", "" if history.question is None else history.question.text),
    ]
    rows = "".join(f"<dt>{_e(name)}</dt><dd>{_e(value)}</dd>" for name, value in facts if value)
    status = f'<span class="status {_e(instance.status)}">{_e(instance.status)}</span>'
    return f"<h1>{_e(plain_text(definition.title) or definition.id)} {status}</h1><dl>{rows}</dl>"


def _actions(actions: Iterable[RunAction]) -> str:
    rows = "".join(map(_action_row, actions))
    if not rows:
        return "<h2>Actions</h2><p class=muted>No action was requested.</p>"
    head = "<tr><th>step</th><th>action</th><th>proof</th><th>decision and audit</th><th class=n>ms</th></tr>"
    return f"<h2>Actions</h2><table class=steps>{head}{rows}</table>"


def _action_row(action: RunAction) -> str:
    found = action.evidence
    mark = f'<span class="{"ok" if action.status == "succeeded" else "no"}">{MARKS[action.status]}</span>'
    cells = [
        f"{mark} {_e(action.step_id)}",
        "" if found is None else _what(action),
        _proof(action),
        f"{_e('' if found is None else found.decision)}<div class='muted mono'>{_e(action.handle)}</div>",
    ]
    duration = "" if found is None else f"{found.duration_ms:.0f}"
    return f"<tr>{''.join(f'<td>{one}</td>' for one in cells)}<td class=n>{duration}</td></tr>"


def _what(action: RunAction) -> str:
    found = action.evidence
    assert found is not None
    moved = action.url and action.url_before and action.url != action.url_before
    route = f"<div class='muted mono'>{_e(action.url_before)} → {_e(action.url)}</div>" if moved else ""
    how = f"<div class=muted>found by {_e(found.found_by)}</div>" if found.found_by else ""
    return f"<code>{_e(found.action_id)}</code> {_e(found.target)}{how}{route}"


def _proof(action: RunAction) -> str:
    found = action.evidence
    observed = [] if found is None else [f"<div class=ok>✓ {_e(one)}</div>" for one in found.observed]
    missing = [] if found is None else [f"<div class=no>✗ {_e(one)}</div>" for one in found.missing]
    why = [f"<div class=no>{_e(action.message)}</div>"] if action.message else []
    lines = "" if found is None else "\n".join(map(_e, found.changes))
    changes = f"<pre class=changes>{lines}</pre>" if lines else ""
    return "".join([*observed, *missing, *why, changes])


def _timeline(history: RunHistory) -> str:
    rows = "".join(
        f"<tr><td class='mono k'>{_e(one.at)}</td><td>{_e(one.step_id)}</td>"
        f"<td>{_e(one.status)}</td><td>{_e(one.note)}</td></tr>"
        for one in history.timeline
    )
    return f"<h2>Timeline</h2><table>{rows}</table>"


def _e(value: object) -> str:
    return escape(str(value), quote=True)
