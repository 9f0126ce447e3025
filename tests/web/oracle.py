"""Compare roles and names with Chromium's accessibility tree, through a table from UIRole to ARIA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.web.tab import Tab

# The roles that Chromium uses for published elements. Its internal names (`DisclosureTriangle`) are listed with
# ARIA's.
ARIA: dict[str, set[str]] = {
    "button": {
        "button",
        "DisclosureTriangle",
        "DisclosureTriangleGrouped",
        "popUpButton",
        "generic",
        "summary",
    },
    "link": {"link"},
    "textbox": {"textbox"},
    "textarea": {"textbox", "generic"},
    "searchbox": {"searchbox"},
    "combobox": {"combobox"},
    "listbox": {"listbox"},
    "option": {"option"},
    "checkbox": {"checkbox"},
    "radio": {"radio"},
    "switch": {"switch"},
    "slider": {"slider", "scrollbar", "separator", "splitter"},
    "spinbutton": {"spinbutton"},
    "datepicker": {"Date", "DateTime"},
    "timepicker": {"InputTime"},
    "fileinput": {"button"},
    "menuitem": {"menuitem", "menuitemcheckbox", "menuitemradio"},
    "tab": {"tab"},
    "treeitem": {"treeitem"},
}
INTERACTIVE_ARIA = set().union(*ARIA.values()) - {"generic"} | {"ColorWell"}
# Separators and scroll bars are controls only where the keyboard reaches them.
CONTROLS_IF_FOCUSABLE = {"separator", "splitter", "scrollbar"}
# Focusable, but not targets: documents, and scrollable boxes that the keyboard reaches.
NOT_TARGETS = {"RootWebArea", "Iframe", "none", "generic", "StaticText", "InlineTextBox"}


@dataclass(frozen=True)
class Difference:
    what: str
    ours: str
    theirs: str
    node: str


async def backend_ids(tab: Tab) -> dict[int, dict[str, Any]]:
    """Return the published elements by Chromium's node id."""
    found = {}
    for instance_id, element in tab.graph["elements"].items():
        handle = await tab.send(
            "Runtime.evaluate", expression=f"__uiap.element('{instance_id}')", contextId=tab.world
        )
        node = await tab.send("DOM.describeNode", objectId=handle["result"]["objectId"], depth=0)
        found[node["node"]["backendNodeId"]] = element
    return found


def words(node: dict[str, Any], member: str) -> str:
    return " ".join(str(node.get(member, {}).get("value", "")).split())


def focusable(node: dict[str, Any]) -> bool:
    return any(p["name"] == "focusable" and p["value"].get("value") for p in node.get("properties", []))


def inside_a_picker(node: dict[str, Any], by_id: dict[str, dict[str, Any]]) -> bool:
    """Return whether a node is part of a date field or a player, which are published as one control."""
    while (above := by_id.get(node.get("parentId", ""))) is not None:
        if words(above, "role") in {"Date", "DateTime", "InputTime", "Video", "Audio"}:
            return True
        node = above
    return False


async def compare(tab: Tab) -> tuple[int, int, list[Difference]]:
    """Return how many interactive elements both have, how many Chromium has, and the differences."""
    await tab.send("Accessibility.enable")
    tree = (await tab.send("Accessibility.getFullAXTree"))["nodes"]
    theirs = {node["backendDOMNodeId"]: node for node in tree if "backendDOMNodeId" in node}
    ours = await backend_ids(tab)
    differences: list[Difference] = []
    judged = 0
    for backend, element in ours.items():
        if element["role"] not in ARIA or element.get("metadata", {}).get("ariaHidden"):
            continue
        judged += 1
        node = theirs.get(backend)
        label = f"{element['role']} `{element.get('name', '')}`"
        if node is None or node["ignored"]:
            differences.append(Difference("not in their tree", label, "ignored", element["instanceId"]))
            continue
        if words(node, "role") not in ARIA[element["role"]]:
            differences.append(Difference("role", element["role"], words(node, "role"), label))
        if words(node, "name") != element.get("name", ""):
            differences.append(Difference("name", element.get("name", ""), words(node, "name"), label))
    wanted = 0
    by_id = {node["nodeId"]: node for node in tree}
    for backend, node in theirs.items():
        role = words(node, "role")
        if inside_a_picker(node, by_id):
            continue
        wants = focusable(node) or role in INTERACTIVE_ARIA - CONTROLS_IF_FOCUSABLE
        if node["ignored"] or role in NOT_TARGETS or not wants:
            continue
        wanted += 1
        if backend not in ours:
            differences.append(
                Difference("not published", "", f"{role} `{words(node, 'name')}`", str(backend))
            )
    return judged, wanted, differences
