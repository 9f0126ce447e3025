"""The addresses that a principal visited. Each parameter of a path is visited once, not every combination of them."""

from __future__ import annotations

from collections.abc import Iterable

from uiap.discovery.plan.address import address_pattern


class VisitedAddresses:
    def __init__(self) -> None:
        self._parameters: dict[str, set[str]] = {}
        """Path to the parameters it was visited with."""

    @property
    def paths(self) -> Iterable[str]:
        return self._parameters.keys()

    def add(self, url: str) -> None:
        path, _, parameters = address_pattern(url).partition("?")
        self._parameters.setdefault(path, set()).update(_listed(parameters))

    def has(self, pattern: str) -> bool:
        """Whether the path of this pattern was visited, and with each of its parameters."""
        path, _, parameters = pattern.partition("?")
        known = self._parameters.get(path)
        return known is not None and known.issuperset(_listed(parameters))


def _listed(parameters: str) -> list[str]:
    return parameters.split("&") if parameters else []
