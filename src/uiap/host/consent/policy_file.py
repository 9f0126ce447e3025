"""Policies from files: a document, or the PolicySet manifest of a package. What is wrong is said before it counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.authoring.documents.source import read
from uiap.errors import Unavailable
from uiap.policy.builtin import DOCUMENTS, Rules, documents_of
from uiap.policy.cedar import cedar_of
from uiap.spec.policy import PolicyDefaults, PolicyDocument

GivenRules: TypeAlias = Rules | str | Path | PolicyDocument | Sequence[PolicyDocument | str | Path]
"""`standard`, `trusted`, a document or several, or the files they are in."""


def rules_from(given: GivenRules) -> Rules:
    """What `uiap.open(rules=…)` and `--policy` take."""
    if isinstance(given, PolicyDocument):
        return check_documents((given,))
    if isinstance(given, str | Path):
        if given in DOCUMENTS:
            return given
        return load_policies(Path(given))
    return check_documents(tuple(document for one in given for document in documents_of(rules_from(one))))


def load_policies(path: Path) -> tuple[PolicyDocument, ...]:
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
    """A file in Cedar stands beside our own tables: of the two the stricter counts."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Unavailable(f"no policy at `{path}`: {getattr(error, 'strerror', None) or error}") from error
    defaults = PolicyDefaults(on_unknown_action="confirm", on_blocked="handoff")
    return PolicyDocument(model_version="0.1", id=path.stem, defaults=defaults, metadata={"cedar": text})


def _documents(document: Any, path: Path) -> list[Any]:
    if not isinstance(document, dict):
        raise Unavailable(f"`{path}` holds no policy; it begins with modelVersion, id and defaults")
    if document.get("kind") != "PolicySet":
        return [document]
    spec = document.get("spec")
    policies = spec.get("policies") if isinstance(spec, dict) else None
    if not isinstance(policies, list) or not all(isinstance(one, dict) for one in policies):
        raise Unavailable(f"`{path}` is a PolicySet without spec.policies")
    scoped = [one.get("id", "?") for one in policies if "selector" in one]
    if scoped:
        named = ", ".join(map(str, scoped))
        raise Unavailable(
            f"`{path}` has policies for some only ({named}); build the package and open its bundle"
        )
    return [one.get("document") for one in policies]


def _parsed(document: Any, path: Path) -> PolicyDocument:
    try:
        parsed = msgspec.convert(document, PolicyDocument)
    except msgspec.ValidationError as error:
        raise Unavailable(f"`{path}` is no policy: {error}") from error
    again = msgspec.to_builtins(parsed)
    if (odd := _unknown(document, again, "$")) is not None:
        raise Unavailable(
            f"`{path}` has a member that no policy has: `{odd}`; a rule must not fail by a misspelling"
        )
    return parsed


def _unknown(given: Any, kept: Any, where: str) -> str | None:
    """A member that was dropped on reading: unknown members are ignored on the wire, but not in rules."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for name, value in given.items():
            if name not in kept:
                return f"{where}.{name}"
            if (odd := _unknown(value, kept[name], f"{where}.{name}")) is not None:
                return odd
    elif isinstance(given, list) and isinstance(kept, list | tuple):
        found = (_unknown(a, b, f"{where}[{n}]") for n, (a, b) in enumerate(zip(given, kept, strict=False)))
        return next((odd for odd in found if odd is not None), None)
    return None


def check_documents(documents: tuple[PolicyDocument, ...]) -> tuple[PolicyDocument, ...]:
    """Ids are how a decision is explained: they must be told apart. What is in Cedar must be Cedar."""
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
