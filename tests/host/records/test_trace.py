"""Traces: the effects of an action under its handle, as JSON, span and HTML."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from msgspec import UNSET

from tests.support.handlers import NotesHandler, running_handler
from uiap.api.trace import Trace
from uiap.drivers.events import ConsoleLine, PageError
from uiap.drivers.scripted import SCRIPTED_FACTS
from uiap.host.records import telemetry
from uiap.host.records.store import Store
from uiap.spec.action import ActionResultPayload
from uiap.spec.core import ParticipantRef
from uiap.spec.tools import ActionTrace

ME = ParticipantRef(role="agent", id="test")


async def traced(
    one: NotesHandler, name: str = "Save", **members: Any
) -> tuple[ActionResultPayload, ActionTrace]:
    result = await one.act(name, **members)
    async with asyncio.timeout(20):
        trace = await one.handler.traces.trace(result.action_handle)
    assert trace is not None
    return result, trace


@pytest.mark.requirement("MDM-R10", "MDM-10")
async def test_a_trace_holds_the_requests_signals_and_stages_of_its_action() -> None:
    async with running_handler() as one:
        result, trace = await traced(one)
        assert trace.action_handle == result.action_handle
        assert trace.result == result
        assert [stage.stage for stage in trace.stages] == [
            "resolving_target",
            "checking_preconditions",
            "executing",
            "verifying",
        ]
        (call,) = trace.network
        assert (call.method, call.status, call.cause) == ("POST", 201, "caused")
        assert [(s.signal.kind, s.cause) for s in trace.signals] == [("toast.shown", "caused")]
        assert trace.dispatched_ms is not UNSET


async def test_a_driver_without_causal_attribution_reports_no_cause() -> None:
    async with running_handler(facts=replace(SCRIPTED_FACTS, attribution="time")) as one:
        result, trace = await traced(one)
        assert result.status == "succeeded" and result.metadata["attribution"] == "coincident"
        assert [(s.signal.kind, s.cause) for s in trace.signals] == [("toast.shown", "coincident")]
        assert [call.cause for call in trace.network] == ["coincident"]


async def test_query_strings_are_not_kept() -> None:
    async with running_handler() as one:
        _, trace = await traced(one)
        assert trace.network[0].url == "http://notes.test/api/notes"
        assert "secret" not in str(trace)


@pytest.mark.requirement("MDM-R7")
async def test_events_that_the_page_repeats_by_itself_are_noise() -> None:
    async with running_handler() as one:
        tab = one.page.tab().id

        def poll(at: float) -> None:
            one.page.receive(ConsoleLine(tab=tab, at=at, level="log", text=f"tick {at:.0f}"))

        poll(1.0)
        asked = one.request("Dead", verify_ms=100)
        running = asyncio.create_task(one.handler.run(asked, one.on_message))
        async with asyncio.timeout(20):
            while not any(getattr(p, "stage", "") == "verifying" for _, p in one.messages):
                await asyncio.sleep(0)
        now = one.handler.clock.now().mono
        poll(now)
        one.page.receive(PageError(tab=tab, at=now, text="TypeError: save is not a function"))
        result = await running
        trace = await one.handler.traces.trace(result.action_handle)
        assert trace is not None
        assert [(line.kind, line.origin) for line in trace.lines] == [("error", "app")]
        assert trace.noise == 1


@pytest.mark.requirement("MDM-R7b")
async def test_every_cause_in_a_noisy_log_is_kept_and_the_rest_is_counted() -> None:
    causes = [f"TypeError: part {n} is missing" for n in range(3)]
    async with running_handler() as one:
        tab = one.page.tab().id

        def heartbeat(at: float, count: int) -> None:
            for n in range(count):
                one.page.receive(ConsoleLine(tab=tab, at=at, level="log", text=f"heartbeat {n}"))

        heartbeat(1.0, 5)
        asked = one.request("Dead", verify_ms=100)
        running = asyncio.create_task(one.handler.run(asked, one.on_message))
        async with asyncio.timeout(20):
            while not any(getattr(p, "stage", "") == "verifying" for _, p in one.messages):
                await asyncio.sleep(0)
        now = one.handler.clock.now().mono
        for text in causes:
            heartbeat(now, 15)
            one.page.receive(PageError(tab=tab, at=now, text=text))
        trace = await one.handler.traces.trace((await running).action_handle)
        assert trace is not None
        assert [line.text for line in trace.lines if line.kind == "error"] == causes
        assert len(trace.lines) == 3 and trace.noise == 45


async def test_views_before_and_after_are_kept_on_request() -> None:
    async with running_handler() as one:
        _, plain = await traced(one)
        assert plain.before is UNSET and plain.after is UNSET
        _, trace = await traced(one, metadata={"trace": ["outline"]})
        assert trace.before is not UNSET and trace.after is not UNSET
        assert "Saved 2" not in str(trace.before.outline)
        assert "Saved 2" in str(trace.after.outline)


async def test_a_failed_screenshot_changes_no_outcome() -> None:
    async with running_handler() as one:
        result, trace = await traced(one, metadata={"trace": ["screenshot"]})
        assert result.status == "succeeded"
        assert trace.before is not UNSET and trace.before.screenshot is UNSET


@pytest.mark.requirement("MDM-R10")
async def test_traces_outlive_the_process(open_store: Callable[[], Store]) -> None:
    async with running_handler(open_store()) as one:
        result, trace = await traced(one)
    async with running_handler(open_store()) as later:
        assert await later.handler.traces.trace(result.action_handle) == trace
        listed = await later.handler.traces.summaries(20)
        assert [one.action_handle for one in listed] == [result.action_handle]
        assert await later.handler.traces.summaries(20, of_others=False) == ()
        assert await later.handler.traces.trace(result.action_handle, of_others=False) is None
        assert await later.handler.traces.trace("act_nobody") is None


def test_a_span_has_the_data_of_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("opentelemetry.sdk", reason="needs the extra [otel] and the OpenTelemetry SDK")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    api = telemetry._api()
    monkeypatch.setattr(api, "get_tracer", provider.get_tracer)

    async def run() -> ActionTrace:
        async with running_handler() as one:
            return (await traced(one, "Fails"))[1]

    trace = asyncio.run(run())
    (span,) = kept.get_finished_spans()
    assert span.name == "uiap ui.activate"
    assert span.attributes is not None
    assert span.attributes["uiap.action.handle"] == trace.action_handle
    assert span.attributes["uiap.error.code"] == "verification_failed"
    assert not span.status.is_ok
    assert [event.name for event in span.events if event.name.startswith("request")] == ["request POST"]
    assert span.end_time is not None and span.start_time is not None
    assert (span.end_time - span.start_time) / 1e6 == pytest.approx(trace.duration_ms, abs=1)


async def test_the_html_of_a_trace_loads_nothing_and_escapes_everything() -> None:
    async with running_handler() as one:
        hostile = '<img src=x onerror=alert(1)>"'
        one.driver.change(lambda app: app.set("dead", name=hostile))
        result = await one.act(hostile, verify_ms=50)
        trace = await one.handler.traces.trace(result.action_handle)
        assert trace is not None
        page = Trace(trace).html()
        assert "<img" not in page and "onerror=alert(1)&gt;" in page
        assert not re.findall(r"(?:src|href)=\"(?!data:)", page)
        assert "<script" not in page and "http" not in page.split("<body>")[0].replace("http-equiv", "")
        assert "verification_failed" in page
