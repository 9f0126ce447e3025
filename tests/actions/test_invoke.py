"""app.invoke: a declared action as a primitive. A page is trusted less than the program."""

from __future__ import annotations

from typing import Any

from uiap.actions.invoke import DeclaredAction, domain_action
from uiap.actions.ops import Invoke
from uiap.spec.capability import ActionDescriptor, RiskDescriptor, RouteChanged


def descriptor(**members: Any) -> ActionDescriptor:
    return ActionDescriptor(
        **{
            "id": "video.create",
            "kind": "domain",
            "title": "Create",
            "target_kinds": ("none",),
            "execution_modes": ("appAction",),
            "risk": RiskDescriptor(level="safe"),
            "success": (RouteChanged(),),
            "idempotency": "idempotent",
            "metadata": {"sideEffect": "draft"},
            **members,
        }
    )


def test_a_declaration_of_the_program_is_taken_as_it_is() -> None:
    action = domain_action(DeclaredAction(descriptor=descriptor()))
    assert (action.title, action.trusted, action.idempotency({})) == ("Create", True, "idempotent")
    assert action.effect(None, {}) == "draft"
    assert action.proof(None, {}) == (RouteChanged(),)


def test_a_declaration_of_the_page_proves_nothing_and_lowers_nothing() -> None:
    action = domain_action(DeclaredAction(descriptor=descriptor(), source="page"))
    assert (action.title, action.trusted, action.idempotency({})) == ("video.create", False, "non_idempotent")
    assert action.effect(None, {}) == "unknown"
    assert action.proof(None, {}) == "change"


def test_the_gesture_calls_the_function_with_its_arguments_and_source() -> None:
    action = domain_action(DeclaredAction(descriptor=descriptor(), source="page"))
    (op,) = action.plan("appAction", None, None, {"title": "x"})
    assert isinstance(op, Invoke)
    assert (op.action, op.args, op.source) == ("video.create", {"title": "x"}, "page")


def test_an_action_for_elements_only_needs_a_target() -> None:
    assert domain_action(DeclaredAction(descriptor=descriptor(target_kinds=("element",)))).needs_target
    both = domain_action(DeclaredAction(descriptor=descriptor(target_kinds=("element", "none"))))
    assert both.takes_target and not both.needs_target
