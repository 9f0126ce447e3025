"""Texts of a bundle in one language, where it was built for several."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from uiap.spec.base import Struct
from uiap.spec.text import AuthoredMessage

T = TypeVar("T")


def localized(value: T, locales: tuple[str, ...]) -> T:
    """Return a part of a bundle with every text in the first of these locales that has it, else in its default."""
    if isinstance(value, AuthoredMessage):
        by_locale = value.by_locale or {}
        found = next((by_locale[one] for one in locales if one in by_locale), None)
        return value if found is None else msgspec.structs.replace(value, default=found)
    if isinstance(value, tuple):
        return tuple(localized(one, locales) for one in value)  # type: ignore[return-value]
    if isinstance(value, Struct):
        changed = {
            name: made
            for name in value.__struct_fields__
            if (made := localized(given := getattr(value, name), locales)) is not given
        }
        return msgspec.structs.replace(value, **changed) if changed else value
    return value


def locale_chain(*locales: object) -> tuple[str, ...]:
    """Return the locales with their shorter forms, in order: `de-CH`, `de`, `en`."""
    found: dict[str, None] = {}
    for locale in locales:
        parts = locale.split("-") if isinstance(locale, str) and locale else []
        found |= {"-".join(parts[:end]): None for end in range(len(parts), 0, -1)}
    return tuple(found)
