"""The invariants of one action that every fault test checks against a count kept outside of the runtime."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from uiap.host.handlers.actions import ActionHandler
from uiap.runtime.lifecycle import MOVES
from uiap.spec.action import ActionConfirmationRequestPayload, ActionProgressPayload, ActionResultPayload


@dataclass
class ActionMonitor:
    """Records all messages of one action. Pass `on_message` as its listener."""

    messages: list[tuple[str, msgspec.Struct]] = field(default_factory=list)
    granted: bool = False

    def on_message(self, type: str, payload: msgspec.Struct) -> None:
        self.messages.append((type, payload))

    def payloads(self, kind: type) -> list[Any]:
        return [payload for _, payload in self.messages if isinstance(payload, kind)]

    @property
    def stages(self) -> list[str]:
        return [progress.stage for progress in self.payloads(ActionProgressPayload)]

    def check(self, result: ActionResultPayload, happened: int, handler: ActionHandler | None = None) -> None:
        """Check the result. `happened` is the number of effects that the application itself counted."""
        summary = f"{result.status} {result.side_effect_state} {result.error} after {self.stages}, happened {happened}"
        self._check_single_result(result, summary)
        assert not (result.status == "succeeded" and happened == 0), f"false success: {summary}"
        assert happened <= 1, f"done {happened} times: {summary}"
        assert result.side_effect_state in ("none", "applied", "unknown"), (
            f"unknown side effect state: {summary}"
        )
        assert not (result.side_effect_state == "none" and happened), f"`none`, but it happened: {summary}"
        if self.payloads(ActionConfirmationRequestPayload) and not self.granted:
            assert happened == 0, f"done without a grant: {summary}"
        if handler is not None:
            assert result.action_handle not in handler._running, f"still running: {summary}"

    def _check_single_result(self, result: ActionResultPayload, summary: str) -> None:
        results = self.payloads(ActionResultPayload)
        assert results == [result], f"{len(results)} results: {summary}"
        assert self.messages[-1][1] is result, f"a message was sent after the result: {summary}"
        state: Any = "RECEIVED"
        for stage in (*self.stages, result.status):
            assert stage.upper() in MOVES[state], f"{state} -> {stage}: {summary}"
            state = stage.upper()
