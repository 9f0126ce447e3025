"""One file, from text to a checked document with its facts. The result depends on the text alone, so it is kept.

AUTH-SEC.1: nothing is loaded that the schema of its kind has not admitted.
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
    """A document with its facts, or None and the reasons."""

    document: dict[str, Any] | None
    facts: DocumentFacts
    diagnostics: tuple[Diagnostic, ...]
    error: bool = False


Cache: TypeAlias = MutableMapping[bytes, Loaded]


def load(file: str, content: str | bytes, cache: Cache | None = None) -> Loaded:
    """Parse, check and inspect one manifest; equal texts under one name are read once."""
    if cache is None:
        return _load(file, content)
    data = content.encode(errors="surrogatepass") if isinstance(content, str) else content
    key = hashlib.sha256(file.encode(errors="surrogatepass") + b"\0" + data).digest()
    known = cache.get(key)
    if known is None:
        known = cache[key] = _load(file, content)
    return known


def normalize_and_check(kind: str, document: Any) -> tuple[Any, list[SchemaFault]]:
    """The document in its normal form, and what its schema has against it."""
    found = schema_faults(kind, document)
    if kind == "Package" or (found and all(fault.code != "key_not_text" for fault in found)):
        # Deviating names are accepted on input and never kept (companions §2.2).
        document = normalise(DOCUMENTS[kind], document)
        found = schema_faults(kind, document)
    if kind == "Bindings" and not found:
        document = {**document, "spec": bindings.normalize_risks(document["spec"])}
    return document, found


def inspect(document: dict[str, Any]) -> DocumentFacts:
    """The facts of a document that its schema admits."""
    kind, spec, notes = KINDS[document["kind"]], document["spec"], FactCollector()
    kind.inspect(spec, notes)
    return notes.facts(item_ids(kind, spec, notes), text_paths(kind.name, spec))


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
    got = read(file, content)
    if got.faults:
        return Loaded(None, DocumentFacts(), got.faults, error=True)
    found = kind_faults(got.value)
    document = got.value
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
