"""Changes that any press may lead to, whatever its control does: they prove nothing about the control.

A press moves the focus: the page checks or saves the field that was left, or explains the control that was entered.
Menus and popups close because a press goes elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from uiap.signals.change import CONTENT_ROLES, Node, NodeDifference
from uiap.spec.web import ElementNode

LEFT = "~left"
"""Added to the token of a press: a field lost the focus."""
ENTERED = "~entered"
"""Added to the token of a press or key: its control got the focus."""

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
        self, found: list[NodeDifference], target: str | None, target_name: str
    ) -> list[NodeDifference]:
        """Return the differences that are not incidental. A control named "Close" closes a layer on purpose."""
        if not self._dismissed or _CLOSING.search(target_name):
            return found
        return [one for one in found if not self._is_closing(one, target)]

    def _is_closing(self, one: NodeDifference, target: str | None) -> bool:
        if one.key in self._dismissed:
            return True
        return one.key != target and one.about in ("expanded", "open") and not _is_open(one.node)


def _is_open(node: Node) -> bool:
    state = getattr(node, "state", None)
    return getattr(state, "expanded", None) is True or getattr(state, "open", None) is True
