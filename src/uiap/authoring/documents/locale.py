"""Find the texts of a manifest, and resolve references to texts.

The order is: exact locale, shorter locales, default locale of the app, `default`, `fallback`. A text that is still
missing is reported and replaced by its reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from msgspec import inspect

from uiap.authoring.diagnostic import Problems
from uiap.authoring.documents.schema import DOCUMENTS
from uiap.authoring.manifest import Manifest
from uiap.authoring.pointer import render
from uiap.spec.text import AuthoredMessage

Path: TypeAlias = tuple[str | int, ...]
Plan: TypeAlias = (
    Any  # "text", ("list", Plan), ("map", Plan), ("object", {name: Plan}), ("tag", field, {tag: Plan})
)


class Texts:
    """All messages of all locale packs, by namespace and key."""

    def __init__(
        self, namespaces: Mapping[str, Mapping[str, Mapping[str, Any]]], default_locale: str | None
    ) -> None:
        self._namespaces = namespaces
        self._default_locale = default_locale

    def message(self, reference: str) -> Mapping[str, Any] | None:
        """Return the message of a reference: the longest matching namespace, then the rest as key."""
        parts = reference.split(".")
        for end in range(len(parts) - 1, 0, -1):
            messages = self._namespaces.get(".".join(parts[:end]))
            if messages is not None:
                return messages.get(".".join(parts[end:]))
        return None

    def in_locale(self, message: Mapping[str, Any], locale: str) -> str:
        """Return the text of a message in a locale, else in the default locale, else its default."""
        by_locale = message.get("byLocale") or {}
        wanted = [
            *_locale_chain(locale),
            *(_locale_chain(self._default_locale) if self._default_locale else ()),
        ]
        return str(next((by_locale[tag] for tag in wanted if tag in by_locale), message["default"]))

    def all_in_locale(self, locale: str) -> dict[str, str]:
        """Return all texts in a locale, by reference."""
        return {
            f"{namespace}.{key}": self.in_locale(message, locale)
            for namespace, messages in self._namespaces.items()
            for key, message in messages.items()
        }


class TextPosition(NamedTuple):
    """The file and pointer of a text."""

    file: str
    pointer: str


def resolve_locales(
    manifests: Iterable[Manifest], texts: Texts, locale: str | None, problems: Problems
) -> list[Manifest]:
    """Return the manifests with every text object as LocalizedText, or as a string if the build has a locale."""
    return [_resolve_manifest(manifest, texts, locale, problems) for manifest in manifests]


def _resolve_manifest(manifest: Manifest, texts: Texts, locale: str | None, problems: Problems) -> Manifest:
    if not manifest.facts.texts:
        return manifest
    spec = manifest.document["spec"]
    fresh: set[int] = set()
    spec = spec.copy()
    for path in manifest.facts.texts:
        container = _copied_container(spec, path, fresh)
        position = TextPosition(manifest.file, render(("spec", *path)))
        container[path[-1]] = resolve_text(container[path[-1]], texts, locale, position, problems)
    return manifest._replace(document={**manifest.document, "spec": spec})


def _copied_container(spec: Any, path: Path, fresh: set[int]) -> Any:
    """Return the container of the last step; copy each container on the path once."""
    container = spec
    for step in path[:-1]:
        child = container[step]
        if id(child) not in fresh:
            child = child.copy()
            fresh.add(id(child))
            container[step] = child
        container = child
    return container


def resolve_text(
    text: dict[str, Any], texts: Texts, locale: str | None, position: TextPosition, problems: Problems
) -> Any:
    """Return a text object as LocalizedText, or as a string if the build has a locale."""
    message: Mapping[str, Any] | None = text
    if "ref" in text:
        message = texts.message(text["ref"])
        if message is None:
            return _missing_text(text, position, problems)
    assert message is not None
    if locale is not None:
        return texts.in_locale(message, locale)
    return dict(message) if message.get("byLocale") else message["default"]


def _missing_text(text: dict[str, Any], position: TextPosition, problems: Problems) -> str:
    if problems.has_unreadable_kind("LocalePack"):
        return str(text.get("fallback", text["ref"]))
    if "fallback" in text:
        message = f"no locale pack has `{text['ref']}`; its fallback is used"
        problems.info("text_fallback", message, position.file, position.pointer)
        return str(text["fallback"])
    message = f"no locale pack has `{text['ref']}`"
    problems.warning(
        "missing_text", message, position.file, position.pointer, "add it to a LocalePack or give a fallback"
    )
    return str(text["ref"])


def _locale_chain(locale: str) -> Iterator[str]:
    """Yield a locale and its shorter forms: `zh-Hant-TW`, `zh-Hant`, `zh`."""
    parts = locale.split("-")
    for end in range(len(parts), 0, -1):
        yield "-".join(parts[:end])


def text_paths(kind: str, spec: Any) -> tuple[Path, ...]:
    """Return the paths of texts that are objects. The types decide, so that similar objects in metadata stay."""
    plan = _plan(kind)
    return tuple(_find(plan, spec, ())) if plan is not None else ()


def _find(plan: Plan, value: Any, path: Path) -> Iterator[Path]:
    """Yield the path of each text object in a value. The plan has the shape of the value's type."""
    if plan == "text":
        if isinstance(value, dict):
            yield path
    elif plan[0] == "list":
        for index, item in enumerate(value):
            yield from _find(plan[1], item, (*path, index))
    elif plan[0] == "map":
        for key, item in value.items():
            yield from _find(plan[1], item, (*path, key))
    elif plan[0] == "tag":
        below = plan[2].get(value.get(plan[1])) if isinstance(value, dict) else None
        if below is not None:
            yield from _find(below, value, path)
    else:
        for name, below in plan[1].items():
            if name in value:
                yield from _find(below, value[name], (*path, name))


@cache
def _plan(kind: str) -> Plan | None:
    described = inspect.type_info(DOCUMENTS[kind])
    assert isinstance(described, inspect.StructType)
    spec = next(field for field in described.fields if field.encode_name == "spec")
    return _plan_of(spec.type, ())


def _plan_of(of: inspect.Type, above: tuple[type, ...]) -> Plan | None:
    """Return the part of a type that can contain texts, or None. A recursive type is visited once."""
    match of:
        case inspect.Metadata():
            return _plan_of(of.type, above)
        case inspect.VarTupleType() | inspect.ListType():
            below = _plan_of(of.item_type, above)
            return ("list", below) if below is not None else None
        case inspect.DictType():
            below = _plan_of(of.value_type, above)
            return ("map", below) if below is not None else None
        case inspect.UnionType():
            return _union(of, above)
        case inspect.StructType() if of.cls is AuthoredMessage:
            return "text"
        case inspect.StructType() if of.cls not in above:
            below = {f.encode_name: _plan_of(f.type, (*above, of.cls)) for f in of.fields}
            kept = {name: plan for name, plan in below.items() if plan is not None}
            return ("object", kept) if kept else None
    return None


def _union(of: inspect.UnionType, above: tuple[type, ...]) -> Plan | None:
    tagged: dict[Any, Plan] = {}
    field = None
    for option in of.types:
        plan = _plan_of(option, above)
        if plan is None:
            continue
        if not isinstance(option, inspect.StructType) or option.tag_field is None:
            return plan
        field = option.tag_field
        tagged[option.tag] = plan
    return ("tag", field, tagged) if tagged else None
