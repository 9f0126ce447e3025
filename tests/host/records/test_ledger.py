"""Idempotency keys on real stores: replayed, refused, and never performed twice, also after a crash."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET

from tests.support.handlers import running_handler
from uiap.drivers.driver import PerformUnknown
from uiap.drivers.scripted import ScriptedFault
from uiap.errors import Conflict
from uiap.host.execution.running import ReplayedAction
from uiap.host.records import audit
from uiap.host.records.ledger import LedgerClaim
from uiap.host.records.store import Store
from uiap.spec.policy import PolicyPrincipal

BOB = PolicyPrincipal(type="user", id="bob")
ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.requirement("ACT-3.2", "ACT-5.1c")
async def test_a_known_outcome_is_replayed_without_acting(store: Store) -> None:
    async with running_handler(store) as one:
        first = await one.act(key="k")
        again = await one.act(key="k")
        assert first.status == again.status == "succeeded"
        assert one.notes.saved == 1
        assert again.action_handle != first.action_handle
        assert again.metadata is not UNSET
        assert again.metadata["replayed"] is True
        assert [type for type, _ in one.messages] == ["action.result"]


@pytest.mark.requirement("ACT-3.2")
async def test_a_known_outcome_is_replayed_after_a_restart(open_store: Callable[[], Store]) -> None:
    async with running_handler(open_store()) as one:
        await one.act(key="k")
    async with running_handler(open_store()) as later:
        again = await later.act(key="k")
        assert again.status == "succeeded"
        assert again.metadata is not UNSET
        assert again.metadata["replayed"] is True
        assert later.notes.saved == 0


@pytest.mark.requirement("ACT-3.2")
async def test_a_draft_is_never_replayed_for_the_page_of_another_session(
    open_store: Callable[[], Store],
) -> None:
    draft: dict[str, Any] = {"action": "ui.enterText", "args": {"text": "Hello"}, "key": "k"}
    async with running_handler(open_store()) as one:
        await one.act("Title", **draft)
        again = await one.act("Title", **draft)
        assert again.metadata is not UNSET and again.metadata["replayed"] is True
        assert len(one.driver.performed) == 1
    async with running_handler(open_store()) as later:
        fresh = await later.act("Title", **draft)
        assert fresh.metadata is not UNSET and "replayed" not in fresh.metadata
        assert fresh.status == "succeeded"
        assert [e.state.text_value for e in later.page.tab().store.by_role("textbox")] == ["Hello"]


@pytest.mark.requirement("ACT-3.2")
async def test_a_draft_that_must_not_happen_twice_is_refused_in_another_session(
    open_store: Callable[[], Store],
) -> None:
    draft: dict[str, Any] = {
        "action": "ui.enterText",
        "args": {"text": "Hello", "clear": False},
        "key": "k",
    }
    async with running_handler(open_store()) as one:
        await one.act("Title", **draft)
    async with running_handler(open_store()) as later:
        refused = await later.act("Title", **draft)
        assert later.code(refused) == "unsafe_retry_refused"
        assert refused.error is not UNSET and "another session" in refused.error.message
        assert later.driver.performed == []


async def test_a_replay_is_recorded_in_the_audit_log(store: Store) -> None:
    async with running_handler(store) as one:
        first = await one.act(key="k")
        again = await one.act(key="k")
        await one.handler.ledger.admit(LedgerClaim(one.request(), "app", "ann"), "act_x", ())  # flushes
    kinds = [(entry.kind, entry.handle) for _, entry in audit.entries(store) if entry is not None]
    assert ("replayed", again.action_handle) in kinds
    assert [handle for kind, handle in kinds if kind == "result"] == [first.action_handle]


async def test_a_key_is_bound_to_its_request(store: Store) -> None:
    async with running_handler(store) as one:
        await one.act(key="k")
        with pytest.raises(Conflict, match="key of another request"):
            await one.act("Dead", key="k")
        assert (await one.act(key="k", principal=BOB)).status == "succeeded"
        assert one.notes.saved == 2


@pytest.mark.requirement("ACT-13.3", "ACT-15")
async def test_an_unknown_outcome_refuses_its_key_permanently(open_store: Callable[[], Store]) -> None:
    async with running_handler(open_store()) as one:
        one.driver.inject(ScriptedFault("click", outcome=PerformUnknown("timeout"), reaches_app=True))
        lost = await one.act(key="k")
        assert (one.code(lost), lost.side_effect_state) == ("internal_runtime_error", "unknown")
        refused = await one.act(key="k")
        assert (one.code(refused), refused.side_effect_state) == ("unsafe_retry_refused", "unknown")
        assert one.notes.saved == 1
    async with running_handler(open_store()) as later:
        assert later.code(await later.act(key="k")) == "unsafe_retry_refused"
        assert later.notes.saved == 0


@pytest.mark.requirement("ACT-13.3")
async def test_without_a_key_an_unknown_outcome_is_refused_until_the_page_is_read_again() -> None:
    async with running_handler() as one:
        one.driver.inject(ScriptedFault("click", outcome=PerformUnknown("timeout"), reaches_app=True))
        await one.act()
        assert one.code(await one.act()) == "unsafe_retry_refused"
        assert one.notes.saved == 1
        await one.driver.flush()
        one.page.tab().mark_reported()
        assert (await one.act()).status == "succeeded"
        assert one.notes.saved == 2


async def test_the_same_request_while_the_first_is_under_way_gets_its_result(store: Store) -> None:
    async with running_handler(store) as one:
        held = asyncio.Event()
        one.driver.inject(ScriptedFault("click", wait_for=held))
        progress = asyncio.Event()
        asked = one.request(key="k")
        first = asyncio.create_task(one.handler.run(asked, lambda *_: progress.set()))
        async with asyncio.timeout(20):
            await progress.wait()
            second = await one.handler.accept(asked, one.on_message, "local")
            assert isinstance(second, ReplayedAction)
            one.handler.start(second)
            held.set()
            assert (await first).status == (await second.original).status == "succeeded"
        assert one.notes.saved == 1


async def test_only_one_process_can_act_under_a_key(open_store: Callable[[], Store]) -> None:
    async with running_handler(open_store()) as one, running_handler(open_store(), notes=one.notes) as other:
        results = await asyncio.gather(one.act(key="k"), other.act(key="k"))
        assert one.notes.saved == 1
        assert sorted(r.status for r in results)[-1] == "succeeded"


@pytest.mark.requirement("ACT-3.2", "ACT-13.2")
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_process_killed_between_intent_and_outcome_leaves_an_unknown_outcome(
    tmp_path: Path, moment: str
) -> None:
    """After kill -9 during the press the next process refuses, and the effect happened at most once."""
    child = [sys.executable, "-m", "tests.host.killed_process", str(tmp_path), moment]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    died = subprocess.run(child, cwd=ROOT, env=environ, capture_output=True, text=True, timeout=100)
    assert died.returncode == -signal.SIGKILL, died.stderr
    count = tmp_path / "count"
    pressed = int(count.read_text()) if count.exists() else 0
    assert pressed == (1 if moment == "after" else 0)
    retried = subprocess.run(
        [*child, "retry"], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=100
    )
    reply = json.loads(retried.stdout)
    assert reply == {"code": "unsafe_retry_refused", "effect": "unknown", "replayed": False}
    assert (int(count.read_text()) if count.exists() else 0) == pressed
