"""The subjects of a review, and the package after it. `tests/cli/test_review.py` walks through one."""

from __future__ import annotations

import pytest

from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import explore
from uiap.discovery.package.decisions import (
    FindingDecision,
    matches,
    open_subjects,
    readable_key,
    reviewed_package,
    subjects,
)


def test_every_finding_is_in_one_group_and_urgent_ones_come_first() -> None:
    package, _, _ = explore(SHOP)
    found = subjects(package)
    assert len({one.key for one in found}) == len(found)
    assert [one.group for one in found] == sorted(one.group for one in found)
    record = [one for one in found if one.group == "/videos/:id"]
    assert record[0].severity == "high" and record[0].questions


def test_a_decision_closes_its_subject_and_a_new_name_does_not() -> None:
    package, _, _ = explore(SHOP)
    first, second = subjects(package)[:2]
    made = [
        FindingDecision(kind=first.kind, id=first.id, verdict="accept"),
        FindingDecision(kind=second.kind, id=second.id, verdict="rename", name="Other"),
    ]
    assert len(open_subjects(package, made)) == len(subjects(package)) - 1
    assert reviewed_package(package, made).metadata["review"]["accept"] == 1


def test_an_action_is_renamed_by_an_id_and_titled_by_any_other_name() -> None:
    package, _, _ = explore(SHOP)
    old = next(one.id for one in subjects(package) if one.kind == "action")
    for name, ids in (("order.send", {"order.send"}), ("Send the order", {old})):
        made = FindingDecision(kind="action", id=old, verdict="rename", name=name)
        after = reviewed_package(package, [made]).action_catalog.actions
        assert {one.id for one in after} & {"order.send", old} == ids


def test_a_rule_needs_known_members() -> None:
    subject = subjects(explore(SHOP)[0])[0]
    assert matches(subject, f"kind={subject.kind},confidence={subject.confidence}")
    with pytest.raises(ValueError, match="colour"):
        matches(subject, "colour=red")


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("/user|table|record link|/user1", "link to /user1 of each row"),
        ("*|form/table|record link|/issue?@template=item&title=", "link to /issue of each row"),
        ("*|form/table|record checkbox|", "checkbox without a name of each row"),
        ("/issue|form|textbox|#text_preview", "textbox text_preview"),
        ("/issue|app|form|", "form without a name"),
        ("save", "save"),
    ],
)
def test_an_element_without_a_name_is_shown_in_words(key: str, words: str) -> None:
    assert readable_key(key) == words
