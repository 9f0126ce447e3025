"""Controls that an action changed and that the page changed back, such as a choice that is not allowed.

If nothing but messages and closed lists is left of the action, the page took it back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from typing import Any, NamedTuple

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.graph.store import GraphStore
from uiap.signals.change import NodeDifference
from uiap.signals.success_words import reports_success
from uiap.spec.web import ElementNode, PageGraphDelta

CONTROL_ROLES = frozenset(
    {
        "button", "link", "checkbox", "radio", "switch", "slider", "spinbutton", "combobox", "listbox", "textbox",
        "textarea", "tab", "datepicker", "timepicker",
    }
)  # fmt: skip
_VALUES = ("checked", "selected", "pressed", "text_value", "numeric_value", "current")
_PASSING_ROLES = frozenset(
    {"option", "listbox", "menu", "menuitem", "popover", "dialog", "tree", "treeitem", "grid"}
)
_MESSAGE_ROLES = frozenset(
    {"app", "region", "form", "group", "custom", "status", "alert", "toast", "dialog", "label"}
)
_WORD = re.compile(r"\w")
_OPPOSITE = re.compile(
    r"^\W*(?:stop|pause|end|leave|quit|undo|disconnect|unfollow|unsubscribe|unlike|unpin|unmute|unlock|turn off|"
    r"switch off|disable|stopp\w*|beenden|pausieren|anhalten|verlassen|ausschalten|trennen|entfolgen|"
    r"arrêter|désactiver|quitter|detener|parar|desactivar|salir|ferma|disattiva|esci|desativar|sair|uitschakelen|verlaten|zatrzymaj|wyłącz|durdur|"
    r"kapat|остановить|выключить)\b|停止|終了|关闭|중지|끄기",
    re.IGNORECASE,
)
_PROGRESS = ("…", "...")
MAX_KEPT = 50


class ReplacedNumbers(NamedTuple):
    """The numbers of a text that an input replaced by others, such as the count of votes."""

    token: str
    old: Counter[str]
    new: Counter[str]

    def are_back(self, node: ElementNode | None) -> bool:
        """Return whether the text has its old numbers again, and not the new ones."""
        now = Counter[str]() if node is None else _numbers_in(node)
        return self.old <= now and not self.new & now


def _numbers_in(node: ElementNode) -> Counter[str]:
    text = node.text if isinstance(node.text, str) else ""
    return Counter(re.findall(r"\d+(?:[.,]\d+)*", text))


class ReversedControls:
    """The controls that one action changed, as they were meanwhile."""

    def __init__(self) -> None:
        self._changed: dict[str, set[str]] = {}
        self._numbers: dict[str, ReplacedNumbers] = {}
        """The numbers in texts that an input replaced, by the element of the text."""
        self._offered_opposite: set[str] = set()
        """The inputs after which the pressed control offered the opposite, such as "Stop" in place of "Record"."""

    def record(
        self, delta: PageGraphDelta, store: GraphStore, before: Baseline, token: str, target: str | None
    ) -> None:
        """Record the controls that differ from the page before the input."""
        updated = () if delta.elements is UNSET else delta.elements.updated or ()
        for key in (patch.key for patch in updated):
            now, then = store.elements.get(key), before["elements"].get(key)
            if now is not None and isinstance(then, ElementNode) and key not in self._numbers:
                self._record_numbers(key, then, now, token)
            if now is None or then is None or now.role not in CONTROL_ROLES or len(self._changed) >= MAX_KEPT:
                continue
            if key == target and _offers_opposite(now.name, then.name):
                self._offered_opposite.add(token)
            if _look(now, key == target) != _look(then, key == target) and not _shows_progress(now):
                self._changed.setdefault(key, set()).add(token)

    def _record_numbers(self, key: str, then: ElementNode, now: ElementNode, token: str) -> None:
        old, new = _numbers_in(then), _numbers_in(now)
        if old - new and new - old and len(self._numbers) < MAX_KEPT:
            self._numbers[key] = ReplacedNumbers(token, old - new, new - old)

    def was_taken_back(
        self,
        tokens: Set[str],
        store: GraphStore,
        before: Baseline,
        target: str | None,
        left: Iterable[NodeDifference],
    ) -> bool:
        """Return whether a control is as before the input, and only messages and closed lists are left."""
        ours = [key for key, found in self._changed.items() if found & tokens]
        back = any(
            _is_back(store.elements.get(key), before["elements"].get(key), key == target) for key in ours
        )
        counted = any(
            found.token in tokens and found.are_back(store.elements.get(key))
            for key, found in self._numbers.items()
        )
        relabelled = self._offered_opposite & tokens and _has_name_of(store, before, target or "")
        return bool(back or counted or relabelled) and all(_is_passing(one) for one in left)


def _offers_opposite(now: object, then: object) -> bool:
    names = [one if isinstance(one, str) else "" for one in (now, then)]
    return _OPPOSITE.match(names[0]) is not None and _OPPOSITE.match(names[1]) is None


def _has_name_of(store: GraphStore, before: Baseline, key: str) -> bool:
    now, then = store.elements.get(key), before["elements"].get(key)
    return now is not None and isinstance(then, ElementNode) and now.name == then.name


def _is_back(now: ElementNode | None, then: Any, is_target: bool) -> bool:
    return now is not None and then is not None and _look(now, is_target) == _look(then, is_target)


def _look(node: ElementNode, is_target: bool) -> tuple[Any, ...]:
    """Return the value of a control, and its text. The pressed control may say for a moment that it works."""
    values = tuple(getattr(node.state, name) or None for name in _VALUES)
    return values if is_target else (*values, node.name or None, node.text or None)


def _shows_progress(node: ElementNode) -> bool:
    texts = (text for text in (node.name, node.text) if isinstance(text, str))
    return node.state.busy is True or any(text.rstrip().endswith(_PROGRESS) for text in texts)


def _is_passing(difference: NodeDifference) -> bool:
    """Return whether a difference proves nothing: a closed list, or a message without words of success."""
    node = difference.node
    if not isinstance(node, ElementNode):
        return True
    if difference.about == "removed":
        return node.role in _PASSING_ROLES
    texts = [text for text in (node.name, node.text) if isinstance(text, str)]
    if difference.about in ("text", "added") and texts and not any(map(_WORD.search, texts)):
        return True  # a sign, such as an icon
    message = difference.about in ("text", "added") and node.role in _MESSAGE_ROLES
    return message and not any(reports_success(text) for text in texts)


def caused(found: Iterable[NodeDifference], touched: Mapping[str, str]) -> list[NodeDifference]:
    """Return the differences that our input caused."""
    return [one for one in found if touched.get(one.key) == "caused"]
