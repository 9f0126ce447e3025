"""The contract of an action: terms, proofs, and its descriptor."""

from __future__ import annotations

import pytest

from tests.support.playbook import button
from uiap.actions.primitive import Primitive, always, is_sensitive, open_state_proof, ref_to
from uiap.spec.capability import ElementState
from uiap.spec.web import WebElementState


def primitive(**members: object) -> Primitive:
    terms = {
        "id": "x.test.act",
        "title": "Act",
        "idempotency": always("idempotent"),
        "effect": always("none"),
        "plan": always(()),
        "proof": always("reaction"),
        **members,
    }
    return Primitive(**terms)  # type: ignore[arg-type]


def test_a_term_can_be_the_same_for_every_element() -> None:
    assert always("draft")(button(), {"text": "x"}) == "draft"


@pytest.mark.parametrize(
    ("needs", "takes", "kinds"),
    [(True, True, ("element",)), (False, True, ("element", "none")), (False, False, ("none",))],
)
def test_the_descriptor_says_which_targets_an_action_takes(
    needs: bool, takes: bool, kinds: tuple[str, ...]
) -> None:
    made = primitive(needs_target=needs, takes_target=takes)
    assert set(made.descriptor.target_kinds) == set(kinds)


def test_an_open_state_is_proved_by_the_state_that_the_element_has() -> None:
    (by_expanded,) = open_state_proof(button(), True)
    assert isinstance(by_expanded, ElementState) and by_expanded.state.expanded is True
    (by_open,) = open_state_proof(button(state=WebElementState(open=False)), True)
    assert isinstance(by_open, ElementState) and by_open.state.open is True
    assert by_open.target == ref_to(button())


def test_only_a_masked_element_is_sensitive() -> None:
    assert is_sensitive(button(state=WebElementState(sensitive=True)))
    assert not is_sensitive(button()) and not is_sensitive(None)
