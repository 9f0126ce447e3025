"""The discovery messages of a session, on a scripted application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from tests.api.test_absent import absent_members
from tests.support import bundled_videos
from uiap.api.session_discovery import SessionDiscovery
from uiap.client.caller import Caller
from uiap.drivers.scripted import ScriptedDriver
from uiap.drivers.scripted.app import App, ScriptedPage, Widget
from uiap.errors import UiapError
from uiap.host.loop.loop import HostLoop
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.builtin import Rules, documents_of
from uiap.spec import discovery as spec
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.policy import PolicyMatch, PolicyPrincipal, PolicyRule
from uiap.spec.versions import DISCOVERY_EXTENSION, TOOLS_EXTENSION
from uiap.transports.memory import pair

BASE = "http://shop.test"


def navigate_to(path: str) -> Any:
    def handler(app: App) -> None:
        app.navigate(BASE + path)

    return handler


def link(key: str, name: str, path: str) -> Widget:
    return Widget(
        key, "link", name, on={"click": navigate_to(path)}, node_fields={"metadata": {"href": path}}
    )


def writes(app: App) -> None:
    app.request(f"{BASE}/api/orders", method="POST", status=201)
    app.set("said", text="Ordered")


PAGES = (
    ScriptedPage(
        f"{BASE}/",
        [
            link("items", "Items", "/items"),
            link("help", "Help", "/help"),
            Widget("more", "button", "Show more", on={"click": lambda app: app.set("said", text="More")}),
            Widget("said", "status"),
        ],
        title="Shop",
    ),
    ScriptedPage(
        f"{BASE}/items", [link("home", "Home", "/"), Widget("del", "button", "Delete")], title="Items"
    ),
    ScriptedPage(
        f"{BASE}/help",
        [Widget("tricky", "button", "Show details", on={"click": writes}), Widget("said", "status")],
        title="Help",
    ),
)


@asynccontextmanager
async def session(
    *, user: bool = True, rules: Rules = "trusted"
) -> AsyncIterator[tuple[Caller, ScriptedDriver]]:
    driver = ScriptedDriver(*PAGES)
    services = SessionServices(driver, rules=rules)
    await services.start()
    principal = PolicyPrincipal(type="user" if user else "agent", id="tester")
    me = ParticipantInfo(role="bridge", id="host")
    host_loop = HostLoop(
        services.handlers,
        support=services.support,
        me=me,
        admit=lambda *_: principal,
        limits={"heartbeat_s": 0},
    )
    host_loop.session_end_hooks.append(services.end_session)
    ours, theirs = pair()
    serving = asyncio.create_task(host_loop.accept(theirs))
    offers = tuple(ExtensionOffer(id=id, versions=("0.1",)) for id in (DISCOVERY_EXTENSION, TOOLS_EXTENSION))
    caller = await Caller.open(
        ours, participant=ParticipantInfo(role="agent", id="tester"), profiles=("web@0.1",), extensions=offers
    )
    try:
        yield caller, driver
    finally:
        await caller.terminate()
        await host_loop.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await services.close()


def environment(
    mode: spec.DiscoveryMode = "safe_explore", base: str = BASE + "/"
) -> spec.DiscoveryEnvironment:
    return spec.DiscoveryEnvironment(
        environment_id="shop", base_url=base, safety=spec.DiscoverySafetyPolicy(default_mode=mode)
    )


async def plan_run(caller: Caller, *args: Any, seeds: Any = UNSET) -> spec.DiscoveryPlannedPayload:
    payload = spec.DiscoveryPlanPayload(environment=environment(*args), seeds=seeds)
    return await caller.call("uiap.discovery.plan", payload, spec.DiscoveryPlannedPayload)


async def start_run(caller: Caller, run_id: str) -> asyncio.Future[spec.DiscoveryResultPayload]:
    result: asyncio.Future[spec.DiscoveryResultPayload] = asyncio.get_running_loop().create_future()
    caller.listen("uiap.discovery.result", lambda got: result.done() or result.set_result(got))
    start = spec.DiscoveryStartPayload(run_id=run_id)
    reply = await caller.call("uiap.discovery.start", start, spec.DiscoveryStartedPayload)
    assert reply.status == "preparing"
    return result


async def wait_for_result(result: asyncio.Future[spec.DiscoveryResultPayload]) -> spec.DiscoveryResultPayload:
    async with asyncio.timeout(60):
        return await result


@pytest.mark.requirement("DISC-3", "DISC-14", "DISC-11.2b")
async def test_a_run_is_planned_started_reported_and_fetched() -> None:
    async with session() as (caller, _):
        assert caller.session is not None
        assert any(one.id == DISCOVERY_EXTENSION for one in caller.session.selected_extensions or ())
        progress: list[spec.DiscoveryProgressPayload] = []
        caller.listen("uiap.discovery.progress", progress.append)
        plan = await plan_run(
            caller, seeds=(spec.UrlSeed(url="/help"), spec.UrlSeed(url="http://evil.test/"))
        )
        assert plan.rejected_seeds and "evil.test" in plan.rejected_seeds[0].reason
        result = await wait_for_result(await start_run(caller, plan.run_id))
        assert result.status == "completed"
        assert {one.route_id for one in result.package.route_catalog.routes} == {"/", "/items", "/help"}
        get = spec.DiscoveryPackageGetPayload(run_id=plan.run_id)
        reply = await caller.call("uiap.discovery.package.get", get, spec.DiscoveryPackagePayload)
        assert reply.package == result.package
        assert progress[0].status == "preparing" and progress[-1].visited_states
        index = {one.ref_id: one.source for one in result.package.evidence_index.items}
        for state in result.package.transition_graph.states:
            assert index[f"{state.state_id}.ax"] == "accessibility"
            assert any(ref.ref_id == f"{state.state_id}.ax" for ref in state.discovered_by)


@pytest.mark.requirement("DISC-2.3", "DISC-8.2")
async def test_the_write_of_a_misjudged_button_is_blocked_and_reported() -> None:
    """The label `Show details` looks harmless, but the button sends an order."""
    async with session() as (caller, _):
        plan = await plan_run(caller)
        package = (await wait_for_result(await start_run(caller, plan.run_id))).package
        pressed = [one for one in package.transition_graph.edges if one.metadata["label"] == "Show details"]
        assert pressed and pressed[0].metadata["blocked"][0]["url"] == f"{BASE}/api/orders"
        assert not any(one.metadata["label"] == "Delete" for one in package.transition_graph.edges)


@pytest.mark.requirement("DISC-14")
async def test_a_run_can_be_paused_resumed_and_cancelled() -> None:
    async with session() as (caller, _):
        plan = await plan_run(caller)
        result = await start_run(caller, plan.run_id)
        pause = spec.DiscoveryPausePayload(run_id=plan.run_id)
        assert (
            await caller.call("uiap.discovery.pause", pause, spec.DiscoveryPausedPayload)
        ).status == "paused"
        resume = spec.DiscoveryResumePayload(run_id=plan.run_id)
        resumed = await caller.call("uiap.discovery.resume", resume, spec.DiscoveryResumedPayload)
        assert resumed.status in spec.DISCOVERY_RUN_STATUSES
        cancel = spec.DiscoveryCancelPayload(run_id=plan.run_id, reason="enough")
        await caller.call("uiap.discovery.cancel", cancel, spec.DiscoveryCancelledPayload)
        assert (await wait_for_result(result)).status == "cancelled"


def counted(method: Any, done: list[str]) -> Any:
    async def call(*args: Any, **more: Any) -> Any:
        done.append(method.__name__)
        return await method(*args, **more)

    return call


@pytest.mark.requirement("DISC-14.4", "DISC-14.6")
async def test_nothing_is_done_while_a_run_is_paused_and_after_it_was_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with session() as (caller, driver):
        done: list[str] = []
        for name in ("perform", "navigate", "probe"):
            monkeypatch.setattr(driver, name, counted(getattr(driver, name), done))
        plan = await plan_run(caller)
        result = await start_run(caller, plan.run_id)
        seen: list[str] = []
        caller.listen("uiap.discovery.progress", lambda progress: seen.append(progress.status))
        notes: list[Any] = []
        caller.listen("uiap.discovery.progress", lambda progress: notes.append(progress.note))
        pause = spec.DiscoveryPausePayload(run_id=plan.run_id)
        await caller.call("uiap.discovery.pause", pause, spec.DiscoveryPausedPayload)
        held, status = len(done), seen[-1] if seen else "preparing"
        for _ in range(200):
            await asyncio.sleep(0)
        assert len(done) == held
        assert "paused" in notes
        resume = spec.DiscoveryResumePayload(run_id=plan.run_id)
        resumed = await caller.call("uiap.discovery.resume", resume, spec.DiscoveryResumedPayload)
        assert resumed.status == status
        cancel = spec.DiscoveryCancelPayload(run_id=plan.run_id)
        await caller.call("uiap.discovery.cancel", cancel, spec.DiscoveryCancelledPayload)
        after = len(done)
        assert (await wait_for_result(result)).status == "cancelled"
        assert len(done) == after


@pytest.mark.requirement("DISC-8.5c")
async def test_one_login_is_not_recorded_as_several_principals() -> None:
    two = tuple(spec.DiscoveryPrincipalProfile(id=id) for id in ("admin", "viewer"))
    async with session() as (caller, _):
        payload = spec.DiscoveryPlanPayload(environment=replace(environment(), principal_profiles=two))
        with pytest.raises(UiapError, match="one login"):
            await caller.call("uiap.discovery.plan", payload, spec.DiscoveryPlannedPayload)


@pytest.mark.requirement("DISC-14.1")
async def test_every_planned_seed_is_accepted_or_rejected_with_a_reason_over_the_protocol() -> None:
    asked = replace(environment(), metadata={"documents": {"guide": "Open /help first."}})
    given: tuple[spec.DiscoverySeed, ...] = (
        spec.UrlSeed(url="/help"),
        spec.RouteSeed(route_id="/items"),
        spec.MenuSeed(label="Items"),
        spec.ActionSeed(action_id="video.create"),
        spec.DocumentationSeed(ref="guide"),
        spec.WorkflowSeed(workflow_id="unknown"),
        spec.DocumentationSeed(ref="missing"),
        spec.ActionSeed(action_id="ui.activate"),
    )
    async with session() as (caller, _):
        payload = spec.DiscoveryPlanPayload(environment=asked, seeds=given)
        planned = await caller.call("uiap.discovery.plan", payload, spec.DiscoveryPlannedPayload)
    assert planned.accepted_seeds == given[:5]
    rejected = {one.seed: one.reason for one in planned.rejected_seeds or ()}
    assert tuple(rejected) == given[5:] and all(rejected.values())


@pytest.mark.requirement("DISC-11.1c")
async def test_a_policy_of_the_application_is_in_force_while_exploring() -> None:
    """The documents of the session are read before the run begins, and their denials hold for its actions."""
    rule = PolicyRule(
        id="no-buttons", match=PolicyMatch(roles=("button",), action_ids=("ui.activate",)), effect="deny"
    )
    own = replace(documents_of("trusted")[0], id="of-the-app", rules=(rule,))
    async with session(rules=(*documents_of("trusted"), own)) as (caller, driver):
        plan = await plan_run(caller)
        package = (await wait_for_result(await start_run(caller, plan.run_id))).package
        denied = [one for one in package.transition_graph.edges if one.metadata["label"] == "Show more"]
        assert denied and denied[0].metadata["status"] != "succeeded"
        assert not any(one.name == "More" or one.text == "More" for one in (await driver.observe()).elements)
        assert {one.route_id for one in package.route_catalog.routes} == {"/", "/items", "/help"}


@pytest.mark.requirement("RUN-35", "DISC-11.1")
async def test_the_bundle_of_a_session_gives_a_run_its_seeds_and_evidence() -> None:
    """No link leads to the pages: only the bundle knows them."""
    flow = {**bundled_videos.WORKFLOW, "routeIds": ["videos.new"]}
    bundle = bundled_videos.videos_bundle(workflows=[flow])
    async with bundled_videos.videos_session(bundle, at="/videos") as one:
        plan = await plan_run(one.caller, "safe_explore", f"{bundled_videos.ROOT}/videos")
        package = (await wait_for_result(await start_run(one.caller, plan.run_id))).package
    evidence = {
        **{route.route_id: route.discovered_by for route in package.route_catalog.routes},
        **{found.id: found.discovered_by for found in package.action_catalog.actions},
        **{workflow.id: workflow.discovered_by for workflow in package.workflow_candidates.workflows},
    }
    for id in ("/videos", "/videos/new", "video.create", "video.make"):
        assert "app_registry" in {ref.source for ref in evidence[id]}, id
    assert any(found.names == ("Title",) for found in package.element_catalog.elements)


@pytest.mark.requirement("DISC-SEC.1", "DISC-2.6")
@pytest.mark.parametrize(
    ("args", "user", "words"),
    [
        (("safe_explore", "https://www.bank.com/"), True, "production"),
        (("safe_explore", "http://other.test/"), False, "this session is for"),
        (("sandbox_write",), False, "only a person"),
        (("safe_explore", "file:///etc/"), True, "not the address"),
    ],
)
async def test_a_run_that_is_not_authorised_is_not_planned(args: Any, user: bool, words: str) -> None:
    async with session(user=user) as (caller, _):
        with pytest.raises(UiapError, match=words):
            await plan_run(caller, *args)


async def test_an_unknown_run_cannot_be_started() -> None:
    async with session() as (caller, _):
        with pytest.raises(UiapError, match="no active run"):
            await caller.call(
                "uiap.discovery.start", spec.DiscoveryStartPayload(run_id="x"), spec.DiscoveryStartedPayload
            )


async def test_actions_that_need_a_confirmation_are_not_performed() -> None:
    """A run does not bypass the policy: its own decision allows the press, the session's rules need a confirmation."""
    async with session(user=False, rules="standard") as (caller, _):
        plan = await plan_run(caller)
        package = (await wait_for_result(await start_run(caller, plan.run_id))).package
        assert {one.route_id for one in package.route_catalog.routes} == {"/", "/items", "/help"}
        failed = [one for one in package.transition_graph.edges if one.metadata["label"] == "Show more"]
        assert failed and failed[0].metadata["status"] != "succeeded"


@pytest.mark.requirement("DISC-14", "DISC-11.1")
async def test_a_session_discovery_plans_starts_pauses_and_resumes_a_run() -> None:
    async with session() as (caller, _):
        seeds = [spec.UrlSeed(url="/help"), spec.UrlSeed(url="http://evil.test/")]
        run = await SessionDiscovery.plan(caller, environment(), seeds)
        assert run.status == "planned" and run.planned.estimated_seed_count == 2
        paused = asyncio.Event()
        caller.listen(
            "uiap.discovery.progress", lambda progress: paused.set() if progress.note == "paused" else None
        )
        await run.start()
        await run.pause("a moment")
        async with asyncio.timeout(30):
            await paused.wait()
        assert run.package is None
        await run.resume()
        assert await run.wait(60) and run.status == "completed" and run.package is not None
        assert [*absent_members([run.planned, run.progress, run.package])] == []
