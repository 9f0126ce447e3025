"""LocalePack: reusable texts by namespace, key and locale."""

from __future__ import annotations

import re
from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind

_LOCALE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for namespace, body in spec["namespaces"].items():
        for key, message in body["messages"].items():
            for locale in message.get("byLocale") or ():
                if not _LOCALE.fullmatch(locale):
                    where = ("namespaces", namespace, "messages", key, "byLocale", locale)
                    facts.lint("warning", "odd_locale", where, f"`{locale}` does not look like a locale")


KIND = ManifestKind("LocalePack", _inspect)
