"""The shape of a soak case: units that run in separate processes, and a judgement of their figures."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

Figures = dict[str, Any]
"""The measured values of one unit, by the name that the report prints."""


def no_judgement(_figures: dict[str, Figures]) -> list[str]:
    """Return no problems: the units themselves fail when something is wrong."""
    return []


def skipped_units(all_figures: dict[str, Figures]) -> list[str]:
    """Return one problem for each unit that could not run on this machine."""
    return [
        f"{unit}: not run ({found['skipped']})" for unit, found in all_figures.items() if "skipped" in found
    ]


@dataclass(frozen=True)
class Case:
    title: str
    shows: str
    """The property that the case proves, as one sentence."""
    repetitions: str
    """The repeated step, and how often it is repeated."""
    units: tuple[str, ...]
    run: Callable[[str], Figures]
    judge: Callable[[dict[str, Figures]], list[str]] = no_judgement
    """Return the differences from the expected result; empty when everything is as expected."""

    @property
    def report(self) -> str:
        """The name of the report's file: the words of the title."""
        words = re.findall(r"[a-z0-9]+", self.title.lower().replace("'s", "s"))
        return f"{'-'.join(words)}.md"
