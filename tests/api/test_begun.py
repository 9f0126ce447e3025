"""A running action never makes its caller wait for a person without saying so."""

from __future__ import annotations

import asyncio

import pytest

import uiap
from tests.attack.stage import open_stage
from uiap.drivers.scripted.app import Widget

INVITE = Widget("i", "button", "Invite", on={"click": lambda app: app.toast("Invited")})
PASSWORD = Widget("p", "button", "Change password")


async def test_a_verb_that_needs_a_confirmation_raises_at_once_and_can_be_continued() -> None:
    async with open_stage(INVITE) as stage:
        with pytest.raises(
            uiap.PersonNeeded, match="a person has to confirm: activate the button “Invite”"
        ) as needed:
            async with asyncio.timeout(20):
                await stage.agent.click("Invite", check=False)
        action = needed.value.action
        assert action.is_waiting and action.handle in str(needed.value)
        await stage.person.grant(action.handle)
        assert await action.result()
        assert stage.performed == ["click"]


async def test_a_step_that_is_handed_to_a_person_is_named() -> None:
    async with open_stage(PASSWORD) as stage:
        with pytest.raises(uiap.PersonNeeded, match="a person has to do this: ") as needed:
            async with asyncio.timeout(20):
                await stage.agent.click("Change password")
        await stage.person.hand_back(needed.value.action.handle, done=False)
        assert not await needed.value.action.result(check=False)
        assert stage.performed == []


async def test_with_a_timeout_the_question_is_withdrawn_at_its_end() -> None:
    async with open_stage(INVITE) as stage:
        result = await stage.agent.click("Invite", timeout_ms=200, check=False)
        assert not result and stage.performed == []
        assert not (await stage.person.waiting()).details
