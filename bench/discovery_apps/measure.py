"""Compare the states of a run with a list made by hand.

A state matches an entry of the list when it is on the same route (`*`: any) or at the address of the entry, and shows
everything that the entry names; the most specific entry wins. In an address, `*` is any text without a slash, `**` any
text, and parameters and a fragment may be named. Precision is the share of found states that are the first match of an
entry, so duplicates and unlisted states lower it. Recall is the share of entries with a match. Optional entries are
right when they are found, and not missed when they are not. States outside the application do not count.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec

from uiap.discovery.risk_words import without_icons
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.web import PageGraph

TRUTH = Path(__file__).resolve().parent / "truth"


@dataclass(frozen=True)
class Measured:
    precision: float
    recall: float
    twice: list[str] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


def truth(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((TRUTH / f"{name}.json").read_text("utf-8"))
    return found


def measure(package: DiscoveryPackage, folder: Path, known: dict[str, Any]) -> Measured:
    graphs = {
        one.state_id: one
        for one in (package.evidence_index.items if package.evidence_index else ())
        if one.kind == "page_graph"
    }
    listed, optional = known["states"], known.get("optional", ())
    met: dict[str, int] = {}
    unlisted, counted = [], 0
    for state in package.transition_graph.states:
        url = str(state.metadata["url"]) if state.metadata else ""
        if any(_is_at(url, address) for address in known.get("outside", ())):
            continue
        counted += 1
        graph = msgspec.json.decode((folder / str(graphs[state.state_id].uri)).read_bytes(), type=PageGraph)
        entry = _entry(str(state.route_id), url, _printed(graph), [*listed, *optional])
        if entry is None:
            unlisted.append(f"{state.state_id} {state.route_id}")
        else:
            met[entry] = met.get(entry, 0) + 1
    missed = sorted(one["name"] for one in listed if one["name"] not in met)
    return Measured(
        precision=len(met) / counted if counted else 0.0,
        recall=1 - len(missed) / len(listed),
        twice=sorted(f"{name} x{many}" for name, many in met.items() if many > 1),
        unlisted=unlisted,
        missed=missed,
    )


def _printed(graph: PageGraph) -> set[str]:
    """Return the names of visible controls and scopes; selected and open ones are marked with `!`."""
    found = set()
    for one in graph.elements:
        if one.state.visible is False:
            continue
        name = " ".join(without_icons(one.name or one.text or "").lower().split())
        found.add(name)
        if one.state.expanded is True or one.state.selected is True or one.state.pressed is True:
            found.add(f"! {name}")
    return found | {" ".join((one.name or "").lower().split()) for one in graph.scopes}


def _entry(route: str, url: str, shown: set[str], listed: list[dict[str, Any]]) -> str | None:
    fitting = [
        one
        for one in listed
        if _is_place(one, route, url)
        and all(_is_shown(text, shown) for text in one.get("shows", ()))
        and not any(_is_shown(text, shown) for text in one.get("lacks", ()))
    ]
    best = max(fitting, key=_specificity, default=None)
    return best["name"] if best is not None else None


def _specificity(entry: dict[str, Any]) -> tuple[int, int, bool, int]:
    addresses = _addresses(entry)
    literal = max(len(one.replace("*", "")) for one in addresses or [""])
    names_part = any("#" in one for one in addresses)
    return len(entry.get("shows", ())), len(entry.get("lacks", ())), names_part, literal


def _is_shown(text: str, shown: set[str]) -> bool:
    return text.lower() in shown or ("*" in text and any(fnmatchcase(one, text.lower()) for one in shown))


def _is_place(entry: dict[str, Any], route: str, url: str) -> bool:
    return entry.get("route") in (route, "*") or any(_is_at(url, one) for one in _addresses(entry))


def _addresses(entry: dict[str, Any]) -> list[str]:
    found = entry.get("address", [])
    return [found] if isinstance(found, str) else found


def _is_at(url: str, address: str) -> bool:
    """Whether the address has this path and at least these parameters; a parameter without value may have any."""
    parts = urlsplit(url)
    address, _, fragment = address.partition("#")
    if fragment and not fnmatchcase(parts.fragment, fragment):
        return False
    path = parts.fragment.partition("?")[0] if parts.fragment.startswith("/") else parts.path
    wanted, _, query = address.partition("?")
    pattern = re.escape(wanted).replace(r"\*\*", ".*").replace(r"\*", "[^/]+")
    given = parse_qsl(parts.query, keep_blank_values=True)
    named = [
        any(key == name and value in ("", found) for key, found in given)
        for name, value in parse_qsl(query, keep_blank_values=True)
    ]
    return re.fullmatch(pattern, path.rstrip("/") or "/") is not None and all(named)
