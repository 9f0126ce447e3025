"""Validation of a submitted video. It returns codes per field; the page translates them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from apps.videoland.seed import CATEGORIES, USE_CASES, VISIBILITIES

TITLE_MAX, DESCRIPTION_MAX, FILE_MAX = 80, 500, 5_000_000
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")


def checked(fields: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the row to store and the errors by field; the row is valid only without errors."""
    errors: dict[str, str] = {}
    row: dict[str, Any] = {
        "title": _title(fields, errors),
        "description": _text(fields, "description", DESCRIPTION_MAX, errors),
        "category": _one_of(fields, "category", CATEGORIES, CATEGORIES[0], errors),
        "use_case": _one_of(fields, "use_case", USE_CASES, "", errors),
        "visibility": _one_of(fields, "visibility", VISIBILITIES, VISIBILITIES[0], errors),
        "subtitles": _flag(fields, "subtitles"),
        "notify": _flag(fields, "notify"),
        "quality": _whole(fields, "quality", 0, 100, 70, errors),
        "volume": _whole(fields, "volume", 0, 100, 50, errors),
        "duration": _whole(fields, "duration", 1, 240, 10, errors),
        "release_date": _date(fields, errors),
        "release_time": _time(fields, errors),
    }
    return row, errors


def checked_title(fields: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    errors: dict[str, str] = {}
    return _title(fields, errors), errors


def _title(fields: Mapping[str, Any], errors: dict[str, str]) -> str:
    title = _text(fields, "title", TITLE_MAX, errors)
    if not title:
        errors["title"] = "required"
    elif len(title) < 3:
        errors["title"] = "too_short"
    return title


def _text(fields: Mapping[str, Any], name: str, most: int, errors: dict[str, str]) -> str:
    text = str(fields.get(name) or "").strip()
    if len(text) > most:
        errors[name] = "too_long"
    return text


def _one_of(
    fields: Mapping[str, Any], name: str, known: tuple[str, ...], default: str, errors: dict[str, str]
) -> str:
    value = str(fields.get(name) or default)
    if value and value not in known:
        errors[name] = "unknown_option"
    return value


def _flag(fields: Mapping[str, Any], name: str) -> int:
    return int(str(fields.get(name, "")).lower() in ("on", "true", "1"))


def _whole(
    fields: Mapping[str, Any], name: str, least: int, most: int, default: int, errors: dict[str, str]
) -> int:
    given = fields.get(name, default)
    try:
        number = int(str(given))
    except ValueError:
        errors[name] = "not_a_number" if str(given).strip() else "required"
        return default
    if not least <= number <= most:
        errors[name] = "out_of_range"
    return number


def _date(fields: Mapping[str, Any], errors: dict[str, str]) -> str:
    given = str(fields.get("release_date") or "")
    if given:
        try:
            date.fromisoformat(given)
        except ValueError:
            errors["release_date"] = "not_a_date"
    return given


def _time(fields: Mapping[str, Any], errors: dict[str, str]) -> str:
    given = str(fields.get("release_time") or "")
    if given and not _TIME.fullmatch(given):
        errors["release_time"] = "not_a_time"
    return given
