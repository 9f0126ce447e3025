"""The inputs of a person, as the page script reports them while a recording wants them."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

from uiap.drivers.chromium.page.messages import InputPush
from uiap.drivers.driver import InputMode
from uiap.drivers.events import InputReported


@dataclass
class InputReports:
    """Which inputs of a person the page scripts report. It changes during a session."""

    mode: InputMode = "off"

    @property
    def call(self) -> str:
        return f"globalThis.__uiap?.inputs({json.dumps(self.mode)})"


def reported_input(push: InputPush, tab: str) -> InputReported:
    return InputReported(
        tab=tab,
        at=time.monotonic(),
        kind=push.kind,
        node=push.node,
        role=push.role,
        name=push.name,
        value=push.value,
        secret=push.secret,
        key=push.input_key,
        by_key=push.by_key,
    )
