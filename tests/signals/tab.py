"""A tab without a browser: it shows one page after another and reports each change to the watch."""

from __future__ import annotations

import copy
from collections.abc import Callable

import msgspec

from tests.graph.pages import Page
from uiap.graph.diff import diff
from uiap.graph.store import GraphStore
from uiap.signals.effect_report import EffectReport, NetworkTrace
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectWatch
from uiap.spec.capability import SuccessSignal
from uiap.spec.web import WebSignal

OURS = "op1"
Change = Callable[[Page], object]


class Tab:
    """A tab with its own clock, which starts at 100 s. Our input has the token `op1`."""

    def __init__(self, page: Page) -> None:
        self.page, self.seq, self.now = page, 1, 100.0
        self.store = GraphStore(page.graph("r1", 1))
        self.watch = EffectWatch(self.store)

    def shows(self, change: Change, token: str | None = None, after: float = 0.0) -> Tab:
        """Change the page. With a token, the change happens in the task of that input."""
        self.now += after
        before = self.store.snapshot()
        self.page = copy.deepcopy(self.page)
        change(self.page)
        self.seq += 1
        delta = diff(before, self.page.graph(f"r{self.seq}", self.seq))
        assert not hasattr(self.store.apply(delta), "reason")
        self.watch.graph_changed(delta, self.seq, self.now, token)
        return self

    def loads(self, page: Page) -> Tab:
        self.page, self.seq = page, self.seq + 1
        self.store.load(page.graph(f"r{self.seq}", self.seq), "navigation")
        self.watch.graph_changed(None, self.seq, self.now)
        return self

    def says(self, signal: WebSignal, token: str | None = None, after: float = 0.0) -> Tab:
        self.now += after
        self.watch.signal_received(signal, self.seq, self.now, token)
        return self

    def acts(self, *signals: SuccessSignal, target: str | None = None) -> Tab:
        """Take the baseline and dispatch our input."""
        self.baseline = self.watch.open(signals, target, self.now)
        self.watch.dispatched(OURS, self.now)
        return self

    def report(
        self, *windows: tuple[float, float], navigating: bool = False, wrote: bool = False
    ) -> EffectReport:
        return self.watch.report(NetworkTrace(tuple(windows), navigating, wrote))

    def verdict(self, *windows: tuple[float, float], navigating: bool = False) -> Verdict:
        [verdict] = self.report(*windows, navigating=navigating).verdicts
        return verdict


def node(page: Page, id: str, **members: object) -> None:
    """Change members of one element in place; `state` members are merged."""
    for index, element in enumerate(page.elements):
        if element.instance_id == id:
            state = members.pop("state", None)
            if isinstance(state, dict):
                members["state"] = msgspec.structs.replace(element.state, **state)
            page.elements[index] = msgspec.structs.replace(element, **members)
            return
    raise LookupError(id)
