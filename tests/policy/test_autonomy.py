"""The levels of autonomy: their order, their ceiling, and their combination with documents."""

from __future__ import annotations

import pytest

from uiap.errors import UiapError
from uiap.policy.autonomy import LEVELS, level_of, permitted_level, rules_at
from uiap.policy.builtin import ASSIST, OBSERVE, STANDARD, policy_set
from uiap.policy.evaluate import PolicySet
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import (
    POLICY_EFFECTS,
    POLICY_GRANTS,
    SIDE_EFFECT_CLASSES,
    PolicyDefaults,
    PolicyDocument,
    PolicyMatch,
    PolicyRule,
    SideEffectClass,
)

NO_BUTTONS = PolicyDocument(
    model_version="0.1",
    id="team",
    defaults=PolicyDefaults(),
    rules=(PolicyRule(id="no-buttons", match=PolicyMatch(roles=("button",)), effect="deny"),),
)


def press(side_effect: SideEffectClass, *, routine: bool = False) -> PolicyRequest:
    return PolicyRequest(
        principal_type="agent",
        principal_id="eve",
        grants=frozenset(POLICY_GRANTS),
        action_id="ui.activate",
        role="button",
        side_effect=side_effect,
        routine=routine,
    )


def test_a_level_is_used_as_asked_and_never_above_the_ceiling() -> None:
    assert permitted_level(None, None, "assist") == "assist"
    assert permitted_level("ask", None, "assist") == "ask"
    assert permitted_level(None, "observe", "assist") == "observe"
    assert permitted_level("observe", "ask", "assist") == "observe"
    with pytest.raises(UiapError, match="`trusted` is above UIAP_AUTONOMY, which allows `ask` at most"):
        permitted_level("trusted", "ask", "assist")
    with pytest.raises(
        UiapError, match="`high` is no level of autonomy; choose observe, ask, assist or trusted"
    ):
        level_of("high")


@pytest.mark.parametrize("side_effect", SIDE_EFFECT_CLASSES)
@pytest.mark.parametrize("routine", [False, True])
def test_assist_differs_from_ask_only_where_ask_asks_about_a_routine_step(
    side_effect: SideEffectClass, routine: bool
) -> None:
    request = press(side_effect, routine=routine)
    ask, assist = (policy_set(rules_at(level)).decide(request).effect for level in ("ask", "assist"))
    if ask != assist:
        assert routine and (ask, assist) == ("confirm", "allow")


@pytest.mark.parametrize("side_effect", SIDE_EFFECT_CLASSES)
def test_observe_allows_reading_and_going_to_addresses_only(side_effect: SideEffectClass) -> None:
    ruling = policy_set("observe").decide(press(side_effect, routine=True))
    allowed = side_effect in ("none", "navigation")
    assert ruling.effect == ("allow" if allowed else "deny")
    assert allowed or "this session only reads" in (ruling.message or "")


def test_a_denial_of_a_document_stays_a_denial_at_every_level() -> None:
    for level in LEVELS:
        rules = rules_at(level, (NO_BUTTONS,))
        assert not isinstance(rules, str)
        assert PolicySet(rules).decide(press("ui_state", routine=True)).effect == "deny"


def test_documents_and_a_level_combine_to_the_stricter_of_both() -> None:
    assert rules_at("assist", (NO_BUTTONS,)) == (ASSIST, NO_BUTTONS)
    assert rules_at("trusted", (NO_BUTTONS,)) == (NO_BUTTONS,)
    assert rules_at("ask", (STANDARD,)) == (STANDARD,)
    assert rules_at("observe", "standard") == (OBSERVE, STANDARD)
    strict = {e: n for n, e in enumerate(POLICY_EFFECTS)}
    for side_effect in SIDE_EFFECT_CLASSES:
        found = [
            strict[policy_set(rules_at(level)).decide(press(side_effect, routine=True)).effect]
            for level in ("observe", "ask", "assist")
        ]
        assert found == sorted(found, reverse=True), side_effect
