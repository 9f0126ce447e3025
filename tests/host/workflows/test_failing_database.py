"""F10: the database of runs fails. `make soak CASE=F10` fails every fsync of a run, once and permanently."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

pytest.importorskip("dbos", reason="install uiap[workflows]")

from tests.host.store_faults import compile_shim
from tests.host.workflows.failing_database import run_with_fault
from tests.workflow.simulated import AT, DONE, definition, terms
from uiap.errors import Unavailable
from uiap.host.workflows import durable
from uiap.host.workflows.executor import RecordedEvent
from uiap.host.workflows.performer import RunApplication, RunOrder
from uiap.workflow import events as when

ORDER = RunOrder(terms=terms(definition(DONE)), application=RunApplication(url="http://127.0.0.1/"))


@pytest.mark.requirement("WF-6b")
def test_a_journal_entry_that_cannot_be_stored_costs_no_run_and_no_second_write(tmp_path: Path) -> None:
    shim = compile_shim(tmp_path)
    if shim is None:
        pytest.skip("fsync errors: needs Linux and a C compiler for a tiny shim")
    found = run_with_fault(tmp_path, shim, 40, sticky=False)
    assert found["fsync calls"] > 40, "the fault was never reached"
    assert (found["written twice"], found["runs lost"], found["damaged files"]) == (0, 0, 0)


@pytest.mark.parametrize("recorded", [True, False], ids=["the failure was recorded", "nothing was recorded"])
async def test_an_answer_is_recorded_again_and_its_work_is_done_once(
    monkeypatch: pytest.MonkeyPatch, recorded: bool
) -> None:
    """A replay meets the recorded failure first, and then the answer."""
    entries: list[str | Exception] = []
    failed = OperationalError("commit", None, Exception("disk I/O error"))

    class Numbers(durable.StepNumbers):
        def __init__(self) -> None:
            self._context = SimpleNamespace(function_id=0, workflow_id="wf_1")

        async def _has_failure(self, number: int, _name: str) -> bool:
            return recorded and number == 1

    numbers = Numbers()

    class Dbos:
        async def run_step_async(self, _options: Any, step: Any) -> str:
            numbers._context.function_id += 1
            answer = await step()
            if not entries and (recorded or not self.failed):
                self.failed = True
                entries.extend([failed] if recorded else [])
                raise failed
            entries.append(answer)
            return answer

        failed = False

    monkeypatch.setattr(durable, "dbos", lambda: SimpleNamespace(DBOS=Dbos()))
    monkeypatch.setattr(durable, "RETRY_S", (0.0,))
    done: list[int] = []

    async def work() -> RecordedEvent:
        done.append(1)
        return RecordedEvent(when.Started(at=AT))

    journal = durable.DbosJournal(lambda: numbers)
    assert await journal.record("start", work) == RecordedEvent(when.Started(at=AT))
    assert (len(done), len(entries)) == (1, 2 if recorded else 1)
    assert numbers.last == len(entries), "no number is left out, or a replay reads the wrong entries"


def test_a_run_that_cannot_be_stored_is_refused_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = durable.RunRecords(f"sqlite:///{tmp_path / 'runs.sqlite'}")

    def fail(*_: Any) -> None:
        raise OperationalError("insert", None, Exception("database or disk is full"))

    monkeypatch.setattr(records._client, "enqueue", fail)
    with pytest.raises(Unavailable, match="so nothing was done: database or disk is full"):
        records.enqueue(ORDER)
    records.close()
