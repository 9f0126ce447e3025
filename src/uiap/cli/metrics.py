"""`uiap metrics`: how well it went, from the store: success, first attempts, retries, latency and tokens."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import click
import msgspec
from sqlalchemy import select

from uiap.cli.output import json_option, print_json
from uiap.cli.replay import _url
from uiap.host.records import tables
from uiap.host.records.store import Store

OUTLINED = b"x.uiap.tools.outlined"


class CompletedAction(msgspec.Struct, frozen=True):
    """One action that has its result."""

    session: str
    action: str
    digest: str
    status: str
    duration_ms: float
    cause: str | None = None
    """What class of failure it named, if it failed."""


class Metrics(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """`tasks` are sessions that acted; one succeeded if its last action did. A retry is the same request once more in
    the same session; a first attempt is one that was no retry. The root cause of a failure is the class that its result
    names; the time to it is how long that took from the request on."""

    tasks: int
    task_success: float | None
    actions: int
    action_success: float | None
    first_attempt_success: float | None
    retries: int
    retries_per_task: float | None
    failures: dict[str, int]
    root_cause_p50_ms: float | None
    latency_p50_ms: float | None
    latency_p95_ms: float | None
    outline_tokens: int
    tokens_per_task: float | None
    by_action: dict[str, dict[str, Any]]


@click.command(help="Success, first attempts, retries, latency and tokens, from STORE (a file or URL).")
@click.argument("store", required=False)
@json_option
def command(store: str | None, as_json: bool) -> int:
    opened = Store(_url(store), create=False)
    try:
        figures = compute_metrics(list(completed_actions(opened)), outline_tokens(opened))
    finally:
        opened.close()
    if as_json:
        print_json(figures)
        return 0
    for name, value in _lines(figures):
        click.echo(f"{name:24} {value}")
    for action, one in figures.by_action.items():
        click.echo(f"  {action:22} {one['count']:>6}  {_share(one['success'])}  {one['p50Ms']:.0f} ms")
    return 0


def completed_actions(store: Store) -> Iterable[CompletedAction]:
    """Actions in the order they were accepted, those without a result left out."""
    joined = tables.actions.join(tables.stages, tables.actions.c.handle == tables.stages.c.handle)
    query = (
        select(tables.actions, tables.stages.c.body)
        .select_from(joined)
        .where(tables.stages.c.stage == "result")
        .order_by(tables.actions.c.seq)
    )
    for row in store.rows(query):
        result = msgspec.json.decode(row["body"])
        told = result.get("metadata", {})
        spent, cause = float(told.get("durationMs", 0.0)), told.get("failureClass")
        yield CompletedAction(row["session"], row["action"], row["digest"], result["status"], spent, cause)


def outline_tokens(store: Store) -> int:
    """What models were given to read, as far as the journal knows."""
    total = 0
    for row in store.journal():
        if row["kind"] == "session" and OUTLINED in row["event"] and not row["event"].startswith(b"{"):
            event = msgspec.msgpack.decode(row["event"])
            payload = event.get("payload") if isinstance(event, dict) else None
            total += int(payload.get("tokens", 0)) if isinstance(payload, dict) else 0
    return total


def compute_metrics(done: Sequence[CompletedAction], tokens: int) -> Metrics:
    last: dict[str, bool] = {}
    seen: set[tuple[str, str]] = set()
    first: list[bool] = []
    kinds: dict[str, list[CompletedAction]] = defaultdict(list)
    for one in done:
        ok = one.status == "succeeded"
        last[one.session] = ok
        if (one.session, one.digest) not in seen:
            seen.add((one.session, one.digest))
            first.append(ok)
        kinds[one.action].append(one)
    spent = [one.duration_ms for one in done]
    return Metrics(
        tasks=len(last),
        task_success=_mean(list(last.values())),
        actions=len(done),
        action_success=_mean([one.status == "succeeded" for one in done]),
        first_attempt_success=_mean(first),
        retries=len(done) - len(first),
        retries_per_task=round((len(done) - len(first)) / len(last), 2) if last else None,
        failures=dict(Counter(one.cause or "unnamed" for one in done if one.status == "failed")),
        root_cause_p50_ms=percentile([one.duration_ms for one in done if one.cause], 0.5),
        latency_p50_ms=percentile(spent, 0.5),
        latency_p95_ms=percentile(spent, 0.95),
        outline_tokens=tokens,
        tokens_per_task=round(tokens / len(last), 1) if last else None,
        by_action={
            name: {
                "count": len(those),
                "success": _mean([one.status == "succeeded" for one in those]),
                "p50Ms": percentile([one.duration_ms for one in those], 0.5),
            }
            for name, those in sorted(kinds.items())
        },
    )


def percentile(values: Sequence[float], share: float) -> float | None:
    """The nearest rank; None of nothing."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _lines(figures: Metrics) -> list[tuple[str, str]]:
    def ms(value: float | None) -> str:
        return "–" if value is None else f"{value:.0f} ms"

    return [
        ("tasks", f"{figures.tasks}, {_share(figures.task_success)} succeeded"),
        ("actions", f"{figures.actions}, {_share(figures.action_success)} succeeded"),
        ("first attempts", f"{_share(figures.first_attempt_success)} succeeded"),
        ("retries", f"{figures.retries}, {figures.retries_per_task or 0:g} a task"),
        ("failures", ", ".join(f"{count} {name}" for name, count in figures.failures.items()) or "none"),
        ("time to root cause", f"p50 {ms(figures.root_cause_p50_ms)}"),
        ("latency", f"p50 {ms(figures.latency_p50_ms)}, p95 {ms(figures.latency_p95_ms)}"),
        ("outline tokens", f"{figures.outline_tokens}, {figures.tokens_per_task or 0:g} a task"),
    ]
