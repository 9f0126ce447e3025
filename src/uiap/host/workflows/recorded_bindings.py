"""The bindings that a definition brings along, joined with those of the application's bundle."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.errors import UiapError
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.origin import OPAQUE, origin_of
from uiap.spec.authoring import BindingsManifest, ElementBinding, UIAPCompiledBundle
from uiap.spec.workflow import WorkflowDefinition
from uiap.workflow.recording import ELEMENTS

_EMPTY: dict[str, Any] = {
    "packageId": "recorded",
    "version": "1.0.0",
    "profile": "web@0.1",
    "buildContext": {},
    "compatibility": {"uiapCore": ">=0.1"},
    "app": {"appId": "recorded", "displayName": "Recorded"},
}


def recorded_elements(definition: WorkflowDefinition) -> tuple[ElementBinding, ...]:
    """Return the bindings in the definition's metadata. Raise UiapError if they are not valid."""
    try:
        return msgspec.convert((definition.metadata or {}).get(ELEMENTS, ()), tuple[ElementBinding, ...])
    except msgspec.ValidationError as error:
        raise UiapError(f"the elements of `{definition.id}` are not valid: {error}") from None


def bundle_of_run(definition: WorkflowDefinition, bundle: Bundle | None, url: str) -> Bundle | None:
    """Return the bundle of a run: that of the application, with the definition's own bindings added.

    The definition's bindings are not signed, so they help to recognise elements and never lower a risk.
    """
    own = recorded_elements(definition)
    if not own:
        return bundle
    content = msgspec.convert(_EMPTY, UIAPCompiledBundle) if bundle is None else bundle.content
    given = BindingsManifest() if content.bindings is UNSET else content.bindings
    known = {one.id: one for one in (*(given.elements or ()), *own)}
    bindings = msgspec.structs.replace(given, elements=tuple(known.values()))
    joined = msgspec.structs.replace(content, bindings=bindings)
    origin = origin_of(url)
    origins = (url if origin == OPAQUE else origin,) if bundle is None else bundle.origins
    return Bundle(joined, Bindings(joined), origins)
