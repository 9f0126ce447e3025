"""App: the application as a package sees it. There is exactly one in the end."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.spec.policy import POLICY_GRANTS


def _inspect(spec: dict[str, Any], notes: FactCollector) -> None:
    for section in ("environments", "principalProfiles"):
        ids: set[str] = set()
        for index, entry in numbered(spec, section):
            if entry["id"] in ids:
                notes.lint("error", "duplicate_id", (section, index, "id"), f"`{entry['id']}` stands twice")
            ids.add(entry["id"])
    for index, profile in numbered(spec, "principalProfiles"):
        for at, grant in enumerate(profile.get("grants") or ()):
            if grant not in POLICY_GRANTS and not grant.startswith("x."):
                where = ("principalProfiles", index, "grants", at)
                notes.lint(
                    "warning", "unknown_grant", where, f"`{grant}` is no known grant", "prefix own words `x.`"
                )
    supported, default = spec.get("supportedLocales"), spec.get("defaultLocale")
    if supported and default and default not in supported:
        notes.lint("warning", "default_locale", ("defaultLocale",), f"`{default}` is not a supported locale")


KIND = ManifestKind("App", _inspect)
