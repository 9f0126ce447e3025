"""A small shop that many discovery tests explore, and helpers to compare packages of it."""

from __future__ import annotations

from typing import Any

import msgspec

from tests.discovery.simulated_app import Element, Page, Scope
from uiap.spec.discovery import DiscoveryPackage

NAV = (
    Element("link", "Home", href="/", scope="nav"),
    Element("link", "Videos", href="/videos", scope="nav"),
    Element("link", "Team", href="/team", scope="nav"),
)
NAV_SCOPE = Scope("nav", "region", "Main")
MENU = Element("button", "Menu", opens="menu", scope="nav", state={"expanded": False})
ROWS = [
    Element("link", f"Video {n}", href=f"/videos/{n}", scope="list", record=f"data-id:{n}")
    for n in range(1, 40)
]
SHOP = {
    "/": Page([*NAV, MENU], (NAV_SCOPE, Scope("menu", "menu", "More", hidden=True)), "Home"),
    "/videos": Page(
        [
            *NAV,
            *ROWS,
            Element("button", "Quick", opens="box", state={"has_popup": "dialog"}),
            Element("button", "Close", closes="box", scope="box"),
            Element("textbox", "Title", scope="box"),
        ],
        (
            NAV_SCOPE,
            Scope("list", "list", "39 videos"),
            Scope("box", "dialog", "New", hidden=True, modal=True),
        ),
        "Videos",
    ),
    "/videos/:id": Page(
        [*NAV, Element("button", "Delete", writes="/api/videos"), Element("button", "Frob")],
        (NAV_SCOPE,),
        "A video",
    ),
    "/team": Page(
        [*NAV, Element("tab", "Members", opens="m"), Element("tab", "Rights", opens="r")],
        (
            NAV_SCOPE,
            Scope("m", "tabpanel", "Members", hidden=True),
            Scope("r", "tabpanel", "Rights", hidden=True),
        ),
        "Team",
    ),
}


def route_ids(package: DiscoveryPackage) -> set[str]:
    return {one.route_id for one in package.route_catalog.routes}


def comparable(package: DiscoveryPackage) -> Any:
    """Return the package as plain data, without the members that differ from run to run."""
    data = msgspec.to_builtins(package)
    for member in ("runId", "startedAt", "finishedAt"):
        data["run"].pop(member)
    for state in data["transitionGraph"]["states"]:
        state["metadata"].pop("discoveredAt")
    data["metadata"]["preparation"].pop("at", None)
    return data
