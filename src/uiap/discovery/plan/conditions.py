"""The conditions of an environment on its page: feature flags in its storage, and what a session cannot apply."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from msgspec import UNSET

from uiap.discovery.plan.plan import metadata
from uiap.origin import origin_of
from uiap.spec.discovery import DiscoveryEnvironment

FLAG_PLACES = ("cookie", "localStorage")


def flag_storage(environment: DiscoveryEnvironment) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    """Return the storage that puts the feature flags in force, and a note for each that is not (DISC-8.5b).

    `metadata.featureFlagsIn` says where the application reads them: in cookies or in its local storage.
    """
    flags = {} if environment.feature_flags is UNSET else environment.feature_flags
    place = metadata(environment).get("featureFlagsIn")
    if not flags or place not in FLAG_PLACES:
        return None, tuple(
            f"feature flag `{name}` was not applied; say where the application reads it with --flags-in"
            for name in flags
        )
    texts = {name: _text(value) for name, value in flags.items()}
    base = environment.base_url
    if place == "cookie":
        host = urlsplit(base).hostname or ""
        cookies = [
            {"name": name, "value": value, "domain": host, "path": "/"} for name, value in texts.items()
        ]
        return {"cookies": cookies, "origins": []}, ()
    items = [{"name": name, "value": value} for name, value in texts.items()]
    return {"cookies": [], "origins": [{"origin": origin_of(base), "localStorage": items}]}, ()


def unapplied_in_session(environment: DiscoveryEnvironment) -> tuple[str, ...]:
    """Return a note for each condition that the page of an open session does not take over."""
    members = {
        "locale": environment.locale,
        "viewport": environment.viewport,
        "feature flags": environment.feature_flags,
    }
    return tuple(
        f"the {name} of the environment was not applied; the page of the session keeps its own"
        for name, value in members.items()
        if value is not UNSET
    )


def _text(value: bool | str | int | float) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
