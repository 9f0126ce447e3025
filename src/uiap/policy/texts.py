"""Texts of a policy document in one language."""

from __future__ import annotations

from msgspec import UNSET

from uiap.spec.text import AuthoredText


def plain_text(text: AuthoredText) -> str:
    """Return the text in its default language, or its fallback, or its reference."""
    if isinstance(text, str):
        return text
    if text.default is not UNSET:
        return text.default
    return text.fallback or text.ref or ""
