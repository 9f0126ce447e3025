"""Actions that hit another item than the one they were aimed at, or not all of the selected ones.

"Delete Letter to Ben" is gone, and "Delete Letter to Ann" was pressed and is still there. Four projects were selected,
"Archive selected" was pressed, and two of them are still there and selected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from uiap.signals.change import NodeDifference
from uiap.signals.contradiction import PageChange
from uiap.signals.log import SignalLog
from uiap.signals.reversal import caused
from uiap.spec.web import ElementNode

MIN_WORDS = 2
_SELECTED = re.compile(
    r"\b(?:selected|selection|checked|ausgewählte?n?|auswahl|sélection\w*|seleccion\w*|selezion\w*|selecion\w*|geselecteerde?|"
    r"selectie|zaznaczon\w+|seçil\w+|выбранн\w+|markerade|valgte)\b|選択|选中|선택",
    re.IGNORECASE,
)
_CHOSEN_ROLES = ("checkbox", "row", "option", "listitem")


def hit_other_item(log: SignalLog, page: PageChange, found: Iterable[NodeDifference]) -> str | None:
    """Return what the action did to another item, or left undone of the selected ones."""
    if page.moved:
        return None
    gone = [
        one.node
        for one in caused(found, log.touched)
        if one.about in ("removed", "name") and isinstance(one.node, ElementNode)
    ]
    return _other_item(page, gone) or _left_selected(page, gone)


def _other_item(page: PageChange, gone: Iterable[ElementNode]) -> str | None:
    """Return that the same control of another item is gone or has another name, and the pressed one is unchanged."""
    verb, *others = page.target.split() or [""]
    if len(others) + 1 < MIN_WORDS or _SELECTED.search(page.target) or not _is_unchanged(page):
        return None
    before = (page.baseline["elements"].get(one.instance_id) for one in gone)
    names = (one.name for one in before if isinstance(one, ElementNode) and "activate" in one.affordances)
    other = next((one for one in names if one and one != page.target and one.split()[0] == verb), None)
    return None if other is None else f"`{other}` changed, and `{page.target}` did not"


def _is_unchanged(page: PageChange) -> bool:
    """Return whether exactly one control had the name of the target, and one with the same states has it now."""
    before = [one for one in page.baseline["elements"].recorded() if one.name == page.target]
    now = [one for one in page.store if one.name == page.target]
    return len(now) == 1 and all(one.state.enabled == now[0].state.enabled for one in before)


def _left_selected(page: PageChange, gone: Iterable[ElementNode]) -> str | None:
    """Return that some of the selected items are gone, and others are still there and selected."""
    if _SELECTED.search(page.target) is None:
        return None
    done = sum(1 for one in gone if one.role in _CHOSEN_ROLES and _is_chosen(one))
    left = [one for role in _CHOSEN_ROLES for one in page.store.by_role(role) if _is_chosen(one)]
    if not done or not left:
        return None
    return f"{len(left)} of the selected items are still there: {left[0].name or left[0].text or 'without a name'}"


def _is_chosen(node: ElementNode) -> bool:
    return node.state.checked is True or node.state.selected is True
