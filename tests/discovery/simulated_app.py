"""A simulated application, and a loop that carries out the commands of a run on it. No clock and no browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import UNSET

from uiap.digests import content_digest
from uiap.discovery import commands, events
from uiap.discovery.knowledge.canonical import canonical_page
from uiap.discovery.machine import Run
from uiap.discovery.plan.plan import RunTerms
from uiap.graph.store import GraphStore
from uiap.instant import Instant
from uiap.spec.discovery import (
    DiscoveryBudget,
    DiscoveryEnvironment,
    DiscoveryMode,
    DiscoveryPackage,
    DiscoveryPrincipalProfile,
    DiscoverySafetyPolicy,
    DiscoverySeed,
)
from uiap.spec.web import (
    DocumentNode,
    ElementNode,
    OpaqueRegion,
    PageGraph,
    RouteInfo,
    ScopeNode,
    WebElementState,
)

BASE = "http://app.test"
AFFORDANCES: dict[str, tuple[str, ...]] = {
    "link": ("read", "focus", "activate", "navigate"),
    "tab": ("read", "focus", "activate", "choose"),
    "textbox": ("read", "focus", "edit"),
    "searchbox": ("read", "focus", "edit", "submit"),
    "checkbox": ("read", "focus", "toggle"),
    "switch": ("read", "focus", "toggle"),
    "form": ("read", "submit"),
}


@dataclass(frozen=True)
class Element:
    role: str
    name: str = ""
    href: str | None = None
    leads_to: str | None = None
    """The address that a press leads to, if it is not the href."""
    opens: str | None = None
    """The scope that a press opens."""
    closes: str | None = None
    writes: str | None = None
    toast: str | None = None
    popup: str | None = None
    scope: str | None = None
    record: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Scope:
    """A scope; a `hidden` one is shown only while it is open."""

    id: str
    kind: str = "region"
    name: str = ""
    hidden: bool = False
    modal: bool = False
    annotated: bool = True


@dataclass(frozen=True)
class Page:
    elements: Sequence[Element] = ()
    scopes: Sequence[Scope] = ()
    title: str = ""
    route: str | None = None
    opaque: Sequence[tuple[str, str]] = ()
    redirects_to: str | None = None
    """The address that this page redirects to."""


class SimulatedApp:
    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages
        self.url = BASE + "/"
        self.open: set[str] = set()
        self.pressed: list[str] = []
        self.loaded: list[str] = []
        self.nodes: dict[str, Element] = {}

    def page(self, url: str) -> Page | None:
        path, fragment = urlsplit(url).path or "/", urlsplit(url).fragment
        return (
            self.pages.get(f"{path}#{fragment}")
            or self.pages.get(path)
            or next(
                (p for pattern, p in self.pages.items() if ":" in pattern and _matches(pattern, path)), None
            )
        )

    def load(self, url: str) -> bool:
        self.loaded.append(url)
        found = self.page(url)
        if found is None or not url.startswith(BASE):
            return False
        if found.redirects_to is not None:
            return self.load(urljoin(BASE, found.redirects_to))
        self.url, self.open = url, set()
        return True

    def observe(self) -> events.ObservedGraph:
        canonical = canonical_page(GraphStore(self.graph()))
        self.nodes = {
            number: self._element_by_id[live_id]
            for number, live_id in canonical.live_ids.items()
            if live_id in self._element_by_id
        }
        return events.ObservedGraph(content_digest(canonical.data), canonical.graph)

    def press(self, node: str) -> events.Effects:
        one = self.nodes[node]
        self.pressed.append(one.name or one.role)
        if one.writes is not None:
            return events.Effects(
                blocked=(events.BlockedRequest("POST", urljoin(BASE, one.writes), "write"),)
            )
        if one.opens is not None:
            self.open.add(one.opens)
        if one.closes is not None:
            self.open.discard(one.closes)
        popups = (urljoin(BASE, one.popup),) if one.popup else ()
        target = one.leads_to or (one.href if not popups else None)
        if target is not None:
            self.load(urljoin(self.url, target))
        return events.Effects(toasts=(one.toast,) if one.toast else (), popups=popups)

    def graph(self) -> PageGraph:
        page = self.page(self.url)
        assert page is not None
        visible = [one for one in page.scopes if not one.hidden or one.id in self.open]
        visible_ids = {one.id for one in visible}
        scopes = [ScopeNode(scope_id="d1s1", kind="app", document_id="d1", host_instance_id="d1e1")]
        scopes += [
            ScopeNode(
                scope_id=one.id if one.annotated else f"d1s{n}",
                kind=one.kind,
                document_id="d1",
                parent_scope_id="d1s1",
                name=one.name or UNSET,
                source="annotation" if one.annotated else UNSET,
            )
            for n, one in enumerate(visible, 2)
        ]
        ids = {one.id: scope.scope_id for one, scope in zip(visible, scopes[1:], strict=True)}
        self._element_by_id: dict[str, Element] = {}
        elements = [
            ElementNode(
                instance_id="d1e1",
                document_id="d1",
                role="app",
                state=WebElementState(),
                affordances=("read",),
            )
        ]
        for n, one in enumerate(page.elements, 2):
            if one.scope is not None and one.scope not in visible_ids:
                continue
            elements.append(self._node(one, f"d1e{n}", ids.get(one.scope or "", "d1s1")))
            self._element_by_id[f"d1e{n}"] = one
        modal = tuple(ids[one.id] for one in visible if one.modal)
        return PageGraph(
            model_version="0.1",
            profile="web@0.1",
            revision="rev_1",
            seq=1,
            captured_at="2026-03-26T14:00:00.000Z",
            route=RouteInfo(
                url=self.url, path=urlsplit(self.url).path, title=page.title, route_id=page.route or UNSET
            ),
            documents=(DocumentNode(document_id="d1", kind="root", url=self.url, access="full"),),
            scopes=tuple(scopes),
            elements=tuple(elements),
            modal_stack=modal or UNSET,
            opaque_regions=tuple(
                OpaqueRegion(region_id=f"d1e1o{n}", kind=kind, document_id="d1", name=name)  # type: ignore[arg-type]
                for n, (kind, name) in enumerate(page.opaque)
            ),
        )

    def _node(self, one: Element, id: str, scope: str) -> ElementNode:
        metadata: dict[str, Any] = dict(one.more.get("metadata", {}))
        if one.href is not None:
            metadata["href"] = one.href
        if one.record is not None:
            metadata["record"] = one.record
        state = dict(one.state)
        if one.opens is not None and "expanded" in state:
            state["expanded"] = one.opens in self.open
        return ElementNode(
            instance_id=id,
            document_id="d1",
            scope_id=scope,
            parent_instance_id="d1e1",
            role=one.role,  # type: ignore[arg-type]
            name=one.name or UNSET,
            state=WebElementState(**{"visible": True, "enabled": True, **state}),
            affordances=one.more.get("affordances", AFFORDANCES.get(one.role, ("read", "focus", "activate"))),
            metadata=metadata or UNSET,
            **{key: value for key, value in one.more.items() if key not in ("affordances", "metadata")},
        )


def _matches(pattern: str, path: str) -> bool:
    one, other = pattern.split("/"), path.split("/")
    return len(one) == len(other) and all(
        a.startswith(":") or a == b for a, b in zip(one, other, strict=True)
    )


def environment(
    mode: DiscoveryMode = "safe_explore", *, profiles: Sequence[str] = (), **more: Any
) -> DiscoveryEnvironment:
    allowed = {key: more.pop(key) for key in list(more) if key.startswith("allow_")}
    budget = DiscoveryBudget(**{key: more.pop(key) for key in list(more) if key.startswith("max_")})
    return DiscoveryEnvironment(
        environment_id="test",
        base_url=BASE + "/",
        budgets=budget,
        safety=DiscoverySafetyPolicy(default_mode=mode, **allowed),
        principal_profiles=tuple(DiscoveryPrincipalProfile(id=one) for one in profiles) or UNSET,
        metadata=more or UNSET,
    )


class SimulatedRun:
    """A run on a simulated application, one event after the other, with its events and commands recorded."""

    def __init__(self, app: SimulatedApp, environment: DiscoveryEnvironment, **terms: Any) -> None:
        self.app = app
        self.terms = RunTerms(run_id="run", environment=environment, **terms)
        self.machine = Run(self.terms)
        self.package: DiscoveryPackage | None = None
        self.commands: list[commands.Command] = []
        self.events: list[events.Event] = []
        self.sitemap_urls: tuple[str, ...] = ()
        self.offers: dict[str, Any] = {}
        """Further members of each `Prepared` event."""
        self.mono = 0.0

    def now(self) -> Instant:
        """Return the next moment, 0.1 s after the last one."""
        self.mono += 0.1
        return Instant(self.mono, f"2026-03-26T14:00:{self.mono:06.3f}Z")

    def send(self, event: events.Event) -> list[commands.Command]:
        self.events.append(event)
        issued = self.machine.handle(event)
        self.commands += issued
        self.package = next((one.package for one in issued if isinstance(one, commands.Finish)), self.package)
        return issued

    def answer(self, command: commands.Command) -> events.Event:
        """Carry out a command on the application and return its answer."""
        app = self.app
        if isinstance(command, commands.Prepare):
            return events.Prepared(at=self.now(), urls=self.sitemap_urls, **self.offers)
        if isinstance(command, commands.Load):
            if not app.load(command.url):
                return events.Arrived(at=self.now(), problem="not found")
            return events.Arrived(at=self.now(), observed=app.observe())
        if isinstance(command, commands.Act):
            effects = app.press(command.node)
            return events.Acted(at=self.now(), status="succeeded", observed=app.observe(), effects=effects)
        assert isinstance(command, commands.Capture)
        return events.Captured(at=self.now(), ax="sha256:ax")

    def carry_out(self, issued: list[commands.Command], limit: int = 10_000) -> list[commands.Command]:
        """Carry out up to `limit` commands and those that follow from them; return the ones that are left."""
        pending = _with_answer(issued)
        while pending and limit:
            limit -= 1
            pending += _with_answer(self.send(self.answer(pending.pop(0))))
        return pending

    def complete(self) -> DiscoveryPackage:
        """Run from the start to the end and return the package."""
        left = self.carry_out(self.send(events.Started(at=self.now())))
        assert not left
        return self.final_package()

    def final_package(self) -> DiscoveryPackage:
        """Return the package of a run that has ended."""
        assert self.package is not None, "the run did not end"
        return self.package


def _with_answer(issued: list[commands.Command]) -> list[commands.Command]:
    return [one for one in issued if not isinstance(one, commands.Report | commands.Finish)]


def explore(
    pages: dict[str, Page],
    mode: DiscoveryMode = "safe_explore",
    *,
    seeds: tuple[DiscoverySeed, ...] = (),
    **more: Any,
) -> tuple[DiscoveryPackage, SimulatedApp, SimulatedRun]:
    """Explore these pages completely."""
    app = SimulatedApp(pages)
    run = SimulatedRun(app, environment(mode, **more), seeds=seeds)
    return run.complete(), app, run
