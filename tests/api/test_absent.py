"""No `msgspec.UNSET` leaves the Python API: a member that a reply leaves out is None."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.support.handlers import Notes
from uiap.api.absent import absent_for_none, none_for_absent, to_builtins
from uiap.api.found import ElementMatch, Expected, Waited
from uiap.api.graph import Graph
from uiap.api.open_session import start_session
from uiap.api.result import Result
from uiap.api.trace import Trace
from uiap.api.ui import Ui
from uiap.client.verbs import VERBS
from uiap.drivers.scripted import ScriptedDriver
from uiap.spec.action import ActionResultPayload, ResolvedTarget, RuntimeErrorDescriptor, VerificationOutcome
from uiap.spec.tools import ActionTrace, ToolsExpectedPayload, ToolsFoundPayload, ToolsWaitedPayload

MINIMAL_RESULT = {
    "actionHandle": "act_1",
    "actionId": "ui.activate",
    "status": "failed",
    "verification": {"passed": False, "policy": "all", "observed": []},
}
FAILED_RESULT = {
    **MINIMAL_RESULT,
    "error": {"code": "target_not_found", "message": "no element matches"},
    "resolvedTarget": {"by": "instanceId", "instanceId": "d1e1", "documentId": "d1", "role": "button"},
}
MINIMAL_TRACE = {
    "actionHandle": "act_1", "actionId": "ui.activate", "status": "failed", "ts": "2026-01-01T00:00:00Z",
    "durationMs": 1.0, "stages": [{"stage": "executing", "atMs": 0.0}], "signals": [], "noise": 0,
    "network": [{"atMs": 0.0, "method": "GET", "url": "/", "cause": "caused", "relevance": 1.0}],
    "lines": [{"atMs": 0.0, "kind": "console", "level": "info", "text": "x", "origin": "app", "cause": "caused",
               "relevance": 1.0}],
    "result": FAILED_RESULT, "before": {"revision": "rev_1"},
}  # fmt: skip
PROTOCOL_MESSAGE = "payload"
"""The one attribute that is the message itself, and so marks absent members as UNSET."""


def absent_members(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every UNSET in a value, at any depth."""
    if value is UNSET:
        yield path
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from absent_members(getattr(value, name), f"{path}.{name}")
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from absent_members(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, Mapping):
        for name, member in value.items():
            yield from absent_members(member, f"{path}[{name!r}]")
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from absent_members(item, f"{path}[{number}]")
    elif isinstance(value, Result | Expected | Waited | Trace | Graph):
        yield from absent_attributes(value, path)


def absent_attributes(value: Any, path: str = "") -> Iterator[str]:
    """Yield the path of every UNSET in the public attributes of an API object."""
    for name in dir(value):
        if not name.startswith("_") and name != PROTOCOL_MESSAGE and not callable(getattr(value, name)):
            yield from absent_members(getattr(value, name), f"{path}.{name}")
    if isinstance(value, Graph):
        yield from absent_members(list(value), f"{path}[elements]")


def object_of(cls: Any, payload_type: Any, payload: dict[str, Any]) -> Any:
    return cls(msgspec.convert(payload, payload_type))


@pytest.mark.parametrize(
    "value",
    [
        object_of(Result, ActionResultPayload, MINIMAL_RESULT),
        object_of(Result, ActionResultPayload, FAILED_RESULT),
        object_of(Trace, ActionTrace, MINIMAL_TRACE),
        object_of(
            Trace, ActionTrace, {**MINIMAL_TRACE, "before": {"revision": "rev_1"}, "after": {"revision": "r"}}
        ),
        object_of(
            Expected,
            ToolsExpectedPayload,
            {
                "passed": False,
                "policy": "all",
                "verdicts": [{"signal": {"kind": "dialog.opened"}, "holds": False}],
                "revision": "rev_1",
                "elapsedMs": 1.0,
            },
        ),
        object_of(
            Waited,
            ToolsWaitedPayload,
            {
                "done": False,
                "changed": False,
                "revision": "rev_1",
                "elapsedMs": 1.0,
                "loading": {"idle": True, "busy": [], "requests": []},
            },
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_object_of_a_minimal_message_has_none_for_every_absent_member(value: Any):
    assert list(absent_members(value.payload)) != []  # the message itself leaves members out
    assert list(absent_attributes(value)) == []


def test_the_values_of_a_minimal_result_are_none_or_empty():
    result = object_of(Result, ActionResultPayload, MINIMAL_RESULT)
    assert (result.side_effect_state, result.error, result.target, result.revision) == (
        None,
        None,
        None,
        None,
    )
    assert (result.return_value, result.metadata) == ({}, {})
    assert result.verification.missing is None
    failed = object_of(Result, ActionResultPayload, FAILED_RESULT)
    assert failed.error.detail is None and failed.target.name is None
    assert isinstance(failed.error, RuntimeErrorDescriptor) and isinstance(failed.target, ResolvedTarget)
    assert isinstance(failed.verification, VerificationOutcome)
    assert failed.to_dict() == FAILED_RESULT


async def test_a_found_element_without_a_record_has_none():
    driver = ScriptedDriver(Notes().page())
    await driver.start(lambda _event: None)
    (element, *_) = (await driver.observe()).elements
    payload = {"element": msgspec.to_builtins(element), "confidence": 1.0, "reason": "name"}
    found = msgspec.convert({"matches": [payload], "revision": "rev_1"}, ToolsFoundPayload)
    assert list(absent_members(ElementMatch.of(found.matches[0]))) == []


def test_the_conversion_is_undone_for_sending():
    payload = msgspec.convert(FAILED_RESULT, ActionResultPayload)
    converted = none_for_absent(payload)
    assert list(absent_members(converted)) == []
    assert absent_for_none(converted) == payload
    assert to_builtins(converted) == msgspec.to_builtins(payload)
    assert none_for_absent(converted) is converted  # nothing is copied where nothing is absent


@pytest.fixture
async def ui() -> AsyncIterator[Ui]:
    async with AsyncExitStack() as stack:
        yield await start_session(
            stack, ScriptedDriver(Notes().page()), rules="standard", principal="agent:bot"
        )


NOT_CALLED = {
    *("close", "person", "session"),
    *("grant", "deny", "cancel", "hand_back"),  # they return nothing
    *("register", "on_confirmation"),  # they return a function
    "use_bundle",  # it returns nothing
    *("save_state", "load_state"),  # they return nothing
    *VERBS,  # they return a `Result` like `act`, or values of the page
    *("begin", "request", "do", "fill_form"),
    *("pdf", "viewport", "result"),  # bytes, nothing, a result of another action
    *("screenshot", "evaluate", "explore", "run"),  # bytes, a value of the page, a discovery or workflow run
}
ARGUMENTS: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "find": (("a",), {}),
    "act": (("ui.activate",), {"role": "button", "name": "No such button"}),
    "navigate": (("http://a.test/",), {"timeout_ms": 200}),
    "expect": (([{"kind": "dialog.opened"}],), {"timeout_ms": 0}),
    "wait": ((), {"idle": True, "timeout_ms": 200}),
    "preflight": (("ui.activate",), {}),
    "downloads": ((), {"timeout_ms": 0}),
}


async def test_no_method_of_a_session_returns_an_absent_member(ui: Ui):
    assert list(absent_members(ui.session, "session")) == []
    names = [name for name, _ in inspect.getmembers(Ui, callable) if not name.startswith("_")]
    for name in [name for name in names if name not in NOT_CALLED and name != "trace"]:
        positional, named = ARGUMENTS.get(name, ((), {}))
        value = await getattr(ui, name)(*positional, **named)
        assert list(absent_members(value, name)) == []
    (latest, *_) = await ui.traces()
    assert list(absent_members(await ui.trace(latest.action_handle), "trace")) == []
