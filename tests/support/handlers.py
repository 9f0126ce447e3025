"""An action handler on a scripted application in memory, with the real runtime and host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.drivers.scripted import App, ScriptedDriver, ScriptedPage, Widget
from uiap.host.clock import SystemClock
from uiap.host.handlers.actions import ActionHandler
from uiap.host.observation.page import Page
from uiap.host.records.store import Store
from uiap.host.records.writer import Writer
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, ActionTarget, VerificationSpec
from uiap.spec.capability import SemanticRef, SuccessSignal
from uiap.spec.policy import PolicyPrincipal

URL = "http://notes.test/"
ANN = PolicyPrincipal(type="user", id="ann")


class Notes:
    """The application: a form that counts how often it was saved, independently of the runtime."""

    def __init__(self) -> None:
        self.saved = 0

    def page(self) -> ScriptedPage:
        return ScriptedPage(
            URL,
            [
                Widget("title", "textbox", "Title"),
                Widget("save", "button", "Save", on={"click": self.save}),
                Widget("dead", "button", "Dead"),
                Widget("fails", "button", "Fails", on={"click": self.fail}),
                Widget("status", "status"),
            ],
        )

    def save(self, app: App) -> None:
        self.saved += 1
        app.request("http://notes.test/api/notes?token=secret", method="POST", status=201)
        app.set("status", text=f"Saved {self.saved}")
        app.toast("Saved")

    def fail(self, app: App) -> None:
        self.saved += 1
        app.request("http://notes.test/api/notes", method="POST", status=500)
        app.set("status", text="Saved?")


@dataclass
class NotesHandler:
    """The action handler of a page with notes, and the messages it sent."""

    driver: ScriptedDriver
    page: Page
    handler: ActionHandler
    notes: Notes
    messages: list[tuple[str, Any]] = field(default_factory=list)

    def request(
        self,
        name: str = "Save",
        action: str = "ui.activate",
        *,
        key: str | None = None,
        expect: Sequence[dict[str, Any]] = (),
        verify_ms: int | None = 1500,
        **members: Any,
    ) -> ActionRequestPayload:
        signals = tuple(msgspec.convert(one, SuccessSignal) for one in expect)
        role = members.pop("role", "textbox" if action == "ui.enterText" else "button")
        return ActionRequestPayload(
            action_id=action,
            target=ActionTarget(ref=SemanticRef(role=role, name=name)),
            verification=VerificationSpec(
                policy="all" if signals else UNSET, signals=signals or UNSET, timeout_ms=verify_ms or UNSET
            ),
            idempotency_key=key or UNSET,
            **members,
        )

    async def act(
        self,
        name: str = "Save",
        action: str = "ui.activate",
        *,
        principal: PolicyPrincipal = ANN,
        **members: Any,
    ) -> ActionResultPayload:
        self.messages.clear()
        request = self.request(name, action, **members)
        return await self.handler.run(request, self.on_message, principal=principal)

    def on_message(self, type: str, payload: Any) -> None:
        self.messages.append((type, payload))

    def code(self, result: ActionResultPayload) -> str | None:
        return None if result.error is UNSET else result.error.code


@asynccontextmanager
async def running_handler(
    store: Store | None = None, *, notes: Notes | None = None, rules: Any = "trusted", **facts: Any
) -> AsyncIterator[NotesHandler]:
    """Yield a started handler, as a new process would have. The store, if any, is not closed."""
    notes, clock = notes or Notes(), SystemClock()
    driver = ScriptedDriver(notes.page(), **facts)
    page = Page(driver)
    writer = Writer(store, lambda: clock.now().wall) if store is not None else None
    handler = ActionHandler(page, clock, writer, rules=rules)
    await page.start()
    try:
        await page.wait_for_graph()
        yield NotesHandler(driver, page, handler, notes)
    finally:
        await handler.settle()
        await page.close()
        if writer is not None:
            writer.close()
