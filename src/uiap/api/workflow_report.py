"""The report of a run as one HTML file: its outcome, its timeline, and each action with its proof.

Every value is escaped, and the file loads nothing. Values of private parameters are masked.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from html import escape
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.trace_html import document
from uiap.host.workflows.history import RunAction, RunHistory, RunRepair
from uiap.spec.workflow import WorkflowDefinition
from uiap.workflow.texts import plain_text

STYLE = """
.steps td:first-child { white-space: nowrap } .ok { color: var(--good) } .no { color: var(--bad) }
.steps td { overflow-wrap: anywhere } .steps td:nth-child(2) { min-width: 15em } .steps td:nth-child(3) { width: 50% }
.steps td:nth-child(4) { min-width: 11em }
.repairs img { max-width: 320px; border: 1px solid var(--line) }
pre.changes { max-height: 160px; margin: 6px 0 2px; white-space: pre-wrap; overflow-wrap: anywhere }
"""
MARKS = {"succeeded": "✓", "failed": "✗", "cancelled": "✗"}


def report_html(history: RunHistory, definition: WorkflowDefinition) -> str:
    """Return the report of a run as one HTML file."""
    instance = history.instance
    title = f"{plain_text(definition.title) or definition.id}: {instance.status}"
    parts = [
        _head(history, definition),
        _repairs(history.repairs),
        _actions(history.actions),
        _timeline(history),
    ]
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


def _repairs(repairs: Iterable[RunRepair]) -> str:
    """Return each proposal with both pictures, its score and its reasons."""
    rows = "".join(map(_repair_row, repairs))
    if not rows:
        return ""
    head = "<tr><th>step</th><th>before</th><th>now</th><th>evidence</th><th>answer</th></tr>"
    return f"<h2>Changed targets</h2><table class=repairs>{head}{rows}</table>"


def _repair_row(repair: RunRepair) -> str:
    proposal = repair.proposal
    found = f"{proposal.binding.role} “{proposal.binding.name or ''}”"
    reasons = "".join(f"<li>{_e(one)}</li>" for one in proposal.reasons)
    cells = [
        _e(repair.step_id),
        _picture(proposal.picture_before, "the target as an earlier run found it"),
        _picture(proposal.picture_now, "the proposed element"),
        f"{_e(found)}, score {proposal.score:.2f}<ul>{reasons}</ul>",
        _e(f"{repair.answer} by {repair.by}" if repair.by else repair.answer),
    ]
    return f"<tr>{''.join(f'<td>{one}</td>' for one in cells)}</tr>"


def _picture(png: str, alt: str) -> str:
    if not png:
        return "<span class=muted>no picture</span>"
    return f'<img src="data:image/png;base64,{_e(png)}" alt="{_e(alt)}">'


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
    begun = history.timeline[0].at if history.timeline else ""
    rows = "".join(
        f"<tr><td class='mono k' title='{_e(one.at)}'>{_since(begun, one.at)}</td><td class=k>{_e(one.step_id)}</td>"
        f"<td class=k>{_e(one.status.replace('_', ' '))}</td><td>{_e(one.note)}</td></tr>"
        for one in history.timeline
    )
    return f"<h2>Timeline</h2><table>{rows}</table>"


def _since(begun: str, at: str) -> str:
    """Return the time since the first entry, such as `1.7 s` or `2:05:00`."""
    passed = datetime.fromisoformat(at) - datetime.fromisoformat(begun)
    seconds = passed.total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else str(timedelta(seconds=round(seconds)))


def _e(value: object) -> str:
    return escape(str(value), quote=True)
