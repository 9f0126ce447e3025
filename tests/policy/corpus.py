"""The labels of `labels/`: a tuning half and a measuring half of labels that order an effect, and harmless labels."""

from __future__ import annotations

from pathlib import Path

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ru", "ja", "zh", "ko")


def labels(part: str) -> list[tuple[str, str]]:
    """Return the labels of one part with their language."""
    lines = (Path(__file__).parent / "labels" / f"{part}.txt").read_text("utf-8").splitlines()
    rows = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    return [(language, one.strip()) for language, _, rest in rows for one in rest.split("|")]
