"""The whole chain on an application without annotations: discover, review, build, and act on a fresh start."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import msgspec
import pytest

import uiap
from apps.videoland import Settings, serving
from apps.videoland.plain import WithoutAnnotations
from uiap.api.discovery import DiscoveryOptions, discover, environment
from uiap.authoring.build import Built, build
from uiap.authoring.from_discovery.starter import starter_files
from uiap.discovery.package.decisions import FindingDecision, reviewed_package
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.spec.authoring import BuildContext, UIAPCompiledBundle
from uiap.spec.discovery import DiscoveryPackage

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]
NEW = "/videos/new?as=admin&lang=en"
CREATE = "candidate.videos-new.create-video"
DISCOVERY = "discovery/run.discovery.json"
AT = "2026-05-01T09:00:00Z"


class Chain(NamedTuple):
    package: DiscoveryPackage
    bundle: UIAPCompiledBundle


@asynccontextmanager
async def fresh(chain: Chain) -> AsyncIterator[uiap.Ui]:
    """Open the application again, with other data and other ids, and with the bundle."""
    with serving(Settings(rows=60, truth=True, auto_login=True), wrap=WithoutAnnotations) as server:
        bundle = Bundle(chain.bundle, Bindings(chain.bundle), (server.url,))
        async with uiap.open(f"{server.url}{NEW}", bundle=bundle) as ui:
            yield ui


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Chain:
    """One discovery whose elements and whose action are accepted, and the bundle of it."""
    with serving(Settings(rows=5, truth=True, auto_login=True), wrap=WithoutAnnotations) as server:
        asked = environment(f"{server.url}{NEW}", max_states=3, max_transitions=6, max_runtime_s=60)
        out = tmp_path_factory.mktemp("found")
        asyncio.run(discover(asked, options=DiscoveryOptions(ax_trees=False, sitemap=False, out=out)))
    found = msgspec.json.decode((out / "package.json").read_bytes(), type=DiscoveryPackage)
    accepted = [
        FindingDecision(kind="element", id=one.semantic_key, verdict="accept", by="ann", at=AT)
        for one in found.element_catalog.elements
    ]
    named = FindingDecision(kind="action", id=CREATE, verdict="rename", name="video.create", by="ann", at=AT)
    made = _built(reviewed_package(found, [*accepted, named]))
    assert made.bundle is not None, "\n".join(map(str, made.diagnostics))
    return Chain(found, made.bundle)


def _built(package: DiscoveryPackage, channel: Any = "dev") -> Built:
    found = msgspec.json.encode(package)
    files: dict[str, str | bytes] = {**starter_files("app", json.loads(found), DISCOVERY), DISCOVERY: found}
    return build(files, context=BuildContext(channel=channel), now="2026-06-01T00:00:00Z")


@pytest.mark.requirement("DISC-17.3")
def test_an_application_without_annotations_gives_every_part_of_a_package(chain: Chain) -> None:
    package = chain.package
    assert package.run.seeds and package.transition_graph.states and package.transition_graph.edges
    assert package.route_catalog.routes and package.review_queue.items
    forms = {one.kind for one in package.scope_catalog.scopes}
    assert "form" in forms, "scopes are found by their markup"
    named = {name for one in package.element_catalog.elements for name in one.names or ()}
    assert {"Title", "Create video"} <= named
    assert CREATE in {one.id for one in package.action_catalog.actions}
    sources = {ref.source for one in package.element_catalog.elements for ref in one.discovered_by}
    assert "annotation" not in sources


@pytest.mark.requirement("RUN-37")
@pytest.mark.requirement("AUTH-5.3")
async def test_each_element_of_the_page_is_the_one_it_was_found_on(chain: Chain) -> None:
    bindings = chain.bundle.bindings
    assert bindings is not msgspec.UNSET
    fields = {one.id: one for one in bindings.elements or () if one.scope_id == "form.new-video"}
    assert len(fields) > 3
    async with fresh(chain) as ui:
        for reload in (False, True):
            if reload:
                await ui.navigate(NEW)
            for id, binding in fields.items():
                read = await ui.act("ui.read", stable_id=id, timeout_ms=3000)
                assert read.ok, (id, read.payload)
                assert (read.payload.resolved_target.role, read.payload.resolved_target.name) == (
                    binding.role,
                    binding.name,
                )


@pytest.mark.requirement("RUN-37", "RUN-23")
async def test_a_found_action_is_requested_by_its_meaning_and_the_server_agrees(chain: Chain) -> None:
    async with fresh(chain) as ui:
        before = await _truth(ui)
        made = await ui.act("video.create", args={"title": "By its meaning"})
        assert made.ok, made.payload
        after = await _truth(ui)
    assert (after["videos"] - before["videos"], after["lastCreated"]["title"]) == (1, "By its meaning")


@pytest.mark.requirement("RUN-38", "RUN-9")
async def test_a_found_route_is_recognised_and_led_to_by_its_id(chain: Chain) -> None:
    assert chain.bundle.bindings is not msgspec.UNSET
    ids = {one.id for one in chain.bundle.bindings.routes or ()}
    assert {"/videos/new", "/videos"} <= ids, ids
    async with fresh(chain) as ui:
        here = (await ui.observe()).payload.route
        assert here.route_id == "/videos/new"
        gone = await ui.act("nav.navigate", args={"url": "/videos"})
        assert gone.ok, gone.payload
        there = (await ui.observe()).payload.route
        assert there.route_id == "/videos" and there.url != here.url


@pytest.mark.requirement("DISC-SEC.4")
def test_findings_that_nobody_reviewed_are_not_built_for_production(chain: Chain) -> None:
    unreviewed = _built(chain.package, "prod")
    assert unreviewed.bundle is None
    refused = {one.message for one in unreviewed.diagnostics if one.severity == "refusal"}
    assert any(CREATE in text for text in refused), refused
    asked = [one for one in _built(chain.package).diagnostics if one.code == "review_needed"]
    assert len(asked) > 3, "the development build says what is open"


async def _truth(ui: uiap.Ui) -> dict[str, Any]:
    found: dict[str, Any] = await ui.evaluate("fetch('/__truth').then((answer) => answer.json())")
    return found
