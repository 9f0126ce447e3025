"""Bindings of a bundle on a live page: which element an id means, and its risk and success signals."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.host.bundles.orders import (
    bound,
    by_words,
    page,
    the_one,
)
from uiap.runtime.resolve import Resolved, resolve
from uiap.spec.action import ActionTarget
from uiap.spec.capability import (
    ElementAppeared,
    ElementDisappeared,
    RiskDescriptor,
    RouteChanged,
    SemanticRef,
    StableIdRef,
    ToastContains,
)

pytest.importorskip("cryptography")


@pytest.mark.requirement("RUN-15")
@pytest.mark.requirement("AUTH-5.3")
def test_an_id_of_the_bundle_finds_an_element_that_the_page_does_not_annotate() -> None:
    found = the_one(bound(page(), "order.send"))
    assert (found.element.name, found.element.stable_id, found.by) == ("Send order", "order.send", "semantic")


@pytest.mark.requirement("AUTH-5.3", "ACT-8.1")
def test_the_annotation_is_tried_before_the_texts() -> None:
    made = page()
    made.element("button", "Elsewhere", stable_id="order.send")
    found = the_one(bound(made, "order.send"))
    assert (found.element.name, found.by) == ("Elsewhere", "stableId")


def test_an_id_on_an_element_of_another_role_does_not_match() -> None:
    made = Page("/orders")
    made.element("link", "Send order", stable_id="order.send")
    assert bound(made, "order.send").candidates == ()


@pytest.mark.requirement("RUN-19")
def test_texts_match_only_on_the_route_of_the_binding() -> None:
    assert bound(page("/elsewhere"), "order.send").candidates == ()


def test_texts_match_only_in_the_scope_of_the_binding() -> None:
    made = page()
    made.element("button", "Delete")
    assert the_one(bound(made, "order.delete")).element.scope_id == "danger"


@pytest.mark.parametrize(
    ("id", "name"), [("order.note", "Note"), ("order.pay", "Zahlen"), ("order.close", "Close")]
)
def test_labels_texts_and_names_of_every_locale_match(id: str, name: str) -> None:
    made = page()
    made.element("button", "Zahlen")
    made.element("button", "Close")
    assert the_one(bound(made, id)).element.name == name


def test_the_matcher_that_found_an_element_is_reported_for_healing() -> None:
    made = page()
    made.element("button", "Zahlen")
    assert the_one(bound(made, "order.pay")).binding == "name"
    assert the_one(bound(made, "order.send")).binding == "matcher 2"
    assert the_one(bound(made, by_words())).binding == "matcher 2"


def test_two_elements_with_the_same_text_are_ambiguous() -> None:
    made = page()
    made.element("button", "Send order")
    gathered = bound(made, "order.send")
    target = ActionTarget(ref=StableIdRef(value="order.send"))
    assert not isinstance(resolve(target, gathered, "ui.activate"), Resolved)
    assert len(gathered.candidates) == 2


def test_an_id_without_a_binding_is_found_as_before() -> None:
    made = page()
    made.element("button", "Other", stable_id="other")
    assert the_one(bound(made, "other")).by == "stableId"


@pytest.mark.requirement("RUN-20")
@pytest.mark.requirement("ACT-12.1")
def test_success_signals_come_from_the_bundle_for_every_kind_of_target() -> None:
    for target in (by_words(), "order.send"):
        element = the_one(bound(page(), target)).element
        assert element.success == (RouteChanged(pattern="/orders/:id"), ToastContains(text="sent"))
        assert element.meaning == "order.send"


@pytest.mark.requirement("ACT-12.1")
def test_an_element_without_signals_has_those_of_its_default_action() -> None:
    element = the_one(bound(page(), "order.delete")).element
    assert [s.kind for s in element.success or ()] == ["status.contains", "toast.contains"]
    assert element.default_action == "order.delete"


def test_a_signal_about_an_unannotated_element_targets_role_and_name() -> None:
    made = page()
    made.element("button", "Close")
    (signal,) = the_one(bound(made, "order.close")).element.success or ()
    assert signal == ElementDisappeared(target=SemanticRef(role="textbox", name="Note"))
    assert not isinstance(signal, ElementAppeared)


def test_data_classes_are_added_and_never_removed() -> None:
    made = Page("/orders")
    made.element("textbox", "Note", data_classes=("credential",))
    assert the_one(bound(made, "order.note")).element.data_classes == ("credential", "personal")


@pytest.mark.requirement("CAP-8.1")
def test_an_untrusted_bundle_can_only_raise_a_risk() -> None:
    sending = the_one(bound(page(), "order.send"))
    assert sending.element.risk == RiskDescriptor(level="confirm") and not sending.vouched
    deleting = the_one(bound(page(), "order.delete"))
    assert isinstance(deleting.element.risk, RiskDescriptor) and deleting.element.risk.level == "blocked"


@pytest.mark.requirement("CAP-8.1")
def test_a_trusted_bundle_may_lower_a_risk_and_vouches_for_it() -> None:
    sending = the_one(bound(page(), "order.send", trusted=True))
    assert sending.element.risk == RiskDescriptor(level="safe") and sending.vouched


def test_no_bundle_vouches_for_text_that_users_wrote() -> None:
    made = Page("/orders")
    made.element("button", "Send order", metadata={"text": {"userGenerated": True}})
    found = the_one(bound(made, "order.send", trusted=True))
    assert not found.vouched


def test_an_element_without_a_binding_is_unchanged() -> None:
    made = page()
    made.element("button", "Unbound", risk=RiskDescriptor(level="confirm"))
    found = the_one(bound(made, ActionTarget(ref=SemanticRef(role="button", name="Unbound")), trusted=True))
    assert (found.element.risk, found.vouched) == (RiskDescriptor(level="confirm"), False)
