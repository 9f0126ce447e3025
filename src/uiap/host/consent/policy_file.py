"""Loads policies from files: a policy document, a PolicySet manifest or a Cedar file. Faults are reported at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.authoring.documents.source import read
from uiap.errors import Unavailable
from uiap.policy.autonomy import LEVELS, RULES, Autonomy, permitted_level, rules_at
from uiap.policy.builtin import DOCUMENTS, Rules, documents_of
from uiap.policy.cedar import cedar_of
from uiap.spec.policy import PolicyDefaults, PolicyDocument

GivenRules: TypeAlias = Rules | str | Path | PolicyDocument | Sequence[PolicyDocument | str | Path]
"""A level of autonomy, `standard` (the rules of `ask`), one or more documents, or the files that hold them."""


def rules_for(
    autonomy: str | None, given: GivenRules | None, *, ceiling: str | None, default: Autonomy
) -> Rules:
    """Return the rules of a new session: of its level of autonomy, its documents, or the stricter of both.

    `default` is the level of an interface, if neither a level, a ceiling nor documents are given.
    """
    documents = None if given is None else rules_from(given)
    if documents is not None and autonomy is None and ceiling is None:
        return documents
    return rules_at(permitted_level(autonomy, ceiling, default), documents)


def rules_from(given: GivenRules) -> Rules:
    """Return the rules given to `uiap.open(rules=…)` or `--policy`."""
    if isinstance(given, PolicyDocument):
        return check_documents((given,))
    if isinstance(given, str | Path):
        if given in LEVELS:
            return RULES[given]
        if given in DOCUMENTS:
            return given
        return load_policies(Path(given))
    return check_documents(tuple(document for one in given for document in documents_of(rules_from(one))))


def load_policies(path: Path) -> tuple[PolicyDocument, ...]:
    """Return the policies in a file. Raise Unavailable if it cannot be read or is not valid."""
    if path.suffix == ".cedar":
        return check_documents((_cedar(path),))
    try:
        found = read(path.name, path.read_bytes())
    except OSError as error:
        raise Unavailable(f"no policy at `{path}`: {error.strerror or error}") from error
    for fault in found.faults:
        line = "" if fault.line is UNSET else f", line {fault.line}"
        raise Unavailable(f"`{path}`{line} cannot be read: {fault.message}")
    document = found.value
    return check_documents(tuple(_parsed(one, path) for one in _documents(document, path)))


def _cedar(path: Path) -> PolicyDocument:
    """Return a document that carries the Cedar text. It applies next to our own tables; the stricter one counts."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"no policy at `{path}`: {getattr(error, 'strerror', None) or error}") from error
    defaults = PolicyDefaults(on_unknown_action="confirm", on_blocked="handoff")
    return PolicyDocument(model_version="0.1", id=path.stem, defaults=defaults, metadata={"cedar": text})


def _documents(document: Any, path: Path) -> list[Any]:
    if not isinstance(document, dict):
        raise Unavailable(f"`{path}` holds no policy; a policy starts with modelVersion, id and defaults")
    if document.get("kind") != "PolicySet":
        return [document]
    spec = document.get("spec")
    policies = spec.get("policies") if isinstance(spec, dict) else None
    if not isinstance(policies, list) or not all(isinstance(one, dict) for one in policies):
        raise Unavailable(f"`{path}` is a PolicySet without spec.policies; add them")
    scoped = [one.get("id", "?") for one in policies if "selector" in one]
    if scoped:
        named = ", ".join(map(str, scoped))
        raise Unavailable(
            f"`{path}` has policies with a selector ({named}); build the package and open its bundle"
        )
    return [one.get("document") for one in policies]


def _parsed(document: Any, path: Path) -> PolicyDocument:
    try:
        parsed = msgspec.convert(document, PolicyDocument)
    except msgspec.ValidationError as error:
        raise Unavailable(f"`{path}` is not a policy: {error}") from error
    again = msgspec.to_builtins(parsed)
    if (unknown := _unknown(document, again, "$")) is not None:
        raise Unavailable(f"`{path}` has the unknown member `{unknown}`; correct its spelling, or remove it")
    return parsed


def _unknown(given: Any, parsed: Any, where: str) -> str | None:
    """Return the path of a member that parsing dropped, or None.

    The wire ignores unknown members. Rules must not: a misspelt member would silently weaken them.
    """
    if isinstance(given, dict) and isinstance(parsed, dict):
        for name, value in given.items():
            if name not in parsed:
                return f"{where}.{name}"
            if (unknown := _unknown(value, parsed[name], f"{where}.{name}")) is not None:
                return unknown
    elif isinstance(given, list) and isinstance(parsed, list | tuple):
        found = (_unknown(a, b, f"{where}[{n}]") for n, (a, b) in enumerate(zip(given, parsed, strict=False)))
        return next((unknown for unknown in found if unknown is not None), None)
    return None


def check_documents(documents: tuple[PolicyDocument, ...]) -> tuple[PolicyDocument, ...]:
    """Return the documents if their ids are unique and their Cedar texts parse.

    Decisions are explained by document id and rule id, so both must be unique.
    """
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise Unavailable(f"two policies are called `{document.id}`; give each its own id")
        seen.add(document.id)
        cedar_of(document)
        rules: set[str] = set()
        for rule in () if document.rules is UNSET else document.rules:
            if rule.id in rules:
                raise Unavailable(
                    f"two rules of `{document.id}` are called `{rule.id}`; give each its own id"
                )
            rules.add(rule.id)
    return documents
