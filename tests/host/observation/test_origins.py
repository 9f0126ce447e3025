"""The register of origins: what a person opened, and the texts that were read on each origin."""

from __future__ import annotations

from tests.runtime.test_surroundings import element, store
from uiap.host.observation.origins import OriginRegister

SECRET = "the invoice number is 4711"


def test_the_first_page_is_what_the_person_opened() -> None:
    register = OriginRegister()
    assert register.facts("about:blank").act == ()
    assert register.facts("https://app.example/x").act == ("https://app.example",)
    assert register.facts("https://other.example/").act == ("https://app.example",)


def test_an_origin_that_was_granted_may_be_read_only() -> None:
    register = OriginRegister()
    register.open("https://app.example/")
    register.allow_reading("https://other.example/x")
    facts = register.facts("https://app.example/")
    assert (facts.act, facts.read) == (("https://app.example",), ("https://other.example",))


def test_a_text_that_was_read_on_another_origin_is_recognised() -> None:
    register = OriginRegister()
    register.remember(store(element("t", "status", SECRET)))
    here = store(element("n", "textbox", "Note", "edit"))
    assert register.source_of(f"Hello, {SECRET}!", "https://evil.example", here) == "https://app.example"
    assert register.source_of("invoice number is 4711", "https://evil.example", here) == "https://app.example"
    assert register.source_of("something else entirely", "https://evil.example", here) == ""
    assert register.source_of("4711", "https://evil.example", here) == ""
    assert register.source_of(SECRET, "https://app.example", here) == ""
