"""A compiled bundle at run time: verified before it is trusted, and applied only to its own origins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.authoring.folders import action, built, manifest, package, policy
from tests.graph.pages import Page
from uiap.authoring.bundles.load import BadBundle
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle, open_bundle
from uiap.runtime.resolve import Candidate, Candidates, Resolved, gather, resolve
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import BuildContext, UIAPCompiledBundle
from uiap.spec.capability import (
    ElementAppeared,
    ElementDisappeared,
    RiskDescriptor,
    RouteChanged,
    SemanticRef,
    StableIdRef,
    ToastContains,
)

pytest.importorskip("cryptography")

from uiap.authoring.bundles.signature import Untrusted, public_key_of, sign

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
APP_URL = "http://app.test/orders"

ROUTES = [{"id": "orders", "match": [{"kind": "path", "value": "/orders"}]}]
TOAST = {"kind": "toast.contains", "text": "sent"}
ELEMENTS: list[dict[str, Any]] = [
    {
        "id": "order.send",
        "role": "button",
        "routeIds": ["orders"],
        "match": [
            {"by": "annotation", "attr": "data-uiap-id", "value": "order.send"},
            {"by": "semantic", "role": "button", "name": "Send order"},
        ],
        "success": [{"kind": "route.changed", "pattern": "/orders/:id"}, TOAST],
        "risk": "safe",
        "meaning": "order.send",
    },
    {
        "id": "order.delete",
        "role": "button",
        "scopeId": "danger",
        "match": [{"by": "semantic", "role": "button", "name": "Delete", "scopeId": "danger"}],
        "defaultAction": "order.delete",
    },
    {
        "id": "order.note",
        "role": "textbox",
        "match": [{"by": "label", "text": "Note"}],
        "dataClasses": ["personal"],
    },
    {
        "id": "order.pay",
        "role": "button",
        "name": {"default": "Pay", "byLocale": {"de": "Zahlen"}},
        "match": [{"by": "annotation", "attr": "data-uiap-id", "value": "order.pay"}],
    },
    {
        "id": "order.close",
        "role": "button",
        "match": [{"by": "text", "text": "Close"}],
        "success": [{"kind": "element.disappeared", "target": {"by": "stableId", "value": "order.note"}}],
    },
    {
        "id": "order.hint",
        "role": "button",
        "match": [{"by": "runtimeHint", "css": "#x"}, {"by": "text", "text": "Hint"}],
    },
]
DELETE = action(
    "order.delete",
    "blocked",
    targetKinds=["element"],
    success=[{"kind": "status.contains", "text": "gone"}, TOAST],
)


def compiled(version: str = "1.0.0", **app: Any) -> bytes:
    """Return the compiled bundle of a small app."""
    spec = {"appId": "shop", "displayName": "Shop", **app}
    files = package(
        manifest("App", "app.core", spec),
        manifest(
            "Bindings",
            "b",
            {"routes": ROUTES, "scopes": [{"id": "danger", "kind": "region"}], "elements": ELEMENTS},
        ),
        manifest("Actions", "a", {"actions": [DELETE]}),
        manifest("PolicySet", "p", {"policies": [policy("house")]}),
        version=version,
    )
    result = built(files)
    assert result.data, [str(d) for d in result.diagnostics]
    return result.data


def bindings(*, trusted: bool = False) -> Bindings:
    return Bindings(msgspec.json.decode(compiled(), type=UIAPCompiledBundle), trusted=trusted)


def page(path: str = "/orders") -> Page:
    made = Page(path)
    danger = made.scope("region", "Danger", scope_id="danger")
    made.element("button", "Send order", risk=RiskDescriptor(level="confirm"))
    made.element("button", "Delete", scope_id=danger)
    made.element("textbox", "Note")
    return made


def bound(
    made: Page, target: ActionTarget | str, *, trusted: bool = False, bundle: Bundle | None = None
) -> Candidates:
    store = GraphStore(made.graph())
    if isinstance(target, str):
        target = ActionTarget(ref=StableIdRef(value=target))
    binder = bundle.bind if bundle is not None else bindings(trusted=trusted).bind
    return binder(store, target, gather(store, target))


def the_one(gathered: Candidates) -> Candidate:
    (candidate,) = gathered.candidates
    return candidate


# -- which element an id means ----------------------------------------------------------------------------------


@pytest.mark.requirement("AUTH-5.3")
def test_an_id_of_the_bundle_finds_an_element_that_the_page_does_not_annotate() -> None:
    found = the_one(bound(page(), "order.send"))
    assert (found.element.name, found.element.stable_id, found.by) == ("Send order", "order.send", "semantic")


@pytest.mark.requirement("AUTH-5.3", "ACT-8.1")
def test_the_annotation_is_tried_before_the_texts() -> None:
    made = page()
    made.element("button", "Elsewhere", stable_id="order.send")
    found = the_one(bound(made, "order.send"))
    assert (found.element.name, found.by) == ("Elsewhere", "stableId")


def test_an_id_on_an_element_of_another_role_does_not_match() -> None:
    made = Page("/orders")
    made.element("link", "Send order", stable_id="order.send")
    assert bound(made, "order.send").candidates == ()


def test_texts_match_only_on_the_route_of_the_binding() -> None:
    assert bound(page("/elsewhere"), "order.send").candidates == ()


def test_texts_match_only_in_the_scope_of_the_binding() -> None:
    made = page()
    made.element("button", "Delete")
    assert the_one(bound(made, "order.delete")).element.scope_id == "danger"


@pytest.mark.parametrize(
    ("id", "name"), [("order.note", "Note"), ("order.pay", "Zahlen"), ("order.close", "Close")]
)
def test_labels_texts_and_names_of_every_locale_match(id: str, name: str) -> None:
    made = page()
    made.element("button", "Zahlen")
    made.element("button", "Close")
    assert the_one(bound(made, id)).element.name == name


def test_the_matcher_that_found_an_element_is_reported_for_healing() -> None:
    made = page()
    made.element("button", "Zahlen")
    assert the_one(bound(made, "order.pay")).binding == "name"
    assert the_one(bound(made, "order.send")).binding == "matcher 2"
    assert the_one(bound(made, by_words())).binding == "matcher 2"


def test_two_elements_with_the_same_text_are_ambiguous() -> None:
    made = page()
    made.element("button", "Send order")
    gathered = bound(made, "order.send")
    target = ActionTarget(ref=StableIdRef(value="order.send"))
    assert not isinstance(resolve(target, gathered, "ui.activate"), Resolved)
    assert len(gathered.candidates) == 2


def test_an_id_without_a_binding_is_found_as_before() -> None:
    made = page()
    made.element("button", "Other", stable_id="other")
    assert the_one(bound(made, "other")).by == "stableId"


# -- knowledge of the bundle ------------------------------------------------------------------------------------


def by_words() -> ActionTarget:
    return ActionTarget(ref=SemanticRef(role="button", name="Send order"))


@pytest.mark.requirement("ACT-12.1")
def test_success_signals_come_from_the_bundle_for_every_kind_of_target() -> None:
    for target in (by_words(), "order.send"):
        element = the_one(bound(page(), target)).element
        assert element.success == (RouteChanged(pattern="/orders/:id"), ToastContains(text="sent"))
        assert element.meaning == "order.send"


@pytest.mark.requirement("ACT-12.1")
def test_an_element_without_signals_has_those_of_its_default_action() -> None:
    element = the_one(bound(page(), "order.delete")).element
    assert [s.kind for s in element.success or ()] == ["status.contains", "toast.contains"]
    assert element.default_action == "order.delete"


def test_a_signal_about_an_unannotated_element_targets_role_and_name() -> None:
    made = page()
    made.element("button", "Close")
    (signal,) = the_one(bound(made, "order.close")).element.success or ()
    assert signal == ElementDisappeared(target=SemanticRef(role="textbox", name="Note"))
    assert not isinstance(signal, ElementAppeared)


def test_data_classes_are_added_and_never_removed() -> None:
    made = Page("/orders")
    made.element("textbox", "Note", data_classes=("credential",))
    assert the_one(bound(made, "order.note")).element.data_classes == ("credential", "personal")


@pytest.mark.requirement("CAP-8.1")
def test_an_untrusted_bundle_can_only_raise_a_risk() -> None:
    sending = the_one(bound(page(), "order.send"))
    assert sending.element.risk == RiskDescriptor(level="confirm") and not sending.vouched
    deleting = the_one(bound(page(), "order.delete"))
    assert isinstance(deleting.element.risk, RiskDescriptor) and deleting.element.risk.level == "blocked"


@pytest.mark.requirement("CAP-8.1")
def test_a_trusted_bundle_may_lower_a_risk_and_vouches_for_it() -> None:
    sending = the_one(bound(page(), "order.send", trusted=True))
    assert sending.element.risk == RiskDescriptor(level="safe") and sending.vouched


def test_no_bundle_vouches_for_text_that_users_wrote() -> None:
    made = Page("/orders")
    made.element("button", "Send order", metadata={"text": {"userGenerated": True}})
    found = the_one(bound(made, "order.send", trusted=True))
    assert not found.vouched


def test_an_element_without_a_binding_is_unchanged() -> None:
    made = page()
    made.element("button", "Unbound", risk=RiskDescriptor(level="confirm"))
    found = the_one(bound(made, ActionTarget(ref=SemanticRef(role="button", name="Unbound")), trusted=True))
    assert (found.element.risk, found.vouched) == (RiskDescriptor(level="confirm"), False)


# -- opening ----------------------------------------------------------------------------------------------------


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
    assert [p.id for p in bundle.policies()] == ["house"]
    assert list(bundle.actions) == ["order.delete"]


def test_a_bundle_without_a_trusted_key_is_used_but_not_trusted(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, compiled(), key=None), trust=None)
    found = the_one(bound(page(), "order.send", bundle=bundle))
    assert bundle.signed_by is None and not found.vouched and found.element.success


def test_the_routes_of_a_bundle_are_seeds_for_discovery(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, compiled()), "http://app.test/start")
    assert [seed.url for seed in bundle.seeds("http://app.test/start")] == ["http://app.test/orders"]


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


@pytest.mark.requirement("AUTH-12")
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


def test_a_bundle_built_for_another_environment_is_refused(tmp_path: Path) -> None:
    from uiap.authoring.bundles.bundle import with_digest

    members = {**json.loads(DATA), "buildContext": {"environment": "staging"}}
    members.pop("digest")
    with pytest.raises(BadBundle, match="environment"):
        opened(written(tmp_path, with_digest(members)), running=BuildContext(environment="prod"))


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


# -- the real thing ---------------------------------------------------------------------------------------------


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
