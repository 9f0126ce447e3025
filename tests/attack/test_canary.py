"""A private value does not leak, although the page repeats it wherever it can."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.attack.stage import Stage, open_stage
from uiap.drivers.scripted.app import App, Widget
from uiap.host.records.journal import replay
from uiap.host.records.store import Store, sqlite_url
from uiap.spec.policy import PolicyDocument
from uiap.spec.web import StatusUpdatedSignal, WebObservePayload, WebObservingPayload

CANARY, PIN = "c4n4ry-diagnosis", "9471"
pytestmark = pytest.mark.requirement("CAP-SEC.2")


def echo(app: App) -> None:
    """Repeat the field values in a toast, a status, a label and the title, as a careless page does."""
    value = f"{app.widgets['d'].state.get('textValue')} {app.widgets['p'].state.get('textValue')}"
    app.set("label", name=f"Saved {value}", text=f"you wrote {value}")
    app.title = f"Saved {value}"
    app.toast(f"Saved: {value}")
    app.signal(StatusUpdatedSignal(text=f"still {value}"))


WIDGETS = (
    Widget("d", "textbox", "Diagnosis", state={"textValue": ""}, node_fields={"data_classes": ("health",)}),
    Widget("p", "textbox", "PIN", state={"textValue": ""}),
    Widget("label", "button", "Nothing yet"),
    Widget("more", "button", "More"),
    Widget("save", "button", "Save", on={"click": echo}, stable_id="draft.save"),
)


OWN = msgspec.convert(
    {"modelVersion": "0.1", "id": "own", "defaults": {}, "rules": [
        {"id": "people", "match": {"principalTypes": ["user"]}, "effect": "allow",
         "confirmation": {"actor": "controller"}}]}, PolicyDocument
)  # fmt: skip


class Recorder:
    """Records as text everything that a session receives."""

    TYPES = ("web.state.delta", "web.state.snapshot", "web.signal", "action.progress", "action.result")

    def __init__(self, ui: Any) -> None:
        self.received: list[str] = []
        self.ui = ui
        for type in self.TYPES:
            ui._caller.listen(type, self.record)

    def record(self, message: Any) -> None:
        self.received.append(str(msgspec.to_builtins(message)))

    async def observe(self) -> None:
        self.since = (await self.ui.observe()).revision
        channels = WebObservePayload(channels=("delta", "signal"))
        await self.ui._caller.call("web.state.observe", channels, WebObservingPayload)

    async def read_everything(self) -> None:
        ui = self.ui
        self.record((await ui.observe()).payload)
        self.received += [await ui.outline(), repr(await ui.find("Saved")), repr(await ui.find("Diagnosis"))]
        for name in ("Diagnosis", "PIN"):
            for what in ("value", "state", "text"):
                self.record((await ui.act("ui.read", role="textbox", name=name, args={"what": what})).payload)
        self.record((await ui.wait(since=self.since, timeout_ms=1)).payload)
        refused = await ui.act(
            "ui.activate", role="button", timeout_ms=500
        )  # ambiguous, so the error names all candidates
        assert refused.error is not None and refused.error.code == "target_ambiguous"
        self.record(refused.payload)
        self.received.append(repr(await ui.tabs()))

    def leaks(self) -> list[str]:
        return [text for text in self.received if CANARY in text or PIN in text]


async def fill(stage: Stage) -> list[str]:
    """Fill the private fields and save, as the person; return the handles of the actions."""
    handles = []
    for name, text in (("Diagnosis", CANARY), ("PIN", PIN)):
        written = await stage.person.act(
            "ui.enterText", role="textbox", name=name, args={"text": text}, trace=["outline"]
        )
        assert written.ok, written.error
        handles.append(written.payload.action_handle)
    saved = await stage.person.act("ui.activate", role="button", name="Save", trace=["outline"])
    assert saved.ok, saved.error
    return [*handles, saved.payload.action_handle]


async def test_page_echoes_of_a_private_field_are_masked_for_a_session_that_may_not_read_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with open_stage(*WIDGETS, rules=(OWN,), store=tmp_path / "s.sqlite3") as stage:
        agent, person = Recorder(stage.agent), Recorder(stage.person)
        await agent.observe()
        await person.observe()
        handles = await fill(stage)
        await agent.read_everything()
        await person.read_everything()
        for handle in handles:
            agent.received.append(repr(await stage.agent.trace(handle)))
        assert any("•••" in text for text in agent.received)
        assert agent.leaks() == []
        assert person.leaks(), "a session that may read the field may read its echo"
        assert stage.app.widgets["d"].state["textValue"] == CANARY
    assert CANARY not in caplog.text and PIN not in caplog.text
    files = [file for file in tmp_path.iterdir() if CANARY.encode() in file.read_bytes()]
    assert files == [], "journal, audit log, traces and results are in one store"


async def test_a_journal_without_private_values_still_replays(tmp_path: Path) -> None:
    async with open_stage(*WIDGETS, rules=(OWN,), store=tmp_path / "s.sqlite3") as stage:
        await stage.person.act("ui.activate", role="button", name="Nothing yet", policy="none")
        await fill(stage)
        await stage.person.act("ui.read", role="textbox", name="Diagnosis", args={"what": "value"})
        nowhere = {"role": "textbox", "name": "Nowhere", "timeout_ms": 1}
        await stage.person.act("ui.enterText", **nowhere, args={"text": CANARY})
    store = Store(sqlite_url(tmp_path / "s.sqlite3"))
    replayed = list(replay(store))
    store.close()
    assert [one for one in replayed if one.diverged is not None] == []
    assert {one.withheld for one in replayed if one.kind == "action"} == {True, False}
    assert CANARY.encode() not in (tmp_path / "s.sqlite3").read_bytes()
