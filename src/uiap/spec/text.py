"""Human text in documents: plain, localized, or (before a build) a reference into a locale pack.

These are the data types. References are resolved by `uiap.authoring`.
"""

from typing import TypeAlias

from msgspec import UNSET, UnsetType

from uiap.spec.base import Struct


class LocalizedMessage(Struct):
    """The object form of `LocalizedText`, with the members of a `LocaleMessage`."""

    default: str
    by_locale: dict[str, str] | UnsetType = UNSET


class AuthoredMessage(Struct):
    """The object forms of `AuthoredText`: `{default, byLocale?}` or `{ref, fallback?}`, never both."""

    default: str | UnsetType = UNSET
    by_locale: dict[str, str] | UnsetType = UNSET
    ref: str | UnsetType = UNSET
    fallback: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        if (self.default is UNSET) == (self.ref is UNSET):
            raise ValueError("a text object needs either `default` or `ref`")


LocalizedText: TypeAlias = str | LocalizedMessage
AuthoredText: TypeAlias = str | AuthoredMessage
