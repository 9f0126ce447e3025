"""Messages that limit, and that are all that an action led to."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.spec.web import CustomSignal, ToastShownSignal

ONLY = "We have only 3 of these, and they are all in your basket"


def shop() -> Page:
    """f0e1 the button, f0e2 the text around it, f0e3 the number of things."""
    made = Page()
    made.element("button", "Add to basket")
    made.element("region", text="Desk lamp")
    made.element("region", text="Basket 3")
    return made


def says(words: str) -> Change:
    return lambda made: node(made, "f0e2", text=f"Desk lamp {words}")


def counts(made: Page) -> None:
    node(made, "f0e3", text="Basket 4")


def row(made: Page) -> None:
    made.element("row", text="Desk lamp", instance_id="f0e9")


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        (ONLY, True),
        ("Someone else was faster", True),
        ("Added 0 of 14 lamps", True),
        ("Added 10 of 14 lamps", False),
        ("The shop opens again at nine", True),
        ("Desk lamps come back in May", True),
        ("Volte amanhã, a partir das 8", True),
        ("One lamp is in your basket", False),
        ("Added, but only for an hour", False),
        ("No problems found", False),
        ("Please wait…", False),
        (f"only {'x' * 200}", False),
    ],
)
def test_a_message_that_limits_refuses_a_write_if_nothing_else_came(words: str, refused: bool) -> None:
    tab = Tab(shop()).acts(target="f0e1").shows(says(words), OURS)
    assert tab.report(wrote=True).limiting == (words if refused else None)


def test_a_toast_counts_as_the_message() -> None:
    tab = Tab(shop()).acts(target="f0e1").says(ToastShownSignal(text=ONLY), OURS)
    assert tab.report(wrote=True).limiting == ONLY


def test_a_message_marked_as_success_is_no_limit() -> None:
    tab = Tab(shop()).acts(target="f0e1").says(ToastShownSignal(text=ONLY, level="success"), OURS)
    assert tab.report(wrote=True).limiting is None


def test_the_button_and_the_sign_that_close_a_message_are_no_other_effect() -> None:
    def closes(made: Page) -> None:
        made.element("button", instance_id="f0e8")
        made.element("custom", "×", instance_id="f0e9")

    tab = Tab(shop()).acts(target="f0e1").shows(closes, OURS).says(ToastShownSignal(text=ONLY), OURS)
    assert tab.report(wrote=True).limiting == ONLY


def test_a_heading_says_only_what_a_message_is_about() -> None:
    def headed(made: Page) -> None:
        made.element("label", "Basket", metadata={"level": 4}, instance_id="f0e8")
        says("It holds only three")(made)

    tab = Tab(shop()).acts(target="f0e1").shows(headed, OURS)
    assert tab.report(wrote=True).limiting == "It holds only three"


def test_a_part_of_all_refuses_although_more_has_changed() -> None:
    page = shop()
    node(page, "f0e1", name="Add all")
    tab = Tab(page).acts(target="f0e1").shows(row, OURS).shows(says("2 of 3 lamps are here"), OURS)
    assert tab.report(wrote=True).limiting == "2 of 3 lamps are here"


@pytest.mark.parametrize("other", [counts, row])
def test_it_does_not_if_the_page_shows_another_effect(other: Change) -> None:
    tab = Tab(shop()).acts(target="f0e1").shows(says(ONLY), OURS).shows(other, OURS)
    assert tab.report(wrote=True).limiting is None


def test_it_does_not_if_nothing_was_promised_or_beside_an_effect_outside_of_the_page() -> None:
    page = shop()
    node(page, "f0e1", name="Show stock")
    assert Tab(page).acts(target="f0e1").shows(says(ONLY), OURS).report().limiting is None
    tab = Tab(shop()).acts(target="f0e1").shows(says(ONLY), OURS)
    tab.says(CustomSignal(name="tab.opened", payload={}), OURS)
    assert tab.report(wrote=True).limiting is None


def test_a_control_that_promises_a_copy_needs_more_than_a_demand() -> None:
    page = Page()
    page.element("button", "Copy code")
    page.element("region", text="X7-99")
    tab = Tab(page).acts(target="f0e1")
    tab.shows(lambda made: node(made, "f0e2", text="X7-99 Select the code and press Ctrl+C"), OURS)
    assert tab.report().limiting == "Select the code and press Ctrl+C"


def wizard(name: str = "Continue", value: str = "") -> Page:
    """f0e1 the button, f0e2 the text above it, f0e3 a field."""
    made = Page()
    made.element("button", name)
    made.element("region", text="Step 1")
    made.element("textbox", "City", state={"text_value": value})
    return made


@pytest.mark.parametrize(
    ("name", "words", "refused"),
    [
        ("Continue", "The terms come first.", True),
        ("Publish", "Our editors read along at night.", True),
        ("提交订单", "该商品即将下架处理", True),
        ("Boka", "Grannen hann före.", True),
        ("Proceed", "On we go", False),
        ("Continue", "Step 2 of 3 begins here", False),
        ("Publish", "See you on the front page!", False),
        ("Publish", "Published for all readers", False),
        ("Continue", "Berlin is lovely in spring.", False),
        ("Tell me a joke", "A horse walks into a bar.", False),
    ],
)
def test_a_plain_sentence_refuses_if_the_control_promises_a_change(
    name: str, words: str, refused: bool
) -> None:
    tab = Tab(wizard(name, "Berlin")).acts(target="f0e1")
    tab.shows(lambda made: node(made, "f0e2", text=f"Step 1 {words}"), OURS)
    assert tab.report().limiting == (words if refused else None)


def test_a_form_that_was_emptied_accepts_with_any_sentence() -> None:
    tab = Tab(wizard("Send", "Berlin")).acts(target="f0e1")
    tab.shows(lambda made: node(made, "f0e2", text="Step 1 Our team reads it soon."), OURS)
    tab.shows(lambda made: node(made, "f0e3", state={"text_value": ""}), OURS)
    assert tab.report(wrote=True).limiting is None


def test_a_control_that_is_disabled_afterwards_has_done_its_deed() -> None:
    tab = Tab(wizard("Order soup")).acts(target="f0e1")
    tab.shows(lambda made: node(made, "f0e2", text="Step 1 The kitchen is on it."), OURS)
    assert tab.report(wrote=True).limiting == "The kitchen is on it."
    tab.shows(lambda made: node(made, "f0e1", state={"enabled": False}), OURS)
    assert tab.report(wrote=True).limiting is None


def test_a_bar_of_progress_is_no_effect_beside_such_a_message() -> None:
    def stops(made: Page) -> None:
        says("no lamp was left for you")(made)
        made.element("progress", state={"numeric_value": 10}, instance_id="f0e9")

    tab = Tab(shop()).acts(target="f0e1").shows(stops, OURS)
    assert tab.report(wrote=True).limiting == "no lamp was left for you"


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("target", "refused"), [("Archive all 3 projects", True), ("Archive project", False)]
)
def test_a_message_that_limits_one_of_several_things_refuses_beside_an_effect(
    target: str, refused: bool
) -> None:
    made = Page()
    made.element("button", target)
    made.element("region", text="")
    made.element("listitem", "Alpha", instance_id="f0e3")
    tab = Tab(made).acts(target="f0e1")
    tab.shows(lambda now: node(now, "f0e2", text="Gamma still has open tasks"), OURS)
    tab.shows(lambda now: now.elements.pop(), OURS)
    assert (tab.report(wrote=True).limiting is not None) is refused


def test_nothing_found_is_the_answer_to_a_search() -> None:
    made = Page()
    made.element("button", "Search rooms", affordances=("read", "activate", "submit"))
    made.element("region", text="")
    tab = Tab(made).acts(target="f0e1")
    tab.shows(lambda now: node(now, "f0e2", text="No rooms match. Try other days."), OURS)
    assert tab.report().limiting is None


def test_a_text_that_shows_what_was_entered_does_not_limit() -> None:
    made = Page()
    made.element("button", "Post comment")
    made.element("region", text="")
    made.element("textarea", "Comment", state={"text_value": "Not reproducible here."})
    tab = Tab(made).acts(target="f0e1")
    tab.shows(lambda now: node(now, "f0e2", text="You: Not reproducible here."), OURS)
    assert tab.report(wrote=True).limiting is None
