"""The tasks: what a person does once in each application, with which data, and what the server must hold then.

A person is played with the mouse and the keyboard. `rows` reads the application's own database or its API; it is the
judge of a replay.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from playwright.async_api import Page

from bench.discovery_apps.app import Running
from bench.workflows.persons import (
    AUTHORS,
    DIRECTIONS,
    GROUPS,
    KINDS,
    PAID,
    PEOPLE,
    PRIORITIES,
    PUBLISHERS,
    QUEUES,
    SPENT,
    Data,
    Rows,
    add_bill,
    add_book,
    add_bookmark,
    add_collection,
    add_contact,
    add_director,
    add_film,
    add_note,
    add_participant,
    add_redirect,
    add_tiddler,
    add_transaction,
    buckets,
    create_bucket,
    create_issue,
    create_study,
    create_trac_ticket,
    first_names,
    ledger_rows,
    submit_ticket,
    tiddlers,
)


class Task(NamedTuple):
    app: str
    """The application in `bench.discovery_apps`."""
    start: str
    """The address where the person begins."""
    data: Callable[[int], Data]
    """The values of run N. Run 0 is the recording."""
    person: Callable[[Page, Data], Awaitable[None]]
    rows: Callable[[Running], Rows]
    """All rows that the task may change."""
    row: Callable[[Data], tuple[str, ...]]
    """The row that the task adds."""


def sql(database: str, query: str) -> Callable[[Running], Rows]:
    """Return a reader of a SQLite database."""

    def read(site: Running) -> Rows:
        connection = sqlite3.connect(f"file:{site.folder / database}?mode=ro", uri=True)
        try:
            return [
                tuple("" if one is None else str(one) for one in row) for row in connection.execute(query)
            ]
        finally:
            connection.close()

    return read


TITLES = ("The Quiet Roof", "Rain in May", "A Shed of One's Own", "Moss & Stone", "Ten Nails", "Übergang")


def words(n: int) -> str:
    """Return another text for each run: with quotes, umlauts and signs that a query or a pattern must not see."""
    return f"{TITLES[n % len(TITLES)]} {n + 101}"


TASKS: dict[str, Task] = {
    "django_admin": Task(
        "django_admin",
        "/admin/",
        lambda n: {"title": words(n), "publisher": PUBLISHERS[n % 2], "author": AUTHORS[n % 2]},
        add_book,
        sql(
            "library.sqlite3",
            "select b.title, p.name, a.name from library_book b join library_author a on a.id = b.author_id "
            "left join library_publisher p on p.id = b.publisher_id",
        ),
        lambda data: (data["title"], data["publisher"], data["author"]),
    ),
    "flask_appbuilder": Task(
        "flask_appbuilder",
        "/",
        lambda n: {"group": GROUPS[n % 3], "name": words(n), "address": f"Lane {n} B"},
        add_contact,
        sql(
            "instance/contacts.sqlite3",
            "select c.name, c.address, g.name from contact c join contact_group g on g.id = c.group_id",
        ),
        lambda data: (data["name"], data["address"], data["group"]),
    ),
    "helpdesk": Task(
        "helpdesk",
        "/dashboard/",
        lambda n: {
            "queue": QUEUES[n % 2],
            "summary": words(n),
            "description": f"It began {n} days ago.",
            "priority": PRIORITIES[n % 3],
        },
        submit_ticket,
        sql(
            "desk.sqlite3",
            "select q.title, t.title, t.description, t.priority from helpdesk_ticket t "
            "join helpdesk_queue q on q.id = t.queue_id",
        ),
        lambda data: (data["queue"], data["summary"], data["description"], data["priority"][0]),
    ),
    "optuna": Task(
        "optuna",
        "/dashboard",
        lambda n: {"name": f"study-{n + 101}", "direction": DIRECTIONS[n % 2]},
        create_study,
        sql(
            "studies.sqlite3",
            "select s.study_name, lower(d.direction) from studies s join study_directions d using (study_id)",
        ),
        lambda data: (data["name"], data["direction"].lower()),
    ),
    "trac": Task(
        "trac",
        "/",
        lambda n: {"summary": words(n), "type": KINDS[n % 3]},
        create_trac_ticket,
        sql("env/db/trac.db", "select summary, type from ticket"),
        lambda data: (data["summary"], data["type"]),
    ),
    "roundup": Task(
        "roundup",
        "/",
        lambda n: {"title": words(n), "priority": ("urgent", "wish")[n % 2], "note": f"Seen {n} times."},
        create_issue,
        sql(
            "tracker/db/db",
            "select i._title, p._name from _issue i left join _priority p on p.id = i._priority",
        ),
        lambda data: (data["title"], data["priority"]),
    ),
    "ihatemoney_bill": Task(
        "ihatemoney",
        "/trip/",
        lambda n: {"what": words(n), "payer": PEOPLE[n % 3], "amount": f"{n + 11}.50"},
        add_bill,
        sql(
            "money.sqlite3",
            "select b.what, p.name, round(b.amount, 2), (select count(*) from billowers o where o.bill_id = b.id) > 0 "
            "from bill b join person p on p.id = b.payer_id",
        ),
        lambda data: (data["what"], data["payer"], data["amount"].removesuffix("0"), "1"),
    ),
    "ihatemoney_participant": Task(
        "ihatemoney",
        "/trip/",
        lambda n: {"name": first_names(n)},
        add_participant,
        sql("money.sqlite3", "select name, project_id from person"),
        lambda data: (data["name"], "trip"),
    ),
    "fava_transaction": Task(
        "fava_book",
        "/household/income_statement/",
        lambda n: {
            "payee": f"Shop {n + 1}",
            "narration": words(n),
            "spent": SPENT[n % 2],
            "amount": f"{n + 3}.25 EUR",
            "paid": PAID[n // 2 % 2],
        },
        add_transaction,
        ledger_rows,
        lambda data: (data["payee"], data["narration"], data["spent"], *data["amount"].split(), data["paid"]),
    ),
    "fava_note": Task(
        "fava_book",
        "/household/income_statement/",
        lambda n: {"account": (*SPENT, *PAID)[n % 4], "comment": words(n)},
        add_note,
        ledger_rows,
        lambda data: (data["account"], data["comment"]),
    ),
    "wagtail_collection": Task(
        "wagtail",
        "/admin/",
        lambda n: {"name": words(n), "parent": "Root"},
        add_collection,
        sql("db.sqlite3", "select name, depth from wagtailcore_collection"),
        lambda data: (data["name"], "2"),
    ),
    "wagtail_redirect": Task(
        "wagtail",
        "/admin/",
        lambda n: {"from": f"/old/page-{n}/", "to": f"https://example.test/new/{n}"},
        add_redirect,
        sql("db.sqlite3", "select old_path, redirect_link, is_permanent from wagtailredirects_redirect"),
        lambda data: (data["from"].rstrip("/"), data["to"], "1"),
    ),
    "piccolo_film": Task(
        "piccolo",
        "/",
        lambda n: {"title": words(n), "year": str(1950 + n), "restored": ("True", "False")[n % 2]},
        add_film,
        sql("films.sqlite3", "select title, year, restored from film"),
        lambda data: (data["title"], data["year"], str(int(data["restored"] == "True"))),
    ),
    "piccolo_director": Task(
        "piccolo",
        "/",
        lambda n: {"name": first_names(n), "country": ("Chile", "Mali", "Japan")[n % 3]},
        add_director,
        sql("films.sqlite3", "select name, country from director"),
        lambda data: (data["name"], data["country"]),
    ),
    "buku": Task(
        "buku",
        "/bookmark/",
        lambda n: {
            "url": f"http://shop-{n}.example/list",
            "title": words(n),
            "description": f"Seen on day {n + 1}.",
        },
        add_bookmark,
        sql("bookmarks.db", "select url, metadata, desc from bookmarks"),
        lambda data: (data["url"], data["title"], data["description"]),
    ),
    "tiddlywiki": Task(
        "tiddlywiki",
        "/",
        lambda n: {
            "tag": ("wood", "iron", "glass")[n % 3],
            "title": words(n),
            "field": "shelf",
            "shelf": f"Row {n + 11}",
        },
        add_tiddler,
        tiddlers,
        lambda data: (data["title"], data["tag"], data["shelf"]),
    ),
    "kinto": Task(
        "kinto",
        "/v1/admin/",
        lambda n: {"id": f"bucket-{n + 101}"},
        create_bucket,
        buckets,
        lambda data: (data["id"],),
    ),
}
