"""The knowledge of a bundle that a discovery run starts from."""

from __future__ import annotations

import pytest

from tests.support.bundled_videos import ROOT, WORKFLOW, videos_bundle
from uiap.host.bundles.exploration_knowledge import (
    knowledge_of,
    known_actions,
    known_routes,
    known_workflows,
)


def test_routes_with_an_address_actions_with_their_elements_and_workflows_are_known() -> None:
    bundle = videos_bundle()
    routes = known_routes(bundle, ROOT)
    assert routes and all(url.startswith(ROOT) for url in routes.values())
    assert set(known_actions(bundle, ROOT)) == set(bundle.actions)
    flows = known_workflows(bundle)
    assert [one.id for one in flows] == [one.id for one in bundle.workflows] and flows[0].step_skeleton


@pytest.mark.requirement("RUN-35")
def test_routes_actions_and_workflows_are_seeds_with_the_manifest_as_their_source() -> None:
    flow = {**WORKFLOW, "routeIds": ["videos.new"]}
    known = knowledge_of(videos_bundle(workflows=[flow]), ROOT)
    assert {one.kind for one in known.seeds} == {"route", "action", "workflow"}
    assert set(known.sources.values()) == {"manifest"} and len(known.sources) == len(known.seeds)
    assert known.workflows["video.make"] == (f"{ROOT}/videos/new",)
    assert not any(knowledge_of(None, ROOT))
