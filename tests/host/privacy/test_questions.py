"""A reader cannot ask for a value that it may not see: a right guess and a wrong one get the same answer.

Each question is asked twice on the same page, once with the private value in it and once with another one. The answers
must be equal apart from the guess itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.attack.stage import Stage, open_stage
from uiap.api.ui import Ui
from uiap.drivers.scripted.app import Widget
from uiap.errors import UiapError
from uiap.host.records.journal import replay
from uiap.host.records.store import Store, sqlite_url
from uiap.spec.capability import SuccessSignal

PRIVATE, WRONG = "4111 2222 3333 4444", "5222 1111 7777 8888"
PREFIX, WRONG_PREFIX = "4111 2222", "5222 1111"
SHORT, WRONG_SHORT = "739", "826"
TIMES = ("elapsedMs", "durationMs", "effectMs", "nowMs", "atMs", "revision", "baseRevision", "ts")
IDS = ("actionHandle", "decisionId", "stateRevision", "evaluatedAt")


def widgets() -> tuple[Widget, ...]:
    card = Widget("card", "textbox", "Card number", state={"textValue": PRIVATE})
    code = Widget("code", "textbox", "CVC", state={"textValue": SHORT})
    echo = Widget("echo", "status", text=f"Card {PRIVATE} accepted, code {SHORT}")
    pay = Widget("pay", "button", f"Charge {PRIVATE}")
    kind = Widget("kind", "combobox", "Blood group", state={"textValue": "AB"}, options=("A", "AB", "0"))
    return card, code, echo, pay, kind, Widget("other", "button", "Other")


def signal(**members: Any) -> SuccessSignal:
    return msgspec.convert(members, SuccessSignal)  # type: ignore[call-overload,no-any-return]


def textbox(name: str) -> dict[str, Any]:
    return {"by": "semantic", "role": "textbox", "name": name}


Question = Callable[[Ui, str], Awaitable[Any]]


async def expect_value(ui: Ui, guess: str) -> Any:
    return await ui.expect(
        [signal(kind="value.equals", target=textbox("Card number"), value=guess)], timeout_ms=50
    )


async def expect_status(ui: Ui, guess: str) -> Any:
    return await ui.expect([signal(kind="status.contains", text=guess)], timeout_ms=50)


async def expect_element(ui: Ui, guess: str) -> Any:
    target = {"by": "semantic", "role": "button", "name": f"Charge {guess}"}
    return await ui.expect([signal(kind="element.appeared", target=target)], timeout_ms=50)


async def expect_state(ui: Ui, guess: str) -> Any:
    state = {"textValue": guess}
    return await ui.expect(
        [signal(kind="element.state", target=textbox("Card number"), state=state)], timeout_ms=50
    )


async def wait_for_value(ui: Ui, guess: str) -> Any:
    return await ui.wait(
        until=[signal(kind="value.equals", target=textbox("Card number"), value=guess)], timeout_ms=50
    )


async def find_text(ui: Ui, guess: str) -> Any:
    return [one.instance_id for one in await ui.find(guess)]


async def find_near(ui: Ui, guess: str) -> Any:
    return [one.instance_id for one in await ui.find("Card", near=guess)]


async def act_on_name(ui: Ui, guess: str) -> Any:
    return (await ui.act("ui.focus", role="button", name=f"Charge {guess}", timeout_ms=300)).payload


async def act_on_expected_name(ui: Ui, guess: str) -> Any:
    (pay,) = [one.instance_id for one in await ui.find("Charge", role="button")]
    request = {"ref": pay, "name": f"Charge {guess}", "role": "button"}
    return (await ui.act("ui.focus", timeout_ms=300, **request)).payload


async def act_with_expectation(ui: Ui, guess: str) -> Any:
    asked = [signal(kind="status.contains", text=guess)]
    return (await ui.act("ui.focus", role="button", name="Other", expect=asked, timeout_ms=300)).payload


async def act_with_value(ui: Ui, guess: str) -> Any:
    asked = [signal(kind="value.equals", target=textbox("Card number"), value=guess)]
    return (await ui.act("ui.focus", role="button", name="Other", expect=asked, timeout_ms=300)).payload


async def read_log(ui: Ui, guess: str) -> Any:
    return await ui.log(contains=guess)


QUESTIONS: tuple[Question, ...] = (
    expect_value,
    expect_status,
    expect_element,
    expect_state,
    wait_for_value,
    find_text,
    find_near,
    act_on_name,
    act_on_expected_name,
    act_with_expectation,
    act_with_value,
)


async def answer(question: Question, ui: Ui, guess: str) -> str:
    """Return the answer without times, ids and the guess itself."""
    try:
        told = await question(ui, guess)
    except UiapError as error:
        told = {"refused": error.message, "code": error.code}
    plain = msgspec.to_builtins(getattr(told, "payload", told))
    return str(_without_noise(plain)).replace(guess, "GUESS")


def _without_noise(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_noise(one) for key, one in value.items() if key not in (*TIMES, *IDS)}
    return [_without_noise(one) for one in value] if isinstance(value, list | tuple) else value


@pytest.mark.requirement("CAP-SEC.2")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("right", "wrong"),
    [(PRIVATE, WRONG), (PREFIX, WRONG_PREFIX), (SHORT, WRONG_SHORT)],
    ids=["whole", "part", "short"],
)
async def test_a_right_guess_gets_the_answer_of_a_wrong_one(
    question: Question, right: str, wrong: str
) -> None:
    told = []
    for guess in (right, wrong):
        async with open_stage(*widgets()) as stage:
            told.append(await answer(question, stage.agent, guess))
    masked = [one.replace("•••", "GUESS") for one in told]
    assert masked[0] == masked[1]


async def test_the_person_may_ask() -> None:
    async with open_stage(*widgets()) as stage:
        assert await expect_value(stage.person, PRIVATE)
        assert not await expect_value(stage.person, WRONG)
        assert await expect_status(stage.person, PREFIX)
        assert await find_text(stage.person, PRIVATE)


async def everything(stage: Stage) -> str:
    ui = stage.agent
    told: list[Any] = [(await ui.observe()).payload, await ui.outline(), await ui.find("Card")]
    for name in ("Card number", "CVC"):
        for what in ("value", "state", "text", "description"):
            told.append((await ui.act("ui.read", role="textbox", name=name, args={"what": what})).payload)
    told.append((await ui.act("ui.read", role="combobox", name="Blood group")).payload)
    return str([msgspec.to_builtins(one) for one in told])


async def test_short_values_and_choices_are_masked_in_every_answer() -> None:
    async with open_stage(*widgets()) as stage:
        agents = await everything(stage)
    assert SHORT not in agents
    assert PRIVATE not in agents
    assert "'AB'" not in agents


async def test_a_value_split_over_elements_is_masked() -> None:
    parts = [Widget(f"p{n}", "status", text=part) for n, part in enumerate(PRIVATE.split())]
    letters = [Widget(f"l{n}", "status", text=letter) for n, letter in enumerate("hunter2zebra")]
    secret = Widget("s", "textbox", "Password", state={"textValue": "hunter2zebra"})
    async with open_stage(
        widgets()[0], secret, *parts, *letters, Widget("o", "status", text="Other text")
    ) as stage:
        outline = await stage.agent.outline()
        graph = str(msgspec.to_builtins((await stage.agent.observe()).payload))
        persons = await stage.person.outline()
    assert "3333" not in outline and "3333" not in graph
    assert "Other text" in outline
    assert "3333" in persons


async def test_expectations_are_journaled_without_their_values(tmp_path: Path) -> None:
    file = tmp_path / "j.sqlite3"
    async with open_stage(*widgets(), store=file) as stage:
        for question in (
            expect_value,
            expect_status,
            wait_for_value,
            find_text,
            act_with_expectation,
            read_log,
        ):
            await answer(question, stage.agent, WRONG)
            await answer(question, stage.person, PRIVATE)
    store = Store(sqlite_url(file), create=False)
    rows = list(store.journal())
    journal = b"".join(bytes(row["event"]) for row in rows)
    asked = b"".join(bytes(row["event"]) for row in rows if row["kind"] == "session")
    assert [one for one in replay(store) if one.diverged is not None] == []
    store.close()
    assert b"value.equals" in journal
    assert PRIVATE.encode() not in journal
    assert WRONG.encode() not in asked


async def test_a_password_in_an_address_is_masked(tmp_path: Path) -> None:
    link = Widget(
        "l", "link", "Files", node_fields={"metadata": {"href": "https://ann:s3cr3t-pw@files.test/"}}
    )
    file = tmp_path / "j.sqlite3"
    async with open_stage(link, store=file) as stage:
        graph = await stage.agent.observe()
        gone = await stage.agent.act(
            "nav.navigate", args={"url": "https://bob:an0ther-pw@files.test/"}, timeout_ms=300
        )
        told = str([msgspec.to_builtins(graph.payload), msgspec.to_builtins(gone.payload)])
        asked = str([msgspec.to_builtins(one) for one in (await stage.agent.waiting()).confirmations])
    assert "s3cr3t-pw" not in told and "files.test" in told
    assert "an0ther-pw" not in told + asked
    stored = file.read_bytes() + b"".join(one.read_bytes() for one in tmp_path.glob("j.sqlite3-wal"))
    assert b"an0ther-pw" not in stored
