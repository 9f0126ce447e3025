"""Options of a discovery run in its own browsers: environment, bounds, principals and output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import UNSET

from uiap.api.open_session import check_url
from uiap.host.runs.exploration import ProgressListener
from uiap.spec.discovery import (
    DiscoveryBudget,
    DiscoveryEnvironment,
    DiscoveryMode,
    DiscoveryPrincipalProfile,
    DiscoverySafetyPolicy,
    DiscoveryViewport,
)
from uiap.spec.policy import PolicyGrant


@dataclass(frozen=True, kw_only=True)
class Principal:
    """A person who explores the application, and how they sign in. Without a sign-in they explore signed out."""

    id: str
    roles: Sequence[str] = ()
    grants: Sequence[PolicyGrant] = ()
    """The grants that limit the run: `observe`, `draft`, `act`. Without grants the mode alone limits it."""
    url: str | None = None
    """The address that signs in, or the page where the steps start. The network guard permits its posts."""
    steps: Sequence[Mapping[str, Any]] = ()
    """The actions that sign in: `{"action": "ui.enterText", "role": "textbox", "name": "Email", "args": {…}}`."""
    storage_state: Path | None = None
    """A file with saved cookies and storage, as `Storage.save` and Playwright write it."""
    manual: bool = False
    """A person signs in, in the visible browser; `DiscoveryOptions.ready` is awaited."""

    @property
    def signs_in(self) -> bool:
        return bool(self.url or self.steps or self.storage_state or self.manual)


@dataclass(frozen=True, kw_only=True)
class DiscoveryOptions:
    """Options for carrying out a run. Its environment says what is explored."""

    out: Path | None = None
    principals: Sequence[Principal] = ()
    screenshots: bool = False
    ax_trees: bool = True
    sitemap: bool = True
    headless: bool = True
    browser: str | Path | None = None
    resume: bool = False
    workers: int = 1
    """The number of browsers that explore at the same time; each signs in by itself."""
    on_progress: ProgressListener = field(default=lambda _type, _payload: None)
    ready: Callable[[Principal], Any] | None = None
    """Awaited until a person has signed in."""


def environment(
    url: str,
    *,
    mode: DiscoveryMode = "safe_explore",
    max_states: int | None = None,
    max_transitions: int | None = None,
    max_depth: int | None = None,
    max_runtime_s: float | None = None,
    max_per_route: int | None = None,
    origins: Sequence[str] = (),
    read_requests: Sequence[str] = (),
    principals: Sequence[Principal] = (),
    locale: str | None = None,
    viewport: tuple[int, int] | None = None,
    feature_flags: Mapping[str, bool | str | int | float] | None = None,
    flags_in: str | None = None,
    authorised_by: str | None = None,
    **allowances: bool,
) -> DiscoveryEnvironment:
    """Return an environment of the specification; values without a member in v0.1 go into its metadata."""
    metadata: dict[str, Any] = {}
    if origins:
        metadata["allowedOrigins"] = list(origins)
    if read_requests:
        metadata["readRequests"] = list(read_requests)
    if authorised_by:
        metadata["authorization"] = {"by": authorised_by}
    if flags_in:
        metadata["featureFlagsIn"] = flags_in
    profiles = tuple(
        DiscoveryPrincipalProfile(
            id=one.id, roles=tuple(one.roles) or UNSET, grants=tuple(one.grants) or UNSET
        )
        for one in principals
    )
    reuses_session = any(one.storage_state for one in principals)
    is_manual = any(one.manual for one in principals)
    auth_mode = "session_reuse" if reuses_session else "manual" if is_manual else "seeded"
    signs_in = any(one.signs_in for one in principals)
    return DiscoveryEnvironment(
        environment_id=_environment_id(url),
        base_url=check_url(url),
        locale=locale or UNSET,
        viewport=DiscoveryViewport(width=viewport[0], height=viewport[1]) if viewport else UNSET,
        auth_mode=auth_mode if signs_in else UNSET,  # type: ignore[arg-type]
        principal_profiles=profiles or UNSET,
        feature_flags=dict(feature_flags) if feature_flags else UNSET,
        budgets=DiscoveryBudget(
            max_states=_unset_if_none(max_states),
            max_transitions=_unset_if_none(max_transitions),
            max_depth=_unset_if_none(max_depth),
            max_runtime_ms=_unset_if_none(max_runtime_s * 1000 if max_runtime_s is not None else None),
            max_per_route=_unset_if_none(max_per_route),
        ),
        safety=DiscoverySafetyPolicy(
            default_mode=mode, **{key: value for key, value in allowances.items() if value}
        ),
        metadata=metadata or UNSET,
    )


def _unset_if_none(value: Any) -> Any:
    return UNSET if value is None else value


def _environment_id(url: str) -> str:
    return check_url(url).partition("://")[2].partition("/")[0] or "local"
