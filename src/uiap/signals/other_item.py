"""An action that removed another item than the one it was aimed at: "Delete Letter to Ben" is gone, not "… to Ann"."""

from __future__ import annotations

from collections.abc import Iterable

from uiap.signals.change import NodeDifference
from uiap.signals.contradiction import PageChange
from uiap.signals.deed import removes
from uiap.signals.log import SignalLog
from uiap.signals.reversal import caused
from uiap.spec.web import ElementNode

MIN_WORDS = 2


def removed_other_item(log: SignalLog, page: PageChange, found: Iterable[NodeDifference]) -> str | None:
    """Return that the same control of another item is gone, and the pressed one is still there."""
    words = page.target.split()
    if page.moved or len(words) < MIN_WORDS or not removes(page.target):
        return None
    if not any(one.name == page.target for one in page.store):
        return None
    gone = (one.node for one in caused(found, log.touched) if one.about == "removed")
    names = (one.name for one in gone if isinstance(one, ElementNode) and "activate" in one.affordances)
    other = next((one for one in names if one and one != page.target and one.split()[0] == words[0]), None)
    return None if other is None else f"`{other}` is gone, and `{page.target}` is still there"
