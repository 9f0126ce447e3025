"""Policy files, principals and handoffs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.attack.stage import open_stage
from uiap.drivers.scripted.app import Widget
from uiap.errors import Forbidden, InvalidState, Unavailable
from uiap.host.consent.policy_file import rules_from
from uiap.host.consent.principals import DEFAULT_GRANTS, effective_principal, principal_from
from uiap.spec.policy import PolicyPrincipal

POLICY = """
modelVersion: "0.1"
id: house
defaults: { onBlocked: handoff }
rules:
  - id: drafts
    match: { stableIds: ["draft.*"] }
    effect: allow
"""


def test_rules_are_given_by_name_document_or_file(tmp_path: Path) -> None:
    file = tmp_path / "house.yaml"
    file.write_text(POLICY)
    (document,) = rules_from(file)
    assert document.id == "house"  # type: ignore[union-attr]
    assert rules_from(document) == rules_from([document]) == (document,)  # type: ignore[arg-type,list-item]
    assert rules_from("standard") == "standard"
    assert rules_from(str(file)) == (document,)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (POLICY.replace("effect:", "efect:"), "is not a policy"),
        (POLICY.replace("stableIds", "stableId"), "the unknown member `$.rules[0].match.stableId`"),
        (POLICY.replace("onBlocked", "onBloked"), "`$.defaults.onBloked`"),
        (POLICY.replace("handoff", "allow"), "is not a policy"),
        (
            POLICY + "  - id: drafts\n    match: {}\n    effect: deny\n",
            "two rules of `house` are called `drafts`",
        ),
        (POLICY + "id: again\n", "cannot be read"),
        ("- a\n", "holds no policy"),
    ],
)
def test_an_invalid_policy_file_is_refused(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "house.yaml"
    file.write_text(text)
    with pytest.raises(Unavailable) as refused:
        rules_from(file)
    assert why in refused.value.message


def test_a_missing_policy_file_is_reported() -> None:
    with pytest.raises(Unavailable, match="no policy at"):
        rules_from("nowhere.yaml")


def test_a_principal_has_the_grants_of_its_type_unless_admission_names_others() -> None:
    assert effective_principal(None).type == "agent"
    assert "read.secret" not in set(effective_principal(None).grants or ())
    assert effective_principal(principal_from("ann")).grants == DEFAULT_GRANTS["user"]
    assert principal_from("agent:bot") == PolicyPrincipal(type="agent", id="bot")
    few = PolicyPrincipal(type="agent", id="bot", grants=("observe",))
    assert effective_principal(few).grants == ("observe",)
    assert effective_principal(few, "trusted").type == "user"


async def test_missing_grants_deny_an_action_and_are_named() -> None:
    async with open_stage(Widget("b", "button", "Go")) as stage:
        few = PolicyPrincipal(type="agent", id="bot", grants=("observe",))
        request = stage.services.actions.run(_request("Go"), lambda *_: None, "local", principal=few)
        result = await request
        assert result.error.detail["decision"]["missingGrants"] == ["act"]


def _request(name: str):  # type: ignore[no-untyped-def]
    from uiap.spec.action import ActionRequestPayload, ActionTarget
    from uiap.spec.capability import SemanticRef

    return ActionRequestPayload(
        action_id="ui.activate", target=ActionTarget(ref=SemanticRef(role="button", name=name))
    )


async def test_only_a_person_ends_a_handoff_and_only_a_started_one() -> None:
    async with open_stage(Widget("b", "button", "Pay now", on={"click": lambda app: None})) as stage:
        pressed = stage.press("Pay now")
        async with asyncio.timeout(10):
            while not (waiting := (await stage.person.waiting()).handoffs):
                pass
        (step,) = waiting
        with pytest.raises(Forbidden):
            await stage.agent.hand_back(step.action_handle)
        with pytest.raises(InvalidState):
            await stage.person.hand_back("act_other")
        await stage.person.hand_back(step.action_handle, done=False)
        result = await pressed
        assert (result.status, result.error.code) == ("cancelled", "confirmation_denied")
        assert stage.performed == []
        assert [(e.kind, e.reason) for e in stage.audit_entries if e.kind == "handoff"] == [
            ("handoff", "declined")
        ]


async def test_an_action_on_a_tab_that_waits_for_a_person_fails_at_once_and_says_so() -> None:
    widgets = [Widget(one, "button", one, on={"click": lambda app: None}) for one in ("Pay now", "Help")]
    async with open_stage(*widgets) as stage:
        pressed = stage.press("Pay now")
        async with asyncio.timeout(10):
            while not (waiting := (await stage.person.waiting()).handoffs):
                pass
        (step,) = waiting
        error = (await stage.agent.act("ui.focus", role="button", name="Help")).error
        assert (error.code, error.detail["waitsFor"]) == ("user_activation_required", step.action_handle)
        assert "a person has to do a step on this tab first: " in error.message
        await stage.person.hand_back(step.action_handle, done=False)
        await pressed
        after = await stage.agent.act("ui.focus", role="button", name="Help")
        assert after.error is None or after.error.code != "user_activation_required"


async def test_the_rules_in_force_can_be_requested() -> None:
    from uiap.spec.policy import PolicyDocumentPayload, PolicyGetPayload

    async with open_stage(Widget("b", "button", "Go")) as stage:
        reply = await stage.agent._caller.call("uiap.policy.get", PolicyGetPayload(), PolicyDocumentPayload)
        assert [one.id for one in reply.documents] == ["uiap.standard"]
        same = PolicyGetPayload(known_revision=reply.revision)
        again = await stage.agent._caller.call("uiap.policy.get", same, PolicyDocumentPayload)
        assert (again.documents, again.unchanged) == ((), True)
