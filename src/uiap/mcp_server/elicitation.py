"""Questions to the person through the MCP client (elicitation), and their signed answers.

The server composes the question from what the session would show the person. In a form, the client only carries the
answer. Its grant is signed with the approval secret of the session, as that of every other channel. By address, the
person answers on the approval page, and no answer passes the client. No secret passes the client either way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal, NamedTuple, TypeAlias

from msgspec import UNSET

from uiap.api.open_session import SessionOpener, connect
from uiap.host.consent.grant_signature import for_session, sign_grant
from uiap.host.sessions.session_folder import SessionFolder
from uiap.spec.tools import PendingConfirmation, ToolsPendingGrantedPayload, ToolsPendingGrantPayload

Answer: TypeAlias = Literal["deny", "once", "session", "unanswered"]
AskForm: TypeAlias = Callable[[str, dict[str, Any]], Awaitable[Any]]
"""Sends a form to the client: message and schema. Returns the value of its one field, or None without an answer."""
AskUrl: TypeAlias = Callable[[str, str], Awaitable[bool | None]]
"""Sends an address to the client, with a message. Returns whether the person opens it, or None without an answer."""

ASK_S = 40.0
"""How long a tool call waits for an answer in the client. The question stays open for other channels."""
MAX_LINE, MAX_LINES = 200, 12
CHOICES: dict[str, Answer] = {
    "deny": "deny",
    "allow once": "once",
    "allow for this session": "session",
}
PERSON = "mcp-client"


class AskClient(NamedTuple):
    """The ways to ask the person in the client; None for one that it does not declare."""

    form: AskForm | None = None
    url: AskUrl | None = None


NO_QUESTIONS = AskClient()


class AskFailed(Exception):
    """The client declares elicitation and fails at it. The text says how."""


def question_text(question: PendingConfirmation) -> str:
    """Return the question as the person reads it: the action, the site, the values, the reason, one fact per line."""
    request = question.request
    summary = request.preview.summary if request.preview else request.action_id
    lines = [
        f"An agent ({question.principal}) wants to: {summary}",
        f"Site: {question.origin or 'this page'}",
        *(f"Field {name}: {value or '(empty)'}" for name, value in (question.fields or ())[:MAX_LINES]),
        f"Reason: {request.risk.reason or question.decided_by or 'the policy asks'}",
    ]
    if question.kind:
        lines.append(f"For this session means: {question.kind}")
    return "\n".join(_one_line(line) for line in lines)


def question_schema(question: PendingConfirmation) -> dict[str, Any]:
    """Return the schema of the form: one field with the possible answers."""
    choices = [word for word, answer in CHOICES.items() if answer != "session" or question.kind]
    field = {"type": "string", "title": "Your answer", "enum": choices}
    return {"type": "object", "properties": {"answer": field}, "required": ["answer"]}


async def open_question(folder: SessionFolder, handle: str) -> PendingConfirmation | None:
    """Return the question of a waiting action as the session shows it to the person, or None."""
    async with _person(folder) as person:
        listed = await person.waiting()
    return next((one for one in listed.details or () if one.action_handle == handle), None)


def page_text(summary: str) -> str:
    """Return the text beside the address of the approval page. Values are on the page alone."""
    return _one_line(
        f"An agent needs you for: {summary}. Open the approval page to see the page and to answer."
    )


async def deny_in_client(folder: SessionFolder, handle: str) -> None:
    """Pass on that the person declined to open the approval page."""
    async with _person(folder) as person:
        await person.deny(handle, "denied in the client")


async def ask_person(folder: SessionFolder, handle: str, ask: AskForm) -> Answer:
    """Ask the person in the client about a waiting action, and pass the answer to the session.

    Raise AskFailed if the client cannot ask. A dismissed form leaves the question to the other channels.
    """
    question = await open_question(folder, handle)
    if question is None:
        return "unanswered"
    try:
        async with asyncio.timeout(ASK_S):
            word = await ask(question_text(question), question_schema(question))
    except TimeoutError:
        return "unanswered"
    return await pass_answer(folder, handle, question.bond, word)


async def pass_answer(folder: SessionFolder, handle: str, bond: str, word: Any) -> Answer:
    """Pass an answer to the session: None is no answer. The grant is for the digest of the shown question alone."""
    if word is None:
        return "unanswered"
    if word not in CHOICES:
        raise AskFailed("its answer is none of the choices")
    answer = CHOICES[word]
    async with _person(folder) as person:
        if answer == "deny":
            await person.deny(handle, "denied in the client")
        else:
            payload = _signed(folder, handle, bond, remember=answer == "session")
            await person._caller.call("x.uiap.tools.pending.grant", payload, ToolsPendingGrantedPayload)
    return answer


def _signed(folder: SessionFolder, handle: str, bond: str, *, remember: bool) -> ToolsPendingGrantPayload:
    token = sign_grant(folder.approval.read_text(), for_session(bond) if remember else bond)
    return ToolsPendingGrantPayload(
        action_handle=handle, token=token, remember="session" if remember else UNSET
    )


def _person(folder: SessionFolder) -> SessionOpener:
    return connect(f"unix:{folder.socket}", token=folder.approval.read_text(), principal=PERSON)


def _one_line(text: str) -> str:
    """Return a text of the page without line breaks and control characters, so that it cannot add facts of its own."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return plain if len(plain) <= MAX_LINE else f"{plain[: MAX_LINE - 1]}…"
