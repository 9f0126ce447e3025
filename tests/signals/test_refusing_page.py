"""Pages with status 200 that say no."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab


def page(heading: str, path: str = "/next", links: int = 2, password: bool = False, text: str = "") -> Page:
    made = Page(path=path)
    made.element("region", text=text)
    made.element("label", heading, metadata={"level": 1})
    for number in range(links):
        made.element("link", f"Link {number}")
    if password:
        made.element("textbox", "Password", state={"obscured": True})
    return made


def refusal(
    after: Page, *, wrote: bool = False, target: str = "Statistics", before: str = "Start"
) -> str | None:
    first = page(before, "/")
    first.element("link", target, instance_id="target")
    return Tab(first).acts(target="target").loads(after).report(navigating=True, wrote=wrote).contradiction


@pytest.mark.parametrize(
    ("heading", "refused"),
    [
        ("Oops! Something went wrong", True), ("404", True), ("Page not found", True), ("Internal server error", True),
        ("Access denied", True), ("Interner Serverfehler", True), ("Seite nicht gefunden", True), ("Erreur 500", True),
        ("Statistics", False), ("Why deployments fail", False), ("Terrors of the deep", False),
        ("500 ways to cook rice", False), ("500: Server Error", True), ("How we fixed the error", False),
    ],
)  # fmt: skip
def test_a_page_whose_heading_is_an_error_refuses(heading: str, refused: bool) -> None:
    assert refusal(page(heading)) == (heading if refused else None)


def test_it_does_not_if_it_was_there_before_or_was_asked_for_or_the_page_has_content() -> None:
    assert refusal(page("Error codes"), target="Error codes") is None
    assert refusal(page("Error log"), before="Error log") is None
    assert refusal(page("Error log", links=30)) is None


EXPIRED = "Your session has expired. Please sign in again to continue."


@pytest.mark.parametrize(
    ("text", "password", "wrote", "refused"),
    [
        (EXPIRED, True, True, True),
        (EXPIRED, False, True, True),
        (EXPIRED, True, False, False),
        ("Enter your password to go on.", True, True, False),
    ],
)
def test_a_write_that_ends_at_a_request_to_sign_in_was_refused(
    text: str, password: bool, wrote: bool, refused: bool
) -> None:
    found = refusal(page("Sign in", password=password, text=text), wrote=wrote)
    assert found == ("Your session has expired." if refused else None)


def form(text: str = "", button: str = "Send") -> Page:
    made = Page()
    made.element("region", text=f"Holidays {text}")
    made.element("button", button, instance_id="target")
    return made


@pytest.mark.parametrize(
    ("after", "wrote", "refused"),
    [
        (form("Two are away. Please choose another date."), True, "Please choose another date."),
        (form("Two are away. Please choose another date."), False, None),
        (form("Your request was sent."), True, None),
        (form("Your manager is away."), True, "Holidays Your manager is away."),
        (form("Your manager knows 2 dates."), True, None),
        (form("Please choose another date.", button="Print"), True, "Holidays Please choose another date."),
    ],
)
def test_a_page_that_answers_a_write_without_a_word_of_success_refuses(
    after: Page, wrote: bool, refused: str | None
) -> None:
    tab = Tab(form()).acts(target="target").loads(after)
    assert tab.report(navigating=True, wrote=wrote).contradiction == refused


@pytest.mark.parametrize(
    ("target", "mail", "refused"),
    [
        ("Publish", False, True),
        ("Log out", False, False),
        ("Publish", True, False),
        ("Créer un compte", False, False),
    ],
)
def test_a_write_that_leads_to_a_form_for_a_name_and_a_password_was_refused(
    target: str, mail: bool, refused: bool
) -> None:
    first = form(button=target)
    if mail:
        first.element("textbox", "E-mail")
    after = page("Welcome back", password=True)
    after.element("textbox", "Name")
    tab = Tab(first).acts(target="target").loads(after)
    found = tab.report(navigating=True, wrote=True).contradiction
    assert found == ("it led to a page that asks to sign in: Welcome back" if refused else None)


@pytest.mark.parametrize(("button", "refused"), [("Send", True), ("Print", False)])
def test_a_frame_that_offers_the_control_again_and_says_no_refuses(button: str, refused: bool) -> None:
    first = Page()
    first.element("region", text="Holidays")
    first.element("button", "Send", instance_id="target")
    tab = Tab(first).acts(target="target")

    def loads_again(made: Page) -> None:
        made.elements.clear()
        made.element("region", text="Holidays. Please choose another date.", instance_id="f1e1")
        made.element("button", button, instance_id="f1e2")

    found = tab.shows(loads_again, OURS).report(wrote=True).contradiction
    assert found == ("Please choose another date." if refused else None)


def test_a_page_that_is_the_same_but_for_a_sentence_that_limits_refuses() -> None:
    words = "Holidays in August need a second approver."
    tab = Tab(form()).acts(target="target").loads(form(words))
    assert words in (tab.report(navigating=True, wrote=True).contradiction or "")
    grown = form(words)
    grown.element("row", text="3 August")
    tab = Tab(form()).acts(target="target").loads(grown)
    assert tab.report(navigating=True, wrote=True).contradiction is None


@pytest.mark.parametrize(
    ("buttons", "target", "refused"),
    [
        (("Try Plus", "Not now"), "Add calendar", True),
        (("Upgrade", "Maybe later"), "Add calendar", True),
        (("Try Plus",), "Add calendar", False),
        (("Try Plus", "Not now"), "Try Plus", False),
    ],
)
def test_an_offer_in_place_of_what_was_asked_refuses(
    buttons: tuple[str, ...], target: str, refused: bool
) -> None:
    made = Page()
    made.element("button", target)

    def offers(made: Page) -> None:
        made.elements = []
        made.element("label", "Two are better than one", metadata={"level": 1}, instance_id="f0e7")
        for number, name in enumerate(buttons, 8):
            made.element("button", name, instance_id=f"f0e{number}")

    said = Tab(made).acts(target="f0e1").shows(offers, OURS).report(wrote=True).contradiction
    assert (said or "").endswith("Two are better than one") is refused


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("text", "refused"),
    [('{"detail": "CSRF token missing or incorrect."}', True), ('{"id": 7, "title": "Great shop"}', False)],
)
def test_an_answer_that_the_browser_shows_as_it_came_refuses(text: str, refused: bool) -> None:
    after = Page(path="/do")
    after.element("region", text=text)
    assert (refusal(after, wrote=True) is not None) is refused


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("target", "refused"), [("Create board", True), ("Compare plans", False), ("Create account", False)]
)
def test_a_page_with_plans_to_buy_refuses_what_was_asked(target: str, refused: bool) -> None:
    after = page("Choose a plan", text="Free workspaces hold three boards.")
    after.element("button", "Choose Plus")
    assert (refusal(after, wrote=True, target=target) is not None) is refused


def test_a_farewell_is_no_error() -> None:
    assert refusal(page("Sorry to see you go"), wrote=True, target="Unsubscribe") is None
