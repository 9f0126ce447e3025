"""What a run in browsers of its own is asked for: where, within which bounds, as whom, and how it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.api.open_session import check_url
from uiap.spec.discovery import (
    DiscoveryBudget,
    DiscoveryEnvironment,
    DiscoveryMode,
    DiscoveryPrincipalProfile,
    DiscoverySafetyPolicy,
    DiscoveryViewport,
)

ProgressListener = Callable[[str, msgspec.Struct], None]


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who looks at the application, and how they sign in; without either, as nobody."""

    id: str
    roles: Sequence[str] = ()
    url: str | None = None
    """Opened before the guard is raised: a sign-in link, or the page the steps begin on."""
    steps: Sequence[Mapping[str, Any]] = ()
    """Actions that sign in: `{"action": "ui.enterText", "role": "textbox", "name": "Email", "args": {…}}`."""
    storage_state: Path | None = None
    """Cookies and storage saved before, as `Storage.save` and Playwright write them."""
    manual: bool = False
    """A person signs in, in the visible browser; `ready` is awaited."""


@dataclass(frozen=True, kw_only=True)
class DiscoveryOptions:
    """How a run is carried out, beside what its environment says."""

    out: Path | None = None
    principals: Sequence[Principal] = ()
    screenshots: bool = False
    ax_trees: bool = True
    sitemap: bool = True
    headless: bool = True
    browser: str | Path | None = None
    resume: bool = False
    hear: ProgressListener = field(default=lambda _type, _payload: None)
    ready: Callable[[Principal], Any] | None = None
    """Awaited while a person signs in."""


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
    authorised_by: str | None = None,
    **allowances: bool,
) -> DiscoveryEnvironment:
    """An environment as the spec has it; what v0.1 has no member for goes into its metadata."""
    more: dict[str, Any] = {}
    if origins:
        more["allowedOrigins"] = list(origins)
    if read_requests:
        more["readRequests"] = list(read_requests)
    if authorised_by:
        more["authorization"] = {"by": authorised_by}
    profiles = tuple(
        DiscoveryPrincipalProfile(id=one.id, roles=tuple(one.roles) or UNSET) for one in principals
    )
    reused = any(one.storage_state for one in principals)
    by_hand = any(one.manual for one in principals)
    mode_of = "session_reuse" if reused else "manual" if by_hand else "seeded"
    signed = any(one.url or one.steps or one.storage_state or one.manual for one in principals)
    return DiscoveryEnvironment(
        environment_id=_environment_id(url),
        base_url=check_url(url),
        locale=locale or UNSET,
        viewport=DiscoveryViewport(width=viewport[0], height=viewport[1]) if viewport else UNSET,
        auth_mode=mode_of if signed else UNSET,  # type: ignore[arg-type]
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
        metadata=more or UNSET,
    )


def _unset_if_none(value: Any) -> Any:
    return UNSET if value is None else value


def _environment_id(url: str) -> str:
    return check_url(url).partition("://")[2].partition("/")[0] or "local"
