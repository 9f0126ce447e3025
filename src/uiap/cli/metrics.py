"""`uiap metrics`: compute success, first attempts, retries, latency and tokens from the store."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from sqlalchemy import select

from uiap import __version__
from uiap.cli.output import json_option, print_json
from uiap.cli.replay import store_url
from uiap.host.records import tables
from uiap.host.records.store import Store

OUTLINE_TYPE = b"x.uiap.tools.outlined"


class CompletedAction(msgspec.Struct, frozen=True):
    """One action that has a result."""

    session: str
    action: str
    digest: str
    status: str
    duration_ms: float
    cause: str | None = None
    """The failure class in its result, if it failed."""


class Metrics(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The numbers of one store.

    `tasks` are sessions that acted; a task succeeded if its last action did. A retry is the same request again in the
    same session; every other action is a first attempt. The root cause of a failure is the failure class in its
    result; the time to root cause runs from the request to the result.
    """

    release: str
    """The release of uiap whose figures these are."""
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


@click.command(help="Print success, first attempts, retries, latency and tokens from STORE (a file or URL).")
@click.argument("store", required=False)
@click.option("--release", default=__version__, show_default=True, help="The release that wrote the store.")
@click.option(
    "--against",
    type=click.Path(exists=True, dir_okay=False),
    help="Compare with the --json output of another release.",
)
@json_option
def command(store: str | None, release: str, against: str | None, as_json: bool) -> int:
    opened = Store(store_url(store), create=False)
    try:
        metrics = compute_metrics(list(completed_actions(opened)), outline_tokens(opened), release)
    finally:
        opened.close()
    if against is not None:
        for line in compare_releases(msgspec.json.decode(Path(against).read_bytes(), type=Metrics), metrics):
            click.echo(line)
        return 0
    if as_json:
        print_json(metrics)
        return 0
    for name, value in _lines(metrics):
        click.echo(f"{name:24} {value}")
    for action, one in metrics.by_action.items():
        click.echo(f"  {action:22} {one['count']:>6}  {_share(one['success'])}  {one['p50Ms']:.0f} ms")
    return 0


def completed_actions(store: Store) -> Iterable[CompletedAction]:
    """Yield the actions that have a result, in the order they were accepted."""
    joined = tables.actions.join(tables.stages, tables.actions.c.handle == tables.stages.c.handle)
    query = (
        select(tables.actions, tables.stages.c.body)
        .select_from(joined)
        .where(tables.stages.c.stage == "result")
        .order_by(tables.actions.c.seq)
    )
    for row in store.rows(query):
        result = msgspec.json.decode(row["body"])
        metadata = result.get("metadata", {})
        duration_ms, cause = float(metadata.get("durationMs", 0.0)), metadata.get("failureClass")
        yield CompletedAction(
            row["session"], row["action"], row["digest"], result["status"], duration_ms, cause
        )


def outline_tokens(store: Store) -> int:
    """Return the number of outline tokens sent to models, according to the journal."""
    total = 0
    for row in store.journal():
        if row["kind"] == "session" and OUTLINE_TYPE in row["event"] and not row["event"].startswith(b"{"):
            event = msgspec.msgpack.decode(row["event"])
            payload = event.get("payload") if isinstance(event, dict) else None
            total += int(payload.get("tokens", 0)) if isinstance(payload, dict) else 0
    return total


def compute_metrics(done: Sequence[CompletedAction], tokens: int, release: str = __version__) -> Metrics:
    """Return the metrics of these actions and this many outline tokens."""
    last_succeeded: dict[str, bool] = {}
    seen: set[tuple[str, str]] = set()
    first: list[bool] = []
    by_action: dict[str, list[CompletedAction]] = defaultdict(list)
    for one in done:
        ok = one.status == "succeeded"
        last_succeeded[one.session] = ok
        if (one.session, one.digest) not in seen:
            seen.add((one.session, one.digest))
            first.append(ok)
        by_action[one.action].append(one)
    durations = [one.duration_ms for one in done]
    return Metrics(
        release=release,
        tasks=len(last_succeeded),
        task_success=_mean(list(last_succeeded.values())),
        actions=len(done),
        action_success=_mean([one.status == "succeeded" for one in done]),
        first_attempt_success=_mean(first),
        retries=len(done) - len(first),
        retries_per_task=round((len(done) - len(first)) / len(last_succeeded), 2) if last_succeeded else None,
        failures=dict(Counter(one.cause or "unnamed" for one in done if one.status == "failed")),
        root_cause_p50_ms=percentile([one.duration_ms for one in done if one.cause], 0.5),
        latency_p50_ms=percentile(durations, 0.5),
        latency_p95_ms=percentile(durations, 0.95),
        outline_tokens=tokens,
        tokens_per_task=round(tokens / len(last_succeeded), 1) if last_succeeded else None,
        by_action={
            name: {
                "count": len(actions),
                "success": _mean([one.status == "succeeded" for one in actions]),
                "p50Ms": percentile([one.duration_ms for one in actions], 0.5),
            }
            for name, actions in sorted(by_action.items())
        },
    )


COMPARED = (
    "task_success",
    "action_success",
    "first_attempt_success",
    "retries_per_task",
    "root_cause_p50_ms",
    "latency_p50_ms",
    "tokens_per_task",
)


def compare_releases(before: Metrics, after: Metrics) -> list[str]:
    """Return one line for each figure: its value in both releases, and the difference."""
    lines = [f"{'':24} {before.release:>12} {after.release:>12}"]
    for name in COMPARED:
        old, new = getattr(before, name), getattr(after, name)
        difference = "" if old is None or new is None else f"{new - old:+g}"
        lines.append(f"{name.replace('_', ' '):24} {old!s:>12} {new!s:>12}  {difference}".rstrip())
    return lines


def percentile(values: Sequence[float], share: float) -> float | None:
    """Return the nearest-rank percentile, or None without values."""
    if not values:
        return None
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _mean(values: Sequence[bool]) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


def _lines(metrics: Metrics) -> list[tuple[str, str]]:
    def ms(value: float | None) -> str:
        return "–" if value is None else f"{value:.0f} ms"

    return [
        ("tasks", f"{metrics.tasks}, {_share(metrics.task_success)} succeeded"),
        ("actions", f"{metrics.actions}, {_share(metrics.action_success)} succeeded"),
        ("first attempts", f"{_share(metrics.first_attempt_success)} succeeded"),
        ("retries", f"{metrics.retries}, {metrics.retries_per_task or 0:g} per task"),
        ("failures", ", ".join(f"{count} {name}" for name, count in metrics.failures.items()) or "none"),
        ("time to root cause", f"p50 {ms(metrics.root_cause_p50_ms)}"),
        ("latency", f"p50 {ms(metrics.latency_p50_ms)}, p95 {ms(metrics.latency_p95_ms)}"),
        ("outline tokens", f"{metrics.outline_tokens}, {metrics.tokens_per_task or 0:g} per task"),
    ]
