"""`uiap metrics` counts tasks, retries, failures and latency from the store."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tests.cli.conftest import Run
from uiap.cli.metrics import CompletedAction, compare_releases, compute_metrics, percentile
from uiap.host.records import tables
from uiap.host.records.store import Store, sqlite_url


def action(
    session: str, digest: str, status: str, ms: float = 10.0, cause: str | None = None
) -> CompletedAction:
    return CompletedAction(session, "ui.activate", digest, status, ms, cause)


def test_a_task_is_a_session_and_its_last_action_decides_success():
    metrics = compute_metrics(
        [action("a", "1", "failed"), action("a", "2", "succeeded"), action("b", "3", "failed")], 600
    )
    assert (metrics.tasks, metrics.task_success) == (2, 0.5)
    assert metrics.tokens_per_task == 300


@pytest.mark.requirement("MDM-M")
def test_a_failure_is_counted_by_its_root_cause_with_the_time_to_find_it():
    done = [
        action("a", "1", "failed", 900.0, "verification_timeout"),
        action("a", "1", "succeeded"),
        action("b", "2", "failed", 30.0, "target_resolution"),
        action("b", "3", "failed", 40.0),
    ]
    metrics = compute_metrics(done, 0)
    assert metrics.failures == {"verification_timeout": 1, "target_resolution": 1, "unnamed": 1}
    assert metrics.root_cause_p50_ms == 900.0  # the nearest rank of 30 and 900
    assert (metrics.task_success, metrics.first_attempt_success, metrics.retries_per_task) == (0.5, 0.0, 0.5)


@pytest.mark.requirement("MDM-Mb")
def test_the_figures_of_two_releases_are_compared():
    before = compute_metrics([action("a", "1", "failed"), action("b", "2", "succeeded")], 100, "0.1")
    after = compute_metrics([action("a", "1", "succeeded"), action("b", "2", "succeeded")], 60, "0.2")
    head, *lines = compare_releases(before, after)
    assert head.split() == ["0.1", "0.2"]
    figures = {line[:24].strip(): line[24:].split() for line in lines}
    assert figures["task success"] == ["0.5", "1.0", "+0.5"]
    assert figures["tokens per task"] == ["50.0", "30.0", "-20"]


def test_a_repeated_request_is_a_retry_and_not_a_first_attempt():
    done = [action("a", "1", "failed"), action("a", "1", "succeeded"), action("b", "1", "succeeded")]
    metrics = compute_metrics(done, 0)
    assert metrics.retries == 1
    assert metrics.first_attempt_success == 0.5
    assert metrics.action_success == 0.6667


def test_an_empty_store_has_no_rates():
    metrics = compute_metrics([], 0)
    assert (metrics.tasks, metrics.task_success, metrics.latency_p50_ms) == (0, None, None)
    assert percentile([1.0, 2.0, 3.0, 100.0], 0.95) == 100.0


def test_it_reads_a_store_and_reports_a_missing_one(uiap: Run, tmp_path: Path):
    store = Store(sqlite_url(tmp_path / "s.sqlite3"))
    for number, status in enumerate(["succeeded", "failed"]):
        row = {
            "handle": f"act_{number}", "session": "s", "action": "ui.toggle", "key": None, "digest": str(number),
            "stage": "accepted", "wall": "2026-01-01T00:00:00.000Z",
        }  # fmt: skip
        body = msgspec.json.encode({"status": status, "metadata": {"durationMs": 40}})
        done = {"handle": f"act_{number}", "stage": "result", "wall": row["wall"], "body": body}
        store.append([(tables.actions, row), (tables.stages, done)])
    store.close()
    report = json.loads(uiap("metrics", "s.sqlite3", "--json").stdout)
    assert (report["actions"], report["actionSuccess"], report["latencyP50Ms"]) == (2, 0.5, 40.0)
    shown = uiap("metrics", "s.sqlite3").stdout
    assert "50.0% succeeded" in shown
    assert "ui.toggle" in shown
    missing = uiap("metrics", "nowhere")
    assert missing.returncode == 1
    assert "no journal at `nowhere`" in missing.stderr
