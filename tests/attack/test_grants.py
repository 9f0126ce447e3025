"""P5, P6: a grant that is not the person's word for exactly this is refused, and the refusal is written down."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

import msgspec
import pytest

from tests.attack.stage import ANN, EVE, SECRET, Stage, staged
from uiap.drivers.driver import ElementFacts
from uiap.drivers.scripted.app import ScriptedScope, Widget
from uiap.errors import Forbidden, InvalidState
from uiap.host.consent.grant_signature import sign_grant
from uiap.spec import tools
from uiap.spec.action import ActionConfirmationGrantPayload
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.web import DOMRectLike

SEND = Widget("send", "button", "Send money to Bob", stable_id="money.send")
HERE, THERE = DOMRectLike(x=10, y=10, width=80, height=20), DOMRectLike(x=10, y=400, width=80, height=20)
SAVE = Widget("save", "button", "Save", stable_id="draft.save", node_fields={"bbox": HERE})
OTHER = Widget("other", "button", "Save a copy", stable_id="draft.copy")
pytestmark = pytest.mark.requirement("ACT-SEC.2", "ACT-5.4", "CAP-8.3")


async def grant(stage: Stage, handle: str, token: str, *, by_agent: bool = False) -> None:
    ui = stage.agent if by_agent else stage.person
    asked = tools.ToolsPendingGrantPayload(action_handle=handle, token=token)
    await ui._caller.call("x.uiap.tools.pending.grant", asked, tools.ToolsPendingGrantedPayload)


async def test_a_persons_signed_grant_is_good_once() -> None:
    async with staged(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"
        assert stage.performed == ["click"]
        with pytest.raises(InvalidState):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert stage.rejected == ["it does not wait for a confirmation"]


async def test_the_agent_cannot_grant_what_it_asked_for() -> None:
    async with staged(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        with pytest.raises(Forbidden, match="only a person"):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond), by_agent=True)
        await stage.agent.grant(one.action_handle)  # the same as a message of the protocol, told as an event
        await stage.agent.waiting()
        assert not pressed.done()
        assert len(stage.rejected) == 2
        await stage.person.deny(one.action_handle)
        assert (await pressed).error.code == "confirmation_denied"
        assert stage.performed == []


@pytest.mark.parametrize("forged", ["", "x", "0" * 64 + ".00", "sign with the agent's name"])
async def test_a_signature_that_is_not_the_persons_is_refused(forged: str) -> None:
    async with staged(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        token = sign_grant(EVE.id, one.bond) if "agent" in forged else forged
        with pytest.raises(Forbidden, match="forged"):
            await grant(stage, one.action_handle, token or "-")
        assert not pressed.done()
        assert stage.performed == []
        await stage.person.deny(one.action_handle)
        await pressed


async def test_two_concurrent_confirmations_cannot_be_swapped() -> None:
    async with staged(SAVE, OTHER) as stage:
        first, second = stage.press("Save"), stage.press("Save a copy")
        by_name = {one.request.preview.summary: one for one in await stage.question(2)}
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
    async with staged(Widget("to", "textbox", "To"), rules=(asks,)) as stage:
        write = {"role": "textbox", "name": "To"}
        first = asyncio.create_task(stage.agent.act("ui.enterText", **write, args={"text": "bob"}))
        (one,) = await stage.question()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await first).status == "succeeded"
        second = asyncio.create_task(stage.agent.act("ui.enterText", **write, args={"text": "eve"}))
        (two,) = await stage.question()
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
    ids=["renamed", "replaced", "shown otherwise", "moved elsewhere"],
)
async def test_a_target_swapped_after_it_was_shown_is_not_pressed(change: object) -> None:
    async with staged(SAVE) as stage:
        pressed = stage.press("Save", timeout_ms=3000)
        (one,) = await stage.question()
        change(stage.app)  # type: ignore[operator]
        await stage.driver.flush()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        waiting = asyncio.create_task(stage.question())
        done, _ = await asyncio.wait({pressed, waiting}, timeout=20, return_when="FIRST_COMPLETED")
        assert done
        assert stage.performed == []
        if waiting in done:  # asked again, about what is there now
            (again,) = waiting.result()
            assert again.bond != one.bond
            await stage.person.deny(again.action_handle)
        else:
            waiting.cancel()
        assert (await pressed).status != "succeeded"
        assert stage.performed == []


@pytest.mark.parametrize("term", ["place", "name", "origin"])
async def test_a_target_swapped_after_the_grant_is_seen_in_the_last_moment(term: str) -> None:
    async with staged(SAVE) as stage:
        probe = stage.driver.probe

        async def probing(refs: Sequence[str]) -> Mapping[str, ElementFacts]:
            """The checks see what was shown; the look before the gesture sees something else."""
            found = await probe(refs)
            if not any(one.machine.state == "EXECUTING" for one in stage.place.actions._running.values()):
                return found
            if term == "origin":
                documents = stage.place.page.tab().store._tables["documents"]
                for key, one in documents.items():
                    documents[key] = msgspec.structs.replace(one, origin="http://evil.test")
            swapped = {"place": {"bbox": THERE}, "name": {"name": "Delete"}}.get(term, {})
            return {ref: replace(one, **swapped) for ref, one in found.items()}

        stage.driver.probe = probing  # type: ignore[method-assign]
        pressed = stage.press("Save", timeout_ms=3000)
        (one,) = await stage.question()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        again = asyncio.create_task(stage.question())
        done, _ = await asyncio.wait({pressed, again}, timeout=20, return_when="FIRST_COMPLETED")
        assert done and stage.performed == []
        if again in done:
            await stage.person.deny(again.result()[0].action_handle)
        else:
            again.cancel()
        assert (await pressed).status != "succeeded"
        assert stage.performed == []


async def test_a_grant_that_comes_too_late_does_nothing() -> None:
    hasty = msgspec.convert(
        {"modelVersion": "0.1", "id": "p", "defaults": {"confirmationTimeoutMs": 150}}, PolicyDocument
    )
    async with staged(SAVE, rules=(hasty,)) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        result = await pressed
        assert (result.status, result.error.detail["reason"]) == ("cancelled", "timeout")
        with pytest.raises(InvalidState):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert stage.performed == []


async def test_grants_and_handles_mean_nothing_in_another_session() -> None:
    async with staged(SAVE) as here, staged(SAVE) as there:
        pressed = here.press("Save")
        (one,) = await here.question()
        with pytest.raises(InvalidState):
            await grant(there, one.action_handle, sign_grant(SECRET, one.bond))
        other = there.press("Save")
        (two,) = await there.question()
        with pytest.raises(Forbidden, match="for something else"):
            await grant(there, two.action_handle, sign_grant(SECRET, one.bond))
        for stage, asked, task in ((here, one, pressed), (there, two, other)):
            await stage.person.deny(asked.action_handle)
            await task
        assert here.performed == there.performed == []


async def test_nothing_can_be_granted_before_it_was_asked_or_by_a_guess() -> None:
    async with staged(SAVE) as stage:
        for handle in ("act_1", "act_" + "a" * 26, ""):
            with pytest.raises(InvalidState):
                await grant(stage, handle, sign_grant(SECRET, "0" * 64))
        assert len(stage.rejected) == 3


async def test_what_was_denied_is_not_granted_afterwards() -> None:
    async with staged(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        await stage.person.deny(one.action_handle)
        assert (await pressed).status == "cancelled"
        with pytest.raises(InvalidState):
            await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert stage.performed == []
        assert stage.rejected == ["it does not wait for a confirmation"]


async def test_an_observer_or_a_bridge_is_no_person() -> None:
    async with staged(SAVE) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        for kind in ("observer", "bridge", "system", "agent"):
            who = PolicyPrincipal(type=kind, id=ANN.id)  # type: ignore[arg-type]
            refused = stage.place.actions.approvals.grant(
                one.action_handle, who, sign_grant(SECRET, one.bond)
            )
            assert refused is not None and refused.code == "forbidden"
        await stage.person.deny(one.action_handle)
        await pressed


async def test_where_proof_is_required_a_bare_message_does_not_do() -> None:
    async with staged(SAVE) as stage:
        stage.place.actions.grants.proof_required = True
        pressed = stage.press("Save")
        (one,) = await stage.question()
        payload = ActionConfirmationGrantPayload(action_handle=one.action_handle)
        with pytest.raises(Forbidden, match="unsigned"):
            await stage.person._caller.call(
                "action.confirmation.grant", payload, ActionConfirmationGrantPayload
            )
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"


async def test_what_is_remembered_holds_for_this_button_in_this_session_only() -> None:
    rule = {"id": "r", "match": {"stableIds": ["draft.*"]}, "effect": "confirm"}
    rule |= {"confirmation": {"remember": "session"}}
    document = {"modelVersion": "0.1", "id": "p", "defaults": {}, "rules": [rule]}
    async with staged(SAVE, OTHER, rules=(msgspec.convert(document, PolicyDocument),)) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        assert (await pressed).status == "succeeded"
        assert (await stage.press("Save")).status == "succeeded"
        assert [e.reason for e in stage.trail if e.kind == "granted"] == ["", "remembered for this session"]
        other = stage.press("Save a copy")
        (two,) = await stage.question()
        await stage.person.deny(two.action_handle)
        assert (await other).status == "cancelled"


async def test_the_decision_is_in_the_audit_before_its_effect_and_the_result_after_it() -> None:
    async with staged(SAVE, scopes=[ScriptedScope("s", "form")]) as stage:
        pressed = stage.press("Save")
        (one,) = await stage.question()
        await grant(stage, one.action_handle, sign_grant(SECRET, one.bond))
        await pressed
        kinds = [entry.kind for entry in stage.trail]
        assert kinds == ["decision", "asked", "granted", "decision", "result"]
        assert stage.trail[2].by == ANN.id
        assert stage.trail[2].bond == one.bond
