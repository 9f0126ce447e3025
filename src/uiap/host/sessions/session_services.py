"""One driver's page and the handlers that serve it, joined into the dispatch table of a session."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from functools import cached_property
from inspect import isawaitable
from pathlib import Path

from msgspec import UNSET

from uiap.actions.registry import ACTIONS
from uiap.actions.types import ACTION_TYPES
from uiap.drivers.driver import Driver, SupportsAnnotationPrefix
from uiap.drivers.events import AnyEvent, GraphChanged
from uiap.host.bundles.adapters import Adapter, Adapters
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.bundles.requests import RequestCompletion
from uiap.host.bundles.session_terms import (
    annotation_prefix,
    draws_overlays,
    merge_capabilities,
    require_fit,
)
from uiap.host.clock import Clock, SystemClock
from uiap.host.consent.grants import Grants
from uiap.host.execution.app_actions import Handler
from uiap.host.handlers.action_requests import ActionRequestHandler
from uiap.host.handlers.actions import ActionHandler
from uiap.host.handlers.capabilities import CapabilityHandler
from uiap.host.handlers.discovery import DiscoveryHandler
from uiap.host.handlers.expectations import ExpectationHandler
from uiap.host.handlers.log import LogHandler
from uiap.host.handlers.policies import PolicyHandler
from uiap.host.handlers.recordings import RecordingHandler
from uiap.host.handlers.results import ResultHandler
from uiap.host.handlers.session_files import SessionFilesHandler
from uiap.host.handlers.state import StateHandler
from uiap.host.handlers.tools import ToolHandler
from uiap.host.handlers.traces import TraceHandler
from uiap.host.handlers.windows import WindowHandler
from uiap.host.handlers.workflow_actions import WorkflowActions
from uiap.host.handlers.workflows import WorkflowHandler
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply
from uiap.host.loop.dispatch import Handler as MessageHandler
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.privacy.secrets import Secrets
from uiap.host.records.audit import audit_blocked_requests
from uiap.host.records.writer import Writer
from uiap.policy.builtin import Rules, documents_of
from uiap.protocol.negotiation import Support
from uiap.signals.registry import SIGNAL_FAMILIES
from uiap.spec.authoring import BuildContext
from uiap.spec.capability import (
    RISK_LEVELS,
    RISK_TAGS,
    CapabilityDocument,
)
from uiap.spec.core import ExtensionOffer
from uiap.spec.policy import PolicyDocument
from uiap.spec.versions import DISCOVERY_EXTENSION, POLICY_EXTENSION, TOOLS_EXTENSION, WORKFLOW_EXTENSION

_EXTENSIONS = tuple(
    ExtensionOffer(id=id, versions=("0.1",))
    for id in (TOOLS_EXTENSION, POLICY_EXTENSION, DISCOVERY_EXTENSION, WORKFLOW_EXTENSION)
)
_EXTENSION_IDS = frozenset(one.id for one in _EXTENSIONS)
_REQUIRED_SURFACE = {"route.changed": "navigate", "network.response": "network"}
"""Signals that only a driver with this surface can report."""


class SessionServices:
    """The page, handlers, rules and bundle that serve the sessions of one driver."""

    def __init__(
        self,
        driver: Driver,
        *,
        clock: Clock | None = None,
        writer: Writer | None = None,
        rules: Rules,
        bundle: Bundle | None = None,
        grants: Grants | None = None,
        secrets: Secrets | None = None,
        handlers: Mapping[str, Handler] | None = None,
        adapters: Mapping[str, Adapter] | None = None,
        states: Path | None = None,
    ) -> None:
        self.clock: Clock = clock or SystemClock()
        self.page = Page(driver)
        self._driver_document = driver_capabilities(driver, handlers)
        self.running = BuildContext() if bundle is None else bundle.running
        """Where the session runs. Every bundle that it uses must fit."""
        if bundle is not None:
            require_fit(bundle, driver.facts.profile, _EXTENSION_IDS)
        self.knowledge = BundleInUse(bundle, Adapters(adapters))
        self._name_page()
        rules = compose_rules(rules, bundle)
        self.actions = ActionHandler(
            self.page,
            self.clock,
            writer,
            rules=rules,
            knowledge=self.knowledge,
            grants=grants,
            secrets=secrets,
            handlers=handlers,
        )
        self.requests = ActionRequestHandler(self.actions, RequestCompletion(self.knowledge))
        audit_blocked_requests(self.actions.audit, self.page)
        self.policies = PolicyHandler(
            self.page,
            self.clock,
            rules,
            lambda: self.actions.policies,
            self.actions.app_actions,
            self.actions.audit,
        )
        self.state = StateHandler(self.page, self.clock, self.actions.redaction)
        self.tools = ToolHandler(self.page, self.actions)
        self.expectations = ExpectationHandler(self.page, self.clock, self.actions.redaction)
        self.log = LogHandler(self.page, self.clock, self.actions.redaction)
        self.windows = WindowHandler(self.page, rules)
        self.results = ResultHandler(self.actions)
        self.traces = TraceHandler(self.actions.traces, rules)
        self.session_files = SessionFilesHandler(self.page, states=states, knowledge=self.knowledge)
        self.capabilities = CapabilityHandler(
            merge_capabilities(self._driver_document, bundle),
            self.actions.app_actions.descriptors,
            self.actions.redaction,
            lambda: self.page.session_origins,
            lambda: self.page.tab().store,
        )
        self.actions.app_actions.on_change = self.capabilities.check_for_changes
        self.page.listen(self._on_driver_event)
        offered = tuple(action.id for action in self.capabilities.document.actions)
        self.discovery = DiscoveryHandler(
            self.page,
            self.clock,
            lambda: self.handlers,
            offered,
            self.actions.app_actions.descriptors,
            self.knowledge,
        )
        self.workflows = WorkflowHandler(
            self.page,
            self.clock,
            lambda: self.handlers,
            self.expectations,
            definitions=() if bundle is None else bundle.workflows,
            actions=lambda: self.capabilities.document.actions,
            rules=rules,
            policies=lambda: self.actions.policies,
            redact=self.actions.redaction,
        )
        self.actions.run_workflows_by(WorkflowActions(self.workflows, self.clock).run)
        self.actions.allow_overlays(draws_overlays(bundle))
        self.recordings = RecordingHandler(self.page, self.actions, self.clock)
        self.support = Support(profiles=(driver.facts.profile,), extensions=_EXTENSIONS)

    # -- the bundle -----------------------------------------------------------------------------------------

    @property
    def bundle(self) -> Bundle | None:
        """The bundle that is in use now."""
        return self.knowledge.bundle

    async def use_bundle(self, bundle: Bundle | None) -> None:
        """Use another bundle, or none, from now on, and announce the changed capabilities (RUN-36).

        Rules only become stricter during a session, so the policies of an unloaded bundle stay in force.
        """
        if bundle is not None:
            require_fit(bundle, self.page.driver.facts.profile, _EXTENSION_IDS)
        self.knowledge.use(bundle)
        self._name_page()
        self._add_policies(bundle)
        self.workflows.use(() if bundle is None else bundle.workflows)
        self.actions.allow_overlays(draws_overlays(bundle))
        self._read_annotations()
        await self.page.read_again()
        self.capabilities.use(merge_capabilities(self._driver_document, bundle))

    def _name_page(self) -> None:
        bundle = self.knowledge.bundle
        self.page.use_names(self.knowledge.names, None if bundle is None else bundle.name_route)

    def _add_policies(self, bundle: Bundle | None) -> None:
        if bundle is None or self.actions.rules == "trusted":
            return
        known = self.actions.policies.documents
        added = tuple(one.document for one in bundle.policies if one.document not in known)
        if added:
            self.tighten(added)

    def _read_annotations(self) -> None:
        driver, bundle = self.page.driver, self.knowledge.bundle
        if isinstance(driver, SupportsAnnotationPrefix):
            others = () if bundle is None else bundle.bindings.other_attributes
            driver.read_annotations(annotation_prefix(bundle), others)

    @cached_property
    def handlers(self) -> Handlers:
        """All handlers. Private values that the caller may not read are masked in every answer."""
        return {type: self._masked_handler(handler) for type, handler in self._unmasked_handlers.items()}

    def _masked_handler(self, handler: MessageHandler) -> MessageHandler:
        def handle(call: Call) -> Outcome | Awaitable[Outcome]:
            outcome = handler(call)
            return self._masked_later(call, outcome) if isawaitable(outcome) else self._masked(call, outcome)

        return handle

    async def _masked_later(self, call: Call, outcome: Awaitable[Outcome]) -> Outcome:
        return self._masked(call, await outcome)

    def _masked(self, call: Call, outcome: Outcome) -> Outcome:
        if outcome is None or (isinstance(outcome, Reply) and outcome.masked):
            return outcome
        scrub = self.actions.redaction(call.connection).text_mask
        if isinstance(outcome, Reply):
            return Reply(outcome.type, scrub.mask_payload(outcome.payload))
        return scrub.mask_payload(outcome)

    @property
    def _unmasked_handlers(self) -> Handlers:
        """The handler of each message type."""
        return {
            "capabilities.list": self.capabilities.list,
            "web.state.get": self.state.get,
            "web.state.observe": self.state.observe,
            "web.state.unobserve": self.state.unobserve,
            "action.request": self.requests.requested,
            "action.cancel": self.requests.cancel,
            "action.confirmation.grant": self.actions.approvals.on_grant,
            "action.confirmation.deny": self.actions.approvals.on_deny,
            "x.uiap.tools.outline": self.tools.outline,
            "x.uiap.tools.find": self.tools.find,
            "x.uiap.tools.capture": self.tools.capture,
            "x.uiap.tools.evaluate": self.tools.evaluate,
            "x.uiap.tools.pending.list": self.tools.pending,
            "x.uiap.tools.pending.grant": self.actions.approvals.on_signed_grant,
            "x.uiap.tools.handoff.end": self.actions.approvals.on_handoff_end,
            "uiap.policy.get": self.policies.get,
            "uiap.policy.evaluate": self.policies.evaluate,
            "uiap.policy.handoff.completed": self.actions.approvals.on_handoff_completed,
            "x.uiap.tools.expect": self.expectations.expect,
            "x.uiap.tools.wait": self.expectations.wait,
            "x.uiap.tools.trace": self.traces.get,
            "x.uiap.tools.trace.list": self.traces.list,
            "x.uiap.tools.log": self.log.get,
            "x.uiap.tools.tabs": self.windows.tabs,
            "x.uiap.tools.viewport": self.windows.viewport,
            "x.uiap.tools.result": self.results.result,
            "x.uiap.tools.dialog": self.windows.dialog,
            "x.uiap.tools.storage": self.session_files.storage,
            "x.uiap.tools.downloads": self.session_files.downloads,
            "x.uiap.tools.bundle": self.session_files.bundle,
            **self.discovery.rows,
            **self.workflows.rows,
            **self.recordings.rows,
        }

    async def start(self) -> None:
        if self.bundle is not None:
            self._read_annotations()
        await self.page.start()

    def _on_driver_event(self, event: AnyEvent) -> None:
        """A new document may offer other actions, and another origin has none of the bundle."""
        if not isinstance(event, GraphChanged):
            return
        if event.graph is not None and event.reason == "navigation":
            self.capabilities.check_for_changes()
        elif event.delta is not None and event.delta.elements is not UNSET:
            self.capabilities.check_elements(event.delta.elements.added or ())

    async def end_session(self, connection: SessionConnection) -> None:
        """End what one session started: its actions get their results, its subscriptions stop."""
        self.discovery.end(connection.id)
        self.workflows.end(connection.id)
        self.recordings.end(connection.id)
        self.actions.end(connection.id)
        self.state.end_session(connection)
        self.policies.end_session(connection)
        self.capabilities.end_session(connection)

    def tighten(self, documents: tuple[PolicyDocument, ...]) -> None:
        """Add policies and notify the sessions that asked for them. Rules only become stricter during a session."""
        self.actions.tighten(documents)
        self.policies.publish_change()

    async def close(self) -> None:
        await self.capabilities.settle()
        await self.discovery.settle()
        await self.workflows.settle()
        await self.requests.settle()
        await self.actions.settle()
        await self.page.close()


def compose_rules(rules: Rules, bundle: Bundle | None) -> Rules:
    """Return the rules together with the bundle's own policies; the strictest document counts (AUTH-5.5).

    The selectors of the policies are judged with the tenant and the profile of the session (RUN-27).
    Rules that an application has for agents do not bind a person who calls on their own behalf.
    """
    if bundle is None or rules == "trusted":
        return rules
    own = tuple(scoped.document for scoped in bundle.policies)
    return (*documents_of(rules), *own) if own else rules


def driver_capabilities(driver: Driver, handlers: Mapping[str, Handler] | None = None) -> CapabilityDocument:
    """Return what the registry, the driver and the program's functions really offer (CAP-10, CAP-2.2)."""
    facts, words = driver.facts, driver.facts.vocabulary
    modes = (*facts.modes, *(("appAction",) if handlers else ()))
    offered = tuple(
        p.descriptor
        for p in ACTIONS.values()
        if any(mode in modes for mode in p.modes) and set(ACTION_TYPES[p.id].ops) <= set(facts.ops)
        if p.id != "nav.navigate" or "navigate" in facts.surfaces
    )
    return CapabilityDocument(
        model_version="0.1",
        profile=facts.profile,
        roles=words.roles,
        state_keys=words.state_keys,
        affordances=words.affordances,
        actions=offered,
        risk_levels=RISK_LEVELS,
        risk_tags=RISK_TAGS,
        success_signal_kinds=tuple(
            kind
            for kind in words.signal_kinds
            if kind in SIGNAL_FAMILIES and _REQUIRED_SURFACE.get(kind) in (None, *facts.surfaces)
        ),
    )
