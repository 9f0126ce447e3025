"""Addresses that name an operation are recognised in any spelling, and addresses of pages are not mistaken for them."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest

from tests.discovery.safety.ordering_verbs import PAGES, orders
from uiap.policy.addresses import address_order, is_ordinary, orders_on_record, read_address

OPERATIONS = """
/items/3/delete /items?id=3&action=archive /items/3?delete=1 /items/3/%64elete /items/3/%2564elete /items/3/deleteItem
/item/deleteItem.do?id=3 /konto/löschen /items/3/loeschen /items/3/l%C3%B6schen /items/3/supprimer /#/items/3/delete
/#!/items?action=delete&id=3 /items;action=delete?id=3 /r?to=/items/3/delete /logout /users/sign_out /delete/3
/cache/clear /remove?id=17 /items?remove=17 /items?removeItem=17 /items/3/删除 /items/3/удалить /api/do/archive/3
/items/3/approve /account/deleteAccount /items/3/comments/5/remove /items/3/publish /pay/17 /delete_account.php
/items/3/DELETE /items/3/unsubscribe /items/3/sil /items/3/usun /items/3/verwijderen /items/3/eliminar
/items/3/pause /items/3/add-to-cart /items/3/mark-as-read https://app.test/items/3/delete?return=/items
/items/3/წაშლა #delete #deleteModal /tickets/9/close /orders/3/cancel /pedidos/4/cancelar /注文/3/キャンセル
""".split()  # noqa: SIM905
PLACES = """
/archive/2024/05 /archive /posts/3 /orders/3 /book/47/ /blog/how-to-delete-a-file /users/3/edit /users/3/change/
/password/reset /accounts/password/reset/ /issues?state=closed /issues/new?project=3 /cart /releases/tag/v1.2
/releases/3 /notifications /w/index.php?title=Home&action=history /trash /items/deleted /search?q=delete+account
/items?order=desc&o=1 /admin/auth/user/3/change/ /admin/auth/user/add/ /items/3/comments/5 /help/cancel-order /reports/3
/blocks/12 /users/3/posts /jobs/3/log /stop-words /billing /subscriptions/3 /pull/3/commits /invoice/3 /transfers/3
/messages/3 /settings/security /updates?page=2 /jobs/3/builds/7/console /login?next=/admin/ /photos/3/download
/orders/3/invoice /users/3/followers /tickets/3/attachments /order/47 /post/3 /tag/3 /accounts/3/statement
/export?format=csv&id=3 /articles/2024/05/12/judge-orders-ban /orders/3/payment /orders/3/tracking
#top #step-2 #comments history:back
/posts/3/ქართული-სათაური /news/archive?month=5
""".split()  # noqa: SIM905


@pytest.mark.parametrize("address", OPERATIONS)
def test_an_address_with_an_operation_orders_it(address: str) -> None:
    assert address_order(address) is not None


@pytest.mark.parametrize("address", [*PLACES, *PAGES.values()])
def test_an_address_of_a_page_orders_nothing(address: str) -> None:
    assert address_order(address) is None


@pytest.mark.parametrize(
    "address", ["/api/v1/items/3:cancel", "/items?op=rm", "/x.php?id=3&mode=del", "/x?del=3"]
)
def test_a_verb_after_a_record_and_the_words_of_a_shell_are_operations(address: str) -> None:
    assert address_order(address) is not None
    for page in ("/time/12:30", "/a:b", "/docs?lang=del", "/x?mode=edit", "/items/3:"):
        assert address_order(page) is None, page


@pytest.mark.parametrize(
    ("shape", "missed_at_most"),
    [("/items/17/{0}", 10), ("/items?id=17&action={0}", 2), ("/items/17?{0}=1", 6), ("/items/{0}?id=17", 10)],
)
def test_words_of_thirteen_languages_are_operations_on_a_record(shape: str, missed_at_most: int) -> None:
    """A few slugs of several words order nothing by their single words."""
    slugs = [re.sub(r"\W+", "-", label.lower()).strip("-") for label in orders()]
    missed = [one for one in slugs if address_order("http://a.test" + shape.format(quote(one))) is None]
    assert len(slugs) > 350 and len(missed) <= missed_at_most, missed


@pytest.mark.parametrize("address", ["http://[::1/items/3/delete", "x" * 10_000, "/" * 5_000, "%", "//", ""])
def test_a_broken_address_is_read_without_an_error(address: str) -> None:
    address_order(address)
    read_address(address)


def test_only_ordinary_operations_are_ordinary() -> None:
    ordinary = {
        path: address_order(path) for path in ("/items/3/save", "/items/3/approve", "/items/3/delete")
    }
    assert {path: order is not None and is_ordinary(order) for path, order in ordinary.items()} == {
        "/items/3/save": True,
        "/items/3/approve": False,
        "/items/3/delete": False,
    }


@pytest.mark.parametrize(
    ("label", "address", "orders_it"),
    [
        ("Approve", "/x/17", True),
        ("Save", "/x?id=17", True),
        ("Freigeben", "/x/17", True),
        ("Approve", "/help", False),
        ("Edit", "/x/17", False),
        ("Orders", "/x/17", False),
        ("Order history", "/x/17", False),
        ("Saved the day in overtime", "/news/17", False),
    ],
)
def test_a_short_label_that_orders_counts_with_the_record_of_its_address(
    label: str, address: str, orders_it: bool
) -> None:
    assert orders_on_record(label, address) is orders_it
