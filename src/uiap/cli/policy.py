"""`uiap policy`: write and check a policy, preview its decisions, and compare two policies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from uiap.authoring.documents.source import read
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.host.consent.answered import answered_questions
from uiap.host.consent.policy_file import load_policies, rules_from
from uiap.host.consent.principals import effective_principal, principal_from
from uiap.policy.builtin import policy_set
from uiap.policy.evaluate import PolicySet, Ruling
from uiap.policy.learning import learned_policy, template
from uiap.policy.preview import PreviewSubject, ruling_changes, side_effect_subjects, subject_of_action
from uiap.policy.preview import preview as preview_decisions
from uiap.spec.capability import ActionDescriptor

as_option = click.option(
    "--as",
    "who",
    default="agent:agent",
    metavar="TYPE:ID",
    help="The principal that acts (default agent:agent).",
)
app_option = click.option(
    "--app",
    type=click.Path(exists=True),
    metavar="FOLDER|BUNDLE",
    help="Include this application's actions.",
)
EFFECTS = {"allow": "green", "confirm": "yellow", "handoff": "cyan", "deny": "red"}


@click.group(
    help="Write, check and compare the policies that decide what an agent may do. RULES is a file, or a level: "
    "observe, ask, assist, trusted."
)
def command() -> None:
    pass


@command.command(help="Check that FILE is a valid policy.")
@click.argument("file")
@json_option
def check(file: str, as_json: bool) -> int:
    policies = policy_set(rules_from(file))
    count = sum(len(one.rules or ()) for one in policies.documents)
    if as_json:
        print_json(
            {
                "revision": policies.revision,
                "documents": [one.id for one in policies.documents],
                "rules": count,
            }
        )
    else:
        names = ", ".join(one.id for one in policies.documents)
        click.echo(f"valid: {names} with {count} rules, revision {policies.revision}")
    return 0


@command.command(
    short_help="Write a commented policy.", help="Write a commented policy to FILE, to be changed."
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default="policy.yaml")
@json_option
def init(file: Path, as_json: bool) -> int:
    return _write(file, template(file.stem), as_json)


@command.command(
    short_help="Write a policy from your answers.",
    help="Write a policy to FILE from the questions that a person answered, to be reviewed. Their answers are in the "
    "audit log of STORE.",
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default="learned.yaml")
@click.option("--store", metavar="STORE", help="The store, a file or a URL (default: that of this user).")
@json_option
def learn(file: Path, store: str | None, as_json: bool) -> int:
    from uiap.cli.audit import open_store
    from uiap.host.records.audit import entries

    with open_store(store) as opened:
        answered = answered_questions(entry for _, entry in entries(opened) if entry is not None)
    return _write(file, learned_policy(file.stem, answered), as_json)


def _write(file: Path, text: str, as_json: bool) -> int:
    if file.exists():
        raise Unavailable(f"`{file}` exists; name another file, or remove it first")
    file.write_text(text, encoding="utf-8")
    rules = sum(len(one.rules or ()) for one in load_policies(file))
    if as_json:
        print_json({"file": str(file), "rules": rules})
    else:
        click.echo(f"wrote {file} with {rules} rules; review it, then: uiap open URL --policy {file}")
    return 0


@command.command(
    short_help="Print the decisions of RULES.",
    help="Print what RULES decide about each kind of side effect, and about an application's actions.",
)
@click.argument("rules")
@as_option
@app_option
@json_option
def preview(rules: str, who: str, app: str | None, as_json: bool) -> int:
    found = preview_decisions(_rules(rules), _subjects(who, rules, app))
    if as_json:
        print_json({name: _plain(ruling) for name, ruling in found})
        return 0
    width = max(len(name) for name, _ in found)
    for name, ruling in found:
        click.echo(
            f"{name:{width}}  {_effect(ruling)} {ruling.reason}: {ruling.decided_by}{_missing(ruling)}"
        )
    return 0


@command.command(
    help="Print the decisions that differ between BEFORE and AFTER. Exit code 1: a decision is less strict."
)
@click.argument("before")
@click.argument("after")
@as_option
@app_option
@json_option
def diff(before: str, after: str, who: str, app: str | None, as_json: bool) -> int:
    found = ruling_changes(_rules(before), _rules(after), _subjects(who, after, app))
    laxer = [one for one in found if not one.stricter and one.before.effect != one.after.effect]
    if as_json:
        print_json([{"of": c.name, "before": _plain(c.before), "after": _plain(c.after)} for c in found])
        return 1 if laxer else 0
    if not found:
        click.echo("no decision changes")
    for one in found:
        word = "laxer   " if one in laxer else "stricter" if one.stricter else "same    "
        click.echo(
            f"{word} {one.name}: {one.before.effect} ({one.before.decided_by}) → "
            f"{one.after.effect} ({one.after.decided_by})"
        )
    return 1 if laxer else 0


def _rules(given: str) -> PolicySet:
    return policy_set(rules_from(given))


def _subjects(who: str, rules: str, app: str | None) -> list[PreviewSubject]:
    actor = effective_principal(principal_from(who), "trusted" if rules == "trusted" else "standard")
    return [*side_effect_subjects(actor), *(subject_of_action(one, actor) for one in _actions(app))]


def _actions(app: str | None) -> list[ActionDescriptor]:
    """Return the actions of a compiled bundle, or of the Actions manifests of a package."""
    import msgspec

    if app is None:
        return []
    path = Path(app)
    files = [path] if path.is_file() else sorted(path.rglob("*.uiap.yaml"))
    found: list[ActionDescriptor] = []
    for file in files:
        value = read(file.name, file.read_bytes()).value
        for action in _declared_actions(value):
            try:
                found.append(msgspec.convert(action, ActionDescriptor))
            except msgspec.ValidationError as error:
                raise Unavailable(f"`{file}` has an action that cannot be read: {error}") from error
    if not found:
        raise Unavailable(f"`{app}` declares no actions")
    return found


def _declared_actions(value: object) -> Iterable[object]:
    if not isinstance(value, dict):
        return []
    if value.get("kind") == "Actions":
        value = value.get("spec", {})
    elif "kind" in value:
        return []
    actions = value.get("actions", []) if isinstance(value, dict) else []
    return [{"targetKinds": ["none"], **one} for one in actions if isinstance(one, dict)]


def _effect(ruling: Ruling) -> str:
    return click.style(f"{ruling.effect:8}", fg=EFFECTS[ruling.effect])


def _missing(ruling: Ruling) -> str:
    return f" (needs {', '.join(ruling.missing_grants)})" if ruling.missing_grants else ""


def _plain(ruling: Ruling) -> dict[str, object]:
    return {
        "effect": ruling.effect,
        "reason": ruling.reason,
        "decidedBy": ruling.decided_by,
        "missingGrants": list(ruling.missing_grants),
        "message": ruling.message,
    }
