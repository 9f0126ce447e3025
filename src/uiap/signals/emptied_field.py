"""Fields that a press emptied: a refused PIN, or the effect of "Clear". The name of the control tells them apart."""

from __future__ import annotations

import re

from uiap.signals.change import CONTENT_ROLES, NodeDifference, shows_progress
from uiap.signals.limiting_words import promises_to_send
from uiap.signals.progress_texts import asks_to_wait, is_running_bar
from uiap.spec.web import ElementNode

_CLEARING = re.compile(
    r"clear|reset|cancel|delet|remov|discard|undo|empty|new|close|erase|restart|start over|^\W*x?\W*$|leer|lösch|"
    r"zurück|abbrech|verwerf|neu|effac|vider|annul|réinit|supprim|nouv|borr|limpi|vaci|nuev|cancell|svuot|nuov|limp|apag|"
    r"novo|wis|nieuw|wyczyść|usuń|anuluj|now[ye]|temizle|sil|iptal|yeni|очист|удал|сброс|нов|クリア|削除|リセット|取消|新規|"
    r"清空|清除|重置|지우|초기화|취소",
    re.IGNORECASE,
)


def is_clearing(target: str) -> bool:
    """Return whether a control is there to empty fields."""
    return _CLEARING.search(target) is not None


def _only_takes_away(difference: NodeDifference) -> bool:
    """Return whether something is gone and nothing came: a hint that closes when anything is pressed."""
    node = difference.node
    shown = isinstance(node, ElementNode) and node.role in CONTENT_ROLES
    return difference.about == "removed" and not shown


def is_evidence(difference: NodeDifference, target: str, *, sent: bool) -> bool:
    """Return whether a difference can be the effect of a press. `sent`: the press sent something to a server.

    A press that sent nothing and only empties a field was refused, unless its control is there to empty it.
    """
    node = difference.node
    if shows_progress(node) or asks_to_wait(difference) or is_running_bar(difference):
        return False
    if not sent and _only_takes_away(difference) and promises_to_send(target):
        return False
    emptied = difference.about == "textValue" and isinstance(node, ElementNode) and not node.state.text_value
    return not emptied or sent or is_clearing(target)
