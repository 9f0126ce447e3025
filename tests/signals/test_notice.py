"""Dialogs that our input opened: refusals, and steps and answers that only look like one."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.signals.effect_report import EffectReport
from uiap.signals.work import PendingWork
from uiap.spec.web import CustomSignal

REFUSED: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    # the pressed control, the title, the text and the controls of the dialog
    "apology": ("Book room", "Sorry", "All suites are taken on this day", ("Dismiss",)),
    "heading": ("Pay now", "Payment declined", "Contact the bank.", ("Close",)),
    "by others": ("Book room", "", "Somebody else booked this room a moment ago.", ("OK",)),
    "German": ("Zimmer buchen", "Hinweis", "Leider sind alle Zimmer belegt.", ("Schließen",)),
    "Japanese": ("予約する", "お知らせ", "この日は満室です。", ("閉じる",)),
    "Spanish": ("Reservar", "Lo sentimos", "Ya no quedan habitaciones.", ("Aceptar",)),
    "restriction": ("Add to basket", "", "Only 2 left in stock.", ("OK",)),
    "statement": ("Place order", "", "The kitchen has gone home for today.", ("OK",)),
    "after thanks": ("Pay now", "Thank you", "Your card was declined.", ("OK",)),
    "calendar": ("Book room", "Not available", "Choose another day.", ("See calendar", "Close")),
    "only button": ("Redeem voucher", "", "This voucher was used on Monday.", ("Fine",)),
    "retry": ("Pay now", "Payment failed", "", ("Retry", "Cancel")),
    "paid plan": ("Export CSV", "Upgrade to Pro", "Exports are part of Pro.", ("Upgrade", "Not now")),
    "plain control": ("Open file", "Access denied", "Ask the owner of the folder.", ("OK",)),
}
EFFECT: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "question": ("Delete project", "Delete project?", "It cannot be undone.", ("Cancel", "Delete")),
    "question about failures": ("Delete", "", "Are you sure? They cannot be found then.", ("Yes", "No")),
    "answer of two": ("Archive", "Archive 3 letters", "They are not shown any more.", ("Cancel", "OK")),
    "same verb": ("Publish", "Publish this page", "Only admins can take it back.", ("Cancel", "Publish")),
    "unsaved": ("Create", "", "Your changes are not saved. Continue?", ("Cancel", "Continue")),
    "error log": ("Error log", "Error log", "Error: the disk is full", ("Close",)),
    "log": ("View log", "Log", "12:00 connection failed", ("Close",)),
    "no errors": ("Run checks", "No errors", "All 14 checks are fine.", ("OK",)),
    "farewell": ("Cancel plan", "Sorry to see you go — cancelled", "Come back any time.", ("OK",)),
    "terms": ("Show terms", "Terms", "Refunds are not possible.", ("Close",)),
    "declined": ("Decline invitation", "Invitation declined", "Anna was not told why.", ("OK",)),
    "sent": ("Send message", "Message sent", "You will not get a copy.", ("OK",)),
    "thanks": ("Place order", "", "Thank you! It will be there at noon.", ("OK",)),
    "form of the verb": ("Rent bike", "Bike rented", "The lock opens in a minute.", ("OK",)),
    "object": ("Add to basket", "", "Your basket holds the desk lamp.", ("OK",)),
    "more follows": ("Publish…", "", "Visitors see this page at once.", ("Go", "Not yet")),
    "own verb": ("Publish…", "", "It cannot be hidden then.", ("Publish now", "Not yet")),
    "choice": ("Book room", "Days", "Not on Sundays.", ("Monday", "Tuesday", "Friday")),
    "share": ("Share", "Share this page", "All can see it. It is not indexed.", ("Copy link", "Close")),
}


def shop(target: str) -> Page:
    made = Page()
    made.element("button", target)
    return made


def opens(title: str, text: str, controls: tuple[str, ...], *, fields: tuple[str, ...] = ()) -> Change:
    def change(made: Page) -> None:
        scope = made.scope("dialog", title or None, text=text)
        inside = {"parent_instance_id": made.host(scope), "scope_id": scope}
        for name in fields:
            made.element("textbox", name, state={"text_value": "", "obscured": name == "Password"}, **inside)
        for name in controls:
            made.element("button", name, **inside)

    return change


def after(target: str, *changes: Change, level: str = "") -> EffectReport:
    tab = Tab(shop(target)).acts(target="f0e1")
    for change in changes:
        tab.shows(change, OURS)
    if level:
        tab.says(CustomSignal(name="message.dialog", payload={"scopeId": "f0s1", "level": level}), OURS)
    return tab.report()


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize("case", REFUSED)
def test_a_notice_refuses_with_the_words_of_the_page(case: str) -> None:
    target, title, text, controls = REFUSED[case]
    said = after(target, opens(title, text, controls)).limiting
    assert said is not None and title in said


@pytest.mark.parametrize("case", EFFECT)
def test_a_step_an_answer_or_a_text_that_was_asked_for_is_no_refusal(case: str) -> None:
    target, title, text, controls = EFFECT[case]
    assert after(target, opens(title, text, controls)).limiting is None


def test_a_form_is_a_step_of_its_own() -> None:
    asks = opens("New room", "The name must not be empty", ("Cancel", "Create"), fields=("Name",))
    assert after("Add room", asks).limiting is None


def test_a_form_for_signing_in_instead_of_a_deed_refuses_it() -> None:
    asks = opens("Sign in", "Sign in to save recipes.", ("Sign in",), fields=("E-mail", "Password"))
    assert after("Save recipe", asks).limiting == "Sign in Sign in to save recipes."
    assert after("Log in", asks).limiting is None


def test_a_password_alone_confirms_a_deed() -> None:
    asks = opens("Confirm", "Enter your password first.", ("Delete account",), fields=("Password",))
    assert after("Delete account", asks).limiting is None


def test_the_icon_of_a_dialog_speaks_where_its_words_do_not() -> None:
    mute = opens("See you on Monday", "Breakfast is at eight.", ("OK",))
    assert after("Book room", mute, level="success").limiting is None
    assert after("Book room", opens("Monday", "", ("OK",)), level="error").limiting == "Monday"


def test_weak_words_do_not_outweigh_another_effect() -> None:
    def row(made: Page) -> None:
        made.element("row", text="Room 12", instance_id="f0e99")

    assert after("Book room", row, opens("", "Only 2 left in stock.", ("OK",))).limiting is None
    assert after("Book room", row, opens("", "The payment failed.", ("OK",))).limiting is not None


def test_a_dialog_that_only_coincides_must_report_a_failure() -> None:
    def coinciding(title: str, text: str) -> str | None:
        tab = Tab(shop("Book room")).acts(target="f0e1")
        return tab.shows(opens(title, text, ("No thanks", "Subscribe"))).report().limiting

    assert coinciding("Our newsletter", "Only good news.") is None
    assert coinciding("Sorry", "All suites are taken.") is not None


def test_a_dialog_that_only_coincides_counts_beside_nothing_but_a_box_without_words() -> None:
    def box(made: Page) -> None:
        made.element("custom", instance_id="f0e98")

    tab = Tab(shop("Book room")).acts(target="f0e1").shows(box, OURS)
    tab.shows(opens("", "The suite belongs to the owner until June.", ("Close",)))
    assert tab.report().limiting == "The suite belongs to the owner until June."


def test_the_words_of_a_dialog_may_be_the_name_of_a_box() -> None:
    def named(made: Page) -> None:
        scope = made.scope("dialog", None)
        inside = {"parent_instance_id": made.host(scope), "scope_id": scope}
        made.element("custom", "Only two suites are left, both taken.", **inside)

    assert after("Book room", named).limiting == "Only two suites are left, both taken."


def test_a_notice_that_a_socket_sends_is_no_refusal_of_a_control_that_shows_what_holds_anyway() -> None:
    def about(target: str) -> str | None:
        tab = Tab(shop(target)).acts(target="f0e1")
        tab.watch.work_received(OURS, (PendingWork("socket", 100.0),), 100.0)
        return tab.shows(opens("", "Nothing here is frozen.", ("Close",)), OURS).report().limiting

    assert about("About us") is None
    assert about("Cook") == "Nothing here is frozen."


def test_a_dialog_that_fades_in_and_a_mere_backdrop_are_appearing() -> None:
    def fades(made: Page) -> None:
        opens("Sorry", "", ())(made)
        node(made, made.host("f0s1"), metadata={"text": {"visible": False}})

    def backdrop(made: Page) -> None:
        made.element("custom", instance_id="f0e98")

    assert after("Book room", fades).appearing
    assert after("Book room", backdrop).appearing
    assert not after("Book room", opens("Sorry", "All suites are taken", ("OK",))).appearing


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(("way_back", "refused"), [("Maybe later", True), ("Details", False)])
def test_a_box_that_can_be_closed_is_a_notice_without_the_role_of_a_dialog(
    way_back: str, refused: bool
) -> None:
    def opens_box(made: Page) -> None:
        box = made.element("region", text="PDF is part of Team. From 12 € a month.")
        for name in ("See plans", way_back):
            made.element("button", name, parent_instance_id=box)

    assert (after("Export as PDF", opens_box).limiting is not None) is refused
