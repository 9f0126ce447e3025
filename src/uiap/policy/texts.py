"""Texts of a policy document as plain words: its default language, or what stands in for a reference."""

from __future__ import annotations

from msgspec import UNSET

from uiap.spec.text import AuthoredText


def plain_text(text: AuthoredText) -> str:
    if isinstance(text, str):
        return text
    if text.default is not UNSET:
        return text.default
    return text.fallback or text.ref or ""
