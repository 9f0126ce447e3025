"""Values that were entered before an action, and that the page put back because of it.

A page that saves keeps the value that was entered, or empties its form. If the value is nowhere to be seen, and the
page shows the one before it, the application refused without a word: the server answered with its own record.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from uiap.graph.names import normalised
from uiap.signals.change import NodeDifference
from uiap.signals.contradiction import PageChange
from uiap.signals.correction import CausedChange
from uiap.signals.emptied_field import is_clearing
from uiap.signals.log import SignalLog
from uiap.signals.success_words import reports_success
from uiap.spec.web import ElementNode, ToastShownSignal

MAX_ENTRIES = 50
_RESTORING = re.compile(
    r"undo|revert|restor|default|original|back|rückgängig|wiederherst|zurück|rétabl|retour|deshac|restaur|volver|"
    r"annulla|ripristin|indietro|desfaz|voltar|ongedaan|herstel|terug|cofnij|przywróć|geri|отмен|восстан|"
    r"元に戻|戻|撤销|恢复|返回|되돌|복원",
    re.IGNORECASE,
)
_BESIDE = frozenset({"enabled", "busy", "invalid", "name"})


class Entry(NamedTuple):
    """A value that was entered, and those that the field had before."""

    earlier: tuple[str, ...]
    value: str


class EnteredValues:
    """The values that actions entered in the fields of the present document, by field."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}

    def clear(self) -> None:
        self._entries.clear()

    def record(self, changes: Iterable[CausedChange]) -> None:
        """Record the values that an action left in fields."""
        for difference, before in changes:
            now, then = _value_of(difference.node), _value_of(before)
            if difference.about != "textValue" or not now or len(self._entries) >= MAX_ENTRIES:
                continue
            known = self._entries.get(difference.key, Entry((), ""))
            earlier = dict.fromkeys((*known.earlier, known.value, then))
            self._entries[difference.key] = Entry(tuple(one for one in earlier if one and one != now), now)

    def put_back(self, log: SignalLog, page: PageChange, found: Iterable[NodeDifference]) -> str | None:
        """Return how the page put an earlier value back, if our input led to nothing else."""
        if page.moved or not self._entries or _RESTORING.search(page.target) or is_clearing(page.target):
            return None
        caused = [one for one in found if log.touched.get(one.key) == "caused"]
        toasts = (signal.text for signal, attribution in log.of(ToastShownSignal) if attribution == "caused")
        if any(map(reports_success, toasts)):
            return None
        shown = {text for node in page.store for text in _texts(node)}
        for key, entry in self._entries.items():
            if any(normalised(entry.value) in text for text in shown):
                continue
            for earlier in entry.earlier:
                if _shows_again(earlier, key, caused, in_place=page.store.element(key) is not None):
                    return f"the page shows `{earlier}` again instead of `{entry.value}`"
        return None


def _shows_again(earlier: str, key: str, caused: list[NodeDifference], *, in_place: bool) -> bool:
    """Return whether an earlier value is back: in the field, and nothing else changed, or in place of the field."""
    back = [one for one in caused if one.about != "removed" and normalised(earlier) in _texts(one.node)]
    if not in_place:
        return bool(back)
    rest = [one for one in caused if one.key != key and one.about not in _BESIDE]
    return any(one.key == key for one in back) and not rest


def _texts(node: object) -> tuple[str, ...]:
    if not isinstance(node, ElementNode):
        return ()
    return tuple(
        normalised(text) for text in (node.name, node.text, _value_of(node)) if isinstance(text, str)
    )


def _value_of(node: object) -> str:
    """Return the value of a field that may be shown; "" for anything else."""
    if not isinstance(node, ElementNode) or node.state.obscured is True or node.state.sensitive is True:
        return ""
    return node.state.text_value if isinstance(node.state.text_value, str) else ""
