"""Definition of a manifest kind: its sections, and the facts that one document gives without others.

`inspect` gets one spec and no other manifest. Its facts are cached with the parsed document, so that an unchanged file
costs nothing in the next build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from uiap.authoring.diagnostic import Severity
from uiap.authoring.pointer import render
from uiap.spec.capability import SUCCESS_SIGNAL_KINDS

CORE_SIGNALS = frozenset(SUCCESS_SIGNAL_KINDS)
RefKind: TypeAlias = Literal["route", "scope", "element", "action"]


class Section(NamedTuple):
    """A list in a spec whose items have an id, for example `workflows` with `definition.id`."""

    name: str
    id_path: tuple[str, ...] = ("id",)

    def id_of(self, item: Any) -> str:
        for name in self.id_path:
            item = item[name]
        return str(item)


class Lint(NamedTuple):
    """A problem of one document."""

    severity: Severity
    code: str
    pointer: str
    message: str
    hint: str = ""


class Reference(NamedTuple):
    """A reference to an item that must exist."""

    kind: RefKind
    id: str
    pointer: str
    severity: Severity


class DocumentFacts(NamedTuple):
    """Item ids, references, lints and text paths of one document."""

    ids: Mapping[str, Mapping[str, int]] = {}  # section -> item id -> index
    references: tuple[Reference, ...] = ()
    lints: tuple[Lint, ...] = ()
    texts: tuple[tuple[str | int, ...], ...] = ()  # paths, inside the spec, of texts that are objects


class FactCollector:
    """Collects the facts of one document."""

    def __init__(self) -> None:
        self.known: dict[tuple[RefKind, str], Reference] = {}
        self._lints: list[Lint] = []

    def refer(self, kind: RefKind, id: Any, *path: str | int, severity: Severity = "error") -> None:
        """Record a reference; only the first one to each item is kept."""
        if isinstance(id, str) and (kind, id) not in self.known:
            self.known[kind, id] = Reference(kind, id, render(("spec", *path)), severity)

    def lint(
        self, severity: Severity, code: str, path: tuple[str | int, ...], message: str, hint: str = ""
    ) -> None:
        self._lints.append(Lint(severity, code, render(("spec", *path)), message, hint))

    def facts(
        self, ids: Mapping[str, Mapping[str, int]], texts: tuple[tuple[str | int, ...], ...]
    ) -> DocumentFacts:
        return DocumentFacts(ids, tuple(self.known.values()), tuple(self._lints), texts)


class ManifestKind(NamedTuple):
    """The name of a kind, its inspection, and its sections."""

    name: str
    inspect: Callable[[dict[str, Any], FactCollector], None]
    sections: tuple[Section, ...] = ()

    def section(self, name: str) -> Section | None:
        return next((section for section in self.sections if section.name == name), None)


def numbered(spec: Mapping[str, Any], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Return the items of a list in a spec with their index."""
    return enumerate(spec.get(name) or ())


def item_ids(kind: ManifestKind, spec: Mapping[str, Any], facts: FactCollector) -> dict[str, dict[str, int]]:
    """Return the item ids by section; report an id that occurs twice in one list."""
    found: dict[str, dict[str, int]] = {}
    for section in kind.sections:
        ids: dict[str, int] = {}
        for index, item in numbered(spec, section.name):
            id = section.id_of(item)
            if ids.setdefault(id, index) != index:
                where = (section.name, index)
                facts.lint(
                    "error", "duplicate_id", where, f"`{id}` occurs twice in `{section.name}`", "rename one"
                )
        found[section.name] = ids
    return found


def target_reference(facts: FactCollector, target: Any, *path: str | int) -> None:
    """Record the reference of a target by stable id, scope or route."""
    kinds: dict[str, RefKind] = {"stableId": "element", "scope": "scope", "route": "route"}
    if isinstance(target, dict) and target.get("by") in kinds:
        facts.refer(kinds[target["by"]], target.get("value"), *path, "value", severity="warning")


def signal_references(facts: FactCollector, signals: Any, *path: str | int) -> None:
    """Record the target references of success signals."""
    for index, signal in enumerate(signals or ()):
        if signal.get("kind") == "custom" and signal.get("name") in CORE_SIGNALS:
            message = f"the custom signal `{signal['name']}` has the name of a core signal"
            facts.lint("warning", "custom_core_signal", (*path, index), message, f"kind: {signal['name']}")
        target_reference(facts, signal.get("target"), *path, index, "target")
