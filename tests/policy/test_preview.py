"""A dry run shows the ruling on each action, and which rulings two sets of rules decide differently."""

from __future__ import annotations

import msgspec
import pytest

from uiap.policy.evaluate import PolicySet
from uiap.policy.preview import preview, ruling_changes, side_effect_subjects, subject_of_action
from uiap.spec.capability import ActionDescriptor
from uiap.spec.policy import SIDE_EFFECT_RULES, PolicyDocument, PolicyPrincipal

BOT = PolicyPrincipal(type="agent", id="bot", grants=("act", "write"))


def policies(*rules: dict[str, object]) -> PolicySet:
    defaults = {"onUnknownAction": "confirm"}
    document = {"modelVersion": "0.1", "id": "p", "version": "1", "defaults": defaults, "rules": list(rules)}
    return PolicySet((msgspec.convert(document, PolicyDocument),))


def action(id: str, level: str = "safe") -> ActionDescriptor:
    declared = {"id": id, "kind": "domain", "targetKinds": [], "executionModes": ["appAction"]}
    return msgspec.convert({**declared, "risk": {"level": level}}, ActionDescriptor)


def rule(effect: str, *ids: str) -> dict[str, object]:
    return {"id": f"{effect}-some", "match": {"actionIds": list(ids)}, "effect": effect}


def test_the_request_of_an_action_has_its_name_and_the_grants_of_the_principal() -> None:
    name, request = subject_of_action(action("video.open"), BOT)
    assert name == request.action_id == "video.open"
    assert (request.principal_type, request.principal_id) == ("agent", "bot")
    assert request.grants == {"act", "write"}
    assert (request.risk_level, request.risk_explicit, request.risk_tags) == ("safe", True, frozenset())


@pytest.mark.parametrize(("declared", "judged"), [("safe", "confirm"), ("blocked", "blocked")])
def test_a_dangerous_name_raises_the_declared_risk_and_never_lowers_it(declared: str, judged: str) -> None:
    request = subject_of_action(action("account.delete", declared), BOT).request
    assert (request.risk_level, request.risk_explicit) == (judged, False)
    assert "destructive" in request.risk_tags
    assert (request.side_effect, request.side_effect_basis) == ("destructive", "derived")


def test_there_is_one_subject_for_each_side_effect_class() -> None:
    subjects = side_effect_subjects(BOT)
    assert [one.name for one in subjects] == [f"({name})" for name in SIDE_EFFECT_RULES]
    assert [one.request.side_effect for one in subjects] == list(SIDE_EFFECT_RULES)


def test_a_preview_has_the_ruling_on_each_subject_in_their_order() -> None:
    subjects = [subject_of_action(action(id), BOT) for id in ("video.open", "video.send")]
    rulings = preview(policies(rule("deny", "video.send")), subjects)
    assert [name for name, _ in rulings] == ["video.open", "video.send"]
    assert rulings[0][1].effect != "deny" and rulings[1][1].effect == "deny"


def test_only_subjects_with_another_ruling_have_changed() -> None:
    subjects = [subject_of_action(action(id), BOT) for id in ("video.open", "video.send")]
    before, after = policies(), policies(rule("deny", "video.send"))
    (changed,) = ruling_changes(before, after, subjects)
    assert changed.name == "video.send" and changed.stricter and changed.after.effect == "deny"
    (back,) = ruling_changes(after, before, subjects)
    assert not back.stricter
    assert ruling_changes(after, after, subjects) == []
