"""The capability document and the live page: every declared word occurs, and every word of a page is declared."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
import pytest_asyncio

import uiap
from tests.browser import vocabulary_page as pages
from tests.drivers.chromium.site import Site
from uiap.spec.capability import SUCCESS_SIGNAL_KINDS
from uiap.spec.web import ElementNode

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened() -> AsyncIterator[tuple[uiap.Ui, Site]]:
    site = Site()
    site.page("/api/save", "saved")
    for name in ("ROLES", "STATES", "AFFORDANCES", "SAME_CONTROLS", "SIGNALS"):
        site.page(f"/{name.lower()}", getattr(pages, name))
    async with uiap.open(site.url("/roles")) as ui:
        yield ui, site
    site.close()


async def show(opened: tuple[uiap.Ui, Site], name: str) -> uiap.Ui:
    ui, site = opened
    assert await ui.navigate(site.url(f"/{name}"))
    return ui


async def elements(ui: uiap.Ui) -> list[dict[str, Any]]:
    """Return the elements as the protocol has them."""
    graph = await ui.observe()
    return [msgspec.to_builtins(one) for one in graph.payload.elements]


def by_id(found: list[dict[str, Any]], id: str) -> dict[str, Any]:
    return next((one for one in found if one.get("stableId") == id), {"state": {}})


@pytest.mark.requirement("CAP-4", "CAP-4b", "CAP-2.1b", "CAP-2.2c", "CAP-2.2", "CAP-2.1")
async def test_each_declared_role_occurs_and_each_role_of_a_page_is_declared(
    opened: tuple[uiap.Ui, Site],
) -> None:
    ui = await show(opened, "roles")
    document, found = await ui.capabilities(), await elements(ui)
    shown = {one["role"] for one in found}
    core = {role for role in document.roles if not role.startswith("x.")}
    assert shown == core and len(core) == 51
    custom = {one["customRole"] for one in found if "customRole" in one}
    assert "x.shop.card" in custom and custom <= set(document.roles)
    wizard = next(one for one in found if one.get("name") == "Wizard")
    assert wizard["role"] == "button", "a word outside of the vocabulary counts as none"


@pytest.mark.requirement("CAP-SEC.2", "CAP-5b", "CAP-2.2c", "CAP-5d", "CAP-5c")
async def test_each_declared_state_key_is_shown_and_shows_its_change(opened: tuple[uiap.Ui, Site]) -> None:
    ui = await show(opened, "states")
    keys = set((await ui.capabilities()).state_keys)
    assert keys == {*pages.STATE_CHANGES, "hovered"}
    html = pages.STATES.partition("<body>")[2]
    for key, (id, script, before, after) in pages.STATE_CHANGES.items():
        await ui.evaluate(f"document.body.innerHTML = {html!r}")
        assert by_id(await elements(ui), id)["state"].get(key) == before, key
        await ui.evaluate(f"(() => {{ {script} }})()")
        state = by_id(await elements(ui), id)["state"]
        assert state.get(key) == after, (key, state)
        if key in ("open", "modal", "busy"):
            scopes = [msgspec.to_builtins(one) for one in (await ui.observe()).payload.scopes]
            named = [one for one in scopes if one.get("stableId") == id]
            assert named[0]["state"][key] is True, "the scope carries the state, too"
    assert await ui.act("ui.hover", stable_id="b")
    assert by_id(await elements(ui), "b")["state"]["hovered"] is True
    assert await ui.act("ui.hover", stable_id="f")
    assert "hovered" not in by_id(await elements(ui), "b")["state"]


@pytest.mark.requirement("CAP-6b", "CAP-6c", "CAP-6")
async def test_each_declared_affordance_is_shown_and_disabling_takes_none_away(
    opened: tuple[uiap.Ui, Site],
) -> None:
    ui = await show(opened, "affordances")
    before = await elements(ui)
    assert {word for one in before for word in one["affordances"]} == set(
        (await ui.capabilities()).affordances
    )
    named = {one.get("name") or one.get("text"): set(one["affordances"]) for one in before}
    assert "invoke" in named["Create"] and "open" in named["Settings"] and "drop" in named["Drop"]
    assert "resize" in named["Grow"] and "resize" not in named["Text"]
    await ui.evaluate(
        "document.querySelectorAll('button,input,select,textarea').forEach((e) => e.disabled = true)"
    )
    after = {one["instanceId"]: one for one in await elements(ui)}
    changed = [one for one in before if after[one["instanceId"]]["state"].get("enabled") is False]
    assert len(changed) > 5
    assert all(after[one["instanceId"]]["affordances"] == one["affordances"] for one in changed)


@pytest.mark.requirement("CAP-2.4")
async def test_one_control_has_one_role_however_it_is_written(opened: tuple[uiap.Ui, Site]) -> None:
    ui = await show(opened, "same_controls")
    for name, role, count in (("press", "button", 3), ("tick", "checkbox", 3), ("visit", "link", 2)):
        found = [one for one in await elements(ui) if one.get("name") == name]
        assert {(one["role"], tuple(one["affordances"])) for one in found} == {
            (role, tuple(found[0]["affordances"]))
        }
        assert len(found) == count


@pytest.mark.requirement("CAP-9b", "CAP-9", "CAP-9c")
async def test_each_kind_of_signal_is_made_by_a_page_and_seen_by_the_runtime(
    opened: tuple[uiap.Ui, Site],
) -> None:
    ui = await show(opened, "signals")
    assert set(pages.EXPECTED) == set(SUCCESS_SIGNAL_KINDS)
    for kind, members in pages.EXPECTED.items():
        await ui.evaluate(f"kind = '{kind}'")
        done = await ui.act("ui.activate", role="button", name="Go", expect=[{"kind": kind, **members}])
        assert done.status == "succeeded", (kind, done.payload)
        assert done.payload.verification.observed[0].kind == kind
    await ui.evaluate("kind = 'entity.deleted'")
    other = {"kind": "entity.deleted", "entityType": "video", "idPath": "video.id"}
    missed = await ui.act("ui.activate", role="button", name="Go", expect=[other], verify_ms=300)
    assert missed.status == "failed", "no id at that path, no match"


@pytest.mark.requirement("CAP-9b")
async def test_a_page_cannot_send_a_signal_that_only_the_browser_can_observe(
    opened: tuple[uiap.Ui, Site],
) -> None:
    ui = await show(opened, "signals")
    await ui.evaluate("kind = 'forged'")
    forged = {"kind": "custom", "name": "download.completed"}
    missed = await ui.act("ui.activate", role="button", name="Go", expect=[forged], verify_ms=300)
    assert missed.status == "failed"


@pytest.mark.requirement("CAP-1")
async def test_an_agent_reads_role_state_affordances_actions_risk_and_success_of_an_element(
    opened: tuple[uiap.Ui, Site],
) -> None:
    ui, site = opened
    html = pages.ANNOTATED
    assert await ui.navigate(site.page("/one", html))
    save: ElementNode = next(one for one in await ui.observe() if one.name == "Save")
    assert (save.role, save.state.enabled, save.default_action) == ("button", True, "video.save")
    assert "activate" in save.affordances and save.supported_actions == ("ui.activate", "video.save")
    assert save.risk is not None and save.risk.level == "confirm"
    assert save.success is not None and [one.kind for one in save.success] == ["toast.contains"]
    assert "video.save" in {one.id for one in (await ui.capabilities()).actions}


@pytest.mark.requirement("CAP-3b", "CAP-3d")
async def test_a_target_by_scope_finds_the_live_scope_annotated_or_not(opened: tuple[uiap.Ui, Site]) -> None:
    ui, site = opened
    assert await ui.navigate(site.page("/scopes", pages.SCOPES))
    for scope in ("form.new-video", "box"):
        reached = await run(ui, "ui.scrollIntoView", {"by": "scope", "value": scope})
        assert reached.status == "succeeded" and reached.resolved_target.role in ("form", "region"), reached
    for scope in ("form.new-video", "box"):
        text = {"by": "semantic", "role": "textbox", "scope": scope}
        typed = await run(ui, "ui.enterText", text, {"text": scope})
        assert typed.status == "succeeded", "a semantic target may have a scope and no name"
    values = "[...document.querySelectorAll('input')].map((one) => one.value)"
    assert await ui.evaluate(values) == ["form.new-video", "box"]
    nameless = await run(ui, "ui.enterText", {"by": "semantic", "role": "textbox"}, {"text": "?"})
    assert nameless.error.code == "target_ambiguous"


async def run(ui: uiap.Ui, action: str, ref: dict[str, Any], args: dict[str, Any] | None = None) -> Any:
    request = {"actionId": action, "target": {"ref": ref}, **({"args": args} if args else {})}
    return (await (await ui.request(request)).result(check=False)).payload
