"""The texts of the app in German and English, and the choice of the language for a request."""

from __future__ import annotations

import json
from pathlib import Path

from starlette.requests import Request

from apps.videoland.settings import LANGUAGES

LANGUAGE_COOKIE = "videoland_lang"
_FOLDER = Path(__file__).parent / "texts"


class Texts:
    def __init__(self, default: str | None = None) -> None:
        self.catalogs: dict[str, dict[str, str]] = {
            language: json.loads((_FOLDER / f"{language}.json").read_text("utf-8")) for language in LANGUAGES
        }
        self._default = default

    def language(self, request: Request) -> str:
        chosen = (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE), self._default)
        for language in chosen:
            if language in LANGUAGES:
                return language
        return _accepted(request.headers.get("accept-language", ""))


def _accepted(header: str) -> str:
    """Return the best known language of an Accept-Language header; English when none is known."""
    ranked: list[tuple[float, str]] = []
    for part in header.split(","):
        tag, _, quality = part.strip().partition(";q=")
        try:
            ranked.append((-float(quality or 1), tag.split("-")[0].lower()))
        except ValueError:
            continue
    known = [
        language for quality, language in sorted(ranked, key=lambda one: one[0]) if language in LANGUAGES
    ]
    return known[0] if known else LANGUAGES[0]
