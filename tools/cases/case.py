"""What a soak is: units that are run, each in a process of its own, and a judgement of their figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

Figures = dict[str, Any]


def as_it_ended(_figures: dict[str, Figures]) -> list[str]:
    """The units themselves fail when something is wrong."""
    return []


def skipped(all_figures: dict[str, Figures]) -> list[str]:
    return [f"{unit}: not run ({seen['skipped']})" for unit, seen in all_figures.items() if "skipped" in seen]


@dataclass(frozen=True)
class Case:
    title: str
    stated: str
    """What is repeated, and how often."""
    units: tuple[str, ...]
    run: Callable[[str], Figures]
    judge: Callable[[dict[str, Figures]], list[str]] = as_it_ended
    """What was expected and did not happen; empty when all is well."""
