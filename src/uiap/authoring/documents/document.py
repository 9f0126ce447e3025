"""Load one file: parse, check and inspect it. The result depends only on the text, so it can be cached.

No document is loaded before the schema of its kind has accepted it (AUTH-SEC.1).
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableMapping
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET

from uiap.authoring.diagnostic import Diagnostic
from uiap.authoring.documents.lints import text_lints
from uiap.authoring.documents.locale import text_paths
from uiap.authoring.documents.schema import DOCUMENTS, SchemaFault, kind_faults, schema_faults
from uiap.authoring.documents.source import read
from uiap.authoring.kinds import KINDS, bindings
from uiap.authoring.kinds.kind import DocumentFacts, FactCollector, Lint, item_ids
from uiap.spec.aliases import normalise


class Loaded(NamedTuple):
    """A document with its facts, or None and the diagnostics."""

    document: dict[str, Any] | None
    facts: DocumentFacts
    diagnostics: tuple[Diagnostic, ...]
    error: bool = False


Cache: TypeAlias = MutableMapping[bytes, Loaded]


def load(file: str, content: str | bytes, cache: Cache | None = None) -> Loaded:
    """Parse, check and inspect one manifest; equal texts of one file are loaded once."""
    if cache is None:
        return _load(file, content)
    data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    key = hashlib.sha256(file.encode(errors="surrogatepass") + b"\0" + data).digest()
    known = cache.get(key)
    if known is None:
        known = cache[key] = _load(file, content)
    return known


def normalize_and_check(kind: str, document: Any) -> tuple[Any, list[SchemaFault]]:
    """Return the document with canonical names, and its schema faults."""
    found = schema_faults(kind, document)
    if kind == "Package" or (found and all(fault.code != "key_not_text" for fault in found)):
        # Alias names are accepted on input and replaced here.
        document = normalise(DOCUMENTS[kind], document)
        found = schema_faults(kind, document)
    if kind == "Bindings" and not found:
        document = {**document, "spec": bindings.normalize_risks(document["spec"])}
    return document, found


def inspect(document: dict[str, Any]) -> DocumentFacts:
    """Return the facts of a valid document."""
    kind, spec, collector = KINDS[document["kind"]], document["spec"], FactCollector()
    kind.inspect(spec, collector)
    return collector.facts(item_ids(kind, spec, collector), text_paths(kind.name, spec))


def lint_diagnostic(lint: Lint, file: str) -> Diagnostic:
    return Diagnostic(
        code=lint.code,
        severity=lint.severity,
        message=lint.message,
        file=file,
        pointer=lint.pointer,
        hint=lint.hint or UNSET,
    )


def fault_diagnostic(fault: SchemaFault, file: str) -> Diagnostic:
    return Diagnostic(
        code=fault.code,
        severity="error",
        message=fault.message,
        file=file,
        pointer=fault.pointer,
        hint=fault.hint or UNSET,
    )


def _load(file: str, content: str | bytes) -> Loaded:
    parsed = read(file, content)
    if parsed.faults:
        return Loaded(None, DocumentFacts(), parsed.faults, error=True)
    found = kind_faults(parsed.value)
    document = parsed.value
    if not found:
        document, found = normalize_and_check(document["kind"], document)
    if found:
        return Loaded(
            None, DocumentFacts(), tuple(fault_diagnostic(fault, file) for fault in found), error=True
        )
    facts = inspect(document)
    lints = [*facts.lints, *text_lints(content)]
    diagnostics = tuple(lint_diagnostic(lint, file) for lint in lints)
    return Loaded(document, facts, diagnostics, error=any(lint.severity == "error" for lint in facts.lints))
