"""The target of the attacks: a session of an agent and one of a person, on a scripted application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import pytest

from uiap.api.open_session import _record_writer, in_process_sessions
from uiap.api.result import Result
from uiap.api.ui import Ui
from uiap.drivers.scripted.app import ScriptedPage, ScriptedScope, Widget
from uiap.drivers.scripted.driver import ScriptedDriver
from uiap.host.clock import SystemClock
from uiap.host.consent.grants import Grants
from uiap.host.privacy.secrets import Secrets
from uiap.host.records.audit import Audit, AuditEntry
from uiap.host.records.journal import Journal
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.autonomy import Autonomy, rules_at
from uiap.policy.builtin import Rules
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.tools import PendingConfirmation

URL = "http://bank.test/"
EVE = PolicyPrincipal(type="agent", id="eve")
ANN = PolicyPrincipal(type="user", id="ann")
SECRET = "ann's own secret"

DEFAULT: dict[str, Rules] = {"rules": "standard"}
"""The rules of a stage without rules of its own. Tests run at several levels of autonomy set it (`at_level`)."""
ASKS = msgspec.convert(
    {"modelVersion": "0.1", "id": "asks", "defaults": {"onBlocked": "handoff"}, "rules": [
        {"id": "presses", "match": {"actionIds": ["ui.activate", "ui.submit", "ui.pressKey"]}, "effect": "confirm"}]},
    PolicyDocument,
)  # fmt: skip
"""A document of a person that asks before every press, so that a question exists at every level."""


def at_level(level: Autonomy, monkeypatch: pytest.MonkeyPatch, *, asks: bool = True) -> None:
    """Open every stage of a test at this level, with questions before every press if `asks` is set."""
    monkeypatch.setitem(DEFAULT, "rules", rules_at(level, (ASKS,) if asks else None))


@dataclass
class Stage:
    """The open sessions, the driver, and the audit entries so far."""

    services: SessionServices
    driver: ScriptedDriver
    agent: Ui
    person: Ui
    audit_entries: list[AuditEntry] = field(default_factory=list)

    @property
    def audit(self) -> Audit:
        return self.services.actions.audit

    @property
    def performed(self) -> list[str]:
        return [op.kind for op in self.driver.performed if op.kind != "scrollIntoView"]

    @property
    def rejected(self) -> list[str]:
        """The reasons of rejected grants, from the audit log."""
        return [entry.reason for entry in self.audit_entries if entry.kind == "grant_rejected"]

    @property
    def app(self) -> Any:
        """The page in the active tab, for tests that change it without an event."""
        return self.driver._tabs[self.driver._active].app

    def press(self, name: str, **members: Any) -> asyncio.Task[Result]:
        return asyncio.create_task(
            self.agent.act("ui.activate", role="button", name=name, policy="none", **members)
        )

    async def pending(self, count: int = 1) -> Sequence[PendingConfirmation]:
        """Wait until this many confirmations are pending and return them."""
        async with asyncio.timeout(20):
            while len(found := (await self.person.waiting()).details or ()) < count:
                await asyncio.sleep(0)
        return found


@asynccontextmanager
async def open_stage(
    *widgets: Widget,
    rules: Rules | None = None,
    scopes: Sequence[ScriptedScope] = (),
    environ: dict[str, str] | None = None,
    store: Path | None = None,
    url: str = URL,
) -> AsyncIterator[Stage]:
    chosen = DEFAULT["rules"] if rules is None else rules
    secrets = Secrets(environ or {}, keyring=False)
    driver = ScriptedDriver(ScriptedPage(url, widgets, scopes=scopes), secrets=secrets.reveal)
    grants = Grants()
    grants.register_key(ANN.id, SECRET)
    clock = SystemClock()
    async with AsyncExitStack() as stack:
        writer = stack.enter_context(_record_writer(store, clock))
        services = SessionServices(
            driver,
            rules=chosen,
            grants=grants,
            secrets=secrets,
            clock=clock,
            writer=writer,
        )
        stack.push_async_callback(services.close)
        await services.start()
        journal = None if writer is None else Journal(writer)
        agent, person = await stack.enter_async_context(in_process_sessions(services, (EVE, ANN), journal))
        stage = Stage(services, driver, Ui(agent, AsyncExitStack()), Ui(person, AsyncExitStack()))
        stage.audit.listen(stage.audit_entries.append)
        yield stage
