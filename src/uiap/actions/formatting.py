"""Equivalence of a written text and the value that a page made of it.

The rules are stated in docs/actions.md. A page may change case, spacing and separators, group a number, order the parts
of a date, and add a country code. It may not lose or add letters and digits.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

Formatting: TypeAlias = Literal["same", "formatted", "different"]

_DECIMAL = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:([.,'\s])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_DATE = re.compile(r"(\d{1,4})[-/. ]+(\d{1,2})[-/. ]+(\d{1,4})\.?")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")
_UNIT = re.compile(r"(?<=\d)\s*(?:%|‰|°[cf]?|kg|g|km|m|cm|mm|l|ml|h|min|px|pt)$")
"""A unit that a page puts behind a number."""
_KEPT_WHOLE = re.compile(r"@|://")
MIN_PHONE_DIGITS, MAX_COUNTRY_DIGITS = 7, 3


def compare(written: str, value: str) -> Formatting:
    """Return whether the value is the written text, a formatting of it, or something else."""
    if value == written.replace("\r\n", "\n").replace("\r", "\n"):  # text areas convert line ends
        return "same"
    one, other = _plain(written), _plain(value)
    return "formatted" if one and other and _is_equivalent(one, other) else "different"


def _plain(text: str) -> str:
    """Return the text in one Unicode form and in lower case, with single blanks and none at its ends."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _is_equivalent(one: str, other: str) -> bool:
    if one == other:
        return True
    if _KEPT_WHOLE.search(one):
        return False
    if _DECIMAL.fullmatch(one):
        return _is_same_number(one, other)
    if (dates := _DATE.fullmatch(one)) and (shown := _DATE.fullmatch(other)):
        return _is_same_date(dates.groups(), shown.groups())
    if (times := _TIME.fullmatch(one)) and (shown := _TIME.fullmatch(other)):
        return [int(part or 0) for part in times.groups()] == [int(part or 0) for part in shown.groups()]
    return _has_same_characters(one, other)


def _characters(text: str) -> str:
    """Return the letters and digits."""
    return "".join(character for character in text if character.isalnum())


def _has_same_characters(one: str, other: str) -> bool:
    return _characters(one) == _characters(other) or _has_country_code(_characters(one), other)


def _has_country_code(digits: str, shown: str) -> bool:
    """Return whether the page put `+` and a country code in front of a phone number."""
    if not (digits.isdecimal() and len(digits) >= MIN_PHONE_DIGITS and shown.startswith("+")):
        return False
    added = _characters(shown).removesuffix(digits)
    return added.isdecimal() and len(added) <= MAX_COUNTRY_DIGITS


def _is_same_number(one: str, other: str) -> bool:
    """Return whether a number is shown with a currency, grouped digits or more decimals, or as a phone number."""
    shown = "".join(c for c in other if unicodedata.category(c) != "Sc").strip()
    shown = _UNIT.sub("", shown)
    values = _values(shown)
    if values:
        return bool(values & _values(one))
    return one.isdecimal() and _has_same_characters(one, other)


def _values(text: str) -> set[tuple[str, str, str]]:
    """Return the possible readings of a number as sign, whole digits, and decimals without zeros at their end."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text.removeprefix("+"))
    digits = digits.strip()
    found = set()
    if _DECIMAL.fullmatch(digits):
        whole, _, decimals = digits.replace(",", ".").partition(".")
        found.add((sign, whole, decimals.rstrip("0")))
    if grouped := _GROUPED.fullmatch(digits):
        whole, decimals = _ungrouped(digits, grouped[1])
        found.add((sign, whole, decimals.rstrip("0")))
    return found


def _ungrouped(digits: str, separator: str) -> tuple[str, str]:
    parts = digits.replace(separator, "")
    whole, _, decimals = parts.replace(",", ".").partition(".")
    return whole, decimals


def _is_same_date(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Return whether both have the same year, month and day. Parts in the same order must be equal."""
    numbers, shown = [int(part) for part in one], [int(part) for part in other]
    if [len(part) > 2 for part in one] == [len(part) > 2 for part in other]:
        return numbers == shown
    return sorted(numbers) == sorted(shown) and any(len(part) == 4 for part in one)
