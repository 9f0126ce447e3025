"""Traces side by side as one HTML file: a column per session, a row per action. The file loads nothing.

It compares the same steps in a page, a desktop application and a phone: durations, stages and evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from uiap.api.trace_html import body, document

COLOURS: Mapping[str, str] = {
    "resolving_target": "#7c5cd6",
    "checking_preconditions": "#3b6fd4",
    "awaiting_confirmation": "#a66a00",
    "executing": "#d4703b",
    "verifying": "#1a9c5b",
    "recovering": "#c4342d",
}
OTHER = "#c8ced8"
STYLE = """
body { max-width: none } main { display: grid; gap: 0 28px;
  grid-template-columns: 1.6em repeat(var(--columns), minmax(0, 1fr)) }
main > * { border-top: 1px solid var(--line); padding: 12px 0 14px; min-width: 0 }
main > h2 { border: 0; margin: 0; overflow-wrap: anywhere } main > .key { font: 600 20px/1.3 ui-monospace, monospace }
.whole { height: 10px; background: var(--soft); border-radius: 5px; margin: 4px 0 8px }
.whole > i { display: block; height: 10px; border-radius: 5px; background: #8889; min-width: 2px }
.stages { position: relative; display: flex; height: 22px; border-radius: 5px; overflow: hidden;
  background: var(--soft) }
.stages > i { min-width: 1px } .stages > b { position: absolute; top: 0; bottom: 0; border-left: 2px solid #e11 }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 6px 0 18px }
.legend i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 6px }
.legend b { border-left: 2px solid #e11; margin-right: 6px } .evidence { margin-top: 6px } details { margin-top: 8px }
"""


def side_by_side(title: str, lines: Sequence[str], columns: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the HTML; `lines` names the actions, `columns` holds each session's traces as JSON, in the same order."""
    longest = max((float(one["durationMs"]) for column in columns.values() for one in column), default=1.0)
    cells = ["<h2></h2>", *(f"<h2>{escape(name)}</h2>" for name in columns)]
    for number, line in enumerate(lines):
        cells.append(f'<div class="key">{escape(line)}</div>')
        cells += [
            _cell(column[number], longest) if number < len(column) else "<div></div>"
            for column in columns.values()
        ]
    total = [sum(float(one["durationMs"]) for one in column) for column in columns.values()]
    cells += ["<div></div>", *(f'<div class="muted">{_ms(sum_ms)} total</div>' for sum_ms in total)]
    used = {stage["stage"] for column in columns.values() for one in column for stage in one["stages"]}
    return document(
        title,
        f'<h1>{escape(title)}</h1>{_legend(used)}<main style="--columns:{len(columns)}">{"".join(cells)}</main>',
        STYLE,
    )


def _cell(trace: Mapping[str, Any], longest: float) -> str:
    duration_ms, status = float(trace["durationMs"]), escape(trace["status"])
    percent = 100 * duration_ms / max(longest, 0.1)
    return (
        f'<div><span class="status {status}">{status}</span> <span class="muted">{_ms(duration_ms)}</span>'
        f'<div class="whole" title="compared with the slowest"><i style="width:{percent:.2f}%"></i></div>'
        f'{_stages(trace, max(duration_ms, 0.1))}<div class="evidence">{escape(_evidence(trace["result"]))}</div>'
        f"<details><summary>full trace</summary>{body(trace)}</details></div>"
    )


def _stages(trace: Mapping[str, Any], total: float) -> str:
    """Return one bar of all stages, scaled to this action; a red line marks the input."""
    stages = trace["stages"]
    ends = [stage["atMs"] for stage in stages[1:]] + [total]
    parts = []
    for one, end in zip(stages, ends, strict=True):
        took, colour = max(0.0, end - one["atMs"]), COLOURS.get(one["stage"], OTHER)
        parts.append(
            f'<i style="width:{100 * took / total:.2f}%;background:{colour}" '
            f'title="{escape(one["stage"])}: {_ms(took)}">'
            "</i>"
        )
    at = trace.get("dispatchedMs")
    sent = (
        ""
        if at is None
        else f'<b style="left:{min(100 * at / total, 99.5):.2f}%" title="input: {_ms(at)}"></b>'
    )
    return f'<div class="stages">{"".join(parts)}{sent}</div>'


def _evidence(result: Mapping[str, Any]) -> str:
    """Return the observed and missing signals, or the error."""
    outcome, metadata = result["verification"], result.get("metadata", {})
    words = [_signal(one) for one in outcome.get("observed", ())]
    words += [f"missing: {_signal(one)}" for one in outcome.get("missing", ())]
    if error := result.get("error"):
        words.append(f"{error['code']}: {error['message']}")
    if not words and outcome.get("policy") == "none":
        words.append("no effect was expected")
    return "; ".join(
        [*words, *([f"attribution {metadata['attribution']}"] if metadata.get("attribution") else [])]
    )


def _signal(signal: Mapping[str, Any]) -> str:
    value = signal.get("value", signal.get("text", signal.get("state", "")))
    return f"{signal['kind']} {value}".strip()


def _legend(used: set[str]) -> str:
    stages = [stage for stage in COLOURS if stage in used]
    names = "".join(
        f'<span><i style="background:{COLOURS[one]}"></i>{one.replace("_", " ")}</span>' for one in stages
    )
    return f'<div class="legend">{names}<span><b></b>input sent</span></div>'


def _ms(value: float) -> str:
    return f"{value:.0f} ms" if value < 10_000 else f"{value / 1000:.1f} s"
