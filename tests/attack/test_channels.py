"""A connection without the person's secret is an agent's, whatever name it claims."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import uiap.mcp_server
from tests.attack.stage import at_level, open_stage
from tests.support.bundled_videos import videos_bundle
from uiap.api import open_session
from uiap.api.open_session import connect
from uiap.api.ui import Ui
from uiap.drivers.scripted.app import ScriptedPage, Widget
from uiap.drivers.scripted.driver import ScriptedDriver
from uiap.errors import UiapError
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.session_terms import running_context
from uiap.host.consent.grant_signature import sign_grant
from uiap.host.records.audit import AuditEntry
from uiap.host.records.store import sqlite_url
from uiap.host.sessions.resident import Resident
from uiap.host.sessions.session_folder import SessionFolder
from uiap.mcp_server.catalogue import TOOLS
from uiap.policy.autonomy import Autonomy
from uiap.spec import tools
from uiap.spec.action import ActionConfirmationGrantPayload
from uiap.spec.versions import POLICY_EXTENSION


@pytest.fixture(params=("ask", "assist"), autouse=True)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Autonomy:
    """Run every attack at each level at which an agent may act."""
    chosen: Autonomy = request.param
    at_level(chosen, monkeypatch)
    return chosen


SAVE = Widget("save", "button", "Save", stable_id="draft.save")
pytestmark = pytest.mark.requirement("ACT-SEC.2")


class ResidentStage:
    """A resident session, as the shell and the MCP server use it, with the approval secret in a file."""

    def __init__(self, resident: Resident, folder: SessionFolder, driver: ScriptedDriver) -> None:
        self.resident, self.folder, self.driver = resident, folder, driver
        self.audit_entries: list[AuditEntry] = []
        resident.services.actions.audit.listen(self.audit_entries.append)

    @property
    def rejected(self) -> list[str]:
        return [entry.reason for entry in self.audit_entries if entry.kind == "grant_rejected"]


@asynccontextmanager
async def open_resident(bundle: Bundle | None = None) -> AsyncIterator[ResidentStage]:
    with tempfile.TemporaryDirectory(prefix="uiap-") as name:
        folder = SessionFolder(Path(name), "s")
        driver = ScriptedDriver(ScriptedPage("http://bank.test/", (SAVE,)))
        store = sqlite_url(Path(name) / "s.sqlite3")
        resident = Resident(folder, driver, rules="standard", store_url=store, bundle=bundle)
        await resident.services.start()
        await resident.serve()
        try:
            yield ResidentStage(resident, folder, driver)
        finally:
            await resident.close()


async def pending_confirmation(ui: Ui) -> tools.PendingConfirmation:
    """Wait for a confirmation and return it; an agent may read everything of it but the secret."""
    async with asyncio.timeout(20):
        while not (found := (await ui.waiting()).details):
            await asyncio.sleep(0)
    return found[0]


@pytest.mark.parametrize("claim", ["mcp", "person", "user", "uiap approve"])
async def test_a_connection_without_the_secret_cannot_grant_whatever_it_calls_itself(claim: str) -> None:
    async with open_resident() as stage:
        address = f"unix:{stage.folder.socket}"
        async with connect(address, principal="worker") as worker, connect(address, principal=claim) as other:
            pressed = asyncio.create_task(
                worker.act("ui.activate", role="button", name="Save", policy="none", timeout_ms=3000)
            )
            question = await pending_confirmation(other)
            bare = ActionConfirmationGrantPayload(action_handle=question.action_handle)
            forged = tools.ToolsPendingGrantPayload(
                action_handle=question.action_handle, token=sign_grant("no secret", question.bond)
            )
            with pytest.raises(UiapError):
                await other._caller.call("action.confirmation.grant", bare, ActionConfirmationGrantPayload)
            with pytest.raises(UiapError):
                await other._caller.call(
                    "x.uiap.tools.pending.grant", forged, tools.ToolsPendingGrantedPayload
                )
            assert len(stage.rejected) == 2 and not pressed.done()
            await worker.deny(question.action_handle)
            assert (await pressed).status == "cancelled"
        assert [op.kind for op in stage.driver.performed if op.kind == "click"] == []


@pytest.mark.requirement("RUN-28")
async def test_an_agent_of_a_resident_session_has_at_most_the_grants_of_its_profile() -> None:
    guest = {"id": "guest", "roles": ["reader"], "grants": ["observe"]}
    known = videos_bundle(app={"appId": "a", "displayName": "A", "principalProfiles": [guest]})
    anywhere = Bundle(known.content, known.bindings).within(running_context(profile="guest"))
    async with open_resident(anywhere) as stage:
        async with connect(f"unix:{stage.folder.socket}", principal="worker") as worker:
            assert (await worker.observe()).outline()
            pressed = await worker.act(
                "ui.activate", role="button", name="Save", policy="none", timeout_ms=3000
            )
            assert pressed.reason == "policy_denied", pressed
        assert stage.driver.performed == []


async def test_leaving_out_the_policy_extension_weakens_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_session, "_EXTENSIONS", open_session._EXTENSIONS[:1])
    async with open_stage(SAVE, Widget("d", "button", "Delete account")) as stage:
        agreed = {one.id for one in stage.agent.session.selected_extensions}
        assert POLICY_EXTENSION not in agreed
        pressed = stage.press("Save")
        (one,) = await stage.pending()
        await stage.agent.grant(one.action_handle)
        await stage.agent.waiting()
        assert not pressed.done() and stage.performed == []
        assert len(stage.rejected) == 1
        await stage.person.deny(one.action_handle)
        assert (await pressed).status == "cancelled"
        denied = await stage.agent.act("ui.activate", role="button", name="Delete account")
        assert denied.error is not None and stage.performed == []


async def test_a_wrong_secret_is_refused() -> None:
    async with open_resident() as stage:
        with pytest.raises(UiapError, match="not the approval secret"):
            async with connect(f"unix:{stage.folder.socket}", token="guessed", principal="person"):
                pass


def test_no_mcp_tool_can_answer_for_the_person() -> None:
    """Only an elicitation carries an answer, which the client asks of the person; no tool leads there."""
    words = ("approve", "grant", "confirm", "elicit", "policy")
    offered = [tool.name for tool in TOOLS]
    assert offered and not [name for name in offered if any(word in name for word in words)]
    folder = Path(str(uiap.mcp_server.__file__)).parent
    signing = [file.name for file in folder.glob("*.py") if "sign_grant" in file.read_text()]
    assert signing == ["elicitation.py"]
