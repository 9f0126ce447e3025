"""The bindings that a definition brings along, joined with those of the application's bundle."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.errors import UiapError
from uiap.graph.store import GraphStore
from uiap.graph.view import visible_elements
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.host.workflows.recorder import recorded_binding
from uiap.origin import OPAQUE, origin_of
from uiap.spec.authoring import AnnotationMatcher, BindingsManifest, ElementBinding, UIAPCompiledBundle
from uiap.spec.web import ElementNode
from uiap.spec.workflow import WorkflowDefinition
from uiap.workflow.commands import ProposeRepair
from uiap.workflow.recording import ELEMENTS
from uiap.workflow.repair import RepairProposal, best_match, wanted_binding

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


class RunBindings(Bindings):
    """The bindings of one run. A person may repair some of them while it runs."""

    def __init__(self, content: UIAPCompiledBundle) -> None:
        self._content = content
        super().__init__(content)

    def repair(self, repairs: tuple[ElementBinding, ...]) -> None:
        """Use these bindings in place of those with the same id."""
        if any(self.elements.get(one.id) != one for one in repairs):
            self.__init__(_with_elements(self._content, repairs))  # type: ignore[misc]


def bundle_of_run(definition: WorkflowDefinition, bundle: Bundle | None, url: str) -> Bundle:
    """Return the bundle of a run: that of the application, with the definition's own bindings added.

    The definition's bindings are not signed, so they help to recognise elements and never lower a risk.
    """
    content = msgspec.convert(_EMPTY, UIAPCompiledBundle) if bundle is None else bundle.content
    joined = _with_elements(content, recorded_elements(definition))
    origin = origin_of(url)
    origins = (url if origin == OPAQUE else origin,) if bundle is None else bundle.origins
    return Bundle(joined, RunBindings(joined), origins)


def _with_elements(content: UIAPCompiledBundle, own: tuple[ElementBinding, ...]) -> UIAPCompiledBundle:
    given = BindingsManifest() if content.bindings is UNSET else content.bindings
    known = {one.id: one for one in (*(given.elements or ()), *own)}
    bindings = msgspec.structs.replace(given, elements=tuple(known.values()))
    return msgspec.structs.replace(content, bindings=bindings)


def propose_repair(
    store: GraphStore, command: ProposeRepair, bindings: Bindings
) -> tuple[RepairProposal, ElementNode] | None:
    """Return the binding that would find the target of a step again and its element, or None if nothing fits safely.

    A binding that does not find exactly this element is never proposed: the run would ask the same question again.
    """
    wanted = wanted_binding(command.target, bindings.elements.values(), command.step_id)
    if wanted is None:
        return None
    found = best_match(store, wanted, command.action_id, _taken(store, bindings, wanted))
    if found is None:
        return None
    made = msgspec.structs.replace(recorded_binding(store, found.element), id=wanted.id)
    for binding in (made, _without_stable_id(made, found.element)):
        if [one.instance_id for one in bindings.find(store, binding)] == [found.element.instance_id]:
            return RepairProposal(binding=binding, score=found.score, reasons=found.reasons), found.element
    return None


def _without_stable_id(binding: ElementBinding, element: ElementNode) -> ElementBinding:
    """Return the binding without the element's stable id, which two elements of the page may have."""
    firm = (
        one
        for one in binding.match
        if not (isinstance(one, AnnotationMatcher) and one.value == element.stable_id)
    )
    return msgspec.structs.replace(binding, match=tuple(firm))


def _taken(store: GraphStore, bindings: Bindings, wanted: ElementBinding) -> frozenset[str]:
    """Return the elements that other bindings mean."""
    return frozenset(
        one.instance_id
        for one in visible_elements(store)
        if any(other.binding.id != wanted.id for other in bindings.recognise(store, one))
    )
