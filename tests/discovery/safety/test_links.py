"""Links that order something are recognised by label and address; links to pages are not mistaken for them."""

from __future__ import annotations

import re

import pytest

from tests.discovery.safety.ordering_verbs import PAGES, orders
from uiap.discovery.safety.links import link_order, opens_form

BASE = "http://app.test"
SHAPES = ("/items/17/{0}", "/do/17", "/{0}/17", "/items?id=17&action={0}", "/go", "/{0}")


def slug(label: str) -> str:
    return re.sub(r"\W+", "-", label.lower()).strip("-")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.requirement("DISC-8.2", "DISC-13.1")
def test_no_ordering_link_counts_as_a_page(shape: str) -> None:
    followed = [one for one in orders() if link_order(one, BASE + shape.format(slug(one))) is None]
    assert len(orders()) > 350 and followed == []


@pytest.mark.parametrize(("label", "path"), PAGES.items())
def test_a_link_to_a_page_orders_nothing(label: str, path: str) -> None:
    assert link_order(label, BASE + path) is None


@pytest.mark.parametrize(
    "path",
    [
        "/logout",
        "/items/3/delete",
        "/do?action=remove",
        "/users/sign_out",
        "/x/3/frobnicate",
        "/frobnicate/3",
    ],
)
def test_an_address_alone_can_order(path: str) -> None:
    assert link_order("Frobnicate", BASE + path) is not None


@pytest.mark.parametrize("label", ["Invite people", "Insert", "Rename", "Benutzer einladen", "Inviter"])
def test_a_verb_that_needs_an_entry_leads_to_its_form_unless_the_address_names_a_record(label: str) -> None:
    word = slug(label).partition("-")[0]
    assert link_order(label, f"{BASE}/trip/{word}") is None
    assert link_order(label, f"{BASE}/trips/17/{word}") is not None


def test_a_link_to_make_a_new_thing_leads_to_its_form() -> None:
    assert link_order("Start a new project", f"{BASE}/projects/create") is None
    assert link_order("New book", f"{BASE}/book/create") is None
    assert link_order("Start a new deployment", f"{BASE}/deployments/17/create") is not None
    assert link_order("Start a new project", f"{BASE}/projects/start") is not None
    assert link_order("Mark as new", f"{BASE}/mails/mark/new") is not None
    assert link_order("Start a new backup now", f"{BASE}/backups/create") is not None
    assert link_order("Buy a new lamp", f"{BASE}/lamps/create") is not None


def test_an_edit_link_to_an_update_of_a_record_leads_to_its_form() -> None:
    assert link_order("Edit", f"{BASE}/items/update/17") is None
    assert link_order("Update", f"{BASE}/items/update/17") is not None
    assert link_order("Edit", f"{BASE}/items/17/reset") is not None


@pytest.mark.parametrize(
    "label", ["Resend invite", "Invite all", "Insert now", "Rename and delete", "Delete comment"]
)
def test_a_verb_that_needs_an_entry_does_not_hide_another_order(label: str) -> None:
    assert link_order(label, f"{BASE}/trip/go") is not None


@pytest.mark.parametrize("label", ["Post", "Order", "Message", "Release", "Transfer"])
def test_a_word_that_names_a_thing_leads_to_its_page_in_a_menu_only(label: str) -> None:
    path = f"{BASE}/admin/{label.lower()}/"
    assert link_order(label, path, in_menu=True) is None
    assert link_order(label, path + "17/", in_menu=True) is not None


def test_an_entry_of_a_menu_that_names_a_place_may_lead_to_its_form() -> None:
    path = f"{BASE}/backups/create"
    assert link_order("Backups", path, in_menu=True) is None
    assert link_order("Backups", path) is not None
    assert link_order("Create backup now", path, in_menu=True) is not None
    assert link_order("Backups", f"{BASE}/backups/17/create", in_menu=True) is not None


@pytest.mark.parametrize("value", ["history", "edit", "view", "raw"])
def test_an_operation_that_shows_a_page_is_no_order(value: str) -> None:
    assert link_order("Wiki page", f"{BASE}/index?title=Home&action={value}") is None


@pytest.mark.parametrize(
    ("label", "url", "follows"),
    [
        ("Take", "/tickets/24/?take", False),
        ("Assign this to me", "/tickets/24/?take", False),
        ("Take", "/tickets/24/?take=1", False),
        ("Clean", "/cache?purge=1", False),
        ("Next", "/tickets/?p=1", True),
        ("Newest first", "/tickets/24/?desc=1", True),
        ("History", "/tickets/24/?history", True),
        ("Details", "/tickets/24/?tab=1", True),
    ],
)
def test_a_parameter_that_is_only_switched_on_can_order_something(
    label: str, url: str, follows: bool
) -> None:
    assert (link_order(label, f"http://app.test{url}") is None) is follows


@pytest.mark.parametrize(
    ("label", "opens"),
    [
        ("New", True),
        ("Create", True),
        ("Add user", True),
        ("Create new report", True),
        ("Rename study", True),
        ("Add to cart", False),
        ("Create and send", False),
        ("Delete", False),
        ("Users", False),
    ],
)
def test_a_button_opens_a_form_if_it_names_only_the_thing(label: str, opens: bool) -> None:
    assert opens_form(label) is opens


def test_no_order_opens_a_form() -> None:
    assert not [label for label in orders() if opens_form(label)]


@pytest.mark.parametrize(
    ("page", "label", "path", "follows"),
    [
        ("/library/book/", "Book 47", "/library/book/47/change/", True),
        ("/library/book/", "2", "/library/book/?page=2", True),
        ("/library/book/", "History", "/library/book/47/history/", True),
        ("/library/book/", "Book", "/library/book/47/", False),
        ("/library/book/", "Delete", "/library/book/47/delete/", False),
        ("/library/book/", "Cancel", "/library/book/47/cancel/", False),
        ("/rooms/", "Room 3", "/rooms/3/book/", False),
        ("/", "Room 3", "/book/3/", False),
        ("/shop/order/3/", "Ship order 3", "/shop/order/3/ship/", False),
    ],
)
@pytest.mark.requirement("DISC-8.2")
def test_the_address_of_the_page_itself_orders_nothing(
    page: str, label: str, path: str, follows: bool
) -> None:
    assert (link_order(label, BASE + path, page=BASE + page) is None) is follows


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.requirement("DISC-8.2", "DISC-13.1")
def test_no_ordering_link_counts_as_a_page_on_a_page_of_the_same_place(shape: str) -> None:
    page = BASE + shape.split("{")[0]
    followed = [one for one in orders() if link_order(one, BASE + shape.format(slug(one)), page=page) is None]
    assert followed == []
