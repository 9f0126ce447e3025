"""An application in a few lines, and a loop that carries out what a run commands on it. No clock, no browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from msgspec import UNSET

from uiap.digests import content_digest
from uiap.discovery import commands as do
from uiap.discovery import events as when
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
class El:
    role: str
    name: str = ""
    href: str | None = None
    to: str | None = None
    """Where pressing it leads, if not to its href."""
    opens: str | None = None
    """The part of the page that stands open after pressing it."""
    closes: str | None = None
    writes: str | None = None
    toast: str | None = None
    popup: str | None = None
    scope: str | None = None
    record: str | None = None
    more: dict[str, Any] = field(default_factory=dict)
    state: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """A scope; one with `hidden` shows only while it stands open."""

    id: str
    kind: str = "region"
    name: str = ""
    hidden: bool = False
    modal: bool = False
    annotated: bool = True


@dataclass(frozen=True)
class Page:
    elements: Sequence[El] = ()
    parts: Sequence[Part] = ()
    title: str = ""
    route: str | None = None
    opaque: Sequence[tuple[str, str]] = ()
    leads: str | None = None
    """Whoever comes here is sent there."""


class World:
    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages
        self.url = BASE + "/"
        self.open: set[str] = set()
        self.pressed: list[str] = []
        self.loaded: list[str] = []
        self.nodes: dict[str, El] = {}

    def page(self, url: str) -> Page | None:
        path = urlsplit(url).path or "/"
        return self.pages.get(path) or next(
            (p for pattern, p in self.pages.items() if ":" in pattern and _fits(pattern, path)), None
        )

    def load(self, url: str) -> bool:
        self.loaded.append(url)
        found = self.page(url)
        if found is None or not url.startswith(BASE):
            return False
        if found.leads is not None:
            return self.load(urljoin(BASE, found.leads))
        self.url, self.open = url, set()
        return True

    def sight(self) -> when.ObservedGraph:
        seen = canonical_page(GraphStore(self.graph()))
        self.nodes = {
            number: self._shown[live] for number, live in seen.live_ids.items() if live in self._shown
        }
        return when.ObservedGraph(content_digest(seen.data), seen.graph)

    def press(self, node: str) -> when.Effects:
        one = self.nodes[node]
        self.pressed.append(one.name or one.role)
        if one.writes is not None:
            return when.Effects(blocked=(when.BlockedRequest("POST", urljoin(BASE, one.writes), "write"),))
        if one.opens is not None:
            self.open.add(one.opens)
        if one.closes is not None:
            self.open.discard(one.closes)
        popups = (urljoin(BASE, one.popup),) if one.popup else ()
        target = one.to or (one.href if not popups else None)
        if target is not None:
            self.load(urljoin(self.url, target))
        return when.Effects(toasts=(one.toast,) if one.toast else (), popups=popups)

    def graph(self) -> PageGraph:
        page = self.page(self.url)
        assert page is not None
        parts = [part for part in page.parts if not part.hidden or part.id in self.open]
        shown = {part.id for part in parts}
        scopes = [ScopeNode(scope_id="d1s1", kind="app", document_id="d1", host_instance_id="d1e1")]
        scopes += [
            ScopeNode(
                scope_id=part.id if part.annotated else f"d1s{n}",
                kind=part.kind,
                document_id="d1",
                parent_scope_id="d1s1",
                name=part.name or UNSET,
                source="annotation" if part.annotated else UNSET,
            )
            for n, part in enumerate(parts, 2)
        ]
        ids = {part.id: scope.scope_id for part, scope in zip(parts, scopes[1:], strict=True)}
        self._shown: dict[str, El] = {}
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
            if one.scope is not None and one.scope not in shown:
                continue
            elements.append(self._node(one, f"d1e{n}", ids.get(one.scope or "", "d1s1")))
            self._shown[f"d1e{n}"] = one
        modal = tuple(ids[part.id] for part in parts if part.modal)
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

    def _node(self, one: El, id: str, scope: str) -> ElementNode:
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
            state=WebElementState(visible=True, enabled=True, **state),
            affordances=one.more.get("affordances", AFFORDANCES.get(one.role, ("read", "focus", "activate"))),
            metadata=metadata or UNSET,
            **{key: value for key, value in one.more.items() if key not in ("affordances", "metadata")},
        )


def _fits(pattern: str, path: str) -> bool:
    one, other = pattern.split("/"), path.split("/")
    return len(one) == len(other) and all(
        a.startswith(":") or a == b for a, b in zip(one, other, strict=True)
    )


def asked(
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


class Journey:
    """A run on a world, one event after the other; what was said is kept."""

    def __init__(self, world: World, environment: DiscoveryEnvironment, **terms: Any) -> None:
        self.world = world
        self.terms = RunTerms(run_id="run", environment=environment, **terms)
        self.run = Run(self.terms)
        self.package: DiscoveryPackage | None = None
        self.commands: list[do.Command] = []
        self.events: list[when.Event] = []
        self.urls: tuple[str, ...] = ()
        self.offers: dict[str, Any] = {}
        self.mono = 0.0

    def at(self) -> Instant:
        self.mono += 0.1
        return Instant(self.mono, f"2026-03-26T14:00:{self.mono:06.3f}Z")

    def tell(self, event: when.Event) -> list[do.Command]:
        self.events.append(event)
        said = self.run.handle(event)
        self.commands += said
        self.package = next((one.package for one in said if isinstance(one, do.Finish)), self.package)
        return said

    def answer(self, command: do.Command) -> when.Event:
        world = self.world
        if isinstance(command, do.Prepare):
            return when.Prepared(at=self.at(), urls=self.urls, **self.offers)
        if isinstance(command, do.Load):
            if not world.load(command.url):
                return when.Arrived(at=self.at(), problem="not found")
            return when.Arrived(at=self.at(), observed=world.sight())
        if isinstance(command, do.Act):
            effects = world.press(command.node)
            return when.Acted(at=self.at(), status="succeeded", observed=world.sight(), effects=effects)
        assert isinstance(command, do.Capture)
        return when.Captured(at=self.at(), ax="sha256:ax")

    def steps(self, said: list[do.Command], limit: int = 10_000) -> list[do.Command]:
        """Carry out at most so many commands; what is left over is returned."""
        waiting = [one for one in said if not isinstance(one, do.Report | do.Finish)]
        while waiting and limit:
            limit -= 1
            waiting += [
                one
                for one in self.tell(self.answer(waiting.pop(0)))
                if not isinstance(one, do.Report | do.Finish)
            ]
        return waiting

    def go(self) -> DiscoveryPackage:
        left = self.steps(self.tell(when.Started(at=self.at())))
        assert not left
        return self.ended()

    def ended(self) -> DiscoveryPackage:
        """The package of a run that has ended."""
        assert self.package is not None, "the run came to no end"
        return self.package


def discovered(
    pages: dict[str, Page],
    mode: DiscoveryMode = "safe_explore",
    *,
    seeds: tuple[DiscoverySeed, ...] = (),
    **more: Any,
) -> tuple[DiscoveryPackage, World, Journey]:
    world = World(pages)
    journey = Journey(world, asked(mode, **more), seeds=seeds)
    return journey.go(), world, journey
