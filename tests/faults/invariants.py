"""The invariants every fault test checks (robustness B2), of one action, against a truth outside of the runtime."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from uiap.host.handlers.actions import ActionHandler
from uiap.runtime.lifecycle import MOVES
from uiap.spec.action import ActionConfirmationRequestPayload, ActionProgressPayload, ActionResultPayload


@dataclass
class Witness:
    """Hears everything that is said of one action. Pass `hear` where a listener is wanted."""

    messages: list[tuple[str, msgspec.Struct]] = field(default_factory=list)
    granted: bool = False

    def hear(self, type: str, payload: msgspec.Struct) -> None:
        self.messages.append((type, payload))

    def of(self, kind: type) -> list[Any]:
        return [payload for _, payload in self.messages if isinstance(payload, kind)]

    @property
    def stages(self) -> list[str]:
        return [progress.stage for progress in self.of(ActionProgressPayload)]

    def check(self, result: ActionResultPayload, happened: int, desk: ActionHandler | None = None) -> None:
        """`happened`: how often the effect is found in the world, counted by the world itself."""
        told = f"{result.status} {result.side_effect_state} {result.error} after {self.stages}, happened {happened}"
        self._one_end(result, told)
        assert not (result.status == "succeeded" and happened == 0), f"B2.2 false success: {told}"
        assert happened <= 1, f"B2.3 done {happened} times: {told}"
        assert result.side_effect_state in ("none", "applied", "unknown"), f"B2.4: {told}"
        assert not (result.side_effect_state == "none" and happened), f"B2.4 `none`, but it happened: {told}"
        if self.of(ActionConfirmationRequestPayload) and not self.granted:
            assert happened == 0, f"B2.5 done without a grant: {told}"
        if desk is not None:
            assert result.action_handle not in desk._running, f"B2.7 still held: {told}"

    def _one_end(self, result: ActionResultPayload, told: str) -> None:
        results = self.of(ActionResultPayload)
        assert results == [result], f"B2.1 {len(results)} results: {told}"
        assert self.messages[-1][1] is result, f"B2.1 something was said after the result: {told}"
        state: Any = "RECEIVED"
        for stage in (*self.stages, result.status):
            assert stage.upper() in MOVES[state], f"B2.1 {state} -> {stage}: {told}"
            state = stage.upper()
