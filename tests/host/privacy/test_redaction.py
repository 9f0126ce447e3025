"""Values that a principal may not read are masked in all answers; other principals read them."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.attack.stage import Stage, open_stage
from tests.support.playbook import button
from uiap.drivers.scripted.app import Widget
from uiap.host.consent.principals import effective_principal
from uiap.host.privacy.redaction import Redaction
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.web import (
    ElementNode,
    SnapshotOptions,
    WebElementState,
    WebObservePayload,
    WebObservingPayload,
)

AGENT = effective_principal(PolicyPrincipal(type="agent", id="a"))
PERSON = effective_principal(PolicyPrincipal(type="user", id="p"))
CANARY = "c4n4ry"


def field(*classes: str, name: str = "Field", **members: Any) -> ElementNode:
    state = WebElementState(visible=True, text_value=CANARY)
    return button(
        name, role="textbox", state=state, data_classes=classes or UNSET, affordances=("edit",), **members
    )


@pytest.mark.requirement("CAP-SEC.2")
@pytest.mark.parametrize(
    ("data_class", "shown"),
    [("public", CANARY), ("internal", CANARY), ("personal", "•••"), ("sensitive", "•••"), ("health", "•••"),
     ("payment", "•••"), ("credential", UNSET), ("secret", UNSET), ("x.acme.odd", UNSET)],
)  # fmt: skip
def test_each_data_class_is_masked_by_its_rule(data_class: str, shown: object) -> None:
    assert Redaction((), AGENT).mask_element(field(data_class)).state.text_value == shown
    assert Redaction((), PERSON).mask_element(field(data_class)).state.text_value == CANARY


@pytest.mark.parametrize("data_class", ["personal", "credential", "secret"])
def test_that_a_field_is_empty_is_no_secret(data_class: str) -> None:
    empty = field(data_class)
    empty = msgspec.structs.replace(empty, state=msgspec.structs.replace(empty.state, text_value=""))
    assert Redaction((), AGENT).mask_element(empty).state.text_value == ""


@pytest.mark.parametrize(
    "name", ["Password", "Passwort", "One-time code", "IBAN", "Kreditkarte", "Steuernummer"]
)
def test_a_field_without_data_classes_is_masked_by_its_name(name: str) -> None:
    shown = Redaction((), AGENT).mask_element(field(name=name))
    assert shown.state.text_value != CANARY
    assert shown.state.sensitive is True
    assert shown.redaction is not UNSET


def test_a_read_grant_unmasks_the_value() -> None:
    reader = PolicyPrincipal(type="agent", id="r", grants=("observe", "read.sensitive"))
    assert Redaction((), reader).mask_element(field("sensitive")).state.text_value == CANARY
    assert Redaction((), reader).mask_element(field("credential")).state.text_value is UNSET


@pytest.mark.parametrize(
    ("mode", "shown"), [("label", "[sensitive]"), ("mask", "•••"), ("omit", UNSET), ("hash", "sha256:")]
)
def test_a_redaction_rule_masks_for_every_principal_it_names(mode: str, shown: object) -> None:
    rule = {"id": "r", "match": {"stableIds": ["salary.*"], "principalTypes": ["user"]}, "mode": mode}
    document = msgspec.convert(
        {"modelVersion": "0.1", "id": "p", "defaults": {}, "redaction": [rule]}, PolicyDocument
    )
    redaction = Redaction((document,), PERSON)
    got = redaction.mask_element(field(stable_id="salary.base")).state.text_value
    assert got == shown if mode != "hash" else str(got).startswith("sha256:")
    assert redaction.mask_element(field(stable_id="name.first")).state.text_value == CANARY
    assert (
        Redaction((document,), AGENT).mask_element(field(stable_id="salary.base")).state.text_value == CANARY
    )


def widgets() -> tuple[Widget, ...]:
    diagnosis = Widget(
        "d", "textbox", "Diagnosis", state={"textValue": CANARY}, node_fields={"data_classes": ("health",)}
    )
    return diagnosis, Widget("n", "textbox", "Title", state={"textValue": "plain"})


async def everything(stage: Stage, ui: Any) -> str:
    """Return all that a session can read of the page, as one text."""
    replies: list[Any] = [(await ui.observe()).payload, await ui.outline(), await ui.find("Diagnosis")]
    for what in ("value", "state", "text"):
        result = await ui.act("ui.read", role="textbox", name="Diagnosis", args={"what": what})
        replies.append(result.payload)
    return str([msgspec.to_builtins(one) for one in replies])


async def test_a_private_value_is_masked_for_an_agent_and_readable_for_a_person() -> None:
    async with open_stage(*widgets()) as stage:
        agents, persons = await everything(stage, stage.agent), await everything(stage, stage.person)
        assert CANARY not in agents
        assert "plain" in agents
        assert CANARY in persons


@pytest.mark.parametrize(("channels", "count"), [(("signal",), 1), (("signal", "delta"), None)])
async def test_the_options_of_an_observer_reduce_its_snapshots_unless_deltas_need_them_whole(
    channels: tuple[Any, ...], count: int | None
) -> None:
    async with open_stage(*widgets()) as stage:
        received: asyncio.Queue[Any] = asyncio.Queue()
        stage.agent._caller.listen("web.state.snapshot", received.put_nowait)
        asked = WebObservePayload(channels=channels, options=SnapshotOptions(max_elements=1))
        await stage.agent._caller.call("web.state.observe", asked, WebObservingPayload)
        snapshot = await asyncio.wait_for(received.get(), 10)
        assert len(snapshot.graph.elements) == (count or len((await stage.agent.observe()).payload.elements))


async def test_deltas_and_outlines_of_changes_are_masked_too() -> None:
    async with open_stage(*widgets()) as stage:
        received: asyncio.Queue[Any] = asyncio.Queue()
        stage.agent._caller.listen("web.state.delta", received.put_nowait)
        await stage.agent._caller.call(
            "web.state.observe", WebObservePayload(channels=("delta",)), WebObservingPayload
        )
        before = (await stage.agent.observe()).revision
        stage.app.set("d", textValue=f"{CANARY} again")
        stage.app.set("n", textValue="changed")
        await stage.driver.flush()
        delta = str(msgspec.to_builtins(await asyncio.wait_for(received.get(), 10)))
        assert CANARY not in delta
        assert "changed" in delta
        since = await stage.agent.outline(since=before)
        assert CANARY not in since
        assert "changed" in since
        assert f"{CANARY} again" in await stage.person.outline(since=before)


async def test_a_masked_field_can_still_be_written_and_verified() -> None:
    rules = msgspec.convert(
        {"modelVersion": "0.1", "id": "p", "defaults": {}, "rules": [
            {"id": "r", "match": {"dataClasses": ["health"]}, "effect": "allow"}]}, PolicyDocument
    )  # fmt: skip
    async with open_stage(*widgets(), rules=(rules,)) as stage:
        result = await stage.agent.act("ui.enterText", role="textbox", name="Diagnosis", args={"text": "flu"})
        assert result.ok, result.error
