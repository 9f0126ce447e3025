"""The first line of every report: which requests that could write reached the server."""

from __future__ import annotations

from collections.abc import Sequence

from uiap.spec.discovery import DiscoveryPackage

_SHOWN = 5


def network_line(package: DiscoveryPackage) -> str:
    """Return one line about the requests that could write."""
    network = (package.metadata or {}).get("network") or {}
    reached, sign_in, held = (network.get(member) or () for member in ("reached", "signIn", "held"))
    parts = [_unexpected(package, reached)]
    if sign_in:
        parts.append(f"signing in sent {_listed(list(sign_in))}")
    if held:
        parts.append(f"{len(held)} different requests were held back")
    return "; ".join(parts)


def read_hints(package: DiscoveryPackage) -> list[str]:
    """Return a line for each request that was held back and looks like a read, with the option to add."""
    network = (package.metadata or {}).get("network") or {}
    return [
        f"the guard may cripple {_listed([f'`{page}`' for page in pages])}; if this only reads, add {option}"
        for option, pages in (network.get("looksLikeRead") or {}).items()
    ]


def held_reads(package: DiscoveryPackage) -> dict[str, list[str]]:
    """Return the held requests that look like reads, as `POST URL*`, with the pages that lack their answers."""
    network = (package.metadata or {}).get("network") or {}
    found = network.get("looksLikeRead") or {}
    return {option.partition("'")[2].rstrip("'"): list(pages) for option, pages in found.items()}


def _unexpected(package: DiscoveryPackage, reached: Sequence[str]) -> str:
    safety = package.environment.safety
    if safety and safety.default_mode == "sandbox_write":
        return "the run was permitted to write"
    if reached:
        return f"reached the server unexpectedly: {_listed(reached)}"
    return "no request that could write reached the server unexpectedly"


def _listed(requests: Sequence[str]) -> str:
    more = f" and {len(requests) - _SHOWN} more" if len(requests) > _SHOWN else ""
    return ", ".join(requests[:_SHOWN]) + more
