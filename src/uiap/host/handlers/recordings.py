"""The messages of a recording: start it, pick what proves success, and stop it with the definition as the answer."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from urllib.parse import urlsplit

from msgspec import UNSET

from uiap.host.clock import Clock
from uiap.host.consent.principals import effective_principal
from uiap.host.handlers.actions import ActionHandler
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply, decline
from uiap.host.observation.page import Page
from uiap.host.workflows.recorder import PageRecorder
from uiap.ids import new_secret
from uiap.spec.web import ElementNode
from uiap.spec.workflow import (
    WorkflowRecordedPayload,
    WorkflowRecordPickedPayload,
    WorkflowRecordPickPayload,
    WorkflowRecordStartedPayload,
    WorkflowRecordStopPayload,
)
from uiap.workflow.recording import RecordingTerms, definition_of

MAX_RECORDINGS = 4
PICK_MS = 60_000.0


@dataclass
class _Recording:
    connection: str
    recorder: PageRecorder
    picked: ElementNode | None = None


class RecordingHandler:
    """Serves recordings of one page. Only a person may record what a person does."""

    def __init__(self, page: Page, actions: ActionHandler, clock: Clock) -> None:
        self._page, self._actions, self._clock = page, actions, clock
        self._recordings: dict[str, _Recording] = {}

    @property
    def rows(self) -> Handlers:
        return {
            "x.uiap.tools.record.start": self.start,
            "x.uiap.tools.record.pick": self.pick,
            "x.uiap.tools.record.stop": self.stop,
        }

    async def start(self, call: Call) -> Outcome:
        if len(self._recordings) >= MAX_RECORDINGS:
            return decline("busy", f"{MAX_RECORDINGS} recordings are open; stop one first")
        principal = effective_principal(call.connection.session.principal, self._actions.rules)
        person = principal.type == "user"
        is_private = self._actions.private_values.is_private
        recorder = PageRecorder(self._page, self._clock, is_private, person=person)
        await recorder.start()
        id = new_secret("rec")
        self._recordings[id] = _Recording(call.connection.id, recorder)
        self._actions.recorders.open.append(recorder)
        started = WorkflowRecordStartedPayload(recording_id=id, url=recorder.url, person=person)
        return Reply("x.uiap.tools.record.started", started)

    async def pick(self, call: Call) -> Outcome:
        request: WorkflowRecordPickPayload = call.payload
        found = self._find(call, request.recording_id)
        if found is None:
            return _unknown(request.recording_id)
        if not found.recorder.person:
            return decline("forbidden", "only a person can pick what proves success; record as a person")
        timeout_ms = PICK_MS if request.timeout_ms is UNSET else request.timeout_ms
        try:
            async with asyncio.timeout(timeout_ms / 1000):
                found.picked = await found.recorder.pick()
        except TimeoutError:
            return decline("timeout", f"nobody pressed an element within {timeout_ms / 1000:g} s; try again")
        picked = WorkflowRecordPickedPayload(role=found.picked.role, name=found.picked.name)
        return Reply("x.uiap.tools.record.picked", picked)

    async def stop(self, call: Call) -> Outcome:
        request: WorkflowRecordStopPayload = call.payload
        found = self._find(call, request.recording_id)
        if found is None:
            return _unknown(request.recording_id)
        if request.keep is True:
            recorded = found.recorder.so_far()
        else:
            self._drop(request.recording_id)
            recorded = await found.recorder.stop()
        url = found.recorder.url
        host = urlsplit(url).hostname or "application"
        terms = RecordingTerms(
            id=request.workflow_id or f"{host}.recorded",
            title=request.title or f"Recorded at {host}",
            url=url,
            picked=found.picked,
        )
        return Reply(
            "x.uiap.tools.record.stopped", WorkflowRecordedPayload(definition=definition_of(recorded, terms))
        )

    def _find(self, call: Call, id: str) -> _Recording | None:
        found = self._recordings.get(id)
        return found if found is not None and found.connection == call.connection.id else None

    def _drop(self, id: str) -> None:
        self._actions.recorders.open.remove(self._recordings.pop(id).recorder)

    def end(self, connection: str) -> None:
        """Discard the recordings of a session that ended."""
        for id in [id for id, one in self._recordings.items() if one.connection == connection]:
            self._recordings[id].recorder.detach()
            self._drop(id)


def _unknown(id: str) -> Outcome:
    return decline("not_found", f"this session has no recording `{id}`; start one first")
