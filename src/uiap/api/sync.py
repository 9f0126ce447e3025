"""The API without async: `with uiap.sync.open(url) as ui: ui.click(…)`.

Every method has the signature of the `uiap.Ui` method of the same name and waits for it; a test compares them.
One event loop in a thread runs all sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from uiap.api import open_session
from uiap.api.found import ElementMatch, Expected, PageOutline, Waited
from uiap.api.graph import Graph
from uiap.api.loop_thread import thread
from uiap.api.result import Result
from uiap.api.sync_verbs import SyncVerbs
from uiap.api.sync_workflows import SyncUiWorkflows
from uiap.api.trace import Trace
from uiap.api.ui import Ui
from uiap.host.bundles.adapters import Adapter
from uiap.host.bundles.bundle import Bundle, Trust
from uiap.host.consent.policy_file import GivenRules
from uiap.host.execution.app_actions import Handler
from uiap.policy.autonomy import Autonomy
from uiap.spec import tools
from uiap.spec.action import (
    ActionConfirmationRequestPayload,
    PresentationHints,
    VerificationPolicy,
)
from uiap.spec.capability import ActionDescriptor, CapabilityDocument, ExecutionMode, SuccessSignal
from uiap.spec.core import SessionInitializedPayload
from uiap.spec.discovery import DiscoveryEnvironment, DiscoveryPackage
from uiap.spec.policy import PolicyDecision, PolicyDocumentPayload, PolicyPrincipal
from uiap.timeouts import OPEN_MS

__all__ = ["SyncUi", "connect", "open"]


class SyncUi(SyncVerbs, SyncUiWorkflows):
    """An open session, without async. Close it, or use it in a `with` statement."""

    def __init__(self, ui: Ui) -> None:
        self._ui = ui

    def __enter__(self) -> SyncUi:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        thread.run(self._ui.close())

    def observe(self) -> Graph:
        """Return a snapshot of the page; `print(graph.outline())` is the text that a model reads."""
        return thread.run(self._ui.observe())

    def outline(
        self, *, scope: str | None = None, since: str | None = None, budget: int | None = None
    ) -> str:
        """Return the page as text; with `since=REVISION` only the changes."""
        return thread.run(self._ui.outline(scope=scope, since=since, budget=budget))

    def page_outline(
        self, *, scope: str | None = None, since: str | None = None, budget: int | None = None
    ) -> PageOutline:
        """Return the text of `outline` and the revision it describes."""
        return thread.run(self._ui.page_outline(scope=scope, since=since, budget=budget))

    def find(
        self,
        text: str,
        *,
        role: Any = None,
        scope: str | None = None,
        near: str | None = None,
        limit: int = 10,
        scroll: bool = False,
    ) -> list[ElementMatch]:
        """Return the matching elements, best first. The whole page is searched."""
        return thread.run(self._ui.find(text, role=role, scope=scope, near=near, limit=limit, scroll=scroll))

    def capabilities(self) -> CapabilityDocument:
        """Return the actions, roles and signals that this session supports."""
        return thread.run(self._ui.capabilities())

    def screenshot(self, *, annotated: bool = False) -> bytes:
        """Return a PNG of the visible page; `annotated` draws the refs of the controls on it."""
        return thread.run(self._ui.screenshot(annotated=annotated))

    def pdf(self) -> bytes:
        """Return the page as a PDF. A page that shows an agent private values is refused."""
        return thread.run(self._ui.pdf())

    def viewport(self, width: int, height: int) -> None:
        """Set the size of the page."""
        thread.run(self._ui.viewport(width, height))

    def har(self) -> dict[str, Any]:
        """Return the traffic of the page as a HAR document, without headers, bodies and query strings."""
        return thread.run(self._ui.har())

    def tabs(
        self, do: Literal["list", "open", "show", "close"] = "list", tab: str | None = None
    ) -> tuple[tools.TabDescription, ...]:
        """Open a blank tab, show or close one, and return all tabs."""
        return thread.run(self._ui.tabs(do, tab))

    def dialog(self, accept: bool | None = None, text: str | None = None) -> tools.ToolsDialogToldPayload:
        """Answer the page's alert, confirm or prompt if `accept` is given, and return the dialog that is open then."""
        return thread.run(self._ui.dialog(accept, text))

    def evaluate(self, expression: str) -> Any:
        """Run a JavaScript expression in the page; for people and tests only, an agent's session is refused."""
        return thread.run(self._ui.evaluate(expression))

    def save_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        """Save the login to a file, or under a name in the session's folder for states."""
        thread.run(self._ui.save_state(file, name=name))

    def load_state(self, file: str | Path | None = None, *, name: str | None = None) -> None:
        """Restore a saved login; it takes effect with the next navigation."""
        thread.run(self._ui.load_state(file, name=name))

    def states(self) -> tuple[str, ...]:
        """Return the names of the saved states."""
        return thread.run(self._ui.states())

    def downloads(
        self, *, after: int | None = None, timeout_ms: float | None = None
    ) -> tuple[tools.DownloadDescription, ...]:
        """Return the downloads, oldest first; with `after`, wait until there are more than that many."""
        return thread.run(self._ui.downloads(after=after, timeout_ms=timeout_ms))

    def use_bundle(
        self,
        bundle: str | Path | Bundle | None,
        *,
        trust: Trust | None = None,
        allow_older: bool = False,
    ) -> None:
        """Use another bundle from now on, or none. `capabilities.changed` announces it."""
        thread.run(self._ui.use_bundle(bundle, trust=trust, allow_older=allow_older))

    def bundle(self) -> tools.ToolsBundleToldPayload:
        """Return the application's bundle of this session, and the key that signed it."""
        return thread.run(self._ui.bundle())

    def expect(
        self,
        signals: Sequence[SuccessSignal | Mapping[str, Any]],
        *,
        since: str | None = None,
        policy: Literal["any", "all"] | None = None,
        timeout_ms: float | None = None,
    ) -> Expected:
        """Check that the signals are observed; the returned value is true if they are."""
        return thread.run(self._ui.expect(signals, since=since, policy=policy, timeout_ms=timeout_ms))

    def wait(
        self,
        *,
        since: str | None = None,
        until: Sequence[SuccessSignal | Mapping[str, Any]] = (),
        idle: bool = False,
        timeout_ms: float | None = None,
    ) -> Waited:
        """Wait for a change, for signals, or until nothing is loading."""
        return thread.run(self._ui.wait(since=since, until=until, idle=idle, timeout_ms=timeout_ms))

    def trace(self, of: Result | str) -> Trace:
        """Return the trace of an action: its stages, requests, lines and signals, each with its cause."""
        return thread.run(self._ui.trace(of))

    def log(
        self,
        what: Literal["lines", "network", "all"] = "all",
        *,
        level: Literal["error", "warning", "info"] | None = None,
        origin: Literal["app", "system"] | None = None,
        contains: str | None = None,
        since_ms: float | None = None,
        relevance: float | None = None,
        limit: int = 50,
    ) -> tools.ToolsLoggedPayload:
        """Return recent console lines and requests; noise is only counted, unless `relevance=0`."""
        return thread.run(
            self._ui.log(
                what,
                level=level,
                origin=origin,
                contains=contains,
                since_ms=since_ms,
                relevance=relevance,
                limit=limit,
            )
        )

    def traces(self, limit: int = 20) -> tuple[tools.TraceSummary, ...]:
        """Return the latest actions, newest first."""
        return thread.run(self._ui.traces(limit))

    def navigate(self, url: str, *, timeout_ms: float | None = None) -> Result:
        """Go to a URL and wait for the page."""
        return thread.run(self._ui.navigate(url, timeout_ms=timeout_ms))

    def act(
        self,
        action: str,
        *,
        ref: str | None = None,
        stable_id: str | None = None,
        role: Any = None,
        name: str | None = None,
        text: str | None = None,
        scope: str | None = None,
        near: str | None = None,
        args: Mapping[str, Any] | None = None,
        expect: Sequence[SuccessSignal | Mapping[str, Any]] = (),
        policy: VerificationPolicy | None = None,
        timeout_ms: float | None = None,
        verify_ms: float | None = None,
        idempotency_key: str | None = None,
        modes: Sequence[ExecutionMode] | None = None,
        present: PresentationHints | Mapping[str, Any] | bool | None = None,
        trace: Sequence[Literal["outline", "screenshot"]] = (),
        on_progress: Callable[[Any], None] | None = None,
    ) -> Result:
        """Perform an action and return its result; it succeeds only if the effect was observed."""
        return thread.run(
            self._ui.act(
                action,
                ref=ref,
                stable_id=stable_id,
                role=role,
                name=name,
                text=text,
                scope=scope,
                near=near,
                args=args,
                expect=expect,
                policy=policy,
                timeout_ms=timeout_ms,
                verify_ms=verify_ms,
                idempotency_key=idempotency_key,
                modes=modes,
                present=present,
                trace=trace,
                on_progress=on_progress,
            )
        )

    def policies(self) -> PolicyDocumentPayload:
        """Return the policies in force, with their revision."""
        return thread.run(self._ui.policies())

    def preflight(
        self, action: str, *, args: Mapping[str, Any] | None = None, **target: Any
    ) -> PolicyDecision:
        """Return what the policy decides about an action, without acting; acting decides again."""
        return thread.run(self._ui.preflight(action, args=args, **target))

    def pending(self) -> tuple[ActionConfirmationRequestPayload, ...]:
        """Return the confirmation requests that wait for a person."""
        return thread.run(self._ui.pending())

    def grant(self, handle: str, *, remember: Literal["session"] | None = None) -> None:
        """Grant a confirmation request, as the person of this session."""
        thread.run(self._ui.grant(handle, remember=remember))

    def hand_back(self, handle: str, *, done: bool = True) -> None:
        """Report, as the person, that a handed over step is done or declined."""
        thread.run(self._ui.hand_back(handle, done=done))

    def waiting(self) -> tools.ToolsPendingListedPayload:
        """Return everything that waits for a person: confirmation requests with their terms, and handed over steps."""
        return thread.run(self._ui.waiting())

    def result(
        self, handle: str | None = None, *, timeout_ms: float | None = None, keep: bool = False
    ) -> tools.ToolsResultedPayload:
        """Return the result of an action, or the stage it is in."""
        return thread.run(self._ui.result(handle, timeout_ms=timeout_ms, keep=keep))

    def deny(self, handle: str, reason: str | None = None) -> None:
        """Deny a confirmation request, as the person of this session."""
        thread.run(self._ui.deny(handle, reason))

    def cancel(self, handle: str, reason: str | None = None) -> None:
        """Cancel a running action; its result still arrives and reports what may have happened."""
        thread.run(self._ui.cancel(handle, reason))

    def explore(
        self, environment: DiscoveryEnvironment, *, timeout_s: float = 600.0
    ) -> DiscoveryPackage | None:
        """Return the package of the run; a run that exceeds the timeout is stopped."""
        return thread.run(_explore(self._ui, environment, timeout_s))

    def register(
        self,
        id: str,
        handler: Handler,
        *,
        descriptor: ActionDescriptor | Mapping[str, Any] | None = None,
    ) -> Callable[[], None]:
        """Offer a function of this program as an action; call the returned function to remove it."""
        return self._ui.register(id, handler, descriptor=descriptor)

    def on_confirmation(self, ask: Callable[[Any], None]) -> Callable[[], None]:
        return self._ui.on_confirmation(ask)

    @property
    def person(self) -> SyncUi | None:
        return None if self._ui.person is None else SyncUi(self._ui.person)

    @property
    def session(self) -> SessionInitializedPayload:
        return self._ui.session


def open(
    url: str,
    *,
    headless: bool = True,
    browser: str | Path | None = None,
    autonomy: Autonomy | None = None,
    rules: GivenRules | None = None,
    principal: PolicyPrincipal | str = "python",
    store: str | Path | None = None,
    viewport: tuple[int, int] = (1280, 800),
    uploads: str | Path | Sequence[str | Path] = (),
    downloads: str | Path | None = None,
    state: str | Path | None = None,
    bundle: str | Path | Bundle | None = None,
    trust: Trust | None = None,
    allow_older: bool = False,
    handlers: Mapping[str, Handler] | None = None,
    adapters: Mapping[str, Adapter] | None = None,
    profile: str | None = None,
    tenant: str | None = None,
    environment: str | None = None,
    locale: str | None = None,
    app_version: str | None = None,
    timeout_ms: float = OPEN_MS,
) -> SyncUi:
    """Open a session as `uiap.open` does."""
    return SyncUi(
        thread.run(
            _await(
                open_session.open(
                    url,
                    headless=headless,
                    browser=browser,
                    autonomy=autonomy,
                    rules=rules,
                    principal=principal,
                    store=store,
                    viewport=viewport,
                    uploads=uploads,
                    downloads=downloads,
                    state=state,
                    bundle=bundle,
                    trust=trust,
                    allow_older=allow_older,
                    handlers=handlers,
                    adapters=adapters,
                    profile=profile,
                    tenant=tenant,
                    environment=environment,
                    locale=locale,
                    app_version=app_version,
                    timeout_ms=timeout_ms,
                )
            )
        )
    )


def connect(
    url: str,
    *,
    token: str | None = None,
    principal: str = "python",
    application: str | None = None,
    timeout_ms: float = OPEN_MS,
) -> SyncUi:
    """Connect to a session as `uiap.connect` does."""
    opener = open_session.connect(
        url, token=token, principal=principal, application=application, timeout_ms=timeout_ms
    )
    return SyncUi(thread.run(_await(opener)))


async def _explore(ui: Ui, environment: DiscoveryEnvironment, timeout_s: float) -> DiscoveryPackage | None:
    run = await ui.explore(environment)
    if not await run.wait(timeout_s):
        await run.stop()
        await run.wait(30.0)
    return run.package


async def _await(opener: open_session.SessionOpener) -> Ui:
    ui: Ui = await opener
    return ui
