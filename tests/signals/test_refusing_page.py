"""Pages with status 200 that say no."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import Tab


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
        (EXPIRED, False, True, False),
        (EXPIRED, True, False, False),
        ("Enter your password to go on.", True, True, False),
    ],
)
def test_a_write_that_ends_at_a_request_to_sign_in_was_refused(
    text: str, password: bool, wrote: bool, refused: bool
) -> None:
    found = refusal(page("Sign in", password=password, text=text), wrote=wrote)
    assert found == ("Your session has expired." if refused else None)
