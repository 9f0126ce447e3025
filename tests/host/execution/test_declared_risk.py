"""Declared risks on the way of an action: who may run it, what a person reads, and what is private."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.runtime.states.test_received import descriptor
from tests.support.bundled_videos import AGENT, ROOT, Videos, VideosSession, videos_session
from uiap.drivers.scripted.app import ScriptedPage, Widget
from uiap.spec.action import ActionConfirmationRequestPayload
from uiap.spec.capability import RiskDescriptor, ToastContains
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload
from uiap.spec.policy import PolicyPrincipal

READER = PolicyPrincipal(type="agent", id="reader", grants=("observe",))
RISK = {"tags": ("external_effect",), "reason": "it charges the card of the customer"}


def register(session: VideosSession, level: str, **members: Any) -> list[str]:
    """Register `video.pay` with this risk. Return the record of its runs."""
    ran: list[str] = []

    async def pay() -> None:
        ran.append("paid")
        await session.videos.on_page(lambda app: app.toast("paid"))

    made = descriptor("video.pay", "none", success=(ToastContains(text="paid"),))
    risk = RiskDescriptor(level=level, **members)  # type: ignore[arg-type]
    made = type(made)(**{**{f: getattr(made, f) for f in made.__struct_fields__}, "risk": risk,
                         "title": "Pay the invoice", "description": "Charges the stored card."})  # fmt: skip
    session.services.actions.app_actions.register("video.pay", pay, made)
    return ran


async def asked(session: VideosSession, seconds: float = 10) -> tuple[Any, Any]:
    """Run `video.pay` until a person is asked. Return the question and the running call."""
    questions: asyncio.Queue[ActionConfirmationRequestPayload] = asyncio.Queue()
    session.caller.listen("action.confirmation.request", questions.put_nowait)
    call = asyncio.create_task(session.act("video.pay"))
    async with asyncio.timeout(seconds):
        return await questions.get(), call


@pytest.mark.requirement("CAP-8.2")
async def test_a_blocked_action_never_runs_by_itself() -> None:
    async with videos_session(None, principal=AGENT, rules="standard") as session:
        ran = register(session, "blocked")
        stages: asyncio.Queue[str] = asyncio.Queue()
        session.caller.listen("action.progress", lambda told: stages.put_nowait(told.stage))
        call = asyncio.create_task(session.act("video.pay"))
        async with asyncio.timeout(10):
            while (stage := await stages.get()) not in ("waiting_for_user", "executing"):
                pass
        assert stage == "waiting_for_user" and ran == [], "it is handed to a person"
        call.cancel()


@pytest.mark.requirement("CAP-8.3", "CAP-8.4", "CAP-7h")
async def test_a_person_is_asked_first_and_reads_title_tags_and_reason() -> None:
    async with videos_session(None, principal=AGENT, rules="standard") as session:
        ran = register(session, "confirm", **RISK)
        question, call = await asked(session)
        assert ran == [] and question.action_id == "video.pay"
        assert question.risk.tags == ("external_effect",) and RISK["reason"] in question.risk.reason
        assert question.preview.summary == "Pay the invoice: Charges the stored card."
        call.cancel()
        listed = await session.caller.call(
            "capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload
        )
        (offered,) = [one for one in listed.document.actions if one.id == "video.pay"]
        assert (offered.title, offered.description) == ("Pay the invoice", "Charges the stored card.")


@pytest.mark.requirement("CAP-8.5", "CAP-7.2")
async def test_a_safe_action_runs_unasked_only_within_what_was_granted() -> None:
    async with videos_session(None, principal=AGENT, rules="standard") as session:
        ran = register(session, "safe")
        assert (await session.act("video.pay")).status == "succeeded" and ran == ["paid"]
    async with videos_session(None, principal=READER, rules="standard") as session:
        ran = register(session, "safe")
        refused = await session.act("video.pay", timeout_ms=500)
        assert refused.status == "failed" and ran == [], refused
        assert "act" in refused.error.message


@pytest.mark.requirement("CAP-5e")
async def test_writing_a_field_that_is_marked_sensitive_is_decided_as_sensitive() -> None:
    class Private(Videos):
        def pages(self) -> tuple[ScriptedPage, ...]:
            fields = [
                Widget("a", "textbox", "Alpha"),
                Widget("b", "textbox", "Beta", state={"sensitive": True}),
            ]
            return (ScriptedPage(f"{ROOT}/videos/new", fields), *super().pages()[1:])

    async with videos_session(None, principal=AGENT, rules="standard", app=Private) as session:

        async def write(name: str) -> Any:
            target = {"by": "semantic", "role": "textbox", "name": name}
            return await session.act("ui.enterText", {"text": "x"}, target, timeout_ms=500)

        assert (await write("Alpha")).status == "succeeded"
        private = await write("Beta")
        assert private.status != "succeeded" and "b" not in str(session.videos.driver.performed[1:])
        decision = private.metadata["policy"]
        assert decision["effect"] == "deny" and decision["missingGrants"] == ["write.sensitive"], decision
