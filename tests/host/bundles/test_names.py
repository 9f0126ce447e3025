"""Ids of a bundle in targets, signals and policy rules, on a page that names nothing itself."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.graph.pages import Page
from tests.support.bundled_videos import AGENT, ROOT, SECTIONS, videos_bundle, videos_session
from uiap.graph.store import GraphStore
from uiap.host.bundles.names import BundleNames
from uiap.host.bundles.scopes import Scopes
from uiap.runtime.surroundings import full_surroundings
from uiap.signals import dialog
from uiap.signals.lookup import target_elements
from uiap.spec.capability import DialogOpened, ScopeRef, StableIdRef

SAVE = {"by": "semantic", "role": "button", "name": "Save", "scope": "video.form"}


@pytest.mark.requirement("RUN-12")
async def test_a_scope_id_of_the_bundle_in_a_target_means_the_live_scope() -> None:
    async with videos_session(videos_bundle()) as session:
        assert "video.form" not in session.services.page.tab().store.scopes
        assert (await session.act("ui.activate", target=SAVE)).status == "succeeded"
        elsewhere = {**SAVE, "name": "Help"}
        outside = await session.act("ui.activate", target=elsewhere, timeout_ms=300)
        assert outside.status == "failed" and len(session.videos.saved) == 1


@pytest.mark.requirement("RUN-13")
async def test_what_is_limited_to_a_route_or_scope_holds_inside_its_children() -> None:
    """`app.help` is bound on `videos`, and the page is on the route below it."""
    focus = {"by": "stableId", "value": "app.help"}
    async with videos_session(videos_bundle()) as session:
        assert session.services.page.tab().store.route.route_id == "videos.new"
        assert (await session.act("ui.focus", None, focus)).status == "succeeded"
    routes = [{**one, "parentRouteId": UNSET} for one in SECTIONS["bindings"]["routes"]]
    apart = [{k: v for k, v in one.items() if v is not UNSET} for one in routes]
    async with videos_session(videos_bundle(bindings={**SECTIONS["bindings"], "routes": apart})) as session:
        assert (await session.act("ui.focus", None, focus, timeout_ms=300)).status == "failed"


DENY = {
    "id": "forms",
    "document": {
        "modelVersion": "0.1",
        "id": "house",
        "defaults": {},
        "rules": [{"id": "no-forms", "effect": "deny", "match": {"scopeIds": ["video.form"]}}],
    },
}


@pytest.mark.requirement("RUN-12")
async def test_a_rule_about_a_scope_of_the_bundle_applies_to_the_live_scope() -> None:
    for policies, status in ((UNSET, "succeeded"), ([DENY], "failed")):
        bundle = videos_bundle(**({} if policies is UNSET else {"policies": policies}))
        async with videos_session(bundle, principal=AGENT, rules="standard") as session:
            title = {"by": "stableId", "value": "video.title"}
            result = await session.act("ui.enterText", {"text": "Lamp"}, title)
            assert result.status == status, result


def video_page(**members: Any) -> GraphStore:
    made = Page("/videos/new", "New video")
    form = made.scope("form", "New video")
    made.element("button", "Save", scope_id=form)
    for kind, name in members.items():
        made.scope(kind, name)
    store = GraphStore(_at_home(made))
    store.known_names = BundleNames(videos_bundle(bindings={**BINDINGS}))
    return store


def _at_home(made: Page) -> Any:
    graph = made.graph()
    return msgspec.structs.replace(
        graph, route=msgspec.structs.replace(graph.route, url=f"{ROOT}/videos/new", path="/videos/new")
    )


BINDINGS = {
    "scopes": [
        {"id": "video.form", "kind": "form", "title": "New video"},
        {"id": "video.sure", "kind": "dialog", "title": "Are you sure?"},
    ],
    "elements": [
        {
            "id": "video.save",
            "role": "button",
            "scopeId": "video.form",
            "match": [{"by": "semantic", "role": "button", "name": "Save", "scopeId": "video.form"}],
        }
    ],
}


@pytest.mark.requirement("RUN-40")
def test_a_signal_about_a_scope_of_the_bundle_is_observed_in_the_live_scope() -> None:
    opened = DialogOpened(target=ScopeRef(value="video.sure"))
    assert dialog.read(opened, video_page()) == frozenset()
    assert len(dialog.read(opened, video_page(dialog="Are you sure?"))) == 1
    assert dialog.read(opened, video_page(dialog="Something else")) == frozenset()


def test_a_signal_about_an_element_of_the_bundle_finds_it() -> None:
    (found,) = target_elements(video_page(), StableIdRef(value="video.save"))
    assert found.name == "Save"
    assert target_elements(video_page(), StableIdRef(value="video.gone")) == ()


def test_the_surroundings_of_a_target_name_the_scope_as_the_bundle_does() -> None:
    store = video_page()
    (save,) = store.by_role("button")
    assert full_surroundings(store, save).scope_id == "video.form"
    store.known_names = None
    assert full_surroundings(store, save).scope_id == save.scope_id
    assert isinstance(videos_bundle().bindings.scopes, Scopes)
