"""A compiled bundle at run time: verified before it is trusted, and applied only to its own origins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.host.bundles.orders import (
    bound,
    by_words,
    compiled,
    page,
    the_one,
)
from uiap.api.open_session import bundle_for
from uiap.authoring.bundles.load import BadBundle
from uiap.authoring.bundles.signature import Untrusted, public_key_of, sign
from uiap.errors import UiapError
from uiap.host.bundles.bundle import Bundle, open_bundle
from uiap.host.bundles.exploration_knowledge import known_routes
from uiap.host.bundles.session_terms import running_context
from uiap.spec.authoring import BuildContext
from uiap.spec.capability import (
    RiskDescriptor,
)

pytest.importorskip("cryptography")


KEY, OTHER = bytes(range(32)), bytes(range(1, 33))


APP_URL = "http://app.test/orders"


def written(folder: Path, data: bytes, key: bytes | None = KEY) -> Path:
    path = folder / "shop.bundle.json"
    path.write_bytes(data)
    if key is not None:
        path.with_name(path.name + ".sig").write_bytes(msgspec.json.encode(sign(data, key)))
    return path


def opened(path: Path, url: str = APP_URL, **options: Any) -> Bundle:
    return open_bundle(path, url, **{"trust": public_key_of(KEY), **options})


@pytest.mark.requirement("AUTH-12")
def test_a_signed_bundle_opens_with_its_key_and_names_the_signer(tmp_path: Path) -> None:
    path = written(tmp_path, compiled())
    (tmp_path / "trusted.pub").write_text(public_key_of(KEY) + "\n")
    bundle = opened(path)
    assert (
        bundle.signed_by and bundle.signed_by == opened(path, trust=str(tmp_path / "trusted.pub")).signed_by
    )
    assert opened(path, trust=[public_key_of(OTHER), public_key_of(KEY)]).signed_by == bundle.signed_by
    assert the_one(bound(page(), "order.send", bundle=bundle)).vouched
    assert [p.id for p in bundle.policies] == ["house"]
    assert list(bundle.actions) == ["order.delete"]


def test_a_bundle_without_a_trusted_key_is_used_but_not_trusted(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, compiled(), key=None), trust=None)
    found = the_one(bound(page(), "order.send", bundle=bundle))
    assert bundle.signed_by is None and not found.vouched and found.element.success


def test_the_routes_of_a_bundle_are_seeds_for_discovery(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, compiled()), "http://app.test/start")
    assert list(known_routes(bundle, "http://app.test/start").values()) == ["http://app.test/orders"]


@pytest.mark.requirement("AUTH-5.5")
def test_the_policies_of_a_bundle_are_added_to_those_of_the_session(tmp_path: Path) -> None:
    from uiap.host.sessions.session_services import compose_rules

    bundle = opened(written(tmp_path, compiled()))
    assert [document.id for document in compose_rules("standard", bundle)][-1] == "p.house"  # type: ignore[union-attr]
    assert compose_rules("standard", None) == "standard"


DATA = compiled()


REFUSED: dict[str, tuple[bytes, bytes | None]] = {
    "another key": (DATA, OTHER),
    "unsigned": (DATA, None),
}


@pytest.mark.requirement("AUTH-12")
@pytest.mark.parametrize("name", REFUSED)
def test_a_bundle_that_the_trusted_key_did_not_sign_is_refused(name: str, tmp_path: Path) -> None:
    data, key = REFUSED[name]
    with pytest.raises(Untrusted):
        opened(written(tmp_path, data, key))


@pytest.mark.requirement("AUTH-12", "RUN-3")
def test_a_bundle_changed_after_signing_is_refused_with_and_without_a_key(tmp_path: Path) -> None:
    path = written(tmp_path, DATA)
    path.write_bytes(DATA.replace(b'"level":"blocked"', b'"level":"safe"'))
    with pytest.raises(Untrusted):
        opened(path)
    with pytest.raises(BadBundle, match="digest"):
        opened(path, trust=None)


@pytest.mark.requirement("AUTH-4.1c")
@pytest.mark.parametrize(
    "changes",
    [
        {"compatibility": {"uiapCore": ">=9"}},
        {
            "compatibility": {
                "uiapCore": "*",
                "extensions": [{"id": "x.none", "range": "*", "required": True}],
            }
        },
        {"compatibility": {"uiapCore": "*", "sdk": {"web": ">=7"}}},
    ],
)
def test_a_bundle_for_other_versions_is_refused(changes: dict[str, Any], tmp_path: Path) -> None:
    from uiap.authoring.bundles.bundle import with_digest

    members = {**json.loads(DATA), **changes}
    members.pop("digest")
    with pytest.raises(BadBundle, match="needs"):
        opened(written(tmp_path, with_digest(members)))


BUILT_FOR = {
    "environment": ("staging", "prod"),
    "locale": ("de", "fr"),
    "app_version": ("1.0.0", "2.0.0"),
    "tenant": ("acme", "bolt"),
    "profile": ("admin", "guest"),
}
MEMBERS = {"app_version": "appVersion", "tenant": "tenantId", "profile": "principalProfile"}


@pytest.mark.requirement("RUN-5")
@pytest.mark.parametrize("member", BUILT_FOR)
def test_a_bundle_built_for_another_context_than_that_of_the_session_is_refused(
    member: str, tmp_path: Path
) -> None:
    theirs, ours = BUILT_FOR[member]
    path = _rebuilt(tmp_path, buildContext={MEMBERS.get(member, member): theirs})
    with pytest.raises(BadBundle, match=f"`{theirs}`, this is `{ours}`"):
        bundle_for(APP_URL, path, running=running_context(**{member: ours}))


@pytest.mark.requirement("RUN-5")
def test_a_bundle_for_other_versions_of_the_app_is_refused(tmp_path: Path) -> None:
    path = _rebuilt(tmp_path, compatibility={"uiapCore": "*", "appVersions": [">=1 <2"]})
    assert bundle_for(APP_URL, path, running=running_context(app_version="1.4.0"))
    with pytest.raises(BadBundle, match=r"`2\.0\.0`"):
        bundle_for(APP_URL, path, running=running_context(app_version="2.0.0"))


def test_a_context_without_a_bundle_is_an_error() -> None:
    with pytest.raises(UiapError, match="give the `bundle` too"):
        bundle_for(APP_URL, None, running=running_context(tenant="acme"))


def _rebuilt(folder: Path, **changes: Any) -> Path:
    """Write the bundle, unsigned, with other members."""
    from uiap.authoring.bundles.bundle import with_digest

    members = {**json.loads(DATA), **changes}
    members.pop("digest")
    return written(folder, with_digest(members), key=None)


PLACES = [
    ("https://shop.test", "https://shop.test/orders", True),
    ("https://shop.test", "https://shop.test:8443/orders", False),
    ("https://shop.test", "http://shop.test/orders", False),
    ("https://shop.test", "https://shop.test.evil.test/", False),
    ("https://shop.test", "https://evil.test/https://shop.test", False),
    ("https://shop.test", "https://user@evil.test/", False),
    ("https://shop.test/app", "https://shop.test/app/orders", True),
    ("https://shop.test/app", "https://shop.test/apple", False),
    ("http://localhost", "http://127.0.0.1:8123/x", True),
    ("http://localhost:3000", "http://localhost:3001/x", False),
    ("http://localhost:80", "http://127.0.0.1:8123/x", False),
    ("http://localhost:80", "http://127.0.0.1/x", True),
    ("https://shop.test:443", "https://Shop.test/orders", True),
    ("https://shop.test", "https://shop.test@evil.test/", False),
    ("https://shop.test", "https://evil.test\\@shop.test/", False),
    ("https://shop.test", "https://shop.test./orders", False),
]


@pytest.mark.parametrize(("base", "url", "fits"), PLACES)
@pytest.mark.requirement("AUTH-5.1")
def test_a_bundle_covers_the_base_urls_of_its_app(base: str, url: str, fits: bool, tmp_path: Path) -> None:
    path = written(tmp_path, compiled(environments=[{"id": "prod", "baseUrls": [base]}]))
    if fits:
        assert opened(path, url).covers(url)
        return
    with pytest.raises(BadBundle, match="not for"):
        opened(path, url)


def test_a_bundle_without_origins_covers_only_the_origin_it_was_opened_for(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, DATA), "http://app.test/orders")
    assert bundle.covers("http://app.test/other") and not bundle.covers("http://evil.test/orders")


def test_a_bundle_does_not_apply_to_foreign_pages_and_frames(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, DATA), "http://other.test/")
    assert bound(page(), "order.send", bundle=bundle).candidates == ()
    at_home = opened(written(tmp_path, DATA), APP_URL)
    made = page()
    made.documents.append(
        msgspec.structs.replace(made.documents[0], document_id="f1", kind="frame", origin="http://ads.test")
    )
    made.element(
        "button", "Send order", instance_id="f1e1", document_id="f1", risk=RiskDescriptor(level="confirm")
    )
    found = {c.element.instance_id: c for c in bound(made, by_words(), bundle=at_home).candidates}
    assert found["f1e1"].element.risk == RiskDescriptor(level="confirm") and not found["f1e1"].vouched
    assert found["f1e1"].element.success is UNSET
    (own,) = bound(made, "order.send", bundle=at_home).candidates
    assert own.element.document_id == "f0"


@pytest.mark.requirement("RUN-1")
@pytest.mark.parametrize(
    "text", ["apiVersion: uiap.authoring/v0.1\nkind: App", '{"kind": "App", "spec": {}}']
)
def test_a_manifest_is_not_a_bundle(text: str, tmp_path: Path) -> None:
    path = tmp_path / "app.uiap.yaml"
    path.write_text(text)
    with pytest.raises(BadBundle, match="not a bundle"):
        opened(path, trust=None)


@pytest.mark.requirement("AUTH-12")
def test_an_older_version_than_the_last_opened_one_is_refused_unless_allowed(tmp_path: Path) -> None:
    seen = tmp_path / "home" / "bundles.json"
    path = written(tmp_path, compiled("1.2.0"))
    assert opened(path, seen=seen).content.version == "1.2.0"
    assert seen.stat().st_mode & 0o777 == 0o600
    old = written(tmp_path, compiled("1.1.9"))
    with pytest.raises(Untrusted, match=r"older than 1\.2\.0"):
        opened(old, seen=seen)
    assert opened(old, seen=seen, allow_older=True).content.version == "1.1.9"
    assert opened(written(tmp_path, compiled("1.3.0")), seen=seen).content.version == "1.3.0"
    seen.write_text("{")
    with pytest.raises(Untrusted, match="damaged"):
        opened(path, seen=seen)


def test_an_opened_bundle_can_be_reused_only_with_its_own_key(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, DATA))
    assert open_bundle(bundle, APP_URL) is bundle
    with pytest.raises(Untrusted):
        open_bundle(bundle, APP_URL, trust=public_key_of(OTHER))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("UIAP_HOME", str(tmp_path / "home"))
    yield tmp_path


@pytest.mark.browser
@pytest.mark.requirement("AUTH-12", "ACT-12.1")
async def test_videoland_is_driven_through_its_signed_prod_bundle(home: Path) -> None:
    """Targets are ids, and success is verified by the signals of the bundle. One element has no id on the page."""
    import uiap
    from apps.videoland import Settings, serving
    from uiap.cli.authoring import BuildOptions, run_build

    root = Path(__file__).parents[3] / "apps" / "videoland" / "uiap"
    prod = run_build(
        root,
        BuildOptions(
            BuildContext(channel="prod", environment="prod", locale="de"), at="2026-06-01T00:00:00Z"
        ),
    )
    path = written(home, prod.data)
    with serving(Settings(rows=5, truth=True, auto_login=True)) as server:
        address = f"{server.url}/videos/new?as=admin&lang=de"
        with pytest.raises(Untrusted):
            await uiap.open(address, bundle=path, trust=public_key_of(OTHER))
        # under an agent's rules a create action asks a person, unless the signed bundle declares it safe
        async with uiap.open(address, bundle=path, trust=public_key_of(KEY), rules="standard") as ui:
            written_down = await ui.act(
                "ui.enterText", stable_id="video.title", args={"text": "Aus dem Bündel"}
            )
            assert written_down.ok, written_down
            sent = await ui.act("ui.activate", stable_id="video.submit")
            assert sent.ok, sent
            assert [s.kind for s in sent.verification.observed] == ["route.changed", "toast.contains"]
            assert sent.metadata["policy"]["decidedBy"] == "risk safe"
        async with uiap.open(
            f"{server.url}/team?as=admin&lang=de", bundle=path, trust=public_key_of(KEY)
        ) as ui:
            read = await ui.act("ui.read", stable_id="team.invite.send", args={"what": "state"})
            assert read.ok and read.return_value["name"] == "Einladung senden", read
