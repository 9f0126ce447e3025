"""The line of the terminal and the report about the limits of a run: whether one ended it, and what is left."""

from __future__ import annotations

from uiap.spec.discovery import DiscoveryPackage

_OPTIONS = {
    "runtime": "--max-runtime",
    "states": "--max-states",
    "transitions": "--max-transitions",
    "depth": "--max-depth",
    "states per route": "--max-per-route",
}
_LEFT_STATES = ("states per route",)


def limits_line(package: DiscoveryPackage) -> str:
    """Return which limits were reached, what each left, and the option that raises it."""
    found = (package.metadata or {}).get("limits") or {}
    if not found:
        ended = package.run.status == "completed"
        return "limits reached: none; nothing is left to try" if ended else "limits reached: none"
    parts = [f"{limit} ({_left(limit, count)}, raise {_OPTIONS[limit]})" for limit, count in found.items()]
    return f"limits reached: {', '.join(parts)}"


def _left(limit: str, count: int) -> str:
    thing = "state" if limit in _LEFT_STATES else "action"
    return f"{count} {thing}{'' if count == 1 else 's'} left"
