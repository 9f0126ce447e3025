"""The Chromium driver: one isolated context of a browser as a `Driver`."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import msgspec

from uiap.actions.ops import OP_KINDS, AnyOp
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import BrowserContext, ContextOptions
from uiap.drivers.chromium.browser.files import ChromiumFiles
from uiap.drivers.chromium.browser.network_guard import NetworkGuard
from uiap.drivers.chromium.browser.storage import (
    READ_WEB_STORAGE,
    ChromiumStorage,
    replace_web_storage_script,
)
from uiap.drivers.chromium.input import app_actions
from uiap.drivers.chromium.input.perform import Performer
from uiap.drivers.chromium.navigate import change_route, navigate
from uiap.drivers.chromium.page import schedule
from uiap.drivers.chromium.page.annotate import Label, draw_labels
from uiap.drivers.chromium.page.element_ids import document_key
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
    InputMode,
    PageSchedule,
    PerformOutcome,
    PerformRefused,
    TabInfo,
)
from uiap.drivers.errors import DriverError, NotSupported
from uiap.drivers.events import AnyEvent, Sink
from uiap.drivers.network_rules import NetworkRules
from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.drivers.vocabulary import graph_vocabulary
from uiap.spec.action import PresentationHints
from uiap.spec.capability import UI_AFFORDANCES, UI_ROLES, UI_STATE_KEYS
from uiap.spec.web import DOMRectLike, PageGraph, SnapshotOptions
from uiap.timeouts import GESTURE_S, NAVIGATION_S, REPLY_S

MAX_LABELS = 400
PASSIVE = frozenset({"read", "focus", "scroll"})
PAGE_SCRIPT_ROLES = (
    "x.clickable", "x.color", "x.focusable", "x.frame", "x.host", "x.opaque", "x.scrollable", "x.separator",
)  # fmt: skip
"""The custom roles of the page script. The description of an element is no state of it there."""

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
    vocabulary=graph_vocabulary(
        roles=(*UI_ROLES, *PAGE_SCRIPT_ROLES),
        state_keys=(key for key in UI_STATE_KEYS if key != "description"),
        affordances=UI_AFFORDANCES,
    ),
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
        self._context: BrowserContext | None = None
        self._files: ChromiumFiles | None = None
        self._guard: NetworkGuard | None = None

    def read_annotations(self, prefix: str, attributes: Sequence[str] = ()) -> None:
        world = replace(self._options.world, annotation_prefix=prefix, attributes=tuple(attributes))
        self._options = replace(self._options, world=world)
        if self._context is not None:
            self._context.read_annotations(world)

    async def start(self, sink: Sink) -> None:
        """Open the context and its first tab, or adopt the open tabs; events go to `sink` from now on."""
        self._sink = sink
        open_context = self._browser.adopt if self._options.adopted else self._browser.new_context
        self._context = await open_context(self._emit, self._options)
        self._files = ChromiumFiles(self._context)
        await self._files.start()

    # ------------------------------------------------------------------ surfaces

    @property
    def context(self) -> BrowserContext:
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

    # ------------------------------------------------------------------ reading

    async def observe(
        self, options: SnapshotOptions | None = None, *, tab: str | None = None, timeout: float = REPLY_S
    ) -> PageGraph:
        """Return the whole graph as it is now."""
        boxes = options is not None and options.include_bbox is True
        return apply_snapshot_options(
            await self._tab(tab).feed.current(boxes=boxes, timeout=timeout), options
        )

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        return await self._tab(tab).feed.flush(timeout=10.0, quick=quick)

    async def drawn(self, *, tab: str | None = None) -> None:
        await schedule.drawn(self._tab(tab).feed, timeout=10.0)

    async def schedule(self, *, tab: str | None = None) -> PageSchedule:
        return await schedule.schedule(self._tab(tab).feed, timeout=10.0)

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        """Return current facts of elements, including geometry; a removed element is reported as not attached."""
        facts = {ref: ElementFacts(node=ref, attached=False) for ref in refs}
        by_document: dict[str, list[str]] = {}
        for ref in refs:
            by_document.setdefault(document_key(ref), []).append(ref)
        for key, ids in by_document.items():
            tab = self.context.tab_of_document(key)
            document = tab.frames.document(key) if tab is not None else None
            if tab is None or document is None:
                continue
            answer = json.loads(await tab.evaluate_isolated(document, sdk_call("probe", {"ids": ids})))
            facts |= {ref: _probe_facts(ref, result) for ref, result in answer["results"].items()}
        return facts

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax", "pdf"],
        *,
        tab: str | None = None,
        full_page: bool = False,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        """Capture a screenshot of the tab (with refs if annotated), or Chromium's accessibility tree."""
        target = self._tab(tab)
        if kind == "annotated":
            return await self._annotate(target, await self.evidence("screenshot", tab=tab, hide=hide))
        if kind == "screenshot":
            # A tab in the background does not paint, and its screenshot would never complete.
            await target.session.send("Page.bringToFront")
            params = {"format": "png", "captureBeyondViewport": full_page}
            reply = await target.call(target.session, "Page.captureScreenshot", params, timeout=20.0)
            shot = CapturedEvidence(kind=kind, media_type="image/png", data=base64.b64decode(reply["data"]))
            return await self._cover_elements(target, shot, hide) if hide else shot
        if kind == "ax":
            reply = await target.call(target.session, "Accessibility.getFullAXTree", {}, timeout=20.0)
            return CapturedEvidence(
                kind=kind, media_type="application/json", data=msgspec.json.encode(reply["nodes"])
            )
        if kind == "pdf":
            if hide:
                raise NotSupported(
                    "the page shows private values, which a PDF cannot cover; take a screenshot"
                )
            params = {"printBackground": True, "preferCSSPageSize": True}
            reply = await target.call(target.session, "Page.printToPDF", params, timeout=30.0)
            data = base64.b64decode(reply["data"])
            return CapturedEvidence(kind=kind, media_type="application/pdf", data=data)
        raise NotSupported(f"there is no evidence of kind `{kind}`; use screenshot, annotated, ax or pdf")

    async def _cover_elements(
        self, tab: Tab, plain: CapturedEvidence, hide: Sequence[str]
    ) -> CapturedEvidence:
        """Cover private elements. They are located after the screenshot, so the boxes are a little wider."""
        boxes = await self._locate_elements(tab, list(hide))
        if not boxes:
            return plain
        return await self._draw(tab, plain, [box._replace(cover=True) for box in boxes])

    async def _annotate(self, tab: Tab, plain: CapturedEvidence) -> CapturedEvidence:
        return await self._draw(tab, plain, await self._control_labels(tab))

    async def _draw(self, tab: Tab, plain: CapturedEvidence, labels: list[Label]) -> CapturedEvidence:
        view = await viewport(tab)
        size = (view.right, view.bottom)
        options = ContextOptions(viewport=(round(size[0]), round(size[1])))
        scratch = await self._browser.new_context(lambda _event: None, options)
        try:
            drawn = await draw_labels(scratch.tab(None).session, plain.data, labels, size)
        finally:
            await self._browser.close_context(scratch)
        return CapturedEvidence(
            kind=plain.kind if labels and labels[0].cover else "annotated", media_type="image/png", data=drawn
        )

    async def _control_labels(self, tab: Tab) -> list[Label]:
        """Return labels for the controls of the tab that are visible now."""
        graph = await tab.feed.current(boxes=False, timeout=10.0)
        refs = [e.instance_id for e in graph.elements if not PASSIVE.issuperset(e.affordances)][:MAX_LABELS]
        return await self._locate_elements(tab, refs, unobscured=True)

    async def _locate_elements(
        self, tab: Tab, refs: list[str], *, unobscured: bool = False, anywhere: bool = False
    ) -> list[Label]:
        """Return labels at the boxes of visible elements.

        Args:
            unobscured: Only of elements that nothing covers.
            anywhere: Also of elements outside of the viewport.
        """
        probed = await self.probe(refs)
        labels = []
        for ref, facts in probed.items():
            if (
                facts.bbox is None
                or not facts.visible
                or not (facts.in_viewport or anywhere)
                or (unobscured and facts.obscured)
            ):
                continue
            document = tab.frames.document(document_key(ref))
            corner = (facts.bbox.x, facts.bbox.y)
            point = await to_tab(tab, document.frame, corner) if document is not None else corner
            if point is not None or anywhere or corner[0] < 0 or corner[1] < 0:
                labels.append(Label(ref, *(point or corner), facts.bbox.width, facts.bbox.height))
        return labels

    async def picture(self, node: str) -> ElementPicture | None:
        tab = self.context.tab_of_document(document_key(node))
        labels = await self._locate_elements(tab, [node]) if tab is not None else []
        if tab is None or not labels:
            return None
        shot, view, label = await self.evidence("screenshot", tab=tab.id), await viewport(tab), labels[0]
        box = DOMRectLike(x=label.x, y=label.y, width=label.width, height=label.height)
        return ElementPicture(data=shot.data, box=box, viewport=(view.right, view.bottom))

    async def element_picture(self, node: str) -> bytes | None:
        tab = self.context.tab_of_document(document_key(node))
        labels = await self._locate_elements(tab, [node], anywhere=True) if tab is not None else []
        if tab is None or not labels or not labels[0].width or not labels[0].height:
            return None
        metrics, label = await tab.call(tab.session, "Page.getLayoutMetrics", {}), labels[0]
        view = metrics["cssLayoutViewport"]  # a clip counts from the corner of the page, not of the viewport
        clip = {"x": label.x + view["pageX"], "y": label.y + view["pageY"], "scale": 1}
        params = {
            "format": "png",
            "clip": {**clip, "width": label.width, "height": label.height},
            "captureBeyondViewport": True,
        }
        reply = await tab.call(tab.session, "Page.captureScreenshot", params, timeout=20.0)
        return base64.b64decode(reply["data"])

    # ------------------------------------------------------------------ acting

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        """Carry out one gesture. Failures that a page can cause are outcomes, not exceptions."""
        if op.guard is not None:
            key = document_key(op.guard.node)
            target = self.context.tab_of_document(key)
            document = target.frames.document(key) if target is not None else None
        else:
            target = self._tab(tab)
            document = target.frames.root.document
        if target is None or document is None:
            return PerformRefused("gone", "the document of the target is gone; observe again")
        token = f"op{next(self._tokens)}"
        performer = Performer(target, document, token, self._secrets, timeout, self._options.uploads)
        return await performer.perform(op)

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        return await app_actions.list_actions(self._tab(tab))

    async def elements_by_hint(self, kind: str, value: str, *, tab: str | None = None) -> Sequence[str]:
        target, found = self._tab(tab), list[str]()
        for document in target.frames.documents:
            call = sdk_call("hinted", {"kind": kind, "value": value})
            with suppress(DriverError):  # a frame that was just removed has no elements
                found += json.loads(await target.evaluate_isolated(document, call))["ids"]
        return found

    async def present(
        self, hints: PresentationHints, node: str | None, *, tab: str | None = None, seconds: float = 0.0
    ) -> None:
        target = self._tab(tab) if node is None else self.context.tab_of_document(document_key(node))
        if target is not None:
            root = target.frames.root.document
            document = root if node is None else target.frames.document(document_key(node))
            if document is not None:
                await present(target, document, hints, node, seconds)

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        egress = self._browser.egress
        if egress is not None and (reason := egress.reach.refusal(url)) is not None:
            return PerformRefused("forbidden", reason)
        return await navigate(self._tab(tab), url, timeout=timeout)

    async def change_route(self, url: str, *, tab: str | None = None) -> PerformOutcome | None:
        return await change_route(self._tab(tab), url)

    async def evaluate(self, expression: str, *, tab: str | None = None, timeout: float = REPLY_S) -> Any:
        """Evaluate an expression in the page's own world. For people and tests only."""
        target = self._tab(tab)
        params = {
            "expression": expression,
            "returnByValue": True,
            "awaitPromise": True,
            "userGesture": True,
        }
        return value_of(await target.call(target.session, "Runtime.evaluate", params, timeout=timeout))

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        target = self._tab(tab)
        document = target.frames.root.document
        return (
            dict(json.loads(await target.evaluate_isolated(document, READ_WEB_STORAGE)))
            if document is not None
            else {}
        )

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        target = self._tab(tab)
        document = target.frames.root.document
        if document is not None:
            await target.evaluate_isolated(document, replace_web_storage_script(items))

    async def report_inputs(self, mode: InputMode) -> None:
        inputs = self.context.options.world.inputs
        inputs.mode = mode
        for tab in (self.context.tab(one.tab) for one in self.tabs.all()):
            for tracked in tab.feed.documents:
                if tracked.readable:  # also those that have not published yet
                    tab.feed.send(tracked.document, inputs.call)
            for document in tab.feed.booted_documents():
                await tab.evaluate_isolated(document, inputs.call)

    async def guard_network(self, rules: NetworkRules | None) -> None:
        """Guard all requests of the browser, which must be one that we launched for this session."""
        if not self._browser.process.owned:
            raise NotSupported(
                "the network guard needs a browser of its own; launch one instead of attaching"
            )
        if rules is not None and self._browser.is_shared:
            raise NotSupported(
                "other sessions use this browser, and the guard would block their requests too; try later"
            )
        self._browser.guarded = rules is not None
        if self._guard is None:
            self._guard = NetworkGuard(self._browser, self.context)
        await self._guard.set_rules(rules)

    async def close(self) -> None:
        if self._context is not None and self._browser.session.ended is None:
            await self._browser.close_context(self._context)
        if self._guard is not None and self._browser.session.ended is None:
            await self._guard.set_rules(None)  # last, because pages may send a request when they are closed
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

    def __init__(self, context: BrowserContext) -> None:
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

    async def resize(self, width: int, height: int) -> None:
        tab = self._context.tab(None)
        params = {"width": width, "height": height, "deviceScaleFactor": 0, "mobile": False}
        await tab.call(tab.session, "Emulation.setDeviceMetricsOverride", params, timeout=REPLY_S)


class ChromiumDialogs:
    """The `Dialogs` protocol over a context; dialogs are never answered automatically."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context

    def current(self, tab: str | None = None) -> Dialog | None:
        return self._context.tab(tab).dialog

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        await self._context.tab(tab).answer_dialog(accept, text)


def _probe_facts(ref: str, result: dict[str, Any]) -> ElementFacts:
    box = result.get("bbox")
    return ElementFacts(
        node=ref,
        attached=result.get("attached", False),
        visible=result.get("visible", False),
        enabled=result.get("enabled", False),
        in_viewport=result.get("inViewport", False),
        obscured=result.get("obscured", False),
        stable=result.get("stable", True),
        role=result.get("role"),
        name=result.get("name"),
        record=result.get("record"),
        bbox=DOMRectLike(**box) if box else None,
        detail=result,
    )


def _no_secrets(name: str) -> str:
    raise NotSupported(f"no secret `{name}` is known here; open the session with a secret lookup")
