"""The knowledge of a bundle that a discovery run starts from."""

from __future__ import annotations

from tests.support.bundled_videos import ROOT, videos_bundle
from uiap.host.bundles.exploration_knowledge import known_actions, known_routes, known_workflows


def test_routes_with_an_address_actions_with_their_elements_and_workflows_are_known() -> None:
    bundle = videos_bundle()
    routes = known_routes(bundle, ROOT)
    assert routes and all(url.startswith(ROOT) for url in routes.values())
    assert set(known_actions(bundle, ROOT)) == set(bundle.actions)
    flows = known_workflows(bundle)
    assert [one.id for one in flows] == [one.id for one in bundle.workflows] and flows[0].step_skeleton
