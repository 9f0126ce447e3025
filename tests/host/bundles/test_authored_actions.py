"""Implementations of the actions of a bundle, their risk, and the fields of their arguments."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.support.bundled_videos import ROOT, action, element, videos_bundle
from uiap.actions.invoke import DeclaredAction
from uiap.host.bundles.authored_actions import (
    AuthoredActions,
    ElementPath,
    HandlerPath,
    NoPath,
    ServerPath,
    WorkflowPath,
    field_ids,
    fill_request,
)
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import RiskDescriptor, RiskLevel


def actions(*described: dict[str, Any], signed: bool = True) -> AuthoredActions:
    return AuthoredActions(videos_bundle(signed=signed, actions=list(described)))


PATHS = [
    (action("a.b", "sdkHandler", "app.run"), (HandlerPath(("app.run", "a.b")),)),
    (action("a.b", None), (HandlerPath(("a.b",)),)),
    (action("video.remove", None), (HandlerPath(("video.remove",)), ElementPath("video.delete"))),
    (action("a.b", "externalDriver", "video.save"), (ElementPath("video.save"),)),
    (action("a.b", "externalDriver", "video.make"), (WorkflowPath("video.make"),)),
    (action("a.b", "externalDriver", "routine"), (HandlerPath(("routine",)),)),
    (action("a.b", "serverAction", "PUT /api/videos/{id}"), (ServerPath("PUT /api/videos/{id}"),)),
]


@pytest.mark.parametrize(("described", "paths"), PATHS)
def test_the_manifest_says_what_carries_an_action_out(
    described: dict[str, Any], paths: tuple[Any, ...]
) -> None:
    made = actions(described)
    found = made.get(described["id"], f"{ROOT}/videos")
    assert found is not None and made.paths(found) == paths


@pytest.mark.parametrize("ref", ["//evil.test/x", "https://evil.test/", "POST evil", "POST /\\evil", "/api"])
def test_a_server_action_without_an_endpoint_of_the_application_has_no_path(ref: str) -> None:
    made = actions(action("a.b", "serverAction", ref))
    (path,) = made.paths(next(made.all(f"{ROOT}/")))
    assert isinstance(path, NoPath) and "POST /api/videos" in path.why


def test_another_origin_has_no_actions_of_the_bundle() -> None:
    made = actions(action("a.b", None))
    assert made.get("a.b", "http://other.test/") is None and list(made.all("http://other.test/")) == []


RISKS: list[tuple[bool, RiskLevel | None, RiskLevel]] = [
    (True, None, "safe"),
    (True, "blocked", "blocked"),
    (False, None, "confirm"),
    (False, "safe", "safe"),
    (False, "blocked", "blocked"),
]


@pytest.mark.requirement("RUN-25")
@pytest.mark.parametrize(("signed", "own", "level"), RISKS)
def test_the_risk_of_a_function_counts_where_it_is_stricter(
    signed: bool, own: RiskLevel | None, level: RiskLevel
) -> None:
    made = actions(action("a.b", "sdkHandler", "f", idempotency="idempotent"), signed=signed)
    authored = next(made.all(f"{ROOT}/"))
    risk = None if own is None else RiskDescriptor(level=own)
    function = DeclaredAction(descriptor=authored, source="page", ref="f", own_risk=risk)
    joined = made.join(authored, function)
    assert joined.descriptor.risk.level == level and joined.runs == "f"
    assert joined.trusted is signed


def test_a_field_is_named_or_is_called_after_the_action_or_the_element() -> None:
    assert field_ids({"fields": {"title": "x.y"}}, "a.b", "c.d", "title") == ("x.y",)
    assert field_ids(None, "video.create", "form.save", "title") == ("video.create.title", "form.title")


FILLS = [
    ("textbox", "Lamp", "ui.enterText", {"text": "Lamp"}),
    ("textbox", 7, "ui.enterText", {"text": "7"}),
    ("textbox", {"secret": "crm"}, "ui.enterText", {"text": {"secret": "crm"}}),
    ("combobox", "Red", "ui.choose", {"label": "Red"}),
    ("switch", True, "ui.toggle", {"checked": True}),
    ("slider", 5, "ui.setValue", {"value": 5}),
]


@pytest.mark.parametrize(("role", "value", "id", "args"), FILLS)
def test_a_field_gets_its_value_by_the_action_of_its_role(
    role: str, value: Any, id: str, args: dict[str, Any]
) -> None:
    field = msgspec.convert(element("f", role, "Field"), ElementBinding)
    made = fill_request(field, value)
    assert (made.action_id, made.args) == (id, args)
