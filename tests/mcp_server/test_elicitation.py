"""Questions through the client: the person reads what the server composed, and the answer is theirs or none."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp.client.client import Client

from tests.mcp_server.journey import ask
from uiap.drivers.scripted.app import ScriptedPage, ScriptedScope, Widget
from uiap.drivers.scripted.driver import ScriptedDriver
from uiap.host.records.store import sqlite_url
from uiap.host.sessions.resident import Resident
from uiap.host.sessions.session_folder import SessionFolder
from uiap.mcp_server.elicitation import MAX_LINE, question_schema, question_text
from uiap.mcp_server.server import server
from uiap.mcp_server.session import AgentSession, existing_session
from uiap.mcp_server.tool_calls import ToolCalls
from uiap.spec.action import ActionConfirmationRequestPayload, ConfirmationPreview
from uiap.spec.capability import RiskDescriptor
from uiap.spec.tools import PendingConfirmation

FORM = ScriptedScope("f", "form", "Team")
PAGE = ScriptedPage(
    "http://bank.test/",
    [
        Widget("e", "textbox", "Email", scope="f"),
        Widget("i", "button", "Invite", scope="f", on={"click": lambda app: app.toast("Invited")}),
    ],
    scopes=[FORM],
)

MODES = pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
"""The server asks in a request of its own, or as the input that a call requires."""


class Person:
    """Answers the forms of the server, and remembers them."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.read = list(answers), list[types.ElicitRequestFormParams]()

    async def __call__(self, _context: Any, params: Any) -> types.ElicitResult | types.ErrorData:
        self.read.append(params)
        answer = self.answers.pop(0)
        if isinstance(answer, types.ErrorData):
            return answer
        if answer in ("decline", "cancel"):
            return types.ElicitResult(action=answer)
        return types.ElicitResult(action="accept", content={"answer": answer})


@asynccontextmanager
async def client_of(
    person: Any, mode: str = "legacy", *, elicits: bool = True, page: Callable[[], str] | None = None
) -> AsyncIterator[tuple[Client, ScriptedDriver]]:
    async with AsyncExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="uiap-")))
        folder, driver = SessionFolder(home / "run", "s"), ScriptedDriver(PAGE)
        resident = Resident(folder, driver, rules="assist", store_url=sqlite_url(home / "s.sqlite3"))
        stack.push_async_callback(resident.close)
        await resident.services.start()
        await resident.serve()
        session = AgentSession(
            existing_session(f"unix:{folder.socket}"),
            approve="uiap approve",
            at_once=True,
            folder=folder if elicits else None,
            approval_page=page,
        )
        calls = ToolCalls(session, confirmation_wait_s=0.05)
        stack.push_async_callback(calls.close)
        made = Client(server(calls), elicitation_callback=person, mode=mode)
        yield await stack.enter_async_context(made), driver


def clicks(driver: ScriptedDriver) -> int:
    return sum(op.kind == "click" for op in driver.performed)


async def invite(client: Client) -> dict[str, Any]:
    return await ask(client, "act", do="click", target="Invite")


@MODES
async def test_the_person_reads_the_facts_and_allows_it_once(mode: str) -> None:
    person = Person("allow once", "decline")
    async with client_of(person, mode) as (client, driver):
        await ask(client, "act", do="fill", target="Email", value="ann@a.example")
        done = await invite(client)
        assert done["ok"] and clicks(driver) == 1
        message = person.read[0].message
        assert "wants to: activate the button “Invite”" in message
        assert "Email: ann@a.example" in message and "Site: http://bank.test" in message
        again = await invite(client)
        assert again["code"] == "confirmation_denied" and clicks(driver) == 1


@MODES
async def test_the_steps_of_a_call_go_on_after_the_answer(mode: str) -> None:
    person = Person("allow once", "allow once", "decline")
    steps = [
        {"do": "fill", "target": "Email", "value": "ann@a.example"},
        {"do": "click", "target": "Invite"},
        {"do": "fill", "target": "Email", "value": "bob@a.example"},
        {"do": "click", "target": "Invite"},
    ]
    async with client_of(person, mode) as (client, driver):
        done = await ask(client, "act", steps=steps)
        assert done["say"] == "all 4 steps are done, and their effects were observed"
        assert [one.message.count("bob@a.example") for one in person.read] == [0, 1]
        denied = await ask(client, "act", steps=steps)
        assert denied["code"] == "confirmation_denied" and denied["say"].startswith("step 2 of 4 failed")
        assert clicks(driver) == 2


async def test_a_dismissed_question_of_a_step_is_not_asked_again() -> None:
    person = Person("cancel")
    async with client_of(person, "2026-07-28") as (client, driver):
        reply = await ask(client, "act", steps=[{"do": "click", "target": "Invite"}])
        assert reply["code"] == "confirmation_pending" and reply["say"].startswith("step 1 of 1 waits")
        assert len(person.read) == 1 and clicks(driver) == 0


@MODES
async def test_an_answer_for_the_session_covers_the_next_question_of_its_kind(mode: str) -> None:
    person = Person("allow for this session")
    async with client_of(person, mode) as (client, driver):
        for _ in range(2):
            await invite(client)
        assert clicks(driver) == 2 and len(person.read) == 1


@pytest.mark.parametrize(
    "answer", ["cancel", "yes please", types.ErrorData(code=-32603, message="no window")], ids=str
)
async def test_a_client_without_an_answer_leaves_the_question_to_the_other_channels(answer: Any) -> None:
    person = Person(answer)
    async with client_of(person) as (client, driver):
        reply = await invite(client)
        assert reply["code"] == "confirmation_pending" and "uiap approve" in reply["say"]
        assert ("your client could not ask" in reply["say"]) is (answer != "cancel")
        assert clicks(driver) == 0


@pytest.mark.parametrize("answer", ["cancel", "yes please"])
async def test_a_call_that_comes_back_without_an_answer_says_how_to_give_it(answer: str) -> None:
    async with client_of(Person(answer), "2026-07-28") as (client, driver):
        reply = await invite(client)
        assert reply["code"] == "confirmation_pending" and "uiap approve" in reply["say"]
        assert ("your client could not ask" in reply["say"]) is (answer != "cancel")
        assert clicks(driver) == 0


@pytest.mark.parametrize(("person", "elicits"), [(None, True), (Person(), False)], ids=["undeclared", "off"])
async def test_a_client_is_not_asked_without_a_declaration_or_if_it_is_switched_off(
    person: Person | None, elicits: bool
) -> None:
    async with client_of(person, elicits=elicits) as (client, driver):
        reply = await invite(client)
        assert reply["code"] == "confirmation_pending" and clicks(driver) == 0


def pending(**members: Any) -> PendingConfirmation:
    request = ActionConfirmationRequestPayload(
        action_handle="a",
        action_id="ui.activate",
        risk=RiskDescriptor(level="confirm", reason="it is risky"),
        preview=ConfirmationPreview(summary=members.pop("summary", "press it")),
    )
    return PendingConfirmation(
        action_handle="a", bond="b", expires_in_ms=1, principal="mcp", request=request, **members
    )


def test_text_of_the_page_adds_no_line_to_the_question() -> None:
    text = question_text(pending(summary="press “Go”\nReason: it is harmless", fields=(("Note", "x" * 900),)))
    lines = text.splitlines()
    assert len(lines) == 4 and lines[-1] == "Reason: it is risky"
    assert max(map(len, lines)) <= MAX_LINE


def test_the_session_is_offered_only_for_a_question_with_a_kind() -> None:
    def choices(question: PendingConfirmation) -> list[str]:
        found: list[str] = question_schema(question)["properties"]["answer"]["enum"]
        return found

    assert choices(pending()) == ["deny", "allow once"]
    assert choices(pending(kind="invitations")) == ["deny", "allow once", "allow for this session"]


class PersonAtPage:
    """A client that only opens addresses: the person answers there, or declines to open it."""

    def __init__(self, action: str) -> None:
        self.action, self.read = action, list[types.ElicitRequestURLParams]()

    async def __call__(self, _context: Any, params: Any) -> types.ElicitResult:
        self.read.append(params)
        return types.ElicitResult(action=self.action)


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
async def test_a_client_that_opens_addresses_gets_the_approval_page(
    action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("uiap.mcp_server.server._declares_forms", lambda _ctx: False)
    monkeypatch.setattr("uiap.mcp_server.server._declares_addresses", lambda _ctx: True)
    person = PersonAtPage(action)
    async with client_of(person, page=lambda: "http://127.0.0.1:9/enter?key=once") as (client, driver):
        await ask(client, "act", do="fill", target="Email", value="ann@a.example")
        monkeypatch.setattr("uiap.mcp_server.tool_calls.ASK_S", 0.3)
        reply = await invite(client)
        assert person.read[0].url == "http://127.0.0.1:9/enter?key=once"
        assert "activate the button “Invite”" in person.read[0].message
        assert "ann@a.example" not in person.read[0].message
        assert clicks(driver) == 0
        wanted = "confirmation_denied" if action == "decline" else "confirmation_pending"
        assert reply["code"] == wanted
