"""Policy files that are written: the commented one, and the one from answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from uiap.host.consent.policy_file import load_policies
from uiap.policy.learning import (
    MEMBERS,
    AnswerCounts,
    AnsweredQuestion,
    learned_effect,
    learned_policy,
    template,
)
from uiap.spec.policy import PolicyDocument, PolicyMatch

SAVE = AnsweredQuestion(
    action="ui.activate",
    origin="https://a.example",
    role="button",
    side_effect="data_write",
    stable_id="save",
)
OTHER = AnsweredQuestion(
    action="ui.activate", origin="https://a.example", role="button", side_effect="unknown"
)
SEND = AnsweredQuestion(
    action="ui.submit",
    origin="https://a.example",
    role="form",
    side_effect="external_effect",
    stable_id="invite",
    risk_tags=("external_effect",),
)


def loaded(text: str, folder: Path) -> PolicyDocument:
    (folder / "p.yaml").write_text(text)
    (document,) = load_policies(folder / "p.yaml")
    return document


def test_the_commented_file_is_valid_and_names_every_member_of_a_match(tmp_path: Path) -> None:
    text = template("team")
    assert loaded(text, tmp_path).id == "team"
    assert set(MEMBERS) == set(PolicyMatch.__struct_encode_fields__)
    assert all(f"#   {name}: " in text for name in MEMBERS)


def test_every_example_of_a_member_is_valid(tmp_path: Path) -> None:
    match = "\n".join(f"      {name}: {example}" for name, (example, _) in MEMBERS.items())
    text = (
        template("team").partition("# Members")[0] + f"  - id: all\n    effect: deny\n    match:\n{match}\n"
    )
    rules = loaded(text, tmp_path).rules
    assert rules and rules[-1].id == "all"


@pytest.mark.parametrize(
    ("question", "answers", "effect"),
    [
        (SAVE, AnswerCounts(3, 0), "allow"),
        (SAVE, AnswerCounts(3, 1), "confirm"),
        (SAVE, AnswerCounts(0, 1), "deny"),
        (SEND, AnswerCounts(9, 0), "confirm"),
        (SEND, AnswerCounts(0, 2), "deny"),
    ],
)
def test_a_rule_follows_the_answers_and_a_risk_keeps_asking(
    question: AnsweredQuestion, answers: AnswerCounts, effect: str
) -> None:
    assert learned_effect(question, answers) == effect


def test_a_learned_file_is_valid_and_enables_no_rule_that_covers_more_than_was_shown(tmp_path: Path) -> None:
    document = loaded(
        learned_policy("mine", [(SAVE, True), (OTHER, True), (SEND, True), (SAVE, True)]), tmp_path
    )
    assert document.rules
    by_effect = [(rule.effect, rule.enabled is not False) for rule in document.rules]
    assert by_effect == [("allow", True), ("allow", False), ("confirm", True)]
    assert document.rules[0].match == PolicyMatch(
        action_ids=("ui.activate",),
        origins=("https://a.example",),
        roles=("button",),
        stable_ids=("save",),
        side_effect_classes=("data_write",),
    )
    assert loaded(learned_policy("none", []), tmp_path).rules == ()


def test_the_documentation_lists_every_member_with_its_example() -> None:
    page = (Path(__file__).parents[2] / "docs" / "policy.md").read_text("utf-8")
    for name, (example, text) in MEMBERS.items():
        assert f"| `{name}` | `{example}` | {text} |" in page
