"""Performs the steps of a workflow run on the page of a session, with actions through an internal session."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import msgspec
from msgspec import UNSET

from uiap.drivers.driver import SupportsElementPictures
from uiap.drivers.errors import DriverError, PageGone
from uiap.graph.changes_text import change_lines
from uiap.graph.store import GraphStore
from uiap.host.consent.approval import Approvals
from uiap.host.handlers.expectations import ExpectationBaseline, ExpectationHandler
from uiap.host.loop.dispatch import Handlers
from uiap.host.loop.internal_session import InternalSession
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page, TabView
from uiap.host.privacy.redaction import Redaction
from uiap.host.workflows.performer import (
    Confirmation,
    ConfirmationMissing,
    Observation,
    PagePosition,
)
from uiap.host.workflows.recorded_bindings import RunBindings, propose_repair
from uiap.runtime.resolve import Resolved, gather, resolve
from uiap.signals.route import route_paths
from uiap.spec.action import (
    ActionConfirmationRequestPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
)
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.policy import PolicyPrincipal
from uiap.workflow.commands import ProposeRepair
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import Situation
from uiap.workflow.repair import RepairProposal


class WorkflowSession(InternalSession):
    """An internal session whose confirmations a person answers in the owner's session."""

    source_id = "uiap.workflow"

    def __init__(self, owner: SessionConnection, handlers: Callable[[], Handlers]) -> None:
        super().__init__(owner, handlers)
        self._owner = owner

    def publish(self, type: str, payload: msgspec.Struct) -> None:
        if isinstance(payload, ActionConfirmationRequestPayload):
            self._owner.publish(type, payload)
        else:
            super().publish(type, payload)


class ConfirmedSession(InternalSession):
    """An internal session of a run without an open client. A person confirms an action in the run's own records.

    A confirmation request is granted if a person confirmed exactly its summary, and is denied otherwise.
    """

    source_id = "uiap.workflow"

    def __init__(
        self, owner: SessionConnection, handlers: Callable[[], Handlers], approvals: Approvals
    ) -> None:
        super().__init__(owner, handlers)
        self._approvals = approvals
        self._confirmation: Confirmation | None = None
        self._missing = ""
        self.refusal = "a person has to confirm this step of the workflow first"

    async def run_confirmed(
        self, request: ActionRequestPayload, confirmation: Confirmation | None
    ) -> ActionResultPayload:
        self._confirmation, self._missing = confirmation, ""
        result = await self.run_action(request)
        if self._missing:
            raise ConfirmationMissing(self._missing)
        return result

    def publish(self, type: str, payload: msgspec.Struct) -> None:
        if isinstance(payload, ActionConfirmationRequestPayload) and self._grant(payload):
            return
        super().publish(type, payload)

    def _grant(self, request: ActionConfirmationRequestPayload) -> bool:
        summary = confirmation_summary(request)
        given = self._confirmation
        if given is None or given.summary != summary:
            self._missing = summary
            return False
        person = PolicyPrincipal(type="user", id=given.by or "person")
        grant = partial(self._approvals.grant, request.action_handle, person, None, self.id)
        asyncio.get_running_loop().call_soon(grant)
        return True


def confirmation_summary(request: ActionConfirmationRequestPayload) -> str:
    """Return what a person confirms: the action with its target, its shown values, and why they are asked."""
    preview = request.preview
    if preview is UNSET:
        return request.action_id
    args = "" if preview.args is UNSET else f" with {msgspec.json.encode(preview.args).decode()}"
    because = "" if request.risk.reason is UNSET else f", because {request.risk.reason}"
    return f"{preview.summary or request.action_id}{args}{because}"


class SessionPerformer:
    """The page of a session, as a workflow run uses it."""

    def __init__(
        self,
        page: Page,
        session: InternalSession,
        expectations: ExpectationHandler,
        situation: Situation,
        actions: frozenset[str],
        say: Callable[[str], None],
        redaction: Callable[[], Redaction],
        bindings: RunBindings | None = None,
    ) -> None:
        self._page, self._session, self._expectations = page, session, expectations
        self._situation, self._actions, self._say = situation, actions, say
        self._redaction, self._bindings = redaction, bindings
        self._before_action: str | None = None
        """The revision before the last action. Its toasts and answers count for the steps after it."""

    async def position(self) -> PagePosition:
        tab = await self._page.wait_for_graph()
        route = tab.store.route
        return PagePosition(route.route_id or route_paths(route)[0], tab.store.revision, route.url)

    async def facts(self) -> ConditionFacts:
        tab = await self._page.wait_for_graph()
        return ConditionFacts(
            page=tab.store,
            grants=self._situation.grants,
            roles=self._situation.roles,
            actions=self._actions,
        )

    async def show(self, text: str, target: TargetRef | None) -> None:
        self._say(text)
        if target is not None:
            request = ActionRequestPayload(action_id="ui.highlight", target=ActionTarget(ref=target))
            await self._session.run_action(request)

    async def act(
        self, request: ActionRequestPayload, confirmation: Confirmation | None
    ) -> ActionResultPayload:
        """Request the action. The owner's session receives a confirmation request, unless this session answers it."""
        tab = await self._page.wait_for_graph()
        self._before_action = tab.store.revision
        if isinstance(self._session, ConfirmedSession):
            return await self._session.run_confirmed(request, confirmation)
        return await self._session.run_action(request)

    def changes(self) -> tuple[str, ...]:
        store = self._page.tab().store
        found = None if self._before_action is None else store.since(self._before_action)
        if found is None:
            return ()
        mask = self._redaction().text_mask
        return tuple(mask.mask_text(line) for line in change_lines(store, found))

    async def observe(
        self, signals: tuple[SuccessSignal, ...], policy: Literal["any", "all"], timeout_s: float | None
    ) -> Observation:
        if not signals:
            return Observation(True)
        tab = await self._page.wait_for_graph()
        unmet = self._unmet(tab, signals)

        def met() -> bool:
            missing = unmet()
            return not missing if policy == "all" else len(missing) < len(signals)

        passed = await self._expectations.wait_until(tab, met, timeout_s, twice=True)
        return Observation(passed, unmet())

    def _unmet(self, tab: TabView, signals: tuple[SuccessSignal, ...]) -> Callable[[], tuple[int, ...]]:
        """Return a function that lists the signals that neither hold now nor were seen since the last action."""
        baselines = [ExpectationBaseline(tab, None, self._redaction)]
        if self._before_action is not None:
            baselines.append(ExpectationBaseline(tab, self._before_action, self._redaction))

        def unmet() -> tuple[int, ...]:
            verdicts = [one.verdicts(signals) for one in baselines]
            return tuple(
                index for index in range(len(signals)) if not any(one[index].holds for one in verdicts)
            )

        return unmet

    async def propose_repair(self, command: ProposeRepair) -> RepairProposal | None:
        tab = await self._page.read_active_tab()
        if self._bindings is None:
            return None
        self._bindings.repair(command.repairs)
        found = propose_repair(GraphStore(tab.store.snapshot()), command, self._bindings)
        if found is None:
            return None
        proposal, element = found
        picture = await self._picture_of(tab.store, element.instance_id)
        return msgspec.structs.replace(proposal, picture_now=picture)

    async def picture(self, target: ActionTarget) -> str:
        store = (await self._page.wait_for_graph()).store
        gathered = gather(store, target)
        bound = gathered if self._bindings is None else self._bindings.bind(store, target, gathered)
        found = resolve(target, bound, "ui.highlight")
        if not isinstance(found, Resolved):
            return ""
        return await self._picture_of(store, found.winner.candidate.element.instance_id)

    async def _picture_of(self, store: GraphStore, node: str) -> str:
        """Return a picture of the element, unless it or something in it must be covered."""
        driver = self._page.driver
        hidden = self._redaction().elements_to_cover(store)
        covered = {one for id in hidden for one in _self_and_parents(store, id)}
        if not isinstance(driver, SupportsElementPictures) or node in covered:
            return ""
        try:
            data = await driver.element_picture(node)
        except DriverError:  # a picture helps a person; nothing depends on it
            return ""
        return b64encode(data or b"").decode()

    def use_repairs(self, repairs: tuple[ElementBinding, ...]) -> None:
        if self._bindings is not None:
            self._bindings.repair(repairs)

    async def reopen(self, url: str) -> str:
        self._before_action = None
        request = ActionRequestPayload(action_id="nav.navigate", args={"url": url})
        result = await self._session.run_action(request)
        if result.status == "succeeded":
            return ""
        return "unknown" if result.error is UNSET else result.error.message

    def lost(self) -> str:
        try:
            self._page.live_tab()
        except PageGone as gone:
            return gone.message
        return ""

    async def discard(self) -> None:
        """Do nothing: the page belongs to the session, which reports that it is gone."""


def _self_and_parents(store: GraphStore, id: str) -> Iterator[str]:
    """Yield the id of an element and those of the elements around it."""
    seen: set[str] = set()
    while id not in seen and (element := store.elements.get(id)) is not None:
        seen.add(id)
        yield id
        id = element.parent_instance_id or ""
