"""A grant that the person did not sign for exactly this action is refused, and the audit log records it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from tests.attack.stage import ANN, EVE, SECRET, Stage, at_level, open_stage
from uiap.api.result import Result
from uiap.drivers.driver import ElementFacts
from uiap.drivers.scripted.app import ScriptedScope, Widget
from uiap.errors import Forbidden, InvalidState, UiapError
from uiap.host.consent.grant_signature import for_session, sign_grant
from uiap.policy.autonomy import Autonomy
from uiap.spec import tools
from uiap.spec.action import ActionConfirmationGrantPayload
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.web import DOMRectLike


@pytest.fixture(params=("ask", "assist", "trusted"), autouse=True)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Autonomy:
    """Run every attack at each level at which an agent may act."""
    chosen: Autonomy = request.param
    at_level(chosen, monkeypatch)
    return chosen


SEND = Widget("send", "button", "Send money to Bob", stable_id="money.send")
HERE, THERE = DOMRectLike(x=10, y=10, width=80, height=20), DOMRectLike(x=10, y=400, width=80, height=20)
SAVE = Widget("save", "button", "Save", stable_id="draft.save", node_fields={"bbox": HERE})
OTHER = Widget("other", "button", "Save a copy", stable_id="draft.copy")
pytestmark = pytest.mark.requirement("ACT-SEC.2", "ACT-5.4", "CAP-8.3")


async def grant(
    stage: Stage,
    handle: str,
    token: str,
    *,
    by_agent: bool = False,
    remember: Literal["session"] | UnsetType = UNSET,
) -> None:
    ui = stage.agent if by_agent else stage.person
    payload = tools.ToolsPendingGrantPayload(action_handle=handle, token=token, remember=remember)
    await ui._caller.call("x.uiap.tools.pending.grant", payload, tools.ToolsPendingGrantedPayload)


async def test_a_signed_grant_is_valid_once() -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"
        assert stage.performed == ["click"]
        with pytest.raises(InvalidState):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert stage.rejected == ["it does not wait for a confirmation"]


async def test_an_agent_cannot_grant_its_own_action() -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        with pytest.raises(Forbidden, match="only a person"):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond), by_agent=True)
        await stage.agent.grant(one.action_handle)  # the same as a plain protocol event
        await stage.agent.waiting()
        assert not pressed.done()
        assert len(stage.rejected) == 2
        await stage.person.deny(one.action_handle)
        assert (await pressed).error.code == "confirmation_denied"
        assert stage.performed == []


@pytest.mark.parametrize("forged", ["", "x", "0" * 64 + ".00", "sign with the agent's name"])
async def test_a_signature_that_is_not_the_persons_is_refused(forged: str) -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        token = sign_grant(EVE.id, one.bond) if "agent" in forged else forged
        with pytest.raises(Forbidden, match="forged"):
            await grant(stage, one.action_handle, token or "-")
        assert not pressed.done()
        assert stage.performed == []
        await stage.person.deny(one.action_handle)
        await pressed


async def test_two_concurrent_confirmations_cannot_be_swapped() -> None:
    async with open_stage(SAVE, OTHER) as stage:
        first, second = stage.press("Save"), stage.press("Save a copy")
        by_name = {one.request.preview.summary: one for one in await stage.pending(2)}
        save, copy = (
            next(one for text, one in by_name.items() if f"“{n}”" in text) for n in ("Save", "Save a copy")
        )
        with pytest.raises(Forbidden, match="for something else"):
            await grant(stage, copy.action_handle, sign_grant(SECRET, save.bond))
        await grant(stage, save.action_handle, sign_grant(SECRET, save.bond))
        assert (await first).status == "succeeded"
        assert not second.done()
        assert stage.performed == ["click"]
        await stage.person.deny(copy.action_handle)
        await second


async def test_the_same_action_with_other_arguments_needs_its_own_grant() -> None:
    asks = msgspec.convert(
        {"modelVersion": "0.1", "id": "p", "defaults": {},
         "rules": [{"id": "ask", "match": {"actionIds": ["ui.enterText"]}, "effect": "confirm"}]}, PolicyDocument
    )  # fmt: skip
    async with open_stage(Widget("to", "textbox", "To"), rules=(asks,)) as stage:
        write = {"role": "textbox", "name": "To"}
        first = asyncio.create_task(stage.agent.act("ui.enterText", **write, args={"text": "bob"}))
        (one,) = await stage.pending()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await first).status == "succeeded"
        second = asyncio.create_task(stage.agent.act("ui.enterText", **write, args={"text": "eve"}))
        (two,) = await stage.pending()
        assert two.bond != one.bond
        with pytest.raises(Forbidden, match="for something else"):
            await grant(stage, two.action_handle, sign_grant(SECRET, one.bond))
        await stage.person.deny(two.action_handle)
        assert (await second).status == "cancelled"


@pytest.mark.parametrize(
    "change",
    [
        lambda app: app.set("save", name="Delete everything"),
        lambda app: (app.remove("save"), app.add(Widget("save", "button", "Save", stable_id="evil"))),
        lambda app: app.set("save", text="Delete"),
        lambda app: app.widgets.update(save=replace(app.widgets["save"], node_fields={"bbox": THERE})),
    ],
    ids=["renamed", "replaced", "shown differently", "moved elsewhere"],
)
async def test_a_target_swapped_after_it_was_shown_is_not_pressed(change: object) -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save", timeout_ms=3000)
        (one,) = await stage.pending()
        change(stage.app)  # type: ignore[operator]
        await stage.driver.flush()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        waiting = asyncio.create_task(stage.pending())
        done, _ = await asyncio.wait({pressed, waiting}, timeout=20, return_when="FIRST_COMPLETED")
        assert done
        assert stage.performed == []
        if waiting in done:  # the session asks again, about the new target
            (again,) = waiting.result()
            assert again.bond != one.bond
            await stage.person.deny(again.action_handle)
        else:
            waiting.cancel()
        assert (await pressed).status != "succeeded"
        assert stage.performed == []


@pytest.mark.parametrize("term", ["place", "name", "origin"])
async def test_a_target_swapped_after_the_grant_is_detected_before_the_gesture(term: str) -> None:
    async with open_stage(SAVE) as stage:
        probe = stage.driver.probe

        async def swapped_probe(refs: Sequence[str]) -> Mapping[str, ElementFacts]:
            """Return the shown target to the checks, and another one to the probe before the gesture."""
            found = await probe(refs)
            if not any(one.machine.state == "EXECUTING" for one in stage.services.actions._running.values()):
                return found
            if term == "origin":
                documents = stage.services.page.tab().store._tables["documents"]
                for key, one in documents.items():
                    documents[key] = msgspec.structs.replace(one, origin="http://evil.test")
            swapped = {"place": {"bbox": THERE}, "name": {"name": "Delete"}}.get(term, {})
            return {ref: replace(one, **swapped) for ref, one in found.items()}

        stage.driver.probe = swapped_probe  # type: ignore[method-assign]
        pressed = stage.press("Save", timeout_ms=3000)
        (one,) = await stage.pending()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        again = asyncio.create_task(stage.pending())
        done, _ = await asyncio.wait({pressed, again}, timeout=20, return_when="FIRST_COMPLETED")
        assert done and stage.performed == []
        if again in done:
            await stage.person.deny(again.result()[0].action_handle)
        else:
            again.cancel()
        assert (await pressed).status != "succeeded"
        assert stage.performed == []


async def test_a_grant_after_the_timeout_has_no_effect() -> None:
    short_timeout = msgspec.convert(
        {"modelVersion": "0.1", "id": "p", "defaults": {"confirmationTimeoutMs": 150}}, PolicyDocument
    )
    async with open_stage(SAVE, rules=(short_timeout,)) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        result = await pressed
        assert (result.status, result.error.detail["reason"]) == ("cancelled", "timeout")
        with pytest.raises(InvalidState):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert stage.performed == []


async def test_grants_and_handles_are_invalid_in_another_session() -> None:
    async with open_stage(SAVE) as here, open_stage(SAVE) as there:
        pressed = here.press("Save")
        (one,) = await here.pending()
        with pytest.raises(InvalidState):
            await grant(there, one.action_handle, sign_grant(SECRET, one.bond))
        other = there.press("Save")
        (two,) = await there.pending()
        with pytest.raises(Forbidden, match="for something else"):
            await grant(there, two.action_handle, sign_grant(SECRET, one.bond))
        for stage, question, task in ((here, one, pressed), (there, two, other)):
            await stage.person.deny(question.action_handle)
            await task
        assert here.performed == there.performed == []


async def test_a_guessed_or_unknown_handle_cannot_be_granted() -> None:
    async with open_stage(SAVE) as stage:
        for handle in ("act_1", "act_" + "a" * 26, ""):
            with pytest.raises(InvalidState):
                await grant(stage, handle, sign_grant(SECRET, "0" * 64))
        assert len(stage.rejected) == 3


async def test_a_denied_action_cannot_be_granted_afterwards() -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        await stage.person.deny(one.action_handle)
        assert (await pressed).status == "cancelled"
        with pytest.raises(InvalidState):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert stage.performed == []
        assert stage.rejected == ["it does not wait for a confirmation"]


async def test_only_a_person_may_grant_not_an_observer_or_a_bridge() -> None:
    async with open_stage(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        for kind in ("observer", "bridge", "system", "agent"):
            who = PolicyPrincipal(type=kind, id=ANN.id)  # type: ignore[arg-type]
            refused = stage.services.actions.approvals.grant(
                one.action_handle, who, sign_grant(SECRET, one.bond)
            )
            assert refused is not None and refused.code == "forbidden"
        await stage.person.deny(one.action_handle)
        await pressed


async def test_an_unsigned_grant_is_refused_if_proof_is_required() -> None:
    async with open_stage(SAVE) as stage:
        stage.services.actions.grants.proof_required = True
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        payload = ActionConfirmationGrantPayload(action_handle=one.action_handle)
        with pytest.raises(Forbidden, match="unsigned"):
            await stage.person._caller.call(
                "action.confirmation.grant", payload, ActionConfirmationGrantPayload
            )
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"


async def test_a_remembered_grant_is_valid_for_this_button_in_this_session_only() -> None:
    rule = {"id": "r", "match": {"stableIds": ["draft.*"]}, "effect": "confirm"}
    rule |= {"confirmation": {"remember": "session"}}
    document = {"modelVersion": "0.1", "id": "p", "defaults": {}, "rules": [rule]}
    async with open_stage(SAVE, OTHER, rules=(msgspec.convert(document, PolicyDocument),)) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"
        assert (await stage.press("Save")).status == "succeeded"
        assert [e.reason for e in stage.audit_entries if e.kind == "granted"] == [
            "",
            "remembered for this session",
        ]
        other = stage.press("Save a copy")
        (two,) = await stage.pending()
        await stage.person.deny(two.action_handle)
        assert (await other).status == "cancelled"


async def test_the_audit_log_records_the_decision_before_the_effect_and_the_result_after_it() -> None:
    async with open_stage(SAVE, scopes=[ScriptedScope("s", "form")]) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        await pressed
        kinds = [entry.kind for entry in stage.audit_entries]
        assert kinds == ["decision", "asked", "granted", "decision", "result"]
        assert stage.audit_entries[2].by == ANN.id
        assert stage.audit_entries[2].bond == one.bond


AMOUNT = Widget("amount", "textbox", "Amount", scope="f", state={"text_value": "20"})
NOTE = Widget("note", "textbox", "Note")
PAY = Widget("pay", "button", "Confirm", scope="f", stable_id="f.confirm")
FORM = ScriptedScope("f", "form", "Booking")


async def test_the_person_sees_the_values_of_the_form_and_the_grant_covers_only_them() -> None:
    async with open_stage(AMOUNT, PAY, scopes=[FORM]) as stage:
        pressed = stage.press("Confirm")
        (one,) = await stage.pending()
        assert one.fields == (("Amount", "20"),)
        stage.app.set("amount", text_value="2000")  # the page changes what will be sent
        await stage.driver.flush()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        (again,) = await stage.pending()
        assert again.bond != one.bond and again.fields == (("Amount", "2000"),)
        assert stage.performed == []
        await grant(stage, again.action_handle, sign_grant(SECRET, again.bond))
        assert (await pressed).status == "succeeded"
        assert stage.performed == ["click"]


@pytest.mark.parametrize("field", ["Amount", "Note"])
async def test_a_write_of_the_agent_while_a_question_waits_voids_it(field: str) -> None:
    async with open_stage(AMOUNT, NOTE, PAY, scopes=[FORM]) as stage:
        pressed = stage.press("Confirm")
        (one,) = await stage.pending()
        typed = await stage.agent.act("ui.enterText", role="textbox", name=field, args={"text": "7"})
        assert typed.status == "succeeded"
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        (again,) = await stage.pending()
        assert again.bond != one.bond and "click" not in stage.performed
        await stage.person.deny(again.action_handle)
        assert (await pressed).error.code == "confirmation_denied"


async def test_reading_while_a_question_waits_changes_nothing() -> None:
    async with open_stage(AMOUNT, PAY, scopes=[FORM]) as stage:
        pressed = stage.press("Confirm")
        (one,) = await stage.pending()
        await stage.agent.act("ui.read", role="textbox", name="Amount")
        await stage.agent.act("ui.hover", role="button", name="Confirm")
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"


async def test_a_grant_for_a_key_covers_only_the_element_that_has_the_focus() -> None:
    async with open_stage(SAVE, OTHER) as stage:
        stage.app.focus = "save"
        await stage.driver.flush()
        pressed = asyncio.create_task(stage.agent.act("x.uiap.press", args={"key": "Enter"}, policy="none"))
        (one,) = await stage.pending()
        assert "Save" in one.request.preview.summary
        await stage.person.deny(one.action_handle)
        await pressed
        assert stage.performed == []


TEAM = ScriptedScope("s", "form", "Team")
INVITE = Widget("i", "button", "Invite", scope="s")


async def test_a_grant_for_the_session_covers_this_kind_of_question_only() -> None:
    share = Widget("sh", "button", "Share", scope="s")
    elsewhere = Widget("x", "button", "Invite")
    async with open_stage(INVITE, share, elsewhere, scopes=[TEAM]) as stage:
        pressed = press_ref(stage, "i")
        (one,) = await stage.pending()
        assert (
            one.kind
            == "ui.activate on the button “Invite” in form “Team” of http://bank.test (external effect)"
        )
        await stage.person.grant(one.action_handle, remember="session")
        assert (await pressed).ok
        assert (await press_ref(stage, "i")).ok, "the same kind does not ask again"
        reasons = [entry.reason for entry in stage.audit_entries if entry.kind == "granted"]
        assert reasons == [f"for this session: {one.kind}", "remembered for this session"]
        for other in ("sh", "x"):
            asked = press_ref(stage, other)
            (question,) = await stage.pending()
            await stage.person.deny(question.action_handle)
            assert not (await asked).ok
        assert len(stage.performed) == 2


async def test_a_grant_for_once_cannot_be_widened_to_the_session() -> None:
    async with open_stage(INVITE, scopes=[TEAM]) as stage:
        pressed = press_ref(stage, "i")
        (one,) = await stage.pending()
        with pytest.raises(Forbidden, match="for something else"):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond), remember="session")
        await grant(stage, one.action_handle, sign_grant(SECRET, for_session(one.bond)), remember="session")
        assert (await pressed).ok


async def test_a_question_about_private_data_is_answered_once() -> None:
    asks = msgspec.convert(
        {"modelVersion": "0.1", "id": "a", "defaults": {}, "rules": [
            {"id": "all", "match": {}, "effect": "confirm"}]}, PolicyDocument
    )  # fmt: skip
    async with open_stage(Widget("p", "textbox", "Password"), rules=(asks,)) as stage:
        writing = asyncio.create_task(
            stage.agent.act("ui.enterText", role="textbox", name="Password", args={"text": "a"})
        )
        (one,) = await stage.pending()
        assert one.kind is None
        with pytest.raises(UiapError, match="can only be answered once"):
            await stage.person.grant(one.action_handle, remember="session")
        await stage.person.deny(one.action_handle)
        assert not (await writing).ok


def press_ref(stage: Stage, key: str) -> asyncio.Task[Result]:
    return asyncio.create_task(stage.agent.act("ui.activate", ref=stage.app.node_id(key), policy="none"))
