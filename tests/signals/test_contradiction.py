"""Failures that a page reports in texts, titles and the messages of a page that has loaded."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab, node
from uiap.signals.contradiction import is_about_target, is_error, loaded_message
from uiap.signals.watch import NetworkTrace
from uiap.spec.web import CustomSignal, RouteInfo, ToastShownSignal

POSTED = NetworkTrace(navigating=True, wrote=True)


def page(text: str = "", name: str = "Save", title: str = "Orders") -> Page:
    found = Page(title=title)
    found.scope("region", "Order", text=text)
    found.element("button", name)
    return found


def after(text: str, token: str | None = OURS, name: str = "Save") -> str | None:
    """Return the contradiction after the text was added to the region."""
    tab = Tab(page("Total 5", name))
    tab.watch.open((), "f0e2", tab.now)
    tab.watch.dispatched(OURS, tab.now)
    tab.shows(lambda p: p.elements.__setitem__(0, page(f"Total 5 {text}", name).elements[0]), token)
    return tab.report().contradiction


def test_a_text_of_failure_beside_the_control_contradicts() -> None:
    assert after("Payment declined") == "Payment declined"
    assert after("Not saved: only 7 can be Saved") == "Not saved: only 7 can be Saved"
    assert after("Saved order 7") is None
    assert after("No errors") is None


def drafted(role: str) -> str | None:
    """Return the contradiction after typing, when the page shows a preview as text of its element `role`."""

    def form(text: str) -> Page:
        found = Page()
        found.element(role, "", text=text)
        found.element("textbox", "Keywords", affordances=("edit",))
        return found

    tab = Tab(form("Help"))
    tab.watch.open((), "f0e2", tab.now)
    tab.watch.dispatched(OURS, tab.now)
    tab.shows(lambda p: p.elements.__setitem__(0, form("Help (not yet created)").elements[0]), OURS)
    return tab.report().contradiction


def test_a_preview_on_the_page_says_nothing_about_the_field_that_was_typed_into() -> None:
    assert drafted("app") is None
    assert drafted("group") == "(not yet created)"


def test_a_text_of_another_cause_or_a_long_one_does_not() -> None:
    assert after("Payment declined", token=None) is None
    assert after("An error may occur " * 20) is None


@pytest.mark.parametrize(
    ("name", "text", "about"),
    [
        ("Decline", "Invitation declined", True),
        ("Reject order 7", "Order 7 rejected", True),
        ("Report an error", "Error reported", True),
        ("Unfollow", "You are not following Ann any more", True),
        ("Unsubscribe", "You are not subscribed", True),
        ("Save", "Your draft is not saved", False),
        ("Save", "Invitation declined", False),
        ("Decline", "Declined, but an error occurred", False),
        ("", "Error", False),
    ],
)
def test_a_failure_that_the_target_is_about_is_its_effect(name: str, text: str, about: bool) -> None:
    assert is_about_target(text, name) is about
    assert (after(text, name=name) is None) is about


def titled(title: str, token: str | None = OURS, before: str = "Orders") -> str | None:
    tab = Tab(page(title=before)).acts()
    route = RouteInfo(url="http://app.test/users", path="/users", title=title)
    tab.shows(lambda p: setattr(p, "route", route), token)
    return tab.report().contradiction


def test_an_error_title_contradicts_and_another_title_is_an_effect() -> None:
    assert titled("Error: the form has errors") == "the title is `Error: the form has errors`"
    assert titled("Error: the form has errors", token=None) is None
    assert titled("Error: again", before="Error: first") is None
    assert titled("Orders of a customer whose payment failed") is None
    tab = Tab(page()).acts()
    route = RouteInfo(url="http://app.test/users", path="/users", title="Order 7")
    tab.shows(lambda p: setattr(p, "route", route), OURS)
    assert tab.report().change == "the title is now `Order 7`" and tab.report().attribution == "caused"


def loaded(text: str, level: str | None = None) -> CustomSignal:
    payload = {"text": text, **({"level": level} if level else {})}
    return CustomSignal(name="message.loaded", payload=payload)


def test_the_messages_of_a_page_after_a_post_are_messages() -> None:
    tab = Tab(page()).acts()
    tab.loads(page()).says(loaded("The order was added", "success"))
    report = tab.watch.report(POSTED)
    assert report.contradiction is None
    assert ToastShownSignal(text="The order was added", level="success") in [
        one.signal for one in tab.watch._build_log(POSTED)[0].occurrences
    ]
    tab.says(loaded("Please correct the error below", "error"))
    assert tab.watch.report(POSTED).contradiction == "Please correct the error below"


def test_a_message_that_was_there_before_or_after_a_plain_link_contradicts_nothing() -> None:
    banner = loaded("Your trial has expired", "error")
    tab = Tab(page()).loads(page()).says(banner).acts()
    tab.loads(page()).says(banner)
    assert tab.watch.report(POSTED).contradiction is None
    link = Tab(page()).acts().loads(page()).says(banner)
    assert link.watch.report(NetworkTrace(navigating=True)).contradiction is None


def test_the_same_refusal_of_a_second_write_contradicts_again() -> None:
    refusal = loaded("The title is taken", "error")
    tab = Tab(page())
    for _ in range(2):
        tab.acts().loads(page()).says(refusal)
        assert tab.watch.report(POSTED).contradiction == "The title is taken"
        tab.watch.close(tab.now)
    tab.loads(page())  # a page without messages lies between
    tab.acts().loads(page()).says(refusal)
    assert tab.watch.report(POSTED).contradiction == "The title is taken"


def test_a_banner_on_every_page_contradicts_no_write() -> None:
    banner = loaded("Your trial has expired", "error")
    tab = Tab(page()).loads(page()).says(banner)
    for _ in range(3):
        tab.acts().loads(page()).says(banner)
        assert tab.watch.report(POSTED).contradiction is None
        tab.watch.close(tab.now)


def test_a_message_that_the_page_before_showed_after_loading_proves_nothing() -> None:
    """The same page is slower now: its message is there before the first reading."""
    tab = Tab(page()).loads(page()).says(ToastShownSignal(text="Saved", level="info"), after=0.1)
    tab.acts().loads(page()).says(loaded("Saved"))
    (occurred,) = tab.watch._build_log(NetworkTrace(navigating=True))[0].occurrences
    assert occurred.attribution == "background"


def test_a_malformed_message_is_none() -> None:
    assert loaded_message(CustomSignal(name="message.loaded", payload={"text": 7})) is None
    assert loaded_message(CustomSignal(name="other", payload={"text": "x"})) is None


@pytest.mark.parametrize(("text", "field", "contradicts"), [
    ("Please type DELETE in the confirmation field", "Phrase", False),
    ("Please type DELETE in the confirmation field", None, True),  # no new form
    ("Please type DELETE in the confirmation field", "Note", True),  # the form came back
    ("Session expired, sign in again", "Password", True),  # words of failure
])  # fmt: skip
def test_red_words_beside_the_fields_of_a_new_form_say_what_to_enter(
    text: str, field: str | None, contradicts: bool
) -> None:
    before = page()
    before.element("textbox", "Note", state={"text_value": "hello"})
    tab = Tab(before)
    tab.watch.open((), "f0e2", tab.now)
    tab.watch.dispatched(OURS, tab.now)
    if field is not None:
        tab.shows(lambda p: p.element("textbox", field), OURS)
    tab.says(ToastShownSignal(text=text, level="error"), OURS)
    assert (tab.report().contradiction == text) is contradicts


@pytest.mark.parametrize(
    ("text", "target", "error"),
    [
        ("0 errors, 0 warnings", "Validate", False),
        ("Contact deleted", "Delete", False),
        ("Contact deleted", "Save", True),
        ("Not deleted", "Delete", True),
        ("Nice try", "Delete", True),
    ],
)
def test_red_is_no_failure_if_the_words_deny_one_or_say_that_it_was_done(
    text: str, target: str, error: bool
) -> None:
    assert is_error(ToastShownSignal(text=text, level="error"), target) is error


@pytest.mark.parametrize(("replaced", "found"), [(True, "No seats left"), (False, None)])
def test_a_text_in_a_list_counts_if_it_took_the_place_of_the_target(
    replaced: bool, found: str | None
) -> None:
    before = Page()
    before.element("listitem", text="14:00")
    before.element("button", "Book", parent_instance_id="f0e1")
    tab = Tab(before).acts(target="f0e2")

    def answers(made: Page) -> None:
        node(made, "f0e1", text="14:00 No seats left")
        if replaced:
            made.elements.pop()

    assert tab.shows(answers, OURS).report().contradiction == found


@pytest.mark.parametrize(("role", "gone", "contradicts"), [
    ("textbox", True, False), ("textbox", False, True), ("button", True, True),
])  # fmt: skip
def test_a_message_about_a_part_of_the_text_counts_as_long_as_it_is_shown(
    role: str, gone: bool, contradicts: bool
) -> None:
    before = page()
    target = before.element(role, "Name", affordances=("edit",) if role == "textbox" else ("activate",))
    tab = Tab(before)
    tab.watch.open((), target, tab.now)
    tab.watch.dispatched(OURS, tab.now)
    tab.shows(lambda p: p.element("alert", text="Too short"), OURS)
    tab.says(ToastShownSignal(text="Too short", level="error"), OURS)
    if gone:
        tab.shows(lambda p: p.elements.pop(), OURS)
    assert (tab.report().contradiction == "Too short") is contradicts


@pytest.mark.parametrize(
    ("name", "now", "refused"),
    [
        ("Send", "Retry", True),
        ("Envoyer", "Réessayer", True),
        ("Send", "Sent", False),
        ("Retry", "Retry now", False),
    ],
)
def test_a_control_whose_new_name_reports_a_failure_was_refused(name: str, now: str, refused: bool) -> None:
    page = Page()
    page.element("button", name)
    tab = Tab(page).acts(target="f0e1").shows(lambda made: node(made, "f0e1", name=now), OURS)
    assert tab.report().contradiction == (now if refused else None)


def test_what_a_removal_leads_to_is_no_failure() -> None:
    told = ToastShownSignal(text="Rendez-vous annulé. Le Dr Morel ne vous attend plus.", level="error")
    assert not is_error(told, "Annuler")
    assert is_error(told, "Enregistrer")
    assert is_error(ToastShownSignal(text="The booking could not be cancelled."), "Cancel")


@pytest.mark.parametrize(
    ("name", "now", "refused"),
    [
        ("CSV", "CSV again in 23 h", True),
        ("Buy", "Sold out", True),
        ("Follow", "Following", False),
        ("Add", "Add another", False),
    ],
)
def test_a_pressed_control_whose_label_puts_it_off_refuses(name: str, now: str, refused: bool) -> None:
    tab = Tab(page("", name)).acts(target="f0e2")
    assert (tab.shows(lambda p: node(p, "f0e2", name=now), OURS).report().contradiction == now) is refused


@pytest.mark.parametrize(("text", "refused"), [("Overdue since May", False), ("Could not load it", True)])
def test_a_red_text_of_the_page_that_a_link_leads_to_needs_words_of_failure(text: str, refused: bool) -> None:
    found = Page()
    found.element("link", "Invoice 12", affordances=("activate", "navigate"))
    tab = Tab(found).acts(target="f0e1")
    tab.shows(lambda p: setattr(p, "route", RouteInfo(url="http://app.test/#/12", path="/")), OURS)
    tab.says(ToastShownSignal(text=text, level="error"), OURS)
    assert (tab.report().contradiction is not None) is refused
