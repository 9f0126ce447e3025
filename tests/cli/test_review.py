"""`uiap review`: decisions about a package, one by one, by rule, resumed and undone."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from tests.discovery.simulated_app import Element, Page, explore
from uiap.cli.review import command
from uiap.discovery.package.decision_groups import DecisionGroup
from uiap.discovery.package.decisions import Subject
from uiap.spec.discovery import DiscoveryPackage

PAGE = Page(
    [Element("button", "Show"), Element("button", "Save"), Element("button", "Delete account")], title="Home"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package, _, _ = explore({"/": PAGE})
    (tmp_path / "package.json").write_bytes(msgspec.json.encode(package))
    return tmp_path


def run(folder: Path, *args: str, keys: str = "") -> Result:
    result = CliRunner().invoke(command, [str(folder), *args], input=keys)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def reviewed(folder: Path) -> DiscoveryPackage:
    return msgspec.json.decode((folder / "reviewed.json").read_bytes(), type=DiscoveryPackage)


def test_findings_are_accepted_rejected_and_renamed_by_name(folder: Path) -> None:
    run(folder, "--accept", "action:candidate.root.save", "--reject", "action:candidate.root.delete-account")
    run(folder, "--rename", "element:/|app|button|show=Show everything", "--by", "ann")
    package = reviewed(folder)
    actions = {one.id: one for one in package.action_catalog.actions}
    assert "candidate.root.delete-account" not in actions
    saved = actions["candidate.root.save"]
    assert saved.review_state == "verified" and saved.discovered_by[-1].source == "manual_review"
    index = {one.ref_id: one for one in package.evidence_index.items}
    assert index[saved.discovered_by[-1].ref_id].inline["verdict"] == "accept"
    shown = next(one for one in package.element_catalog.elements if one.semantic_key == "/|app|button|show")
    assert shown.names == ("Show everything", "Show") and shown.review_state != "verified"
    assert package.metadata["review"]["open"] > 0 and package.metadata["reviewRequired"] is True


def test_a_rule_decides_about_many_and_an_unknown_member_is_named(folder: Path) -> None:
    run(folder, "--reject-where", "kind=action,severity=high", "--accept-where", "kind=element")
    package = reviewed(folder)
    assert {one.review_state for one in package.element_catalog.elements} == {"verified"}
    assert "candidate.root.delete-account" not in {one.id for one in package.action_catalog.actions}
    wrong = CliRunner().invoke(command, [str(folder), "--accept-where", "colour=red"])
    assert wrong.exit_code == 2 and "colour" in wrong.output


def test_a_walk_asks_one_after_the_other_and_is_continued_and_undone(folder: Path) -> None:
    first = run(folder, keys="r\nq\n")
    assert "decisions" in first.output and "[a]ccept" in first.output and "1 rejected" in first.output
    assert "was not executed" in first.output
    left = run(folder, "--list").output.splitlines()
    second = run(folder, keys="a\nn\nBetter\nu\nu\nu\ng\n")
    assert "taken back: accept" in second.output and "0 open" in second.output
    package = reviewed(folder)
    assert package.metadata["review"] == {"accept": len(left), "reject": 1, "open": 0}
    assert package.metadata["reviewRequired"] is False
    run(folder, "--undo")
    assert len(run(folder, "--list").output.splitlines()) == 1


def test_a_finding_that_the_package_does_not_have_is_refused(folder: Path) -> None:
    result = CliRunner().invoke(command, [str(folder), "--accept", "action:nowhere"])
    assert result.exit_code != 0 and not (folder / "reviewed.json").exists()


def test_a_group_of_findings_is_decided_at_once_or_opened(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def at_once(found: Iterable[Subject]) -> list[DecisionGroup]:
        subjects = tuple(found)
        return [DecisionGroup("element", "none", "the application", subjects)] if subjects else []

    monkeypatch.setattr("uiap.cli.review.decision_groups", at_once)
    opened = run(folder, keys="o\nr\nq\n")
    assert "[o]pen one by one" in opened.output and "1 rejected" in opened.output
    decided = run(folder, keys="a\n" * 8 + "q\n")
    assert "[a]ccept all" in decided.output and "0 open" in decided.output


def test_a_review_takes_as_many_decisions_as_it_says_at_its_beginning(tmp_path: Path) -> None:
    words = ("Frobnicate", "Save", "Delete", "Show", "Send")
    pages = {
        f"/{name}": Page([Element("button", f"{word} {name}") for word in words], title=name)
        for name in ("orders", "people", "stock", "bills", "notes", "files", "roles", "rooms", "plans")
    }
    home = Page([Element("link", path, href=path) for path in pages], title="Home")
    package, _, _ = explore({"/": home, **pages})
    (tmp_path / "package.json").write_bytes(msgspec.json.encode(package))
    walked = run(tmp_path, keys="a\n" * 100)
    findings, _, rest = walked.output.partition(" findings in ")
    said, asked = int(rest.partition(" ")[0]), walked.output.count("[u]ndo, [q]uit")
    assert int(findings.split()[-1]) > asked == said and "0 open" in walked.output
