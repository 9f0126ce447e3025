"""A secret is used by name, only on its origin and in a masked field, and is recorded nowhere."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.attack.stage import open_stage
from uiap.drivers.scripted.app import Widget
from uiap.policy.autonomy import Autonomy, rules_at

CANARY = "c4n4ry-p4ssw0rd"
BOUND = {"UIAP_SECRET_CRM_PASSWORD": CANARY, "UIAP_SECRET_CRM_PASSWORD_ORIGIN": "http://bank.test"}
MASKED = Widget(
    "pw", "textbox", "Password", state={"sensitive": True}, node_fields={"data_classes": ("credential",)}
)
VISIBLE = Widget("note", "textbox", "Notes")
SECRET = {"text": {"secret": "crm-password"}}


async def enter_secret(stage: Any, name: str) -> Any:
    """Enter the secret as the person, because an agent may not enter credentials."""
    return await stage.person.act("ui.enterText", role="textbox", name=name, args=SECRET)


async def test_a_secret_is_entered_and_is_in_no_message_journal_audit_or_trace(tmp_path: Path) -> None:
    recorded: list[bytes] = []
    async with open_stage(MASKED, rules="trusted", environ=BOUND, store=tmp_path / "s.sqlite3") as stage:
        stage.person._caller.listen(
            "action.progress", lambda message: recorded.append(msgspec.json.encode(message))
        )
        result = await enter_secret(stage, "Password")
        assert result.ok, result.error
        recorded.append(msgspec.json.encode(result.payload))
        recorded.append((await stage.agent.outline()).encode())
        recorded.append(msgspec.json.encode((await stage.agent.observe()).payload))
        recorded.append(repr(await stage.agent.traces()).encode())
        read = await stage.agent.act("ui.read", role="textbox", name="Password", args={"what": "value"})
        recorded.append(msgspec.json.encode(read.payload))
        value = stage.app.widgets["pw"].state.get("textValue")
    assert value == CANARY
    assert all(CANARY.encode() not in text for text in recorded)
    for file in tmp_path.iterdir():
        assert CANARY.encode() not in file.read_bytes(), file


@pytest.mark.parametrize(
    ("widget", "environ", "url", "why"),
    [
        (VISIBLE, BOUND, "http://bank.test/", "goes only into a field that hides it"),
        (MASKED, BOUND, "http://bank.test.evil.example/", "belongs to http://bank.test"),
        (MASKED, BOUND, "http://bank.test:8080/", "belongs to http://bank.test"),
        (MASKED, BOUND, "data:text/html,x", "goes only to a page with an origin of its own"),
        (MASKED, {}, "http://bank.test/", "no secret `crm-password` is set"),
    ],
    ids=["a visible field", "a look-alike origin", "another port", "an opaque origin", "an unknown secret"],
)
async def test_a_secret_is_not_entered_in_a_wrong_field_or_origin(
    widget: Widget, environ: dict[str, str], url: str, why: str
) -> None:
    async with open_stage(widget, rules="trusted", environ=environ, url=url) as stage:
        result = await enter_secret(stage, str(widget.name))
        assert not result.ok
        assert why in result.error.message
        assert [why in entry.reason for entry in stage.audit_entries if entry.kind == "secret"] == [True]
        assert CANARY not in str(msgspec.to_builtins(result.payload))
        assert "set_text" not in stage.performed and "setText" not in stage.performed


@pytest.mark.parametrize("level", ["ask", "assist"])
async def test_credentials_are_handed_to_a_person(level: Autonomy) -> None:
    async with open_stage(MASKED, environ=BOUND, rules=rules_at(level)) as stage:
        typed = {"text": "hunter2"}
        advice = await stage.agent.preflight("ui.enterText", role="textbox", name="Password", args=typed)
        assert (advice.effect, advice.reason) == ("handoff", "data_class")


async def test_nobody_is_asked_about_a_secret_that_is_not_set() -> None:
    async with open_stage(MASKED, environ={}, rules=rules_at("assist")) as stage:
        result = await enter_secret(stage, "Password")
        assert result.reason == "action_unsupported" and "a person sets UIAP_SECRET_" in result.error.message
        assert await stage.agent.pending() == ()


@pytest.mark.parametrize("level", ["ask", "assist"])
async def test_a_named_secret_needs_one_approval_and_is_not_shown(level: Autonomy) -> None:
    async with open_stage(MASKED, environ=BOUND, rules=rules_at(level)) as stage:
        typing = asyncio.create_task(
            stage.agent.act("ui.enterText", role="textbox", name="Password", args=SECRET)
        )
        (one,) = await stage.pending()
        assert CANARY not in str(msgspec.to_builtins(one)) and one.kind is None
        await stage.person.grant(one.action_handle)
        assert (await typing).ok and "setText" in stage.performed
