"""Where a private value could get out: the page repeats it everywhere it can, and it is found nowhere."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.attack.stage import Stage, staged
from uiap.drivers.scripted.app import App, Widget
from uiap.host.records.journal import replay
from uiap.host.records.store import Store, sqlite_url
from uiap.spec.policy import PolicyDocument
from uiap.spec.web import StatusUpdatedSignal, WebObservePayload, WebObservingPayload

CANARY, PIN = "c4n4ry-diagnosis", "9471"
pytestmark = pytest.mark.requirement("CAP-SEC.2")


def echo(app: App) -> None:
    """A careless page: what is in its fields stands in a toast, a status, a label, an address and the title."""
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


class Ear:
    """Everything that a session is told, as text."""

    TYPES = ("web.state.delta", "web.state.snapshot", "web.signal", "action.progress", "action.result")

    def __init__(self, ui: Any) -> None:
        self.heard: list[str] = []
        self.ui = ui
        for type in self.TYPES:
            ui._caller.listen(type, self.take)

    def take(self, said: Any) -> None:
        self.heard.append(str(msgspec.to_builtins(said)))

    async def observe(self) -> None:
        self.since = (await self.ui.observe()).revision
        channels = WebObservePayload(channels=("delta", "signal"))
        await self.ui._caller.call("web.state.observe", channels, WebObservingPayload)

    async def look(self) -> None:
        ui = self.ui
        self.take((await ui.observe()).payload)
        self.heard += [await ui.outline(), repr(await ui.find("Saved")), repr(await ui.find("Diagnosis"))]
        for name in ("Diagnosis", "PIN"):
            for what in ("value", "state", "text"):
                self.take((await ui.act("ui.read", role="textbox", name=name, args={"what": what})).payload)
        self.take((await ui.wait(since=self.since, timeout_ms=1)).payload)
        refused = await ui.act("ui.activate", role="button", timeout_ms=500)  # which one? all are named
        assert refused.error is not None and refused.error.code == "target_ambiguous"
        self.take(refused.payload)
        self.heard.append(repr(await ui.tabs()))

    def leaks(self) -> list[str]:
        return [said for said in self.heard if CANARY in said or PIN in said]


async def fill(stage: Stage) -> list[str]:
    """The person writes plainly into private fields, then saves; the handles of what was done."""
    done = []
    for name, text in (("Diagnosis", CANARY), ("PIN", PIN)):
        written = await stage.person.act(
            "ui.enterText", role="textbox", name=name, args={"text": text}, trace=["outline"]
        )
        assert written.ok, written.error
        done.append(written.payload.action_handle)
    saved = await stage.person.act("ui.activate", role="button", name="Save", trace=["outline"])
    assert saved.ok, saved.error
    return [*done, saved.payload.action_handle]


async def test_what_a_page_repeats_of_a_private_field_is_told_to_nobody_who_may_not_read_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with staged(*WIDGETS, rules=(OWN,), store=tmp_path / "s.sqlite3") as stage:
        agent, person = Ear(stage.agent), Ear(stage.person)
        await agent.observe()
        await person.observe()
        handles = await fill(stage)
        await agent.look()
        await person.look()
        for handle in handles:
            agent.heard.append(repr(await stage.agent.trace(handle)))
        assert any("•••" in said for said in agent.heard)
        assert agent.leaks() == []
        assert person.leaks(), "whoever may read the field may read its echo"
        assert stage.app.widgets["d"].state["textValue"] == CANARY
    assert CANARY not in caplog.text and PIN not in caplog.text
    files = [file for file in tmp_path.iterdir() if CANARY.encode() in file.read_bytes()]
    assert files == [], "journal, audit, traces and results are one store"


async def test_a_journal_without_private_values_still_replays(tmp_path: Path) -> None:
    async with staged(*WIDGETS, rules=(OWN,), store=tmp_path / "s.sqlite3") as stage:
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
