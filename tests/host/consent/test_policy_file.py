"""Policies from files: a misspelt member is an error, because it would silently weaken the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from uiap.errors import Unavailable
from uiap.host.consent.policy_file import check_documents, load_policies, rules_for, rules_from
from uiap.policy.builtin import STANDARD, TRUSTED

POLICY = """modelVersion: "0.1"
id: team
defaults: {onUnknownAction: deny, onBlocked: handoff}
rules:
  - id: drafts
    match: {stableIds: ["draft.*"]}
    effect: allow
"""


def written(folder: Path, text: str, name: str = "policy.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_document_and_a_policy_set_are_read(tmp_path: Path) -> None:
    (one,) = load_policies(written(tmp_path, POLICY))
    assert one.id == "team"
    inner = "".join(f"        {line}\n" for line in POLICY.splitlines())
    manifest = f"kind: PolicySet\nspec:\n  policies:\n    - id: p\n      document:\n{inner}"
    assert load_policies(written(tmp_path, manifest)) == (one,)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (POLICY.replace("effect", "efect"), "not a policy|efect"),
        (POLICY.replace("match: {stableIds", "match: {stableIdz"), "stableIdz"),
        (POLICY + "extra: 1\n", "extra"),
        ("[1, 2]", "no policy"),
        ("a: [", "cannot be read"),
        ("kind: PolicySet\nspec: {}\n", "spec.policies"),
    ],
)
def test_a_fault_is_reported_in_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Unavailable, match=words):
        load_policies(written(tmp_path, text))


def test_ids_must_be_unique_because_decisions_are_explained_by_them(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="two policies"):
        check_documents((STANDARD, STANDARD))
    rule = POLICY[POLICY.index("  - id") :]
    with pytest.raises(Unavailable, match="two rules"):
        load_policies(written(tmp_path, POLICY + rule))


def test_rules_are_given_by_name_document_or_several_of_them(tmp_path: Path) -> None:
    assert rules_from("trusted") == "trusted"
    assert rules_from(STANDARD) == (STANDARD,)
    assert [one.id for one in rules_from([TRUSTED, written(tmp_path, POLICY)])] == [TRUSTED.id, "team"]  # type: ignore[union-attr]
    with pytest.raises(Unavailable, match="no policy at"):
        rules_from(tmp_path / "missing.yaml")


def test_a_level_a_ceiling_and_a_file_give_the_rules_of_a_session(tmp_path: Path) -> None:
    file = written(tmp_path, POLICY)
    (team,) = load_policies(file)
    assert rules_for(None, None, ceiling=None, default="assist") == "assist"
    assert rules_for("ask", None, ceiling=None, default="assist") == "standard"
    assert rules_for(None, file, ceiling=None, default="assist") == (team,)
    assert rules_for("ask", file, ceiling=None, default="assist") == (STANDARD, team)
    assert rules_for(None, file, ceiling="ask", default="trusted") == (STANDARD, team)
    assert rules_from("ask") == "standard"
