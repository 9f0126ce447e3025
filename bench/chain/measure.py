"""Runs the chain on one application and counts the ids that lead to the same element on the fresh start."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from bench.chain.apps import Site
from bench.chain.drift import Drifted, measure_drifts
from bench.chain.live import read_routes
from uiap.api.discovery import DiscoveryOptions, discover, environment
from uiap.authoring.build import build
from uiap.authoring.from_discovery.starter import starter_files
from uiap.graph.own_attributes import HREF, own_attribute
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.matching import ElementMatching, attribute_of
from uiap.host.bundles.routes import Routes
from uiap.host.bundles.scopes import Scopes
from uiap.runtime.resolve import Candidates, Resolved, gather, resolve
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import BindingsManifest, BuildContext, ElementBinding, UIAPCompiledBundle
from uiap.spec.capability import StableIdRef
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.web import ElementNode, PageGraph

STATES, SECONDS = 80, 400


class Part(NamedTuple):
    kind: str
    whole: int
    missing: tuple[str, ...]
    wrong: tuple[str, ...]
    unseen: int = 0
    """Ids that no stored page of the first run shows: a state keeps one page, and a variant of it had them."""

    @property
    def found(self) -> int:
        return self.whole - len(self.missing)


class Explored(NamedTuple):
    package: DiscoveryPackage
    pages: tuple[GraphStore, ...]


class Measured(NamedTuple):
    parts: tuple[Part, ...]
    drifts: tuple[Drifted, ...]


async def measure(site: Callable[..., AbstractContextManager[Site]]) -> Measured:
    """Discover the application twice, with other data; apply the bundle of the first run to the second."""
    with site(other=False) as first:
        before = await _explore(first)
    with site(other=True) as second:
        after = await _explore(second)
        bundle = bundle_of(before.package)
        more = await read_routes(second, Bindings(bundle).known_routes, after.pages)
        after = Explored(after.package, (*after.pages, *more))
        drifts = await measure_drifts(second, bundle, _addresses(after))
    return Measured(found_again(before, after), drifts)


def _addresses(run: Explored) -> list[str]:
    """Return the path of each page, those with the most controls first."""
    pages = sorted(run.pages, key=lambda page: -len(page.elements))
    split = (urlsplit(page.route.url) for page in pages)
    return list(dict.fromkeys(one._replace(scheme="", netloc="").geturl() for one in split))


async def _explore(site: Site) -> Explored:
    who = [site.principal] if site.principal is not None else []
    target = environment(site.url, max_states=STATES, max_runtime_s=SECONDS, principals=who)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        await discover(
            target, options=DiscoveryOptions(principals=who, ax_trees=False, out=out, sitemap=False)
        )
        package = msgspec.json.decode((out / "package.json").read_bytes(), type=DiscoveryPackage)
        return Explored(package, tuple(_pages(package, out)))


def _pages(package: DiscoveryPackage, out: Path) -> Iterator[GraphStore]:
    files = {
        one.ref_id: str(one.uri) for one in (package.evidence_index.items if package.evidence_index else ())
    }
    for state in package.transition_graph.states:
        data = (out / files[str(state.page_graph_ref)]).read_bytes()
        yield GraphStore(msgspec.json.decode(data, type=PageGraph))


def found_again(before: Explored, after: Explored) -> tuple[Part, ...]:
    bundle = bundle_of(before.package)
    known = bundle.bindings if bundle.bindings is not UNSET else BindingsManifest()
    routes = Routes(known.routes or ())
    matching = ElementMatching(known.elements or (), known.scopes or (), routes, "data-uiap-id")
    return (
        _elements(Bindings(bundle), before.pages, after.pages, _marks(before.package)),
        _scopes(matching.scopes, before.pages, after.pages),
        _routes(routes, after.pages),
    )


def bundle_of(package: DiscoveryPackage) -> UIAPCompiledBundle:
    """Return the bundle that `uiap init --from-discovery` and `uiap build` make of the package."""
    found = msgspec.json.decode(msgspec.json.encode(package))
    files: dict[str, str | bytes] = {**starter_files("app", found, "discovery/run.discovery.json")}
    files["discovery/run.discovery.json"] = msgspec.json.encode(package)
    built = build(files, context=BuildContext(channel="dev"), now="2026-06-01T00:00:00Z")
    assert built.bundle is not None, "\n".join(map(str, built.diagnostics))
    return built.bundle


def _marks(package: DiscoveryPackage) -> dict[str, set[str]]:
    """Return the marks of each element of the first run, by semantic key."""
    return {
        one.semantic_key: set(one.metadata["descriptions"])
        for one in package.element_catalog.elements
        if one.metadata is not UNSET and "descriptions" in one.metadata
    }


def _elements(
    bindings: Bindings,
    before: Sequence[GraphStore],
    pages: Sequence[GraphStore],
    marks: dict[str, set[str]],
) -> Part:
    missing, wrong = [], []
    shown = [id for id, one in bindings.elements.items() if _is_shown(bindings, before, one, marks.get(id))]
    for id in shown:
        binding = bindings.elements[id]
        hits = [(page, one) for page in pages for one in _hits(bindings, page, binding)]
        if not hits:
            missing.append(id)
        wrong += [
            f"{id} -> {one.role} {one.name}"
            for page, one in hits
            if not _is_right(page, binding, one, marks.get(id, set()))
        ][:1]
    unseen = len(bindings.elements) - len(shown)
    return Part("elements", len(shown), tuple(missing), tuple(wrong), unseen)


def _is_shown(
    bindings: Bindings, pages: Sequence[GraphStore], binding: ElementBinding, marks: set[str] | None
) -> bool:
    """Return whether a stored page of the first run shows the element: by the binding, or by its mark and name."""
    there = [page for page in pages if bindings.known_routes.includes(page, binding.route_ids)]
    return any(
        bool(bindings.find(page, binding))
        or any(one.role == binding.role and _has_mark(binding, one, marks) for one in page)
        for page in there
    )


def _has_mark(binding: ElementBinding, element: ElementNode, marks: set[str] | None) -> bool:
    named = _is_repeated(binding) or element.name == binding.name
    return named and marks is not None and element.description in marks


def _is_right(page: GraphStore, binding: ElementBinding, element: ElementNode, marks: set[str]) -> bool:
    """Return whether the mark is one of the first run, or a link leads to the same address.

    Of a repeated control only the address counts: its text is data.
    """
    address = next((key for key in map(attribute_of, binding.match) if key and key[0] == HREF), None)
    same = address is not None and own_attribute(page, element, HREF) == address[1]
    if not _is_repeated(binding):
        return same or not marks or element.description in {UNSET, *marks}
    return address is None or same


def _is_repeated(binding: ElementBinding) -> bool:
    """Return whether the control is in each item of a list."""
    return binding.metadata is not UNSET and binding.metadata.get("record") is True


def _hits(bindings: Bindings, page: GraphStore, binding: ElementBinding) -> list[ElementNode]:
    """Return the element the runtime would act on; of a control in each item of a list, all of them."""
    target = ActionTarget(ref=StableIdRef(value=binding.id))
    candidates: Candidates = bindings.bind(page, target, gather(page, target))
    if _is_repeated(binding):
        return [one.element for one in candidates.candidates]
    found = resolve(target, candidates, "ui.activate")
    return [found.winner.candidate.element] if isinstance(found, Resolved) else []


def _scopes(scopes: Scopes, before: Sequence[GraphStore], after: Sequence[GraphStore]) -> Part:
    """Compare the marks inside each recognised scope with those of the first run; no common mark is wrong."""
    missing, wrong = [], []
    shown = [id for id in scopes.by_id if any(scopes.live(page, id) for page in before)]
    for id in shown:
        if not any(scopes.live(page, id) for page in after):
            missing.append(id)
            continue
        first, again = _marks_inside(scopes, before, id), _marks_inside(scopes, after, id)
        if first and again and first.isdisjoint(again):
            wrong.append(f"{id}: none of its controls")
    unseen = len(scopes.by_id) - len(shown)
    return Part("scopes", len(shown), tuple(missing), tuple(wrong), unseen)


def _marks_inside(scopes: Scopes, pages: Sequence[GraphStore], id: str) -> set[str]:
    return {
        one.description
        for page in pages
        for scope in scopes.live(page, id)
        for one in page.by_scope(scope)
        if isinstance(one.description, str)
    }


def _routes(routes: Routes, pages: Sequence[GraphStore]) -> Part:
    """Count the routes that a page of the second run shows. A page that fits two routes is wrong."""
    shown = [routes.current(page) for page in pages]
    missing = tuple(id for id in routes.by_id if not any(id in ids for ids in shown))
    wrong = tuple(" and ".join(ids) for ids in dict.fromkeys(shown) if len(ids) > 1)
    return Part("routes", len(routes.by_id), missing, wrong)
