"""Obligations are fulfilled or the action is refused. Rules can become stricter, and sessions are notified."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest

from tests.attack.stage import ANN, EVE, Stage, open_stage
from uiap.api.open_session import in_process_sessions
from uiap.api.ui import Ui
from uiap.drivers.scripted.app import Widget
from uiap.errors import Forbidden
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload
from uiap.spec.policy import PolicyDocument, PolicyDocumentPayload, PolicyGetPayload, PolicyPrincipal

SAVE = Widget("save", "button", "Save", stable_id="draft.save")
PAY = Widget("pay", "button", "Pay now")


def document(
    *obligations: dict[str, Any], effect: str = "allow", id: str = "p", **match: Any
) -> PolicyDocument:
    rule = {"id": "r", "match": match, "effect": effect, "obligations": list(obligations)}
    return msgspec.convert({"modelVersion": "0.1", "id": id, "defaults": {}, "rules": [rule]}, PolicyDocument)


async def press(stage: Stage) -> Any:
    return await stage.agent.act("ui.activate", role="button", name="Save", policy="none")


async def test_notifications_are_sent_before_the_action() -> None:
    notified: list[tuple[dict[str, Any], list[str]]] = []
    rules = (document({"kind": "notify", "channel": "ops"}, {"kind": "notify"}),)
    async with open_stage(SAVE, rules=rules) as stage:
        obligations = stage.services.actions.obligations
        obligations.channels["ops"] = lambda notification: notified.append(
            (notification, list(stage.performed))
        )
        assert (await press(stage)).ok
        ((notification, performed),) = notified
        assert (notification["actionId"], notification["target"], notification["principal"]) == (
            "ui.activate",
            "draft.save",
            EVE.id,
        )
        assert performed == []
        assert [e.by for e in stage.audit_entries if e.kind == "notified"] == ["ops", "audit"]


@pytest.mark.parametrize(
    ("obligation", "why"),
    [
        ({"kind": "notify", "channel": "nobody"}, "must notify `nobody`"),
        ({"kind": "custom", "name": "four-eyes"}, "requires `four-eyes`"),
        ({"kind": "custom", "name": "broken"}, "could not be fulfilled: ZeroDivisionError"),
    ],
)
async def test_an_obligation_that_cannot_be_fulfilled_refuses_the_action(
    obligation: dict[str, Any], why: str
) -> None:
    async with open_stage(SAVE, rules=(document(obligation),)) as stage:
        stage.services.actions.obligations.custom_handlers["broken"] = lambda *_: 1 / 0
        result = await press(stage)
        assert not result.ok
        assert why in result.error.message
        assert stage.performed == []


async def test_a_custom_obligation_is_fulfilled_once_with_its_parameters() -> None:
    done: list[Any] = []
    rules = (document({"kind": "custom", "name": "ticket", "params": {"queue": "it"}}),)
    async with open_stage(SAVE, rules=rules) as stage:
        stage.services.actions.obligations.custom_handlers["ticket"] = lambda params, notification: (
            done.append((params, notification))
        )
        assert (await press(stage)).ok
        ((params, notification),) = done
        assert params == {"queue": "it"}
        assert notification["actionId"] == "ui.activate"


async def test_a_redact_obligation_masks_the_value_that_is_read() -> None:
    field = Widget(
        "n", "textbox", "Iban", state={"textValue": "plain text"}, node_fields={"data_classes": ("internal",)}
    )
    rules = (document({"kind": "redact", "dataClasses": ["internal"], "mode": "label"}),)
    async with open_stage(field, rules=rules) as stage:
        read = await stage.person.act("ui.read", role="textbox", name="Iban", args={"what": "value"})
        assert read.ok
        assert "plain text" not in str(read.payload.return_value)


async def test_stricter_rules_apply_at_once_and_are_published() -> None:
    async with open_stage(SAVE, rules=(document(),)) as stage:
        received: asyncio.Queue[Any] = asyncio.Queue()
        stage.agent._caller.listen("uiap.policy.changed", received.put_nowait)
        asked = PolicyGetPayload()
        before = await stage.agent._caller.call("uiap.policy.get", asked, PolicyDocumentPayload)
        assert (await press(stage)).ok
        stage.services.tighten((document(effect="deny", id="lockdown"),))
        after = await asyncio.wait_for(received.get(), 10)
        assert after.revision != before.revision
        refused = await press(stage)
        assert refused.error.detail["decision"]["decidedBy"] == "lockdown/r"
        assert stage.performed == ["click"]
        assert "lockdown" in next(e.reason for e in stage.audit_entries if e.kind == "rules")


@pytest.mark.requirement("ACT-SEC.2")
async def test_a_grant_given_before_the_rules_became_stricter_is_rejected() -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        stage.services.tighten((document(effect="deny", id="lockdown"),))
        await stage.person.grant(one.action_handle)
        result = await pressed
        assert not result.ok
        assert "became stricter" in result.error.message
        assert stage.performed == []


async def test_only_observers_and_systems_receive_audit_records() -> None:
    watcher = PolicyPrincipal(type="observer", id="watcher")
    async with open_stage(SAVE, rules=(document(),)) as stage, AsyncExitStack() as stack:
        (caller,) = await stack.enter_async_context(in_process_sessions(stage.services, (watcher,)))
        received: dict[str, list[Any]] = {"observer": [], "agent": []}
        caller.listen("uiap.policy.audit", received["observer"].append)
        stage.agent._caller.listen("uiap.policy.audit", received["agent"].append)
        for one in (caller, stage.agent._caller):
            await one.call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)
        assert (await press(stage)).ok
        await caller.call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)
        assert [one.record.outcome for one in received["observer"] if one.record.outcome] == ["succeeded"]
        assert {one.record.action_id for one in received["observer"]} == {"ui.activate"}
        assert received["agent"] == []


@pytest.mark.requirement("CAP-SEC.1")
async def test_a_caller_without_observe_cannot_read_the_page() -> None:
    blind = PolicyPrincipal(type="agent", id="blind", grants=("guide",))
    async with open_stage(SAVE) as stage, AsyncExitStack() as stack:
        (caller,) = await stack.enter_async_context(in_process_sessions(stage.services, (blind,)))
        ui = Ui(caller, AsyncExitStack())
        with pytest.raises(Forbidden, match="grant `observe`"):
            await caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        for look in (ui.observe, ui.outline, ui.screenshot, lambda: ui.find("Save"), ui.wait):
            with pytest.raises(Forbidden, match="grant `observe`"):
                await look()
        assert (await stage.agent.capabilities()).actions


async def test_the_start_and_the_end_of_a_handoff_are_published() -> None:
    async with open_stage(PAY) as stage:
        received: asyncio.Queue[Any] = asyncio.Queue()
        for type in ("uiap.policy.handoff.started", "uiap.policy.handoff.completed"):
            stage.agent._caller.listen(type, received.put_nowait)
        pressed = stage.press("Pay now")
        started = await asyncio.wait_for(received.get(), 10)
        assert started.handoff_id == started.action_handle
        await stage.person.hand_back(started.action_handle, done=False)
        over = await asyncio.wait_for(received.get(), 10)
        assert (over.handoff_id, over.outcome) == (started.handoff_id, "declined")
        assert (await pressed).status == "cancelled"
        assert ANN.id in {e.by for e in stage.audit_entries if e.kind == "handoff"}
