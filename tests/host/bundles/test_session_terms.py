"""A bundle in a session: refused where it does not fit, and each of its sections changes something."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

import uiap
from tests.drivers.chromium.site import Site
from tests.host.bundles.test_in_use import _workflows
from tests.host.execution.test_presenter import HINTS, Showing
from tests.support.bundled_videos import AGENT, SECTIONS, Videos, videos_bundle, videos_session
from uiap.authoring.bundles.load import BadBundle, load_bundle
from uiap.host.bundles.bundle import Bundle, BundleNotApplicable
from uiap.host.bundles.session_terms import annotation_prefix, draws_overlays, running_context
from uiap.spec.authoring import CompatibilitySpec, ExtensionRange
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload
from uiap.spec.versions import POLICY_EXTENSION

CAPABILITIES = {
    "modelVersion": "0.1",
    "profile": "web@0.1",
    "roles": ["button", "x.acme.timeline"],
    "stateKeys": ["visible"],
    "affordances": ["activate"],
    "actions": [
        {
            "id": "video.described",
            "kind": "domain",
            "targetKinds": ["none"],
            "executionModes": ["appAction"],
            "risk": {"level": "confirm"},
        }
    ],
    "riskLevels": ["safe"],
    "riskTags": ["x.acme.broadcast"],
    "successSignalKinds": [],
    "metadata": {"owner": "videos"},
}
ASK = {
    "id": "house",
    "document": {
        "modelVersion": "0.1",
        "id": "house",
        "defaults": {},
        "rules": [
            {
                "id": "titles",
                "effect": "deny",
                "match": {"actionIds": ["ui.enterText"]},
                "message": {
                    "default": "Nicht erlaubt",
                    "byLocale": {"en": "Titles are closed", "de": "Titel sind zu"},
                },
            }
        ],
    },
}
WHOLE = {
    **SECTIONS,
    "app": {
        "appId": "videos",
        "displayName": "Videos",
        "defaultLocale": "en-GB",
        "routing": {"mode": "history"},
        "sdk": {"overlayEnabled": False, "annotationPrefix": "data-acme-"},
    },
    "capabilities": CAPABILITIES,
    "policies": [ASK],
    "locales": {"action.video.create.title": "Ein Video erstellen"},
}


async def described(bundle: Any) -> CapabilitiesListedPayload:
    async with videos_session(bundle) as session:
        return await session.caller.call(
            "capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload
        )


@pytest.mark.requirement("RUN-6")
async def test_authored_capabilities_are_part_of_the_document_of_the_session() -> None:
    document = (await described(videos_bundle(**WHOLE))).document
    assert "x.acme.timeline" in document.roles and "link" in document.roles
    assert "x.acme.broadcast" in document.risk_tags and document.metadata["owner"] == "videos"
    actions = {one.id: one for one in document.actions}
    assert actions["video.described"].execution_modes == () and "ui.activate" in actions
    assert actions["video.create"].execution_modes == ("semanticUi", "externalDriver")


async def observed(bundle: Any) -> dict[str, Any]:
    """Return what an agent notices of each section of a bundle."""
    listed = (await described(bundle)).document
    async with videos_session(bundle, principal=AGENT, rules="standard") as session:
        title = {"by": "stableId", "value": "video.title"}
        typed = await session.act("ui.enterText", {"text": "Lamp"}, title, timeout_ms=300)
        return {
            "app": (annotation_prefix(bundle), draws_overlays(bundle)),
            "capabilities": "x.acme.timeline" in listed.roles,
            "bindings": session.services.page.tab().store.route.route_id,
            "actions": {one.id for one in listed.actions} & {"video.create"},
            "policies": typed.error.message if typed.status == "failed" else "",
            "workflows": await _workflows(session),
            "locales": [one.title for one in listed.actions if one.id == "video.create"],
        }


@pytest.mark.requirement("RUN-2")
async def test_every_section_of_a_bundle_changes_something_at_run_time() -> None:
    whole = await observed(videos_bundle(**WHOLE))
    for section in whole:
        changes = {**WHOLE, "app": SECTIONS["app"]} if section == "app" else WHOLE
        without = "" if section == "app" else section
        left = await observed(videos_bundle(without=without, **changes))
        assert left[section] != whole[section], section


@pytest.mark.requirement("RUN-30")
async def test_a_person_reads_the_texts_of_the_bundle_in_its_locale() -> None:
    assert (await observed(videos_bundle(**WHOLE)))["policies"] == "Titles are closed"
    german = {**WHOLE, "app": {**WHOLE["app"], "defaultLocale": "fr"}}
    assert (await observed(videos_bundle(**german)))["policies"] == "Nicht erlaubt"
    in_session = videos_bundle(**WHOLE).within(running_context(locale="de-CH"))
    assert (await observed(in_session))["policies"] == "Titel sind zu"


@pytest.mark.browser
@pytest.mark.requirement("RUN-31")
async def test_the_page_script_reads_annotations_with_the_prefix_of_the_app() -> None:
    page = "data:text/html,<button data-acme-id=note.save data-uiap-id=other>Save</button>"
    known = videos_bundle(**WHOLE)
    async with uiap.open(page, bundle=Bundle(known.content, known.bindings)) as ui:
        read = await ui.act("ui.read", stable_id="note.save")
        assert read.ok and read.payload.resolved_target.name == "Save", read.payload


@pytest.mark.browser
@pytest.mark.requirement("RUN-14")
async def test_an_annotation_matcher_matches_any_attribute_with_or_without_the_prefix() -> None:
    html = (
        "<button>Save</button><button data-part=left>Save</button><button data-uiap-side=right>Save</button>"
    )
    page = Site().page("/parts", html)
    matchers = {"left": ("data-part", "left"), "right": ("side", "right")}
    elements = [
        {"id": id, "role": "button", "match": [{"by": "annotation", "attr": attr, "value": value}]}
        for id, (attr, value) in matchers.items()
    ]
    known = videos_bundle(bindings={"elements": elements})
    async with uiap.open(page, bundle=Bundle(known.content, known.bindings)) as ui:
        shown = [one for one in await ui.observe() if one.role == "button"]
        for id, meant in (("left", shown[1]), ("right", shown[2])):
            read = await ui.act("ui.read", stable_id=id)
            assert read.ok and read.payload.resolved_target.instance_id == meant.instance_id, read.payload


@pytest.mark.requirement("RUN-5")
async def test_a_bundle_for_another_profile_is_refused() -> None:
    bundle = videos_bundle()
    content = msgspec.structs.replace(bundle.content, profile="desktop@0.1")
    with pytest.raises(BundleNotApplicable, match=r"desktop@0\.1"):
        async with videos_session(type(bundle)(content, bundle.bindings, bundle.origins, None)):
            pass


@pytest.mark.requirement("RUN-4")
async def test_an_extension_that_the_session_does_not_offer_refuses_the_bundle() -> None:
    for id, fits in ((POLICY_EXTENSION, True), ("x.acme.voice", False)):
        needs = CompatibilitySpec(
            uiap_core="*", extensions=(ExtensionRange(id=id, range="*", required=True),)
        )
        bundle = _with_content(compatibility=needs)
        if fits:
            async with videos_session(bundle) as session:
                await session.services.use_bundle(bundle)
            continue
        with pytest.raises(BundleNotApplicable, match=id):
            async with videos_session(bundle):
                pass
        async with videos_session(None) as session:
            with pytest.raises(BundleNotApplicable, match=id):
                await session.services.use_bundle(bundle)


@pytest.mark.requirement("RUN-4")
@pytest.mark.parametrize(
    ("needs", "what"),
    [
        ({"uiapCore": ">=9"}, "needs UIAP `>=9`"),
        ({"uiapCore": "*", "sdk": {"web": ">=9"}}, "the web SDK `>=9`"),
        (
            {"uiapCore": "*", "extensions": [{"id": POLICY_EXTENSION, "range": ">=9", "required": True}]},
            f"the extension {POLICY_EXTENSION} `>=9`",
        ),
    ],
)
def test_a_version_that_this_runtime_does_not_have_refuses_the_bundle(needs: Any, what: str) -> None:
    content = msgspec.convert({**msgspec.to_builtins(videos_bundle().content), "compatibility": needs}, dict)
    with pytest.raises(BadBundle, match=what):
        load_bundle(msgspec.json.encode(content))


def _with_content(**members: Any) -> Bundle:
    bundle = videos_bundle()
    return Bundle(msgspec.structs.replace(bundle.content, **members), bundle.bindings, bundle.origins, None)


@pytest.mark.requirement("AUTH-5.2c")
async def test_without_authored_capabilities_the_session_has_those_of_bindings_and_actions() -> None:
    bundle = videos_bundle()
    assert bundle.content.capabilities is UNSET
    document = (await described(bundle)).document
    derived = bundle.capabilities
    for member in ("roles", "state_keys", "affordances", "success_signal_kinds"):
        assert set(getattr(derived, member)) <= set(getattr(document, member)), member
    assert {one.id for one in derived.actions} <= {one.id for one in document.actions}


@pytest.mark.requirement("AUTH-5.5")
async def test_of_several_policies_the_stricter_one_decides_in_either_order() -> None:
    def policy(id: str, effect: str) -> dict[str, Any]:
        rule = {"id": id, "effect": effect, "match": {"actionIds": ["ui.enterText"]}}
        return {"id": id, "document": {"modelVersion": "0.1", "id": id, "defaults": {}, "rules": [rule]}}

    lax, strict = policy("lax", "allow"), policy("strict", "deny")
    title = {"by": "stableId", "value": "video.title"}
    for policies, status in (([lax], "succeeded"), ([lax, strict], "failed"), ([strict, lax], "failed")):
        bundle = videos_bundle(policies=policies)
        async with videos_session(bundle, principal=AGENT, rules="standard") as session:
            assert (await session.act("ui.enterText", {"text": "Lamp"}, title)).status == status, policies


class ShownVideos(Videos):
    """The application with a driver that can draw on its pages."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = Showing(*self.pages())


@pytest.mark.requirement("RUN-33")
async def test_a_session_draws_nothing_where_the_bundle_forbids_overlays() -> None:
    help = {"by": "semantic", "role": "button", "name": "Help"}
    for allowed in (True, False):
        app = {"appId": "videos", "displayName": "Videos", "sdk": {"overlayEnabled": allowed}}
        async with videos_session(videos_bundle(app=app), app=ShownVideos) as session:
            assert (await session.act("ui.focus", None, help, presentation=HINTS)).status == "succeeded"
            assert bool(session.videos.driver.shown) is allowed  # type: ignore[attr-defined]


GUEST = {"id": "guest", "roles": ["reader"], "grants": ["observe", "guide"]}
NO_HELP = {
    "id": "no-help",
    "match": {"actionIds": ["ui.focus"]},
    "effect": "deny",
    "message": "guests only look",
}


def profiled() -> Bundle:
    rules = {"modelVersion": "0.1", "id": "p.guest", "defaults": {}, "rules": [NO_HELP]}
    scoped = {
        "id": "guests",
        "selector": {"principalProfiles": ["guest"], "tenantIds": ["t1"]},
        "document": rules,
    }
    app = {"appId": "videos", "displayName": "Videos", "principalProfiles": [GUEST]}
    return videos_bundle(app=app, policies=[scoped])


@pytest.mark.requirement("RUN-27")
@pytest.mark.parametrize(
    ("profile", "tenant", "denied"), [("guest", "t1", True), ("guest", "t2", False), (None, "t1", False)]
)
async def test_selectors_of_policies_are_judged_with_the_profile_and_the_tenant_of_the_session(
    profile: str | None, tenant: str, denied: bool
) -> None:
    bundle = profiled().within(running_context(profile=profile, tenant=tenant))
    async with videos_session(bundle, principal=AGENT, rules="standard") as session:
        result = await session.act("ui.focus", None, {"by": "semantic", "role": "button", "name": "Help"})
        found = "" if result.error is UNSET else result.error.message
        assert ("guests only look" in found) is denied, result
