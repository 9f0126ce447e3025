"""Compare the states of a run with a list made by hand.

A state matches an entry of the list when it is on the same route (`*`: any) and shows everything that the entry
names; the most specific entry wins. Precision is the share of found states that are the first match of an entry,
so duplicates and unlisted states lower it. Recall is the share of entries with a match.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

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


def measure(package: DiscoveryPackage, folder: Path, listed: list[dict[str, Any]]) -> Measured:
    graphs = {
        one.state_id: one
        for one in (package.evidence_index.items if package.evidence_index else ())
        if one.kind == "page_graph"
    }
    met: dict[str, int] = {}
    unlisted = []
    for state in package.transition_graph.states:
        graph = msgspec.json.decode((folder / str(graphs[state.state_id].uri)).read_bytes(), type=PageGraph)
        entry = _entry(str(state.route_id), _printed(graph), listed)
        if entry is None:
            unlisted.append(f"{state.state_id} {state.route_id}")
        else:
            met[entry] = met.get(entry, 0) + 1
    states = len(package.transition_graph.states)
    return Measured(
        precision=len(met) / states if states else 0.0,
        recall=len(met) / len(listed),
        twice=sorted(f"{name} x{many}" for name, many in met.items() if many > 1),
        unlisted=unlisted,
        missed=sorted(one["name"] for one in listed if one["name"] not in met),
    )


def _printed(graph: PageGraph) -> set[str]:
    """Return the names of controls and scopes; selected and open ones are marked with `!`."""
    found = set()
    for one in graph.elements:
        name = " ".join((one.name or one.text or "").lower().split())
        found.add(name)
        if one.state.expanded is True or one.state.selected is True or one.state.pressed is True:
            found.add(f"! {name}")
    return found | {" ".join((one.name or "").lower().split()) for one in graph.scopes}


def _entry(route: str, shown: set[str], listed: list[dict[str, Any]]) -> str | None:
    fitting = [
        one
        for one in listed
        if one["route"] in (route, "*")
        and all(text.lower() in shown for text in one.get("shows", ()))
        and not any(text.lower() in shown for text in one.get("lacks", ()))
    ]
    best = max(fitting, key=lambda one: (len(one.get("shows", ())), len(one.get("lacks", ()))), default=None)
    return best["name"] if best is not None else None
