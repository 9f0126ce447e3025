"""App: the application of a package. A build has exactly one."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.spec.policy import POLICY_GRANTS


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for section in ("environments", "principalProfiles"):
        ids: set[str] = set()
        for index, entry in numbered(spec, section):
            if entry["id"] in ids:
                facts.lint("error", "duplicate_id", (section, index, "id"), f"`{entry['id']}` occurs twice")
            ids.add(entry["id"])
    for index, profile in numbered(spec, "principalProfiles"):
        for at, grant in enumerate(profile.get("grants") or ()):
            if grant not in POLICY_GRANTS and not grant.startswith("x."):
                where = ("principalProfiles", index, "grants", at)
                facts.lint(
                    "warning",
                    "unknown_grant",
                    where,
                    f"`{grant}` is not a known grant",
                    "begin your own grants with `x.`",
                )
    supported, default = spec.get("supportedLocales"), spec.get("defaultLocale")
    if supported and default and default not in supported:
        facts.lint("warning", "default_locale", ("defaultLocale",), f"`{default}` is not a supported locale")


KIND = ManifestKind("App", _inspect)
