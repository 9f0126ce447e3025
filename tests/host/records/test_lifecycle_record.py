"""The lifecycle of actions in their traces: phases with times, types, and what belongs to which action."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec import UNSET

from tests.host.records.test_trace import traced
from tests.support.handlers import NotesHandler, running_handler
from uiap.drivers.scripted import Widget
from uiap.spec.action import ActionRequestPayload
from uiap.spec.tools import ActionTrace

PASSAGE = ["resolved", "dispatched", "pending_verification"]


def phases(trace: ActionTrace) -> list[str]:
    assert trace.phases is not UNSET
    times = [one.at_ms for one in trace.phases]
    assert times == sorted(times) and times[-1] <= trace.duration_ms + 1
    return [one.phase for one in trace.phases]


@pytest.mark.requirement("MDM-4b", "MDM-4")
@pytest.mark.requirement("MDM-7", "MDM-10")
async def test_each_action_passes_its_phases_with_times() -> None:
    async with running_handler() as one:
        assert phases((await traced(one))[1]) == [*PASSAGE, "verified"]
        assert phases((await traced(one, "Dead", verify_ms=100))[1]) == [*PASSAGE, "failed"]
        one.driver.change(lambda app: app.add(Widget("off", "button", "Off", state={"enabled": False})))
        refused = (await traced(one, "Off", timeout_ms=200))[1]
        assert phases(refused) == ["resolved", "failed"], "nothing was dispatched"


@pytest.mark.requirement("MDM-10")
async def test_a_record_has_target_type_phases_verification_and_the_class_of_its_failure() -> None:
    async with running_handler() as one:
        signal = {"kind": "toast.contains", "text": "Sent"}
        result, trace = await traced(one, "Save", verify_ms=100, expect=[signal])
        assert trace.action_handle == result.action_handle and trace.action_id == "ui.activate"
        assert trace.result.resolved_target.name == "Save" and trace.action_type == "selection"
        assert phases(trace) == [*PASSAGE, "failed"]
        assert len(trace.result.verification.missing) == 1 and not trace.result.verification.passed
        assert trace.result.metadata["failureClass"] == "unexpected_state_delta"


@pytest.mark.requirement("MDM-10b")
async def test_a_phase_is_recorded_when_it_is_entered() -> None:
    async with running_handler() as one:
        seen: dict[str, list[str]] = {}

        def on_message(kind: str, payload: Any) -> None:
            if kind == "action.progress":
                recorder = one.handler.traces._open[payload.action_handle]
                seen[payload.stage] = [phase.phase for phase in recorder.phases]

        await one.handler.run(one.request(), on_message)
        assert seen["checking_preconditions"] == ["resolved"]
        assert seen["executing"] == ["resolved"]
        assert seen["verifying"] == PASSAGE


TYPES = [
    ("ui.activate", "Save", {}, "selection"),
    ("ui.enterText", "Title", {"text": "Hello"}, "input"),
    ("ui.setValue", "Volume", {"value": 7}, "control_adjustment"),
    ("x.uiap.longPress", "Hold", {}, "gesture"),
    ("nav.navigate", "", {"url": "/two"}, "navigation"),
]


def _more(app: Any) -> None:
    app.add(Widget("volume", "slider", "Volume", state={"numericValue": 3, "min": 0, "max": 10}))
    app.add(Widget("hold", "button", "Hold", on={"longPress": lambda app: app.set("status", text="Held")}))


async def _run(one: NotesHandler, id: str, name: str, args: dict[str, Any]) -> ActionTrace:
    role = {"ui.enterText": "textbox", "ui.setValue": "slider"}.get(id, "button")
    request = one.request(name, id, role=role, args=args)
    if id == "nav.navigate":
        request = ActionRequestPayload(action_id=id, args={"url": "http://notes.test/"})
    result = await one.handler.run(request, one.on_message)
    assert result.status == "succeeded", (id, result)
    trace = await one.handler.traces.trace(result.action_handle)
    assert trace is not None
    return trace


@pytest.mark.requirement("MDM-5b", "MDM-5")
async def test_actions_of_every_type_carry_it_and_pass_the_same_phases() -> None:
    async with running_handler() as one:
        one.driver.change(_more)
        for id, name, args, kind in TYPES:
            trace = await _run(one, id, name, args)
            assert trace.action_type == kind
            assert trace.result.metadata is not UNSET and trace.result.metadata["actionType"] == kind
            assert phases(trace) == [*PASSAGE, "verified"], id


@pytest.mark.requirement("MDM-7b", "MDM-7")
@pytest.mark.parametrize(("id", "name", "args", "source"), [
    ("ui.activate", "Save", {}, "change"), ("ui.toggle", "Night", {}, "signals"),
    ("nav.navigate", "", {}, "route"), ("ui.enterText", "Title", {"text": "Hello"}, "signals"),
])  # fmt: skip
async def test_each_source_of_proof_verifies_an_action_alone(
    id: str, name: str, args: dict[str, Any], source: str
) -> None:
    on = {"click": lambda app: app.set("night", checked=True)}
    night = Widget("night", "switch", "Night", state={"checked": False}, on=on)
    async with running_handler() as one:
        one.driver.change(lambda app: app.add(night))
        role = {"ui.toggle": "switch", "ui.enterText": "textbox"}.get(id, "button")
        request = one.request(name, id, role=role, args=args, verify_ms=900)
        if id == "nav.navigate":
            request = ActionRequestPayload(action_id=id, args={"url": "http://notes.test/"})
        result = await one.handler.run(request, one.on_message)
        assert result.status == "succeeded", result
        assert result.metadata is not UNSET and result.metadata["expectedDelta"]["kinds"] == [source]


@pytest.mark.requirement("MDM-R10b")
async def test_overlapping_actions_keep_their_own_requests_and_signals() -> None:
    async with running_handler() as one:

        def copy(app: Any) -> None:
            app.request("http://notes.test/api/copies", method="POST", status=201)
            app.toast("Copied")

        one.driver.change(lambda app: app.add(Widget("copy", "button", "Copy", on={"click": copy})))
        both = [
            await one.handler.accept(one.request(name), one.on_message, "local") for name in ("Save", "Copy")
        ]
        for taken in both:
            one.handler.start(taken)  # type: ignore[arg-type]
        async with asyncio.timeout(20):
            results = [await taken.done for taken in both]  # type: ignore[union-attr]
        wanted = [("/api/notes", "Saved"), ("/api/copies", "Copied")]
        for result, (path, text) in zip(results, wanted, strict=True):
            trace = await one.handler.traces.trace(result.action_handle)
            assert trace is not None and result.status == "succeeded"
            calls = [call.url for call in trace.network if call.cause == "caused"]
            assert calls == [f"http://notes.test{path}"]
            assert [s.signal.text for s in trace.signals if s.cause == "caused"] == [text]  # type: ignore[union-attr]
