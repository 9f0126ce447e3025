"""`uiap review`: decide about the findings of a discovery package, one by one or by rule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from getpass import getuser
from pathlib import Path

import click
import msgspec

from uiap.cli.discover import read_package
from uiap.cli.output import json_option, print_json
from uiap.discovery.package.decision_groups import DecisionGroup, decision_groups
from uiap.discovery.package.decisions import (
    KINDS,
    FindingDecision,
    Subject,
    Verdict,
    matches,
    open_subjects,
    reviewed_package,
    subjects,
)
from uiap.errors import Unavailable
from uiap.spec.discovery import DiscoveryPackage

_GROUP_KEYS = "[a]ccept all, [r]eject all, [o]pen one by one, [s]kip, [u]ndo, [q]uit"
_SHOWN, _SHOWN_QUESTIONS = 8, 3
_KEYS = "[a]ccept, [r]eject, re[n]ame, [s]kip, accept the [g]roup, [u]ndo, [q]uit"


class Review:
    """The decisions about one package. They are in `review.jsonl` next to it, and the result in `reviewed.json`."""

    def __init__(self, path: Path, by: str) -> None:
        self.package: DiscoveryPackage = read_package(str(path))
        self._by, self._file, self.result = (
            by,
            path.with_name("review.jsonl"),
            path.with_name("reviewed.json"),
        )
        lines = self._file.read_bytes().splitlines() if self._file.exists() else []
        self.decisions = [msgspec.json.decode(line, type=FindingDecision) for line in lines]

    @property
    def open(self) -> list[Subject]:
        return open_subjects(self.package, self.decisions)

    def decide(self, subject: Subject, verdict: Verdict, name: str | None = None) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        made = FindingDecision(
            kind=subject.kind, id=subject.id, verdict=verdict, name=name, by=self._by, at=at
        )
        self.decisions.append(made)

    def undo(self) -> FindingDecision | None:
        """Take the last decision back."""
        return self.decisions.pop() if self.decisions else None

    def find(self, key: str) -> Subject:
        kind, _, id = key.partition(":")
        found = next((one for one in subjects(self.package) if (one.kind, one.id) == (kind, id)), None)
        if found is None:
            raise Unavailable(
                f"the package has no `{key}`; --list prints all, as KIND:ID with {', '.join(KINDS)}"
            )
        return found

    def save(self) -> None:
        self._file.write_bytes(b"".join(msgspec.json.encode(one) + b"\n" for one in self.decisions))
        data = msgspec.json.encode(reviewed_package(self.package, self.decisions))
        self.result.write_bytes(msgspec.json.format(data, indent=2) + b"\n")


@click.command(
    help="Decide about the findings of a discovery package: FOLDER or its package.json.\n\n"
    "Without options, at most about 40 groups of findings are shown in turn, the most urgent first; a group is "
    "accepted, rejected or opened. A review can be stopped and continued. "
    "Accepted findings are verified in reviewed.json, rejected ones are left out of it. "
    "`uiap init --from-discovery FOLDER/reviewed.json` makes manifests of it."
)
@click.argument("path", metavar="FOLDER", type=click.Path(exists=True))
@click.option("--list", "lists", is_flag=True, help="Print what is left to decide, and decide nothing.")
@click.option("--accept", multiple=True, metavar="KIND:ID", help="Accept a finding.")
@click.option("--reject", multiple=True, metavar="KIND:ID", help="Reject a finding.")
@click.option("--rename", multiple=True, metavar="KIND:ID=NAME", help="Give a finding another name.")
@click.option(
    "--accept-where", multiple=True, metavar="RULE", help="Accept all that fit, such as confidence=high."
)
@click.option(
    "--reject-where", multiple=True, metavar="RULE", help="Reject all that fit: kind=action,severity=high."
)
@click.option("--undo", is_flag=True, help="Take the last decision back.")
@click.option("--by", metavar="NAME", help="The person who decides (default: your user name).")
@json_option
def command(
    path: str,
    lists: bool,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    rename: tuple[str, ...],
    accept_where: tuple[str, ...],
    reject_where: tuple[str, ...],
    undo: bool,
    by: str | None,
    as_json: bool,
) -> int:
    given = Path(path)
    review = Review(given / "package.json" if given.is_dir() else given, by or getuser())
    if lists:
        _print_open(review, as_json=as_json)
        return 0
    if undo:
        review.undo()
    for key in accept:
        review.decide(review.find(key), "accept")
    for key in reject:
        review.decide(review.find(key), "reject")
    for text in rename:
        key, _, name = text.rpartition("=")
        review.decide(review.find(key), "rename", name)
    _decide_by_rules(review, accept_where, "accept")
    _decide_by_rules(review, reject_where, "reject")
    if not (undo or accept or reject or rename or accept_where or reject_where):
        _walk(review)
    review.save()
    _print_summary(review, as_json=as_json)
    return 0


def _decide_by_rules(review: Review, rules: tuple[str, ...], verdict: Verdict) -> None:
    for rule in rules:
        try:
            fitting = [one for one in review.open if matches(one, rule)]
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        for one in fitting:
            review.decide(one, verdict)


def _walk(review: Review) -> None:
    """Show one group of findings after the other and take a decision for each; a group can be opened."""
    skipped: set[str] = set()
    groups = decision_groups(review.open)  # once: fewer findings later would be split into more groups
    click.echo(f"{len(review.open)} findings in {len(groups)} decisions")
    while group := _next_group(groups, review, skipped):
        if len(group.subjects) == 1:
            if not _walk_one_by_one(review, skipped, {group.subjects[0].key}):
                return
            continue
        click.echo(f"\n{group.title} (urgency: {group.severity})")
        for line in _examples(group):
            click.echo(f"  {line}")
        answer = click.prompt(_GROUP_KEYS, type=click.Choice(list("arosuq")), show_choices=False)
        if answer == "q" or (
            answer == "o" and not _walk_one_by_one(review, skipped, {one.key for one in group.subjects})
        ):
            return
        _answer_group(review, group, answer, skipped)


def _next_group(groups: list[DecisionGroup], review: Review, skipped: set[str]) -> DecisionGroup | None:
    """Return the first group with findings that are still open; one that was taken back is open again."""
    still_open = {one.key for one in review.open} - skipped
    known = {one.key for group in groups for one in group.subjects}
    taken_back = decision_groups(one for one in review.open if one.key in still_open - known)
    for group in (*groups, *taken_back):
        if left := tuple(one for one in group.subjects if one.key in still_open):
            return group._replace(subjects=left)
    return None


def _examples(group: DecisionGroup) -> Iterator[str]:
    """Yield the first titles of a group, and the first questions about its findings."""
    titles = list(dict.fromkeys(one.title for one in group.subjects))
    yield ", ".join(titles[:_SHOWN]) + (f" and {len(titles) - _SHOWN} more" if len(titles) > _SHOWN else "")
    questions = dict.fromkeys(text for one in group.subjects for text in one.questions)
    yield from list(questions)[:_SHOWN_QUESTIONS]


def _answer_group(review: Review, group: DecisionGroup, answer: str, skipped: set[str]) -> None:
    if answer in ("a", "r"):
        for one in group.subjects:
            review.decide(one, "accept" if answer == "a" else "reject")
    elif answer == "s":
        skipped.update(one.key for one in group.subjects)
    elif answer == "u":
        _undo(review)


def _walk_one_by_one(review: Review, skipped: set[str], keys: set[str]) -> bool:
    """Take a decision about each of these findings; return whether the review goes on."""
    group = None
    while any(one.key in keys - skipped for one in review.open):
        left = [one for one in review.open if one.key not in skipped]
        subject = next(one for one in left if one.key in keys)
        if len(keys) > 1 and subject.group != group:
            group = subject.group
            click.echo(f"\n{group}: {sum(one.group == group and one.key in keys for one in left)} to decide")
        click.echo(f"\n{subject.kind} {subject.title} ({subject.confidence}, {subject.id})")
        for question in subject.questions:
            click.echo(f"  {question}")
        answer = click.prompt(_KEYS, type=click.Choice(list("arnsguq")), show_choices=False)
        if answer == "q":
            return False
        _answer(review, subject, answer, left, skipped)
    return True


def _answer(review: Review, subject: Subject, answer: str, left: list[Subject], skipped: set[str]) -> None:
    if answer == "a":
        review.decide(subject, "accept")
    elif answer == "r":
        review.decide(subject, "reject")
    elif answer == "n":
        review.decide(subject, "rename", click.prompt("name"))
        review.decide(subject, "accept")
    elif answer == "g":
        for one in left:
            if one.group == subject.group:
                review.decide(one, "accept")
    elif answer == "u":
        _undo(review)
    else:
        skipped.add(subject.key)


def _undo(review: Review) -> None:
    taken = review.undo()
    click.echo(f"taken back: {taken.verdict} {taken.kind}:{taken.id}" if taken else "nothing to take back")


def _print_open(review: Review, *, as_json: bool) -> None:
    if as_json:
        print_json({"open": [one._asdict() for one in review.open]})
        return
    for one in review.open:
        click.echo(f"{one.group:24} {one.severity:7} {one.confidence:7} {one.key}  {one.title}")


def _print_summary(review: Review, *, as_json: bool) -> None:
    counts = {
        verdict: sum(one.verdict == verdict for one in review.decisions) for verdict in ("accept", "reject")
    }
    left = len(review.open)
    if as_json:
        print_json({**counts, "open": left, "result": str(review.result)})
        return
    click.echo(
        f"{counts['accept']} accepted, {counts['reject']} rejected, {left} open; written: {review.result}"
    )
