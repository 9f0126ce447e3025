"""The index: which workflow fits this goal, here, for this person."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflow.simulated import DONE, definition
from uiap.spec.workflow import WorkflowListPayload
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import Situation, fitting, summary

ALL = frozenset({"observe", "guide", "draft", "act"})
VIDEO = definition(DONE, id="video.create", title="Create a video", goals=["record a new clip"])
INVITE = definition(
    DONE,
    id="team.invite",
    title={"default": "Invite colleagues"},
    category="onboarding",
    routeIds=["team"],
    requiredRoles=["admin"],
    interactionModes=["guide"],
)
DELETE = definition(DONE, id="video.delete", title="Delete a video", requiredGrants=["admin"])
EVERYTHING = [VIDEO, INVITE, DELETE]


def ids(situation: Situation | None = None, **asked: Any) -> list[str]:
    fits = fitting(EVERYTHING, WorkflowListPayload(**asked), situation or Situation(grants=ALL))
    return [fit.definition.id for fit in fits]


@pytest.mark.requirement("WF-9")
@pytest.mark.parametrize(
    ("goal", "best"),
    [
        ("create a video", "video.create"),
        ("I want to record a clip", "video.create"),
        ("delete my videos", "video.delete"),
        ("please invite a colleague", "team.invite"),
        ("change the billing address", None),
    ],
)
def test_the_goal_ranks_by_its_words(goal: str, best: str | None) -> None:
    assert (ids(goal=goal) or [None])[0] == best


@pytest.mark.requirement("WF-9")
def test_route_category_and_mode_filter() -> None:
    assert ids(category="onboarding") == ["team.invite"]
    assert ids(route_id="videos") == ["video.create", "video.delete"]
    assert ids(mode="auto") == ["video.create", "video.delete"]
    assert set(ids()) == {"video.create", "team.invite", "video.delete"}


@pytest.mark.requirement("WF-9")
def test_what_is_missing_is_named() -> None:
    here = Situation(grants=frozenset({"observe", "guide"}), route_id="videos")
    fits = {one.definition.id: summary(one) for one in fitting(EVERYTHING, WorkflowListPayload(), here)}
    assert fits["video.create"].missing == ("grant `act`", "grant `draft`")
    assert fits["team.invite"].missing == ("role `admin`", "route `team`")
    assert not any(one.startable for one in fits.values())
    admin = Situation(grants=ALL | {"admin"}, roles=frozenset({"admin"}), route_id="team")
    assert all(one.startable for one in fitting(EVERYTHING, WorkflowListPayload(), admin))


@pytest.mark.requirement("WF-9")
def test_entry_conditions_are_judged_on_the_live_state() -> None:
    workflow = definition(DONE, entryConditions=[{"kind": "role", "role": "editor"}])
    asked, situation = WorkflowListPayload(), Situation(grants=ALL)
    (closed,) = fitting([workflow], asked, situation, ConditionFacts())
    (opened,) = fitting([workflow], asked, situation, ConditionFacts(roles=frozenset({"editor"})))
    assert (closed.missing, opened.missing) == (("entry conditions",), ())
