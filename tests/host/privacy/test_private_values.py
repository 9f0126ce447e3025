"""Private values of a page: learned from fields and arguments, and masked wherever they are repeated."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import button
from uiap.host.privacy.private_values import MAX_VALUES, PrivateValues, is_private_name
from uiap.policy.builtin import STANDARD
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.web import ElementNode, WebElementState

AGENT = PolicyPrincipal(type="agent", id="bot", grants=("observe", "act"))


def field(name: str, value: str = "", **members: Any) -> ElementNode:
    state = WebElementState(text_value=value) if value else WebElementState()
    return button(name, role="textbox", affordances=("read", "edit"), state=state, **members)


def masked(values: PrivateValues, text: str) -> str:
    return values.redaction_for(AGENT).text_mask.mask_text(text)


def test_the_value_of_a_private_field_is_masked_in_other_texts_and_of_a_plain_field_is_not() -> None:
    values = PrivateValues((STANDARD,))
    values.learn_elements([field("Password", "hunter2hunter2"), field("Colour", "turquoise")])
    text = masked(values, "hunter2hunter2 likes turquoise")
    assert "hunter2" not in text and "turquoise" in text


def test_arguments_are_learned_by_their_field_or_by_their_own_name() -> None:
    values = PrivateValues((STANDARD,))
    values.learn_args({"text": "s3cret-value"}, field("Password"))
    values.learn_args({"password": "other-value", "title": "public title"}, None)
    text = masked(values, "s3cret-value, other-value and public title")
    assert "s3cret" not in text and "other-value" not in text and "public title" in text


def test_a_named_secret_is_not_learned_as_a_value() -> None:
    values = PrivateValues((STANDARD,))
    values.learn_args({"text": {"secret": "crm-password"}}, field("Password"))
    assert masked(values, "crm-password") == "crm-password"


def test_values_of_secrets_are_masked_as_soon_as_they_are_known() -> None:
    known: list[str] = []
    values = PrivateValues((STANDARD,), lambda: known)
    assert masked(values, "s3cret-value") == "s3cret-value"
    known.append("s3cret-value")
    assert "s3cret" not in masked(values, "s3cret-value")


def test_the_number_of_remembered_values_is_bounded_and_the_latest_are_kept() -> None:
    values = PrivateValues((STANDARD,))
    for number in range(MAX_VALUES + 1):
        values.learn(f"private-value-{number:05}", None)
    assert masked(values, "private-value-00000") == "private-value-00000"
    assert "private" not in masked(values, f"private-value-{MAX_VALUES:05}")


def test_a_page_with_many_private_fields_does_not_displace_what_was_typed() -> None:
    values = PrivateValues((STANDARD,))
    values.learn_args({"text": "s3cret-value"}, field("Password"))
    values.learn_elements(field("Password", f"decoy-value-{number}") for number in range(MAX_VALUES + 1))
    assert "s3cret" not in masked(values, "your password is s3cret-value")


@pytest.mark.parametrize(("name", "private"), [("password", True), ("cardNumber", True), ("title", False)])
def test_names_of_arguments_reveal_private_values(name: str, private: bool) -> None:
    assert is_private_name(name) is private
