"""Overlay: patches for some contexts. These checks do not need the patched manifest."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, numbered
from uiap.authoring.pointer import BadPointer, parse


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for index, patch in numbered(spec, "patches"):
        where = ("patches", index)
        try:
            parse(patch["path"])
        except BadPointer as error:
            facts.lint("error", "bad_pointer", (*where, "path"), str(error))
        if patch["op"] == "upsert" and not patch.get("matchKey"):
            facts.lint("error", "bad_patch", where, "an upsert needs a `matchKey`")
        if patch["op"] != "upsert" and "matchKey" in patch:
            facts.lint("warning", "unused_match_key", (*where, "matchKey"), "only an upsert uses `matchKey`")
        if patch["op"] != "remove" and "value" not in patch:
            facts.lint("error", "bad_patch", where, f"a {patch['op']} needs a `value`")


KIND = ManifestKind("Overlay", _inspect)
