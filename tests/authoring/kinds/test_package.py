"""The faults of a Package manifest that need no other file."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.authoring.kinds.kind import FactCollector
from uiap.authoring.kinds.package import KIND

PROD = {"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}
ONE = {"id": "app", "path": "app.uiap.yaml", "kind": "App"}


def codes(**members: Any) -> list[str]:
    spec = {
        "packageId": "p",
        "version": "1.0.0",
        "manifests": [ONE],
        "compatibility": {"uiapCore": ">=0.1"},
        **members,
    }
    facts = FactCollector()
    KIND.inspect(spec, facts)
    return [lint.code for lint in facts.facts({}, ()).lints]


def test_a_plain_package_has_no_faults() -> None:
    assert codes(publish={"channels": [PROD], "defaultChannel": "prod"}) == []


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ({"version": "one"}, ["bad_version"]),
        ({"manifests": [ONE, ONE]}, ["duplicate_id", "duplicate_id"]),
        ({"manifests": [{**ONE, "id": "lib:app"}]}, ["id_collision"]),
        ({"imports": [{"alias": "a", "versionRange": ">>1"}]}, ["bad_range"]),
        ({"imports": [{"alias": "a:b", "versionRange": "*"}]}, ["bad_alias"]),
        ({"imports": [{"alias": "a", "versionRange": "*"}] * 2}, ["duplicate_alias"]),
        ({"publish": {"channels": [{"name": "prod"}]}}, ["lenient_prod", "lenient_prod"]),
        ({"publish": {"channels": [], "defaultChannel": "beta"}}, ["unknown_channel"]),
        ({"build": {"outDir": "../out"}}, ["bad_path"]),
    ],
)
def test_each_fault_has_its_code(members: dict[str, Any], found: list[str]) -> None:
    assert codes(**members) == found
