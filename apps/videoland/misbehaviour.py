"""ASGI middleware that applies the knobs to /api: delays and deliberate failures, counted and never random."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from apps.videoland import knobs as knob_text
from apps.videoland.context import Context, refusal
from apps.videoland.knobs import BadKnob, Knobs

KNOB_HEADER = "x-knobs"
_READS = ("GET", "HEAD", "OPTIONS")


class Misbehaviour:
    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app, self._context = app, context

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            return await self._app(scope, receive, send)
        try:
            knobs, own_failures = self._turned(Request(scope))
        except BadKnob as error:
            return await refusal(400, "bad_knob", detail=str(error))(scope, receive, send)
        writes = scope["method"] not in _READS
        fails = writes and self._fails(knobs, own_failures)
        if fails and knobs.fail_mode == "after":
            await self._app(scope, receive, _unsent)
        # The delay is the requested behaviour; it does not wait for an event.
        await asyncio.sleep((knobs.delay_ms + (knobs.save_delay_ms if writes else 0)) / 1000)
        if fails:
            return await refusal(500, "deliberate_failure")(scope, receive, send)
        return await self._app(scope, receive, send)

    def _turned(self, request: Request) -> tuple[Knobs, int]:
        """Return the knobs of this request, and how many failures the page still requests."""
        text = request.headers.get(KNOB_HEADER, "") if self._context.settings.allow_knobs else ""
        requested = knob_text.parse(text)
        knobs = self._context.knobs.changed(requested)
        return knobs, knobs.fail_next if "fail_next" in requested else 0

    def _fails(self, knobs: Knobs, own_failures: int) -> bool:
        here = self._context
        here.writes_seen += 1
        paced = int(here.writes_seen * knobs.failure_rate) > int((here.writes_seen - 1) * knobs.failure_rate)
        counted = here.knobs.fail_next > 0
        if counted:
            here.knobs = here.knobs.changed({"fail_next": here.knobs.fail_next - 1})
        fails = paced or counted or own_failures > 0
        here.failures += fails
        return fails


async def _unsent(message: Message) -> None:
    """Discard the answer of an applied effect, so that the page never gets it."""
