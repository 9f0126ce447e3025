"""The extension x.uiap.tools 0.1: what doors need and the specs have no message for, so that none gets a back door."""

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from uiap.spec.action import ActionConfirmationRequestPayload
from uiap.spec.base import Count, Struct
from uiap.spec.capability import UIRole
from uiap.spec.vocabulary import RevisionId
from uiap.spec.web import ElementNode


class ToolsOutlinePayload(Struct):
    """Ask for the page as a model reads it."""

    scope: str | UnsetType = UNSET
    since: RevisionId | UnsetType = UNSET
    budget: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    query: str | UnsetType = UNSET


class ToolsOutlinedPayload(Struct):
    text: str
    revision: RevisionId
    tokens: Count


class ToolsFindPayload(Struct):
    text: str
    role: UIRole | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    near: str | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=200)] | UnsetType = UNSET


class FoundElement(Struct):
    """One match: the element, how likely it is the one meant, why, and the record it belongs to."""

    element: ElementNode
    confidence: float
    reason: str
    record: str | UnsetType = UNSET


class ToolsFoundPayload(Struct):
    revision: RevisionId
    matches: tuple[FoundElement, ...]


class ToolsCapturePayload(Struct):
    """Ask for a picture of the active tab, with the references of its controls on it if wanted."""

    annotated: bool | UnsetType = UNSET


class ToolsCapturedPayload(Struct):
    media_type: str
    data: str
    """Base64."""


class ToolsEvaluatePayload(Struct):
    """Run an expression in the page; for people and tests, never for an agent."""

    expression: str


class ToolsEvaluatedPayload(Struct):
    value: Any


class ToolsPendingPayload(Struct):
    """Ask which confirmations wait for a person. Seeing them grants nothing."""


class PendingConfirmation(Struct):
    """A question to a person: what would be done, who decided that it is asked, and what a grant must sign."""

    action_handle: str
    bond: str
    """The digest of everything the grant is bound to. Knowing it grants nothing."""
    expires_in_ms: int
    principal: str
    origin: str | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    request: ActionConfirmationRequestPayload


class PendingHandoff(Struct):
    """A step that a person is asked to do."""

    action_handle: str
    note: str


class ToolsPendingListedPayload(Struct):
    confirmations: tuple[ActionConfirmationRequestPayload, ...]
    details: tuple[PendingConfirmation, ...] | UnsetType = UNSET
    handoffs: tuple[PendingHandoff, ...] | UnsetType = UNSET


class ToolsPendingGrantPayload(Struct):
    """`action.confirmation.grant` with a proof: the digest of what was shown, signed with the person's secret."""

    action_handle: str
    token: str


class ToolsPendingGrantedPayload(Struct):
    action_handle: str


class ToolsHandoffEndPayload(Struct):
    """The person says how the step went that was left to it."""

    action_handle: str
    outcome: Literal["done", "declined"]


class ToolsHandoffEndedPayload(Struct):
    action_handle: str


class ToolsTabsPayload(Struct):
    """List the tabs; first open a blank one, show one or close one if asked to."""

    do: Literal["list", "open", "show", "close"] | UnsetType = UNSET
    tab: str | UnsetType = UNSET


class TabDescription(Struct):
    tab: str
    url: str
    title: str
    active: bool
    opener: str | UnsetType = UNSET
    crashed: bool | UnsetType = UNSET


class ToolsTabsListedPayload(Struct):
    tabs: tuple[TabDescription, ...]


class ToolsDialogPayload(Struct):
    """Look at the page's own dialog (alert, confirm, prompt, beforeunload), and answer it where `accept` is given."""

    accept: bool | UnsetType = UNSET
    text: str | UnsetType = UNSET


class ToolsDialogToldPayload(Struct):
    """The dialog that stands open after that, if any."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"] | UnsetType = UNSET
    message: str | UnsetType = UNSET
