"""Loading a bundle: intact, compatible and built for the running context, or refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.authoring.folders import built, package
from uiap.authoring.bundles.bundle import with_digest
from uiap.authoring.bundles.load import BadBundle, load_bundle
from uiap.spec.authoring import BuildContext

DATA = built(package(), environment="eu", app_version="1.0.0").data


def changed(**members: Any) -> bytes:
    bundle = {**json.loads(DATA), **members}
    bundle.pop("digest")
    return with_digest(bundle)


def test_a_bundle_loads_in_its_context() -> None:
    assert load_bundle(DATA).package_id == "shop.uiap"
    assert load_bundle(DATA, BuildContext(environment="eu", locale="de")).package_id == "shop.uiap"


MISSING = {"id": "x.no", "range": "*", "required": True}
BAD: list[tuple[str, bytes, BuildContext | None]] = [
    ("no json", b"{", None),
    ("no bundle", b"{}", None),
    ("changed after it was built", DATA.replace(b"Shop", b"Shup"), None),
    ("a member twice", DATA[:-1] + b',"version":"2.0.0"}', None),
    ("another core", changed(compatibility={"uiapCore": "^9"}), None),
    (
        "a required extension missing",
        changed(
            compatibility={"uiapCore": "*", "extensions": [{"id": "x.no", "range": "*", "required": True}]}
        ),
        None,
    ),
    ("another sdk", changed(compatibility={"uiapCore": "*", "sdk": {"web": "^3"}}), None),
    ("a broken range", changed(compatibility={"uiapCore": "soon"}), None),
    ("another environment", DATA, BuildContext(environment="us")),
    ("another app version", DATA, BuildContext(app_version="2.0.0")),
]


@pytest.mark.requirement("AUTH-4.1c", "AUTH-12")
@pytest.mark.parametrize(("name", "data", "running"), BAD, ids=[row[0] for row in BAD])
def test_any_other_bundle_is_refused(name: str, data: bytes, running: BuildContext | None) -> None:
    with pytest.raises(BadBundle):
        load_bundle(data, running)


def test_an_unavailable_optional_extension_and_an_alias_are_accepted() -> None:
    wanted = [{"id": "x.no", "range": "*"}, {"id": "uicp.policy", "range": "^0.1", "required": True}]
    assert load_bundle(changed(compatibility={"uiapCore": "*", "extensions": wanted}))
