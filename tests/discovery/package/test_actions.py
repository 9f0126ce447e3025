"""The catalogs of routes, scopes, elements and actions: everything that was seen, over all states."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.package.test_evidence import REPORT, RunWithEvidence
from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import (
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery import commands, events
from uiap.spec.capability import ActionDescriptor, RiskDescriptor
from uiap.spec.discovery import DiscoveryPackage

SAFE = ActionDescriptor(
    id="view.compact",
    kind="domain",
    target_kinds=("none",),
    execution_modes=("appAction",),
    risk=RiskDescriptor(level="safe"),
)


def action(package: DiscoveryPackage, id: str) -> dict[str, Any]:
    return next(plain(one) for one in package.action_catalog.actions if one.id == id)


def plain(finding: Any) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(finding))
    return found


@pytest.mark.requirement("DISC-6.2")
def test_a_route_has_the_actions_that_led_to_it_and_the_signals_of_leaving_it() -> None:
    pages = {
        "/": Page([Element("link", "Videos", href="/videos")]),
        "/videos": Page([Element("button", "Show team", leads_to="/team", toast="Welcome")]),
        "/team": Page(title="Team"),
    }
    package, _, _ = explore(pages)
    routes = {one.route_id: plain(one) for one in package.route_catalog.routes}
    assert routes["/videos"]["entryActions"] == ["ui.activate"] and "entryActions" not in routes["/"]
    assert routes["/videos"]["exitSignals"] == [
        {"kind": "route.changed", "pattern": "/team"},
        {"kind": "toast.contains", "text": "Welcome"},
    ]
    assert "exitSignals" not in routes["/team"]


@pytest.mark.requirement("DISC-6.3")
def test_a_scope_has_kind_routes_parent_names_and_ids_of_all_states() -> None:
    form = Scope("new.form", "form", "New video")
    pages = {
        "/": Page([Element("link", "Videos", href="/videos")], (form,)),
        "/videos": Page([Element("tab", "A")], (Scope("new.form", "form", "Add a video"),)),
    }
    package, _, _ = explore(pages)
    scopes = {one.scope_id: one for one in package.scope_catalog.scopes}
    found = scopes["new.form"]
    assert (found.kind, found.route_ids, found.names) == (
        "form",
        ("/", "/videos"),
        ("New video", "Add a video"),
    )
    assert found.parent_scope_id == "app" and "app" in scopes
    assert "annotation" in {ref.source for ref in found.discovered_by}


@pytest.mark.requirement("DISC-6.4b")
def test_an_element_has_everything_under_which_it_was_seen() -> None:
    first: dict[str, Any] = {"stable_id": "x", "meaning": "video.open", "data_classes": ("internal",)}
    second: dict[str, Any] = {
        "stable_id": "x",
        "meaning": "video.show",
        "data_classes": ("personal",),
        "affordances": ("read", "focus", "activate", "expand"),
        "risk": RiskDescriptor(level="confirm", tags=("privileged",)),
    }
    pages = {
        "/": Page([Element("link", "B", href="/b"), Element("button", "Show", more=first)]),
        "/b": Page(
            [Element("button", "Open", scope="s", more=second, state={"expanded": False})],
            (Scope("s", "region"),),
        ),
    }
    package, _, _ = explore(pages)
    found = next(one for one in package.element_catalog.elements if one.stable_id == "x")
    assert found.routes == ("/", "/b") and found.scopes == ("app", "s")
    assert found.names == ("Show", "Open") and found.meanings == ("video.open", "video.show")
    assert {"expanded", "enabled"} <= set(found.state_keys or ())
    assert found.affordances == ("read", "focus", "activate", "expand")
    assert found.supported_actions == ("ui.activate", "ui.expand")
    assert found.data_classes == ("internal", "personal")
    assert found.risk is not msgspec.UNSET and found.risk.level == "confirm"


@pytest.mark.requirement("DISC-6.5")
def test_prerequisites_are_the_conditions_that_held_whenever_the_action_worked() -> None:
    close = Element("button", "Close", closes="box", scope="box", more={"default_action": "box.close"})
    pages = {
        "/": Page([Element("link", "Videos", href="/videos")]),
        "/videos": Page(
            [Element("button", "Quick", opens="box", state={"has_popup": "dialog"}), close],
            (Scope("box", "dialog", "New", hidden=True, modal=True),),
        ),
    }
    package, _, _ = explore(pages)
    assert action(package, "box.close")["prerequisites"] == [
        {"kind": "route", "routeId": "/videos"},
        {"kind": "element", "target": {"by": "scope", "value": "box"}, "exists": True},
    ]
    unused, _, _ = explore({"/": Page([Element("button", "Delete", more={"default_action": "x.delete"})])})
    assert "prerequisites" not in action(unused, "x.delete")


@pytest.mark.requirement("RUN-23")
def test_an_action_names_the_element_that_runs_it_and_the_fields_of_its_arguments() -> None:
    form = Scope("new.form", "form", "New video")
    fields = [Element("textbox", name, scope="new.form") for name in ("Title", "Title", "Text")]
    save = Element("button", "Save", scope="new.form", more={"affordances": ("activate", "submit")})
    package, _, _ = explore({"/": Page([*fields, save], (form,))})
    found = action(package, "candidate.root.save")
    keys = {one.semantic_key for one in package.element_catalog.elements}
    assert found["metadata"]["element"] in keys
    named = found["metadata"]["fields"]
    assert list(named) == [one["name"] for one in found["args"]] and set(named.values()) <= keys


@pytest.mark.requirement("DISC-15.4b", "DISC-18")
def test_a_registered_action_is_in_the_catalog_with_its_arguments_and_its_risk() -> None:
    pages = {"/": Page([Element("button", "Report", more={"default_action": "report.open"})])}
    found = action(RunWithEvidence(SimulatedApp(pages), environment()).complete(), "report.open")
    assert found["kind"] == "domain" and found["confidence"] == "high"
    assert [one["name"] for one in found["args"]] == ["month"]
    assert found["risk"] == {"level": "confirm", "tags": ["external_effect"]}
    assert found["discoveredBy"][0] == {"source": "app_registry", "refId": "action:report.open"}
    assert found["targetPatterns"] == [{"role": "button", "meaning": "report", "scopeId": "app"}]


class RunWithRegistry(SimulatedRun):
    """A run on a page that registered a safe action, a risky one, and one that needs an argument."""

    registered: tuple[ActionDescriptor, ...] = (
        SAFE,
        msgspec.structs.replace(SAFE, id="account.delete"),
        msgspec.structs.replace(SAFE, id="mail.go", risk=RiskDescriptor(level="confirm")),
        REPORT,
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.invoked: list[str] = []

    def answer(self, command: commands.Command) -> events.Event:
        if isinstance(command, commands.Prepare):
            return msgspec.structs.replace(super().answer(command), registered=self.registered)
        if isinstance(command, commands.Act) and command.node not in self.app.nodes:
            self.invoked.append(f"{command.action} after {len(self.app.pressed)}")
            observed = self.app.observe()
            return events.Acted(at=self.now(), status="succeeded", observed=observed)
        return super().answer(command)


@pytest.mark.requirement("DISC-11.5e")
def test_a_registered_action_that_is_safe_is_invoked_before_anything_is_pressed() -> None:
    run = RunWithRegistry(SimulatedApp(SHOP), environment())
    package = run.complete()
    assert run.invoked == ["view.compact after 0"] and run.app.pressed
    edge = next(one for one in package.transition_graph.edges if one.via_action_id == "view.compact")
    assert edge.metadata["decision"]["effect"] == "allow"
    assert action(package, "view.compact")["discoveredBy"][1]["refId"] == edge.transition_id


@pytest.mark.requirement("DISC-15.4c")
def test_a_press_with_the_same_effect_again_is_a_candidate_action() -> None:
    panel = [
        Element("button", "Panel", opens="p", state={"expanded": False}),
        Element("link", "Away", href="/b", scope="p"),
        Element("button", "Show inside", scope="p", opens="q"),
    ]
    parts = (Scope("p", "region", "Panel", hidden=True), Scope("q", "region", "Q", hidden=True))
    package, _, _ = explore({"/": Page(panel, parts), "/b": Page(title="B")})
    found = {one.id: one for one in package.action_catalog.actions if one.kind == "candidate"}
    assert set(found) == {"candidate.root.panel"} and found["candidate.root.panel"].confidence == "high"
    assert "transition" in {ref.source for ref in found["candidate.root.panel"].discovered_by}
