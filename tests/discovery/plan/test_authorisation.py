"""Which environments may be explored, and which need a recorded permission."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.discovery.plan.authorisation import authorisation_problem
from uiap.spec.discovery import DiscoveryEnvironment


def environment(url: str, **metadata: Any) -> DiscoveryEnvironment:
    return DiscoveryEnvironment(environment_id="e", base_url=url, metadata=metadata)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:8000/",
        "https://staging.shop.com/",
        "http://10.1.2.3/",
        "https://app.test/",
        "https://demo-3.x.io",
    ],
)
@pytest.mark.requirement("DISC-2.6")
def test_a_test_environment_may_be_explored(url: str) -> None:
    assert authorisation_problem(environment(url)) is None


@pytest.mark.requirement("DISC-2.6", "DISC-SEC.1")
def test_any_other_host_needs_a_recorded_permission() -> None:
    assert "production" in (authorisation_problem(environment("https://shop.com/")) or "")
    assert authorisation_problem(environment("https://shop.com/", authorization={"by": "Ada"})) is None
    assert authorisation_problem(environment("file:///x")) is not None
