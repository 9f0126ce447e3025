"""Changes that any press may lead to, whatever its control does: they prove nothing about the control.

A press moves the focus: the page checks or saves the field that was left, or explains the control that was entered.
Menus and popups close because a press goes elsewhere. A menu closes when one of its items is pressed, also a dead one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.signals.change import CONTENT_ROLES, Node, NodeDifference
from uiap.spec.web import ElementNode

LEFT = "~left"
"""Added to the token of a press: a field lost the focus."""
ENTERED = "~entered"
"""Added to the token of a press or key: its control got the focus."""

_MAX_AROUND = 12
_CLOSING = re.compile(
    r"clos|hid|dismiss|collaps|cancel|done|\bok\b|okay|apply|got it|^\W*x?\W*$|schlie|ausblend|einklapp|abbrech|fertig|"
    r"übernehm|ferm|masqu|rédui|annul|termin|appliqu|cerr|ocult|cancel|listo|aplicar|chiud|nascond|applic|fech|esconder|"
    r"pronto|sluit|verberg|klaar|toepass|zamk|ukryj|anuluj|gotow|zastosuj|zavř|skrýt|kapat|gizle|tamam|uygula|закр|скры|"
    r"отмен|готов|примен|閉じ|非表示|完了|适用|关闭|隐藏|取消|完成|应用|닫기|숨기|완료|적용",
    re.IGNORECASE,
)


def is_of_focus(token: str | None, tokens: Set[str]) -> bool:
    """Return whether a token stands for the focus that one of our inputs moved."""
    if token is None or not token.endswith((LEFT, ENTERED)):
        return False
    return token.removesuffix(LEFT).removesuffix(ENTERED) in tokens


def opens_by_focus(token: str | None, node: Node | None, target: str | None) -> bool:
    """Return whether a control that got the focus changed itself or showed content to act on, unlike a hint."""
    if token is None or not token.endswith(ENTERED) or not isinstance(node, ElementNode):
        return False
    return node.instance_id == target or node.role in CONTENT_ROLES


class IncidentalChanges:
    """The layers that closed during one action because its press went elsewhere."""

    def __init__(self) -> None:
        self._dismissed: set[str] = set()

    def record(self, dismissed: Iterable[str]) -> None:
        self._dismissed.update(dismissed)

    def without(
        self,
        found: list[NodeDifference],
        target: str | None,
        target_name: str,
        before: Baseline,
        *,
        sent: bool,
    ) -> list[NodeDifference]:
        """Return the differences that are not incidental. A control named "Close" closes a layer on purpose.

        With `sent`, the input sent something, and a menu that closes may be all that shows it.
        """
        menu = None if sent else _menu_around(target, before)
        if (not self._dismissed and menu is None) or _CLOSING.search(target_name):
            return found
        return [one for one in found if not self._is_closing(one, target, menu, before)]

    def _is_closing(
        self, one: NodeDifference, target: str | None, menu: str | None, before: Baseline
    ) -> bool:
        if one.key in self._dismissed or (menu is not None and _is_part_of(one.node, menu, before)):
            return one.about == "removed" or one.key in self._dismissed or not _is_open(one.node)
        return one.key != target and one.about in ("expanded", "open") and not _is_open(one.node)


def _menu_around(target: str | None, before: Baseline) -> str | None:
    """Return the menu of a pressed item. An item with a check shows what it does, when the menu opens again."""
    item = before["elements"].get(target or "")
    if not isinstance(item, ElementNode) or item.role != "menuitem" or item.state.checked is not UNSET:
        return None
    around = item.parent_instance_id or ""
    for _ in range(_MAX_AROUND):
        outer = before["elements"].get(around)
        if not isinstance(outer, ElementNode):
            return None
        if outer.role == "menu":
            return outer.instance_id
        around = outer.parent_instance_id or ""
    return None


def _is_part_of(node: Node | None, menu: str, before: Baseline) -> bool:
    """Return whether a node was the menu, its scope or collection, or something inside it."""
    host = getattr(node, "host_instance_id", None) or getattr(node, "owner_instance_id", None)
    key = host or getattr(node, "instance_id", None)
    for _ in range(_MAX_AROUND):
        if key == menu:
            return True
        outer = before["elements"].get(key or "")
        if not isinstance(outer, ElementNode):
            return False
        key = outer.parent_instance_id or None
    return False


def _is_open(node: Node) -> bool:
    state = getattr(node, "state", None)
    return getattr(state, "expanded", None) is True or getattr(state, "open", None) is True
