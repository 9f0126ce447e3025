"""The type of every action, and the gestures that a driver must support for it."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from msgspec import UNSET

from uiap.actions.ops import OP_KINDS
from uiap.actions.registry import ACTIONS
from uiap.actions.types import ACTION_TYPES, ActionType
from uiap.drivers.desktop import DESKTOP_FACTS
from uiap.drivers.scripted import SCRIPTED_FACTS, ScriptedDriver, ScriptedPage
from uiap.host.sessions.session_services import driver_capabilities


def offered(**facts: object) -> tuple[set[str], set[str]]:
    page = ScriptedPage("http://notes.test/")
    document = driver_capabilities(ScriptedDriver(page, facts=replace(SCRIPTED_FACTS, **facts)))  # type: ignore[arg-type]
    return {action.id for action in document.actions}, set(document.success_signal_kinds)


@pytest.mark.requirement("MDM-5")
def test_every_action_has_one_canonical_type_in_its_descriptor():
    assert set(ACTION_TYPES) == set(ACTIONS)
    said = {id: action.descriptor.metadata for id, action in ACTIONS.items()}
    assert all(one is not UNSET and one["type"] in get_args(ActionType) for one in said.values())
    types = {one["type"] for one in said.values() if one is not UNSET}
    assert {"navigation", "input", "selection", "gesture", "control_adjustment"} <= types
    assert (ACTION_TYPES["ui.setValue"].type, ACTION_TYPES["ui.enterText"].type) == (
        "control_adjustment",
        "input",
    )
    assert all(set(sort.ops) <= set(OP_KINDS) for sort in ACTION_TYPES.values())


@pytest.mark.requirement("CAP-2.2")
def test_a_document_declares_only_what_its_driver_supports():
    everything, kinds = offered()
    assert "x.uiap.pinch" in everything and {"route.changed", "network.response"} <= kinds
    without = tuple(op for op in SCRIPTED_FACTS.ops if op not in ("pinch", "drag"))
    assert everything - offered(ops=without)[0] == {"x.uiap.pinch", "x.uiap.drag"}
    shut, fewer = offered(surfaces=())
    assert everything - shut == {"nav.navigate"}
    assert kinds - fewer == {"route.changed", "network.response"}


@pytest.mark.requirement("CAP-2.2")
def test_a_desktop_offers_only_gestures_that_it_supports():
    actions, kinds = offered(
        modes=DESKTOP_FACTS.modes, ops=DESKTOP_FACTS.ops, surfaces=DESKTOP_FACTS.surfaces
    )
    assert {"ui.activate", "ui.enterText", "ui.setValue", "ui.choose"} <= actions
    assert not actions & {"nav.navigate", "ui.upload", "x.uiap.pinch"}
    assert "network.response" not in kinds and "value.equals" in kinds
