"""Duties of the host for every action, over messages alone, on a scripted application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.attack.stage import ANN, EVE
from tests.host.execution.test_presenter import HINTS, Showing
from tests.host.handlers.test_actions import ask
from tests.support.handlers import running_handler
from uiap.api.open_session import in_process_sessions
from uiap.client.caller import Caller
from uiap.drivers.driver import DriverFacts
from uiap.drivers.scripted import SCRIPTED_FACTS, App, ScriptedDriver, ScriptedPage, ScriptedScope, Widget
from uiap.errors import UiapError
from uiap.host.bundles.requests import IncompleteRequest, RequestCompletion
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.builtin import Rules
from uiap.spec import tools
from uiap.spec.action import (
    ActionCancelledPayload,
    ActionCancelPayload,
    ActionConfirmationDenyPayload,
    ActionConfirmationGrantPayload,
    ActionRequestPayload,
    ActionTarget,
    VerificationSpec,
)
from uiap.spec.capability import InstanceIdRef, RouteRef, SemanticRef, StableIdRef, ToastContains

SAVE = ActionTarget(ref=SemanticRef(role="button", name="Save"))


class Messages:
    """The messages that one controller receives, in order."""

    def __init__(self, *callers: Caller) -> None:
        self.all: list[tuple[str, Any]] = []
        self._more = asyncio.Event()
        for caller in callers:
            for kind in ("action.progress", "action.confirmation.request", "action.result"):
                caller.listen(kind, lambda payload, kind=kind: self._add(kind, payload))

    def _add(self, kind: str, payload: Any) -> None:
        self.all.append((kind, payload))
        self._more.set()

    async def next(self, kind: str, **members: Any) -> Any:
        """Wait for the first message of this kind with these members."""
        async with asyncio.timeout(20):
            while True:
                for one, payload in self.all:
                    if one == kind and all(
                        getattr(payload, name) == value for name, value in members.items()
                    ):
                        return payload
                self._more.clear()
                await self._more.wait()


@asynccontextmanager
async def sessions(
    *widgets: Widget,
    rules: Rules = "standard",
    facts: DriverFacts = SCRIPTED_FACTS,
    modes: Any = None,
    driver_type: type[ScriptedDriver] = ScriptedDriver,
    **options: Any,
) -> AsyncIterator[tuple[Caller, Caller, Any]]:
    """Yield the connections of an agent and of a person, and the driver of the application."""
    page = ScriptedPage("http://notes.test/", widgets)
    driver = driver_type(page, facts=replace(facts, modes=modes or facts.modes))
    services = SessionServices(driver, rules=rules, **options)
    await services.start()
    try:
        async with in_process_sessions(services, (EVE, ANN)) as (agent, person):
            yield agent, person, driver
    finally:
        await services.close()


def saves(app: App) -> None:
    app.set("status", text="Saved")
    app.toast("Saved")


SAVES = (
    Widget("save", "button", "Save", stable_id="note.save", on={"click": saves}),
    Widget("status", "status"),
)


@pytest.mark.requirement("ACT-5.1j")
async def test_the_acceptance_comes_before_every_report_and_every_input() -> None:
    async with sessions(*SAVES, rules="trusted") as (agent, _person, driver):
        received: list[tuple[str, int]] = []
        dispatch = agent._dispatch

        async def record(inbound: Any) -> None:
            if inbound.type.startswith("action."):
                received.append((inbound.type, len(driver.performed)))
            await dispatch(inbound)

        agent._dispatch = record  # type: ignore[method-assign]
        messages = Messages(agent)
        accepted = await ask(agent)
        result = await messages.next("action.result")
        assert (accepted.action_handle, accepted.action_id) == (result.action_handle, "ui.activate")
        assert received[0] == ("action.accepted", 0), received
        assert {kind for kind, _ in received[1:-1]} == {"action.progress"}
        assert received[-1] == ("action.result", 1)


@pytest.mark.requirement("ACT-5.6b", "ACT-5.6c")
async def test_the_reason_of_a_cancel_is_answered_and_an_ended_action_is_not_changed() -> None:
    async with sessions(*SAVES) as (agent, _person, driver):
        messages = Messages(agent)
        handle = (await ask(agent)).action_handle
        await messages.next("action.confirmation.request")
        cancel = ActionCancelPayload(action_handle=handle, reason="the person went home")
        answer = await agent.call("action.cancel", cancel, ActionCancelledPayload)
        assert (answer.action_handle, answer.reason) == (handle, "the person went home")
        result = await messages.next("action.result")
        assert result.status == "cancelled" and "went home" in result.error.message
        for ended in (handle, "act_unknown"):
            with pytest.raises(UiapError, match="is under way"):
                await agent.call(
                    "action.cancel", ActionCancelPayload(action_handle=ended), ActionCancelledPayload
                )
        assert [kind for kind, _ in messages.all].count("action.result") == 1 and driver.performed == []


MEMBERS: dict[str, tuple[dict[str, Any], Callable[[Any, Any, Any], bool]]] = {
    "action_id": (
        {"action_id": "ui.focus"},
        lambda *seen: [op.kind for op in seen[2].performed] == ["focus"],
    ),
    "ref": (
        {
            "target": ActionTarget(ref=StableIdRef(value="note.dead")),
            "verification": VerificationSpec(timeout_ms=100),
        },
        lambda result, *_: result.resolved_target.name == "Dead",
    ),
    "expected_role": ({"expected_role": "link"}, lambda *seen: seen[2].performed == []),
    "expected_name": ({"expected_name": "Store"}, lambda *seen: seen[2].performed == []),
    "expected_scope_id": ({"expected_scope_id": "footer"}, lambda *seen: seen[2].performed == []),
    "expected_document_id": ({"expected_document_id": "doc_x"}, lambda *seen: seen[2].performed == []),
    "args": (
        {"action_id": "ui.read", "args": {"what": "text"}},
        lambda result, *_: set(result.return_value) == {"text"},
    ),
    "preferred_execution_modes": (
        {"preferred_execution_modes": ("semanticUi",)},
        lambda result, *_: result.chosen_execution_mode == "semanticUi",
    ),
    "verification": (
        {"verification": VerificationSpec(signals=(ToastContains(text="Sent"),), timeout_ms=200)},
        lambda result, *_: result.error is not UNSET and result.error.code == "verification_failed",
    ),
    "presentation": ({"presentation": HINTS}, lambda *seen: len(seen[2].shown) == 1),
    "timeout_ms": (
        {"target": ActionTarget(ref=SemanticRef(role="button", name="Gone")), "timeout_ms": 100},
        lambda result, *_: "allow more time" not in result.error.message,  # the request allowed no more
    ),
    "idempotency_key": (
        {"idempotency_key": "once"},
        lambda result, *_: result.metadata["replayed"] is True,
    ),
    "metadata": ({"metadata": {"ticket": "A-7"}}, lambda _, trace, *__: trace.metadata == {"ticket": "A-7"}),
}
"""Each member of a request, a value of it, and what only this value brings about."""


@pytest.mark.requirement("ACT-5.1c")
@pytest.mark.parametrize("member", MEMBERS)
async def test_each_member_of_a_request_has_its_effect(member: str) -> None:
    given, shows = MEMBERS[member]
    members = dict(given)
    expected = {name: members.pop(name) for name in given if name.startswith("expected_")}
    target = msgspec.structs.replace(members.pop("target", SAVE), **expected)
    dead = Widget("dead", "button", "Dead", stable_id="note.dead")
    async with sessions(*SAVES, dead, rules="trusted", driver_type=Showing) as (agent, _person, driver):
        messages = Messages(agent)
        asked = {"timeout_ms": 3000, "target": target, **members}
        handle = (await ask(agent, **asked)).action_handle
        result = await messages.next("action.result", action_handle=handle)
        if member == "idempotency_key":
            messages.all.clear()
            handle = (await ask(agent, **asked)).action_handle
            result = await messages.next("action.result", action_handle=handle)
        trace = None
        if member == "metadata":
            wanted = tools.ToolsTracePayload(action_handle=handle)
            trace = (await agent.call("x.uiap.tools.trace", wanted, tools.ToolsTracedPayload)).trace
        assert shows(result, trace, driver), result


@pytest.mark.requirement("MDM-3")
async def test_a_found_element_is_the_one_that_is_acted_on_and_finding_touches_nothing() -> None:
    rows = [Widget(f"open{n}", "button", "Open", on={"click": saves}) for n in (1, 2)]
    async with sessions(*rows, Widget("status", "status"), rules="trusted") as (agent, _person, driver):
        asked = tools.ToolsFindPayload(text="Open", limit=5)
        found = await agent.call("x.uiap.tools.find", asked, tools.ToolsFoundPayload)
        ids = [one.element.instance_id for one in found.matches]
        assert len(ids) == 2 and driver.performed == [], "a search changes nothing"
        messages = Messages(agent)
        for id in reversed(ids):
            target = ActionTarget(ref=InstanceIdRef(value=id))
            handle = (await ask(agent, target=target, timeout_ms=2000)).action_handle
            result = await messages.next("action.result", action_handle=handle)
            assert result.resolved_target.instance_id == id
            assert driver.performed[-1].guard.node == id


@pytest.mark.requirement("ACT-5.1h")
async def test_the_metadata_of_a_request_is_in_its_trace() -> None:
    async with sessions(*SAVES, rules="trusted") as (agent, _person, _driver):
        messages = Messages(agent)
        handle = (await ask(agent, metadata={"ticket": "A-7", "goal": {"step": 2}})).action_handle
        await messages.next("action.result")
        asked = tools.ToolsTracePayload(action_handle=handle)
        trace = (await agent.call("x.uiap.tools.trace", asked, tools.ToolsTracedPayload)).trace
        assert trace.metadata == {"ticket": "A-7", "goal": {"step": 2}}


@pytest.mark.requirement("ACT-5.8b")
@pytest.mark.requirement("ACT-5.8")
async def test_the_return_value_is_the_one_of_the_handler_without_private_values() -> None:
    async with running_handler() as one:
        one.driver.change(
            lambda app: app.add(
                Widget("pin", "textbox", "PIN", state={"sensitive": True, "textValue": "4711-0815"})
            )
        )
        one.handler.private_values.learn_args({"text": "4711-0815"}, next(
            e for e in one.page.tab().store if e.name == "PIN"))  # fmt: skip

        async def save() -> dict[str, Any]:
            one.driver.change(one.notes.save)
            return {"id": 7, "parts": ["a", "b"], "note": "the PIN is 4711-0815"}

        one.handler.app_actions.register("note.save", save)
        expect = VerificationSpec(signals=(ToastContains(text="Saved"),), timeout_ms=1000)
        request = ActionRequestPayload(action_id="note.save", verification=expect)
        result = await one.handler.run(request, one.on_message)
        assert result.status == "succeeded", result
        assert result.return_value["id"] == 7 and result.return_value["parts"] == ["a", "b"]
        shown = one.handler.private_values.redaction_for(EVE).text_mask.mask_payload(result)
        assert shown.return_value["id"] == 7 and "4711-0815" not in str(shown.return_value)


EFFECTS: dict[str, Callable[[App], None]] = {
    "a route change": lambda app: setattr(app, "url", "http://notes.test/two"),
    "a dialog": lambda app: app.scopes.update(d=ScriptedScope("d", "dialog", "Sure?", modal=True)),
    "a toast": lambda app: app.toast("Done"),
    "a changed state": lambda app: app.set("status", text="Done"),
    "a moved focus": lambda app: app.set("title", focused=True),
}


@pytest.mark.requirement("ACT-12.2b")
@pytest.mark.parametrize("effect", EFFECTS)
async def test_each_kind_of_effect_alone_verifies_a_press_but_a_moved_focus_does_not(effect: str) -> None:
    go = Widget("go", "button", "Go", on={"click": EFFECTS[effect]})
    async with running_handler() as one:
        one.driver.change(lambda app: app.add(go))
        result = await one.act("Go", verify_ms=600)
        assert (result.status == "succeeded") is (effect != "a moved focus"), (effect, result)


@pytest.mark.requirement("ACT-2b")
async def test_messages_are_enough_to_request_to_cancel_and_to_answer() -> None:
    async with sessions(*SAVES) as (agent, person, driver):
        messages = Messages(agent)
        first = (await ask(agent)).action_handle
        question = await messages.next("action.confirmation.request", action_handle=first)
        assert question.preview.summary and driver.performed == []
        await person.send("action.confirmation.deny", ActionConfirmationDenyPayload(action_handle=first))
        assert (await messages.next("action.result", action_handle=first)).status == "cancelled"
        second = (await ask(agent)).action_handle
        await messages.next("action.confirmation.request", action_handle=second)
        await person.send("action.confirmation.grant", ActionConfirmationGrantPayload(action_handle=second))
        done = await messages.next("action.result", action_handle=second)
        assert done.status == "succeeded" and [op.kind for op in driver.performed] == ["click"]
        third = (await ask(agent)).action_handle
        cancel = ActionCancelPayload(action_handle=third)
        assert (await agent.call("action.cancel", cancel, ActionCancelledPayload)).status == "cancelled"


TOAST = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),), timeout_ms=600)


@pytest.mark.requirement("ACT-16")
@pytest.mark.parametrize("mode", ["semanticUi", "appAction"])
async def test_the_minimum_scope_needs_one_mode_alone(mode: Any) -> None:
    """Acceptance, resolution, checks, the mode, confirmation, verification, and a result: all with one mode."""
    driver_of: list[ScriptedDriver] = []

    async def save() -> None:
        driver_of[0].change(saves)

    handlers = {"note.save": save} if mode == "appAction" else None
    dead = Widget("dead", "button", "Dead", state={"enabled": False})
    async with sessions(*SAVES, dead, modes=(mode,), handlers=handlers) as (agent, person, driver):
        driver_of.append(driver)
        messages = Messages(agent)
        if mode == "appAction":
            requests: list[dict[str, Any]] = [{"action_id": "note.save", "target": UNSET}]
        else:
            requests = [{"target": SAVE}, {"target": ActionTarget(ref=StableIdRef(value="note.save"))}]
        for members in requests:
            accepted = await ask(agent, verification=TOAST, **members)
            handle = accepted.action_handle
            await messages.next("action.confirmation.request", action_handle=handle)
            assert not any(
                one.action_handle == handle for kind, one in messages.all if kind == "action.result"
            )
            await person.send(
                "action.confirmation.grant", ActionConfirmationGrantPayload(action_handle=handle)
            )
            result = await messages.next("action.result", action_handle=handle)
            assert result.status == "succeeded" and result.chosen_execution_mode == mode, result
            assert result.verification.passed and result.verification.observed == TOAST.signals
        refused = await ask(
            agent, target=ActionTarget(ref=SemanticRef(role="button", name="Dead")), timeout_ms=300
        )
        failed = await messages.next("action.result", action_handle=refused.action_handle)
        assert failed.error.code == "target_not_interactable" and failed.verification.passed is False


@pytest.mark.requirement("ACT-9.4d")
async def test_a_target_beside_a_url_is_refused() -> None:
    async with running_handler() as one:
        for ref in (RouteRef(value="/two"), SemanticRef(role="button", name="Save")):
            both = ActionRequestPayload(
                action_id="nav.navigate", target=ActionTarget(ref=ref), args={"url": "/three"}
            )
            with pytest.raises(IncompleteRequest, match="not both"):
                RequestCompletion().navigation(one.page.tab().store, both)


DEVICE = replace(
    SCRIPTED_FACTS, profile="android@0.1", attribution="time", atomic="reread",
    modes=("externalDriver",),
)  # fmt: skip
"""The facts of a driver for a device: it attributes effects by time alone, and reads again before it acts."""


@pytest.mark.requirement("ACT-1a")
async def test_a_surface_that_is_not_the_web_passes_the_same_states_to_the_same_kind_of_result() -> None:
    passages = []
    for facts in (SCRIPTED_FACTS, DEVICE):
        async with sessions(*SAVES, rules="trusted", facts=facts) as (agent, _person, _driver):
            messages = Messages(agent)
            await ask(agent, verification=TOAST)
            result = await messages.next("action.result")
            assert result.status == "succeeded", result
            stages = [one.stage for kind, one in messages.all if kind == "action.progress"]
            members = {name for name in result.__struct_fields__ if getattr(result, name) is not UNSET}
            passages.append((stages, members))
    assert passages[0] == passages[1]
