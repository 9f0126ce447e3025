"""The Chromium driver: one isolated context of a browser, behind the protocol every driver satisfies."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from uiap.actions.ops import OP_KINDS, AnyOp
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import Context, ContextOptions
from uiap.drivers.chromium.browser.files import ChromiumFiles
from uiap.drivers.chromium.browser.network_guard import NetworkGuard
from uiap.drivers.chromium.browser.storage import REMEMBERED, ChromiumStorage, remembering
from uiap.drivers.chromium.input import app_actions
from uiap.drivers.chromium.input.perform import Performer
from uiap.drivers.chromium.navigate import navigate
from uiap.drivers.chromium.page.annotate import Label, draw
from uiap.drivers.chromium.page.offsets import to_tab, viewport
from uiap.drivers.chromium.page.presentation import present
from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.chromium.page.world import sdk_call, value_of
from uiap.drivers.driver import (
    CapturedEvidence,
    Dialog,
    DriverFacts,
    ElementFacts,
    ElementPicture,
    PerformOutcome,
    PerformRefused,
    TabInfo,
)
from uiap.drivers.errors import DriverError, NotSupported
from uiap.drivers.events import AnyEvent, Sink
from uiap.drivers.network_rules import NetworkRules
from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.spec.action import PresentationHints
from uiap.spec.web import DOMRectLike, PageGraph, SnapshotOptions
from uiap.timeouts import GESTURE_S, NAVIGATION_S

MAX_LABELS = 400
PASSIVE = frozenset({"read", "focus", "scroll"})

FACTS = DriverFacts(
    profile="web@0.1",
    push=True,
    world="isolated",
    atomic="event",
    attribution="causal",
    trusted_input=True,
    modes=("appAction", "semanticUi", "externalDriver", "inputSynthesis"),
    ops=OP_KINDS,
    read_cost_s=0.01,
)


class ChromiumDriver:
    """Drives the tabs of one browser context."""

    facts = FACTS

    def __init__(
        self,
        browser: ChromiumBrowser,
        options: ContextOptions | None = None,
        *,
        secrets: Callable[[str], str] | None = None,
        owns_browser: bool = False,
    ) -> None:
        self._browser = browser
        self._options = options or ContextOptions()
        self._secrets = secrets or _no_secrets
        self._owns_browser = owns_browser
        self._tokens = itertools.count(1)
        self._sink: Sink | None = None
        self._context: Context | None = None
        self._files: ChromiumFiles | None = None
        self._guard: NetworkGuard | None = None

    async def start(self, sink: Sink) -> None:
        """Open the context and its first tab, or adopt what is open; from now on everything seen goes to `sink`."""
        self._sink = sink
        enter = self._browser.adopt if self._options.adopted else self._browser.new_context
        self._context = await enter(self._emit, self._options)
        self._files = ChromiumFiles(self._context)
        await self._files.start()

    # ------------------------------------------------------------------ doors

    @property
    def context(self) -> Context:
        if self._context is None:
            raise DriverError("the driver is not started; call start first")
        return self._context

    @property
    def tabs(self) -> ChromiumTabs:
        return ChromiumTabs(self.context)

    @property
    def dialog(self) -> ChromiumDialogs:
        return ChromiumDialogs(self.context)

    @property
    def files(self) -> ChromiumFiles:
        if self._files is None:
            raise DriverError("the driver is not started; call start first")
        return self._files

    @property
    def storage(self) -> ChromiumStorage:
        return ChromiumStorage(self.context)

    # ------------------------------------------------------------------ seeing

    async def observe(
        self, options: SnapshotOptions | None = None, *, tab: str | None = None, timeout: float = 30.0
    ) -> PageGraph:
        """The whole graph as it is now."""
        boxes = options is not None and options.include_bbox is True
        return apply_snapshot_options(
            await self._tab(tab).feed.current(boxes=boxes, timeout=timeout), options
        )

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        return await self._tab(tab).feed.flush(timeout=10.0, quick=quick)

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        """Fresh facts of elements, geometry included; one that is gone says so."""
        found = {ref: ElementFacts(node=ref, attached=False) for ref in refs}
        by_document: dict[str, list[str]] = {}
        for ref in refs:
            by_document.setdefault(document_key(ref), []).append(ref)
        for key, ids in by_document.items():
            tab = self.context.tab_of(key)
            document = tab.frames.document(key) if tab is not None else None
            if tab is None or document is None:
                continue
            answer = json.loads(await tab.ask(document, sdk_call("probe", {"ids": ids})))
            found |= {ref: _facts(ref, said) for ref, said in answer["results"].items()}
        return found

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        full_page: bool = False,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        """A picture of the tab (with references on it), or Chromium's own accessibility tree of it."""
        shown = self._tab(tab)
        if kind == "annotated":
            return await self._annotated(shown, await self.evidence("screenshot", tab=tab, hide=hide))
        if kind == "screenshot":
            # A tab behind another one draws nothing, and its picture would never come.
            await shown.session.send("Page.bringToFront")
            params = {"format": "png", "captureBeyondViewport": full_page}
            reply = await shown.call(shown.session, "Page.captureScreenshot", params, timeout=20.0)
            shot = CapturedEvidence(kind=kind, media_type="image/png", data=base64.b64decode(reply["data"]))
            return await self._covered(shown, shot, hide) if hide else shot
        if kind == "ax":
            reply = await shown.call(shown.session, "Accessibility.getFullAXTree", {}, timeout=20.0)
            return CapturedEvidence(
                kind=kind, media_type="application/json", data=msgspec.json.encode(reply["nodes"])
            )
        raise NotSupported(f"there is no evidence of kind `{kind}`; use screenshot, annotated or ax")

    async def _covered(self, tab: Tab, plain: CapturedEvidence, hide: Sequence[str]) -> CapturedEvidence:
        """The picture without what must not be seen. Found after it was taken, so the boxes are made a little wider."""
        boxes = await self._places(tab, list(hide))
        if not boxes:
            return plain
        return await self._drawn(tab, plain, [box._replace(cover=True) for box in boxes])

    async def _annotated(self, tab: Tab, plain: CapturedEvidence) -> CapturedEvidence:
        return await self._drawn(tab, plain, await self._labels(tab))

    async def _drawn(self, tab: Tab, plain: CapturedEvidence, labels: list[Label]) -> CapturedEvidence:
        view = await viewport(tab)
        size = (view.right, view.bottom)
        options = ContextOptions(viewport=(round(size[0]), round(size[1])))
        aside = await self._browser.new_context(lambda _event: None, options)
        try:
            drawn = await draw(aside.tab(None).session, plain.data, labels, size)
        finally:
            await self._browser.close_context(aside)
        return CapturedEvidence(
            kind=plain.kind if labels and labels[0].cover else "annotated", media_type="image/png", data=drawn
        )

    async def _labels(self, tab: Tab) -> list[Label]:
        """The controls of the tab that can be seen right now, with where they are."""
        graph = await tab.feed.current(boxes=False, timeout=10.0)
        refs = [e.instance_id for e in graph.elements if not PASSIVE.issuperset(e.affordances)][:MAX_LABELS]
        return await self._places(tab, refs, seen=True)

    async def _places(self, tab: Tab, refs: list[str], *, seen: bool = False) -> list[Label]:
        """Where they are; with `seen`, only those that nothing covers."""
        found = await self.probe(refs)
        labels = []
        for ref, facts in found.items():
            if facts.bbox is None or not facts.visible or not facts.in_viewport or (seen and facts.obscured):
                continue
            document = tab.frames.document(document_key(ref))
            corner = (facts.bbox.x, facts.bbox.y)
            place = await to_tab(tab, document.frame, corner) if document is not None else corner
            if place is not None or corner[0] < 0 or corner[1] < 0:
                labels.append(Label(ref, *(place or corner), facts.bbox.width, facts.bbox.height))
        return labels

    async def picture(self, node: str) -> ElementPicture | None:
        tab = self.context.tab_of(document_key(node))
        places = await self._places(tab, [node]) if tab is not None else []
        if tab is None or not places:
            return None
        shot, view, at = await self.evidence("screenshot", tab=tab.id), await viewport(tab), places[0]
        box = DOMRectLike(x=at.x, y=at.y, width=at.width, height=at.height)
        return ElementPicture(data=shot.data, box=box, viewport=(view.right, view.bottom))

    # ------------------------------------------------------------------ acting

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        """Carry out one gesture; never raises for what a page can do."""
        if op.guard is not None:
            key = document_key(op.guard.node)
            shown = self.context.tab_of(key)
            document = shown.frames.document(key) if shown is not None else None
        else:
            shown = self._tab(tab)
            document = shown.frames.root.document
        if shown is None or document is None:
            return PerformRefused("gone", "the document of the target is gone; observe again")
        token = f"op{next(self._tokens)}"
        performer = Performer(shown, document, token, self._secrets, timeout, self._options.uploads)
        return await performer.perform(op)

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        return await app_actions.listed(self._tab(tab))

    async def present(
        self, hints: PresentationHints, node: str | None, *, tab: str | None = None, seconds: float = 0.0
    ) -> None:
        shown = self._tab(tab) if node is None else self.context.tab_of(document_key(node))
        if shown is not None:
            found = shown.frames.root.document if node is None else shown.frames.document(document_key(node))
            if found is not None:
                await present(shown, found, hints, node, seconds)

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        egress = self._browser.egress
        if egress is not None and (why := egress.reach.refusal(url)) is not None:
            return PerformRefused("forbidden", why)
        return await navigate(self._tab(tab), url, timeout=timeout)

    async def evaluate(self, expression: str, *, tab: str | None = None, timeout: float = 30.0) -> Any:
        """Run an expression in the page's own world. For people and tests only."""
        shown = self._tab(tab)
        params = {
            "expression": expression,
            "returnByValue": True,
            "awaitPromise": True,
            "userGesture": True,
        }
        return value_of(await shown.call(shown.session, "Runtime.evaluate", params, timeout=timeout))

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        shown = self._tab(tab)
        document = shown.frames.root.document
        return dict(json.loads(await shown.ask(document, REMEMBERED))) if document is not None else {}

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        shown = self._tab(tab)
        document = shown.frames.root.document
        if document is not None:
            await shown.ask(document, remembering(items))

    async def guard_network(self, rules: NetworkRules | None) -> None:
        """Judges every request of the browser, so it must be one that we started for ourselves."""
        if not self._browser.process.owned:
            raise NotSupported(
                "the network guard needs a browser of its own; launch one instead of attaching"
            )
        if rules is not None and self._browser.shared:
            raise NotSupported(
                "other sessions use this browser too, and the guard would judge theirs; try later"
            )
        self._browser.guarded = rules is not None
        if self._guard is None:
            self._guard = NetworkGuard(self._browser.session, self.context)
        await self._guard.use(rules)

    async def close(self) -> None:
        if self._guard is not None and self._browser.session.ended is None:
            await self._guard.use(None)
        if self._context is not None and self._browser.session.ended is None:
            await self._browser.close_context(self._context)
        if self._files is not None:
            self._files.stop()
        if self._owns_browser:
            await self._browser.close()

    def _tab(self, tab: str | None) -> Tab:
        return self.context.tab(tab)

    def _emit(self, event: AnyEvent) -> None:
        if self._sink is not None:
            self._sink(event)


class ChromiumTabs:
    """The `Tabs` protocol over a context."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def active(self) -> str:
        return self._context.active

    def all(self) -> tuple[TabInfo, ...]:
        return self._context.all()

    async def open(self, url: str = "about:blank") -> str:
        tab = await self._context.open()
        if url != "about:blank":
            await navigate(tab, url)
        return tab.id

    async def activate(self, tab: str) -> None:
        await self._context.activate(tab)

    async def close(self, tab: str) -> None:
        await self._context.close_tab(tab)


class ChromiumDialogs:
    """The `Dialogs` protocol over a context: nothing is ever answered by itself."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def current(self, tab: str | None = None) -> Dialog | None:
        return self._context.tab(tab).dialog

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        await self._context.tab(tab).answer_dialog(accept, text)


def document_key(instance_id: str) -> str:
    """The document an instanceId belongs to: `d12e5` is of `d12`."""
    return instance_id.partition("e")[0]


def _facts(ref: str, said: dict[str, Any]) -> ElementFacts:
    box = said.get("bbox")
    return ElementFacts(
        node=ref,
        attached=said.get("attached", False),
        visible=said.get("visible", False),
        enabled=said.get("enabled", False),
        in_viewport=said.get("inViewport", False),
        obscured=said.get("obscured", False),
        stable=said.get("stable", True),
        role=said.get("role"),
        name=said.get("name"),
        record=said.get("record"),
        bbox=DOMRectLike(**box) if box else None,
        detail=said,
    )


def _no_secrets(name: str) -> str:
    raise NotSupported(f"no secret `{name}` is known here; open the session with a secret lookup")
