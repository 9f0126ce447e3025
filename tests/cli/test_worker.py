"""`uiap worker`: its options. Executing runs is tested in tests/api/test_workflow_runs.py."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import ENTRY, environment


def test_a_worker_reports_that_it_is_ready_and_ends_with_a_signal(tmp_path: Path) -> None:
    pytest.importorskip("dbos", reason="install uiap[workflows]")
    command = [*ENTRY, "worker", "--database", "runs.sqlite"]
    worker = subprocess.Popen(
        command, cwd=tmp_path, env=environment(tmp_path), stdout=subprocess.PIPE, text=True
    )
    try:
        assert worker.stdout is not None
        assert worker.stdout.readline().startswith("ready: 4 runs at a time from sqlite:///")
        os.kill(worker.pid, signal.SIGTERM)
        assert worker.wait(60) == 0
    finally:
        worker.kill()
        worker.wait()
        assert worker.stdout is not None
        worker.stdout.close()
