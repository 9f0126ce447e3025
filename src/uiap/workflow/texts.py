"""Plain text of the texts in a definition."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from uiap.spec.text import AuthoredMessage, AuthoredText


def plain_text(text: AuthoredText | UnsetType, otherwise: str = "") -> str:
    """Return the default text. A built definition has no `ref`; its fallback is used in a source."""
    if isinstance(text, AuthoredMessage):
        found = text.default if text.default is not UNSET else text.fallback
        return found if isinstance(found, str) else otherwise
    return text if isinstance(text, str) else otherwise
