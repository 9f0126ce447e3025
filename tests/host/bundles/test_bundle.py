"""A compiled bundle at run time: proved before it is believed, used only where it belongs (companions §12.3)."""

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
    """A small app's bundle, built as every bundle is."""
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


def bindings(*, believed: bool = False) -> Bindings:
    return Bindings(msgspec.json.decode(compiled(), type=UIAPCompiledBundle), trusted=believed)


def page(path: str = "/orders") -> Page:
    made = Page(path)
    danger = made.scope("region", "Danger", scope_id="danger")
    made.element("button", "Send order", risk=RiskDescriptor(level="confirm"))
    made.element("button", "Delete", scope_id=danger)
    made.element("textbox", "Note")
    return made


def bound(
    made: Page, target: ActionTarget | str, *, believed: bool = False, bundle: Bundle | None = None
) -> Candidates:
    store = GraphStore(made.graph())
    if isinstance(target, str):
        target = ActionTarget(ref=StableIdRef(value=target))
    binder = bundle.bind if bundle is not None else bindings(believed=believed).bind
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
def test_the_annotation_is_tried_before_the_words() -> None:
    made = page()
    made.element("button", "Elsewhere", stable_id="order.send")
    found = the_one(bound(made, "order.send"))
    assert (found.element.name, found.by) == ("Elsewhere", "stableId")


def test_the_id_on_an_element_of_another_role_is_not_what_was_bound() -> None:
    made = Page("/orders")
    made.element("link", "Send order", stable_id="order.send")
    assert bound(made, "order.send").candidates == ()


def test_words_are_looked_for_on_the_bound_route_only() -> None:
    assert bound(page("/elsewhere"), "order.send").candidates == ()


def test_words_are_looked_for_in_the_bound_scope_only() -> None:
    made = page()
    made.element("button", "Delete")
    assert the_one(bound(made, "order.delete")).element.scope_id == "danger"


@pytest.mark.parametrize(
    ("id", "name"), [("order.note", "Note"), ("order.pay", "Zahlen"), ("order.close", "Close")]
)
def test_labels_texts_and_names_in_every_locale_recognise(id: str, name: str) -> None:
    made = page()
    made.element("button", "Zahlen")
    made.element("button", "Close")
    assert the_one(bound(made, id)).element.name == name


def test_how_an_element_was_recognised_is_told_so_that_it_can_be_healed() -> None:
    made = page()
    made.element("button", "Zahlen")
    assert the_one(bound(made, "order.pay")).binding == "name"
    assert the_one(bound(made, "order.send")).binding == "matcher 2"
    assert the_one(bound(made, by_words())).binding == "matcher 2"


def test_two_elements_with_the_same_words_are_ambiguous_not_guessed() -> None:
    made = page()
    made.element("button", "Send order")
    gathered = bound(made, "order.send")
    target = ActionTarget(ref=StableIdRef(value="order.send"))
    assert not isinstance(resolve(target, gathered, "ui.activate"), Resolved)
    assert len(gathered.candidates) == 2


def test_an_id_nobody_bound_is_found_as_before() -> None:
    made = page()
    made.element("button", "Other", stable_id="other")
    assert the_one(bound(made, "other")).by == "stableId"


# -- what it adds -----------------------------------------------------------------------------------------------


def by_words() -> ActionTarget:
    return ActionTarget(ref=SemanticRef(role="button", name="Send order"))


@pytest.mark.requirement("ACT-12.1")
def test_success_signals_come_from_the_bundle_however_the_target_was_named() -> None:
    for target in (by_words(), "order.send"):
        element = the_one(bound(page(), target)).element
        assert element.success == (RouteChanged(pattern="/orders/:id"), ToastContains(text="sent"))
        assert element.meaning == "order.send"


@pytest.mark.requirement("ACT-12.1")
def test_without_signals_of_its_own_an_element_has_those_of_its_default_action() -> None:
    element = the_one(bound(page(), "order.delete")).element
    assert [s.kind for s in element.success or ()] == ["status.contains", "toast.contains"]
    assert element.default_action == "order.delete"


def test_a_signal_about_an_unannotated_element_is_looked_for_by_its_words() -> None:
    made = page()
    made.element("button", "Close")
    (signal,) = the_one(bound(made, "order.close")).element.success or ()
    assert signal == ElementDisappeared(target=SemanticRef(role="textbox", name="Note"))
    assert not isinstance(signal, ElementAppeared)


def test_data_classes_are_added_never_taken_away() -> None:
    made = Page("/orders")
    made.element("textbox", "Note", data_classes=("credential",))
    assert the_one(bound(made, "order.note")).element.data_classes == ("credential", "personal")


@pytest.mark.requirement("CAP-8.1")
def test_an_unproved_bundle_makes_things_stricter_and_never_laxer() -> None:
    sending = the_one(bound(page(), "order.send"))
    assert sending.element.risk == RiskDescriptor(level="confirm") and not sending.vouched
    deleting = the_one(bound(page(), "order.delete"))
    assert isinstance(deleting.element.risk, RiskDescriptor) and deleting.element.risk.level == "blocked"


@pytest.mark.requirement("CAP-8.1")
def test_a_proved_bundle_may_lower_a_risk_and_says_that_it_vouches() -> None:
    sending = the_one(bound(page(), "order.send", believed=True))
    assert sending.element.risk == RiskDescriptor(level="safe") and sending.vouched


def test_nothing_vouches_for_what_people_wrote_into_the_page() -> None:
    made = Page("/orders")
    made.element("button", "Send order", metadata={"text": {"userGenerated": True}})
    found = the_one(bound(made, "order.send", believed=True))
    assert not found.vouched


def test_what_a_bundle_does_not_know_stays_as_it_was() -> None:
    made = page()
    made.element("button", "Unbound", risk=RiskDescriptor(level="confirm"))
    found = the_one(bound(made, ActionTarget(ref=SemanticRef(role="button", name="Unbound")), believed=True))
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
def test_a_signed_bundle_opens_with_its_key_and_names_who_vouches(tmp_path: Path) -> None:
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


def test_without_a_trusted_key_a_bundle_is_used_but_not_believed(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, compiled(), key=None), trust=None)
    found = the_one(bound(page(), "order.send", bundle=bundle))
    assert bundle.signed_by is None and not found.vouched and found.element.success


def test_the_pages_a_bundle_knows_are_seeds_for_discovery(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, compiled()), "http://app.test/start")
    assert [seed.url for seed in bundle.seeds("http://app.test/start")] == ["http://app.test/orders"]


@pytest.mark.requirement("AUTH-5.5")
def test_the_policies_of_a_bundle_join_those_of_the_session(tmp_path: Path) -> None:
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
def test_a_bundle_is_for_the_addresses_its_app_names(base: str, url: str, fits: bool, tmp_path: Path) -> None:
    path = written(tmp_path, compiled(environments=[{"id": "prod", "baseUrls": [base]}]))
    if fits:
        assert opened(path, url).covers(url)
        return
    with pytest.raises(BadBundle, match="not for"):
        opened(path, url)


def test_a_bundle_that_names_no_address_is_for_the_one_that_was_opened(tmp_path: Path) -> None:
    bundle = opened(written(tmp_path, DATA), "http://app.test/orders")
    assert bundle.covers("http://app.test/other") and not bundle.covers("http://evil.test/orders")


def test_on_pages_and_in_frames_of_others_the_bundle_says_nothing(tmp_path: Path) -> None:
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
    assert all(c.element.document_id == "f0" for c in bound(made, "order.send", bundle=at_home).candidates)


@pytest.mark.requirement("AUTH-12")
def test_an_older_version_than_was_here_before_is_refused_unless_allowed(tmp_path: Path) -> None:
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


def test_an_opened_bundle_can_be_handed_on_but_not_to_a_stranger(tmp_path: Path) -> None:
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
async def test_videoland_is_used_through_its_own_signed_prod_bundle(home: Path) -> None:
    """By its ids, verified by the signals its bundle declares; one element has no id on the page at all."""
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
        # An agent's rules: what creates something would ask a person, had the signed bundle not declared it safe.
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
