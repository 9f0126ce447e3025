"""A review of a large application takes at most about 40 decisions, the urgent ones one by one."""

from __future__ import annotations

import pytest

from uiap.discovery.package.decision_groups import MAX_GROUPS, decision_groups
from uiap.discovery.package.decisions import Subject


def subject(number: int, kind: str, severity: str, route: str) -> Subject:
    return Subject(kind, f"{kind}-{number}", f"Title {number}", route, "medium", "button", severity, ())


def application(screens: int, urgent: int) -> list[Subject]:
    """Return the findings of an application with this number of screens in ten areas."""
    found = [
        subject(screen * 100 + n, "element", ("none", "low")[n % 2], f"/area{screen % 10}/page{screen}")
        for screen in range(screens)
        for n in range(20)
    ]
    found += [
        subject(n, "action", ("high", "medium")[n % 2], f"/area{n % 10}/page{n % 50}") for n in range(urgent)
    ]
    return [*found, subject(1, "workflow", "medium", "everywhere")]


@pytest.mark.parametrize("urgent", [0, 10, 60, 200])
def test_fifty_screens_take_at_most_forty_decisions(urgent: int) -> None:
    found = application(50, urgent)
    groups = decision_groups(found)
    assert len(groups) <= MAX_GROUPS
    assert sorted(one.key for group in groups for one in group.subjects) == sorted(one.key for one in found)


def test_urgent_findings_come_first_and_stay_alone_while_there_is_room() -> None:
    groups = decision_groups(application(50, 10))
    urgent = [group for group in groups if group.severity == "high"]
    assert len(urgent) == 5 and all(len(group.subjects) == 1 for group in urgent)
    assert [group.severity for group in groups] == sorted(
        (group.severity for group in groups), key=("high", "medium", "low", "none").index
    )


def test_a_small_application_is_decided_one_by_one() -> None:
    groups = decision_groups(application(1, 3))
    assert all(len(group.subjects) == 1 for group in groups)
    assert groups[0].title == "action Title 0"


def test_a_group_names_its_findings_and_their_place() -> None:
    titles = [group.title for group in decision_groups(application(50, 0))]
    assert any(title.startswith("100 elements") or "elements of" in title for title in titles)
