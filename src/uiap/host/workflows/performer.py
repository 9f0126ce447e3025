"""The interface between a workflow run and the application that it runs in."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any, Literal, NamedTuple, Protocol

import msgspec

from uiap.errors import UiapError
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, ActionTarget
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.workflow.commands import ProposeRepair
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.repair import RepairProposal
from uiap.workflow.run import WorkflowTerms


class Observation(NamedTuple):
    """Whether the policy was met, and the indices of the signals that were not observed."""

    passed: bool
    missing: tuple[int, ...] = ()


class PagePosition(NamedTuple):
    route: str = ""
    revision: str = ""
    url: str = ""


class Confirmation(NamedTuple):
    """A person's answer: the summary they confirmed, and who they are."""

    summary: str
    by: str


class ConfirmationMissing(UiapError):
    """A person has to confirm the action first; the message is the summary for them. Nothing was dispatched."""


class StepPerformer(Protocol):
    """Does what the commands of one run ask for. It decides nothing and repeats nothing."""

    async def position(self) -> PagePosition: ...

    async def facts(self) -> ConditionFacts:
        """Return the live state for conditions; the executor adds parameters and results."""
        ...

    async def show(self, text: str, target: TargetRef | None) -> None:
        """Show a text to the person, and highlight the target."""
        ...

    async def act(
        self, request: ActionRequestPayload, confirmation: Confirmation | None
    ) -> ActionResultPayload:
        """Request an action from the Action Runtime, and return its result.

        Raise ConfirmationMissing if policy wants a person to confirm it first, and this is not what they confirmed.
        """
        ...

    def changes(self) -> tuple[str, ...]:
        """Return what the last action changed on the page, as lines of text."""
        ...

    async def observe(
        self, signals: tuple[SuccessSignal, ...], policy: Literal["any", "all"], timeout_s: float | None
    ) -> Observation:
        """Observe until the policy is met or the timeout is over. Without a timeout, wait until it is met."""
        ...

    async def propose_repair(self, command: ProposeRepair) -> RepairProposal | None:
        """Search the page for a target that is not found any more. Return a proposal for a person, or None."""
        ...

    async def picture(self, target: ActionTarget) -> str:
        """Return a picture of a target as PNG in Base64, or an empty text. A private value is never in it."""
        ...

    def use_repairs(self, repairs: tuple[ElementBinding, ...]) -> None:
        """Use these bindings from now on, in place of those with the same id."""
        ...

    async def reopen(self, url: str) -> str:
        """Open an address in the page. Return why it failed, or an empty text."""
        ...

    def lost(self) -> str:
        """Return why the open page is gone, or an empty text. A page that was never opened is not lost."""
        ...

    async def discard(self) -> None:
        """Give the page up, because it is gone. The next call opens another one."""
        ...


class RunApplication(msgspec.Struct, frozen=True, kw_only=True):
    """The application of a durable run, as any process can open it."""

    url: str
    bundle: str | None = None
    """The path of the compiled bundle."""
    state: str | None = None
    """The path of a saved login."""
    rules: str = "trusted"
    """`trusted`, `standard`, or the path of a policy file."""
    principal: str = "person"
    """The principal that the run acts for. Only this principal, or a person, controls it."""
    headless: bool = True
    documents: tuple[PolicyDocument, ...] = ()
    """The policy of the server that accepted the run, in place of `rules`."""
    admitted: PolicyPrincipal | None = None
    """The principal as the server admitted it, with its roles and grants."""


class RunOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a durable run."""

    terms: WorkflowTerms
    application: RunApplication


class DiscoveryOrder(msgspec.Struct, frozen=True, kw_only=True):
    """The input of a queued discovery: its address and the options of `uiap discover`."""

    id: str
    url: str
    options: dict[str, Any] = {}


class PerformerFactory(Protocol):
    """Opens the application for a run, and closes it afterwards."""

    def __call__(self, order: RunOrder) -> AbstractAsyncContextManager[StepPerformer]: ...
