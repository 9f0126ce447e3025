"""Render a trace as one HTML file. Standard library alone; every value is escaped and the file loads nothing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --good: #1a7f4b; --bad: #c4342d; --warn: #a66a00;
  --bar: #3b6fd4; }
@media (prefers-color-scheme: dark) { :root { --good: #4cc38a; --bad: #ff7b72; --warn: #e3b341; --bar: #6ea0ff; } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 0 auto; padding: 24px 20px 60px }
h1 { font-size: 22px; margin: 0 0 4px } h2 { font-size: 15px; margin: 32px 0 8px; letter-spacing: .02em }
.status { font-weight: 600 } .succeeded { color: var(--good) } .failed { color: var(--bad) }
.cancelled { color: var(--warn) }
.muted { opacity: .65 } code, pre, .mono { font: 12.5px/1.45 ui-monospace, monospace }
table { border-collapse: collapse; width: 100% } th { text-align: left; font-weight: 500; opacity: .65 }
td, th { padding: 5px 10px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top }
td.mono { overflow-wrap: anywhere } td.k { white-space: nowrap; overflow-wrap: normal }
td.n, th.n { text-align: right; white-space: nowrap }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 18px; margin: 16px 0 0 }
dt { opacity: .65 } dd { margin: 0; overflow-wrap: anywhere }
.track { position: relative; height: 24px; margin: 3px 0 } .track span { position: absolute; top: 0; height: 24px;
  line-height: 24px; white-space: nowrap }
.track .name { left: 0; width: 190px; overflow: hidden; text-overflow: ellipsis }
.track .lane { left: 200px; right: 0; background: var(--soft); border-radius: 4px }
.track .bar { background: var(--bar); border-radius: 4px; min-width: 3px; top: 3px; height: 18px }
.track .ms { padding-left: 6px; font-size: 12px; opacity: .75 }
.track .ms.in { color: #fff; opacity: 1; padding-right: 8px }
.dispatch { border-left: 2px solid var(--bad); z-index: 1 } .caused { color: var(--good) } .background { opacity: .6 }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 16px } .pair > div { min-width: 0 }
.pair img { max-width: 100%; border: 1px solid var(--line); border-radius: 6px }
pre { background: var(--soft); border-radius: 6px; padding: 10px 12px; overflow: auto; max-height: 420px; margin: 0 }
details { margin-top: 32px } summary { cursor: pointer; opacity: .75 }
@media (max-width: 700px) { .pair { grid-template-columns: 1fr } .track .name { width: 110px }
  .track .lane { left: 120px } }
"""


def page(trace: Mapping[str, Any]) -> str:
    """Return the HTML file of an ActionTrace given as JSON."""
    return document(f"{trace['actionId']} {trace['status']}", body(trace))


def body(trace: Mapping[str, Any]) -> str:
    """Return the content of the page without the document around it."""
    result = trace["result"]
    parts = [
        _head(trace, result),
        _timeline(trace),
        _views(trace),
        _network(trace["network"]),
        _lines(trace["lines"]),
        _signals(trace["signals"]),
        _noise(trace["noise"]),
        f"<details><summary>result as JSON</summary><pre>{_e(json.dumps(result, indent=2, ensure_ascii=False))}"
        "</pre></details>",
    ]
    return "\n".join(part for part in parts if part)


def document(title: str, inner: str, style: str = "") -> str:
    """Return a complete HTML file around `inner`; its policy forbids scripts and loading."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>' + _e(title) + "</title>"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        'img-src data:">'
        f"<style>{STYLE}{style}</style></head><body>{inner}</body></html>\n"
    )


def _e(value: object) -> str:
    return escape(str(value), quote=True)


def _head(trace: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    metadata: Mapping[str, Any] = result.get("metadata", {})
    facts: list[tuple[str, object]] = [
        ("target", _target(result.get("resolvedTarget"), metadata)),
        ("decision", _decision(metadata.get("policy"))),
        ("mode", _mode(result, metadata)),
        ("verification", _verification(result["verification"], metadata)),
        ("judgement", _judgement(metadata.get("judgement", {}))),
        ("side effect", result.get("sideEffectState")),
        ("failure", _failure(result.get("error"), metadata)),
        ("recovery", "; ".join(metadata.get("recovery", ()))),
        ("handle", trace["actionHandle"]),
    ]
    rows = "".join(f"<dt>{_e(name)}</dt><dd>{_e(value)}</dd>" for name, value in facts if value)
    status = trace["status"]
    return (
        f'<h1>{_e(trace["actionId"])} <span class="status {_e(status)}">{_e(status)}</span></h1>'
        f'<div class="muted">{_e(trace["ts"])} · {_ms(trace["durationMs"])}</div><dl>{rows}</dl>'
    )


def _target(target: Mapping[str, Any] | None, metadata: Mapping[str, Any]) -> str:
    if not target:
        return ""
    found = metadata.get("resolution", {})
    record = f" of {found['record']}" if found.get("record") else ""
    why = f" ({', '.join(found.get('reasons', ()))}; confidence {found.get('confidence')})" if found else ""
    vision = found.get("vision")
    at = f", read from the screenshot at {vision['point']}" if vision and vision.get("point") else ""
    return f"{target['role']} “{target.get('name', '')}” [{target['instanceId']}]{record}{at}{why}"


def _decision(policy: Any) -> str:
    if not isinstance(policy, Mapping):
        return ""
    return ", ".join(f"{name} {value}" for name, value in policy.items() if isinstance(value, str))


def _mode(result: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    reasons = "; ".join(metadata.get("modeReasons", ()))
    return reasons or str(result.get("chosenExecutionMode", ""))


def _judgement(answers: Mapping[str, Any]) -> str:
    """Return the three answers: does the end state hold, was it caused, has its work ended?"""
    questions = {"ownState": "end state", "cause": "caused", "ending": "ended"}
    return "; ".join(
        f"{words}: {'yes' if answers[name]['holds'] else 'no'}, {answers[name]['evidence']}"
        for name, words in questions.items()
        if name in answers
    )


def _verification(outcome: Mapping[str, Any], metadata: Mapping[str, Any]) -> str:
    missing = ", ".join(signal["kind"] for signal in outcome.get("missing", ()))
    parts = [f"policy {outcome['policy']}", "passed" if outcome["passed"] else "not passed"]
    parts += [f"evidence: {metadata['evidence']}"] if metadata.get("evidence") else []
    parts += [f"attribution: {metadata['attribution']}"] if metadata.get("attribution") else []
    parts += [f"missing: {missing}"] if missing else []
    return "; ".join(parts)


def _failure(error: Mapping[str, Any] | None, metadata: Mapping[str, Any]) -> str:
    if not error:
        return ""
    return f"{error['code']}: {error['message']} ({metadata.get('failureClass', '')}, {metadata.get('outcome', '')})"


def _ms(value: float) -> str:
    return f"{value:.0f} ms" if value < 10_000 else f"{value / 1000:.1f} s"


def _timeline(trace: Mapping[str, Any]) -> str:
    """Return one bar per stage; a red line marks the input."""
    total = max(float(trace["durationMs"]), 0.1)
    stages = trace["stages"]
    ends = [stage["atMs"] for stage in stages[1:]] + [total]
    rows = []
    for stage, end in zip(stages, ends, strict=True):
        took = max(0.0, end - stage["atMs"])
        left = min(100 * stage["atMs"] / total, 99.5)
        width = min(100 * took / total, 100 - left)
        bar = f'<span class="bar" style="left:{left:.2f}%;width:{width:.2f}%"></span>'
        inside = " in" if left + width > 88 else ""
        at = f"right:{100 - left - width:.2f}%" if inside else f"left:{left + width:.2f}%"
        label = f'<span class="ms{inside}" style="{at}">{_ms(took)}</span>'
        name = _e(stage["stage"].replace("_", " "))
        rows.append(
            f'<div class="track" title="{_e(stage.get("note", ""))}"><span class="name">{name}</span>'
            f'<span class="lane">{_dispatch(trace, total)}{bar}{label}</span></div>'
        )
    return f"<h2>Stages</h2>{''.join(rows)}{_input_note(trace)}" if rows else ""


def _dispatch(trace: Mapping[str, Any], total: float) -> str:
    at = trace.get("dispatchedMs")
    return (
        ""
        if at is None
        else f'<span class="dispatch" style="left:{min(100 * at / total, 99.7):.2f}%">&nbsp;</span>'
    )


def _input_note(trace: Mapping[str, Any]) -> str:
    at = trace.get("dispatchedMs")
    return "" if at is None else f'<div class="muted">The red line marks the input, sent at {_ms(at)}.</div>'


def _table(title: str, head: tuple[str, ...], rows: Iterable[str]) -> str:
    body = "".join(rows)
    if not body:
        return f'<h2>{_e(title)}</h2><div class="muted">none</div>'
    cells = "".join(
        f'<th class="n">{_e(h)}</th>' if h in ("at", "relevance") else f"<th>{_e(h)}</th>" for h in head
    )
    return f"<h2>{_e(title)}</h2><table><tr>{cells}</tr>{body}</table>"


def _row(one: Mapping[str, Any], *cells: str) -> str:
    cause = one["cause"]
    first, *rest = cells
    row = f'<td class="mono k">{first}</td>' + "".join(f'<td class="mono">{cell}</td>' for cell in rest)
    return (
        f'<tr class="{_e(cause)}"><td class="n">{_ms(one["atMs"])}</td>{row}<td>{_e(cause)}</td>'
        f'<td class="n">{one["relevance"]:.2f}</td></tr>'
    )


def _network(calls: Iterable[Mapping[str, Any]]) -> str:
    rows = (
        _row(c, _e(c["method"]), _e(c["url"]), _e(c.get("failure") or c.get("status", "no response yet")))
        for c in calls
    )
    return _table("Network", ("at", "method", "url", "response", "cause", "relevance"), rows)


def _lines(lines: Iterable[Mapping[str, Any]]) -> str:
    rows = (
        _row(one, _e(f"{one['kind']} {one['level']}"), _e(one["text"]), _e(f"{one.get('url', '')}"))
        for one in lines
    )
    return _table("Console, errors, dialogs", ("at", "kind", "text", "from", "cause", "relevance"), rows)


def _signals(signals: Iterable[Mapping[str, Any]]) -> str:
    def members(signal: Mapping[str, Any]) -> str:
        rest = {name: value for name, value in signal.items() if name != "kind"}
        return json.dumps(rest, ensure_ascii=False) if rest else ""

    rows = (_row(one, _e(one["signal"]["kind"]), _e(members(one["signal"]))) for one in signals)
    return _table("Signals", ("at", "signal", "members", "cause", "relevance"), rows)


def _noise(count: int) -> str:
    return f'<p class="muted">{count} unrelated events are not listed.</p>' if count else ""


def _views(trace: Mapping[str, Any]) -> str:
    views = [(name, trace[name]) for name in ("before", "after") if trace.get(name)]
    if not views:
        return ""
    return '<h2>Before and after</h2><div class="pair">' + "".join(_view(*one) for one in views) + "</div>"


def _view(name: str, view: Mapping[str, Any]) -> str:
    picture = view.get("screenshot", "")
    safe = "".join(c for c in picture if c.isalnum() or c in "+/=")
    image = f'<img alt="the page {name}" src="data:image/png;base64,{safe}">' if safe else ""
    text = f"<pre>{_e(view['outline'])}</pre>" if view.get("outline") else ""
    return f'<div><div class="muted">{_e(name)}, {_e(view["revision"])}</div>{image}{text}</div>'
