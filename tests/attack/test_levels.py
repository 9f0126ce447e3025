"""Each attack at each level of autonomy: an operation in an address, a forged role, a disguise, another verb.

`observe` denies every write, `ask` and `assist` let none of these go without a person, and `trusted` is the person's
own program. No level lets go what the level below denies.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.attack.stage import Stage, open_stage
from uiap.drivers.scripted.app import ScriptedScope, Widget
from uiap.errors import UiapError
from uiap.policy.autonomy import LEVELS, Autonomy, rules_at

STRICTNESS = ("allow", "confirm", "handoff", "deny")
PRESS = ("read", "focus", "activate")
SUBMIT = (*PRESS, "submit")
FORM = ScriptedScope("f", "form", "Settings")
PLAN = ScriptedScope("d", "dialog", "Cancel subscription?")


def link(address: str, name: str = "Item 3", **facts: Any) -> Widget:
    fields = {"affordances": PRESS, "metadata": {"href": address, **facts}}
    return Widget("x", "link", name, node_fields=fields)


ATTACKS: dict[str, tuple[Widget, ...]] = {
    "an operation in a path": (link("/items/3/delete"),),
    "an encoded operation": (link("/items/3/%2564elete"),),
    "a parameter": (link("/items?id=3&action=archive"),),
    "a switch": (link("/items/3?delete=1"),),
    "camel case": (link("/account/deleteAccount"),),
    "another language": (link("/items/3/l%C3%B6schen"),),
    "a redirect": (link("/r?to=/items/3/delete"),),
    "a fragment": (link("/#/items/3/purge"),),
    "a word in no known language in a path": (link("/items/3/წაშლა"),),
    "a fragment for a script": (link("#delete"),),
    "a word of destruction on a link": (link("/items/3", "Mitglied entfernen"),),
    "a method attribute": (link("/items/3", "Item 3 entfernen", method="data-method"),),
    "a button as a tab": (
        Widget("x", "tab", "Delete account", node_fields={"metadata": {"native": "button"}}),
    ),
    "a look-alike": (Widget("x", "button", "D\u0435lete account", scope="f"),),
    "mirrored": (Widget("x", "button", "tnuocca eteled", scope="f"),),
    "spaced": (Widget("x", "button", "D e l e t e account", scope="f"),),
    "digits": (Widget("x", "button", "D3l3t3 account", scope="f"),),
    "an unknown script": (Widget("x", "button", "წაშლა", scope="f", node_fields={"affordances": SUBMIT}),),
    "an unknown word in a form": (
        Widget("x", "button", "Frobnicate", scope="f", node_fields={"affordances": SUBMIT}),
    ),
    "an exit word that agrees to its dialog": (Widget("x", "button", "Cancel", scope="d"),),
    "a stable id": (Widget("x", "button", "Go", stable_id="account.delete"),),
    "money": (Widget("x", "button", "Bezahlen", scope="f", node_fields={"affordances": SUBMIT}),),
    "rights": (Widget("x", "button", "Make admin", scope="f", node_fields={"affordances": SUBMIT}),),
}
VERBS = ("ui.activate", "ui.open", "ui.close", "ui.expand", "ui.toggle", "ui.choose", "ui.submit")


async def effect_of(stage: Stage, verb: str, widget: Widget) -> str:
    """Return the decision in advance; `deny` also for a control that the verb does not fit."""
    args = {"value": "x"} if verb == "ui.choose" else {}
    try:
        return (await stage.agent.preflight(verb, args=args, role=widget.role, name=widget.name)).effect
    except UiapError:
        return "deny"


@pytest.mark.requirement("CAP-8.2", "ACT-5.3")
@pytest.mark.parametrize("attack", ATTACKS)
async def test_no_level_lets_an_attack_go_without_a_person(attack: str) -> None:
    effects: dict[Autonomy, str] = {}
    for level in LEVELS:
        async with open_stage(*ATTACKS[attack], scopes=[FORM, PLAN], rules=rules_at(level)) as stage:
            effects[level] = await effect_of(stage, "ui.activate", *ATTACKS[attack])
    assert effects["observe"] == "deny"
    assert effects["ask"] != "allow" and effects["assist"] != "allow"
    order = [STRICTNESS.index(effects[level]) for level in LEVELS]
    assert order == sorted(order, reverse=True), effects


@pytest.mark.parametrize("level", ("observe", "ask", "assist"))
@pytest.mark.parametrize("attack", ATTACKS)
async def test_no_verb_is_laxer_than_a_press_at_any_level(attack: str, level: Autonomy) -> None:
    async with open_stage(*ATTACKS[attack], scopes=[FORM, PLAN], rules=rules_at(level)) as stage:
        pressed = STRICTNESS.index(await effect_of(stage, "ui.activate", *ATTACKS[attack]))
        for verb in VERBS:
            assert STRICTNESS.index(await effect_of(stage, verb, *ATTACKS[attack])) >= pressed, verb


ADDRESSES = ("http://bank.test/items/3/delete", "/items?action=purge&id=3", "/logout", "/items/3/%64elete")


@pytest.mark.parametrize("level", ("observe", "ask", "assist"))
@pytest.mark.parametrize("address", ADDRESSES)
async def test_an_agent_goes_to_no_address_with_an_operation_by_itself(address: str, level: Autonomy) -> None:
    async with open_stage(Widget("b", "button", "Next"), rules=rules_at(level)) as stage:
        decision = await stage.agent.preflight("nav.navigate", args={"url": address})
        assert decision.effect == ("deny" if level == "observe" else "confirm")
        page = await stage.agent.preflight("nav.navigate", args={"url": "http://bank.test/items/3/edit"})
        assert page.effect == "allow"
