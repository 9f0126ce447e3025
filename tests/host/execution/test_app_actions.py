"""Actions that the application declares, on a scripted page: functions of the program, decided on and verified."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.support.handlers import ANN, NotesHandler, running_handler
from uiap.errors import UiapError
from uiap.host.execution.app_actions import AppActions, page_action
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, VerificationSpec
from uiap.spec.capability import ActionDescriptor, RiskDescriptor, SuccessSignal, ToastContains
from uiap.spec.policy import PolicyPrincipal

AGENT = PolicyPrincipal(type="agent", id="bot", grants=("observe", "guide", "draft", "act"))
SAVED = ({"kind": "toast.contains", "text": "Saved"},)


class Program:
    """Functions of a program that owns the application, and how often each was run."""

    def __init__(self, notes: NotesHandler) -> None:
        self._desk, self.ran = notes, 0
        self.thread: str | None = None

    async def save(self, title: str = "x") -> dict[str, str]:
        self.ran += 1
        self._desk.driver.change(self._desk.notes.save)
        return {"id": title}

    def elsewhere(self) -> int:
        self.thread = threading.current_thread().name
        return 7

    async def nothing(self) -> None:
        self.ran += 1

    async def breaks(self) -> None:
        self.ran += 1
        raise ValueError("half way")

    async def hangs(self) -> None:
        self.ran += 1
        await asyncio.Event().wait()


@asynccontextmanager
async def program(**members: Any) -> AsyncIterator[tuple[NotesHandler, Program]]:
    async with running_handler(**members) as notes:
        made = Program(notes)
        for word in ("save", "elsewhere", "nothing", "breaks", "hangs"):
            notes.handler.app_actions.register(f"note.{word}", getattr(made, word))
        yield notes, made


async def do(
    notes: NotesHandler,
    id: str,
    args: dict[str, Any] | None = None,
    *,
    expect: Sequence[dict[str, Any]] = (),
    principal: PolicyPrincipal = ANN,
    **members: Any,
) -> ActionResultPayload:
    signals = tuple(msgspec.convert(one, SuccessSignal) for one in expect)
    request = ActionRequestPayload(
        action_id=id,
        args=UNSET if args is None else args,
        verification=VerificationSpec(signals=signals or UNSET, timeout_ms=500),
        **members,
    )
    async with asyncio.timeout(30):
        return await notes.handler.run(request, notes.on_message, principal=principal)


@pytest.mark.requirement("ACT-10.1", "ACT-11.15", "ACT-3.4")
async def test_a_declared_action_runs_without_a_target_and_is_verified_by_the_expected_signals() -> None:
    async with program() as (notes, made):
        result = await do(
            notes, "app.invoke", {"actionId": "note.save", "args": {"title": "n1"}}, expect=SAVED
        )
        assert result.status == "succeeded", result
        assert result.chosen_execution_mode == "appAction"
        assert (result.action_id, result.resolved_target, made.ran) == ("note.save", UNSET, 1)
        assert result.return_value == {"id": "n1"} and result.side_effect_state == "applied"


@pytest.mark.requirement("ACT-11.15")
async def test_a_request_for_the_id_itself_is_the_same_operation() -> None:
    async with program() as (notes, made):
        first = await do(notes, "app.invoke", {"actionId": "note.save"}, expect=SAVED, idempotency_key="once")
        again = await do(notes, "note.save", expect=SAVED, idempotency_key="once")
        assert first.status == again.status == "succeeded" and made.ran == 1
        assert again.metadata is not UNSET and again.metadata["replayed"] is True


@pytest.mark.requirement("ACT-10.1", "ACT-3.4")
async def test_a_function_that_returns_proves_nothing() -> None:
    async with program() as (notes, made):
        for expect in (SAVED, ()):
            result = await do(notes, "note.nothing", expect=expect, idempotency_key=f"k{len(expect)}")
            assert notes.code(result) == "verification_failed" and result.side_effect_state == "unknown"
        assert made.ran == 2


@pytest.mark.requirement("ACT-13.2", "ACT-SEC.3")
async def test_an_exception_leaves_the_effect_unknown_and_the_key_is_not_used_again() -> None:
    async with program() as (notes, made):
        result = await do(notes, "note.breaks", expect=SAVED, idempotency_key="k")
        assert notes.code(result) == "internal_runtime_error" and result.side_effect_state == "unknown"
        assert result.error is not UNSET and "ValueError: half way" in result.error.message
        again = await do(notes, "note.breaks", expect=SAVED, idempotency_key="k")
        assert notes.code(again) == "unsafe_retry_refused" and made.ran == 1


async def test_a_function_that_does_not_return_ends_with_the_timeout_of_the_action() -> None:
    async with program() as (notes, made):
        result = await do(notes, "note.hangs", expect=SAVED, timeout_ms=200)
        assert result.status == "failed" and result.side_effect_state == "unknown" and made.ran == 1


async def test_a_plain_function_runs_on_a_thread_of_its_own() -> None:
    async with program() as (notes, made):
        result = await do(notes, "note.elsewhere", idempotency_key="k")
        assert notes.code(result) == "verification_failed"
        assert made.thread not in (None, threading.current_thread().name)


async def test_arguments_are_checked_against_the_function() -> None:
    async with program() as (notes, made):
        result = await do(notes, "note.save", {"titel": "x"}, expect=SAVED)
        assert notes.code(result) == "action_unsupported" and made.ran == 0


async def test_an_action_that_nobody_declared_is_refused_before_anything_happens() -> None:
    async with program() as (notes, _made):
        with pytest.raises(UiapError, match="is not an action here"):
            await do(notes, "app.invoke", {"actionId": "note.burn"})


@pytest.mark.requirement("ACT-9.4", "ACT-5.3")
async def test_an_agent_needs_a_confirmation_for_an_action_without_a_declared_risk() -> None:
    async with program(rules="standard") as (notes, made):
        task = asyncio.create_task(do(notes, "note.save", expect=SAVED, principal=AGENT))
        async with asyncio.timeout(10):
            while not notes.handler.pending:
                await asyncio.sleep(0)
        assert notes.handler.pending[0].action_id == "note.save" and made.ran == 0
        await notes.handler.settle()
        assert (await task).status == "cancelled" and made.ran == 0


async def test_a_descriptor_declares_success_signals_and_risk() -> None:
    async with program(rules="standard") as (notes, made):
        descriptor = ActionDescriptor(
            id="note.quick",
            kind="domain",
            target_kinds=("none",),
            execution_modes=("appAction",),
            risk=RiskDescriptor(level="safe"),
            success=(ToastContains(text="Saved"),),
        )
        notes.handler.app_actions.register("note.quick", made.nothing, descriptor)
        result = await do(notes, "note.quick", principal=AGENT)
        assert notes.code(result) == "verification_failed" and made.ran == 1
        assert result.verification.missing == (ToastContains(text="Saved"),)


@pytest.mark.parametrize("id", ["ui.activate", "nav.go", "x.uiap.press", "app.invoke", "", "two words"])
async def test_an_id_of_the_protocol_cannot_be_registered(id: str) -> None:
    async with running_handler() as notes:
        with pytest.raises(UiapError):
            AppActions(notes.driver, {id: lambda: None})
    assert page_action({"id": id}) is None


@pytest.mark.parametrize(
    ("said", "level"), [({}, "confirm"), ({"level": "safe"}, "confirm"), ({"level": "blocked"}, "blocked")]
)
def test_a_page_can_only_raise_the_risk_of_its_action(said: dict[str, str], level: str) -> None:
    found = page_action({"id": "note.page", "title": "Harmless", **({"risk": said} if said else {})})
    assert found is not None and found.descriptor.risk.level == level
    assert found.descriptor.metadata is not UNSET and found.descriptor.metadata["source"] == "page"


@pytest.mark.parametrize(
    "said", [None, 7, {}, {"id": 3}, {"id": "a.b", "args": "all"}, {"id": "a.b", "risk": "low"}]
)
def test_an_invalid_registration_of_a_page_is_ignored(said: Any) -> None:
    assert page_action(said) is None
