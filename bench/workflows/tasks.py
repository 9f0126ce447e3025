"""The tasks: what a person does once in each application, with which data, and what the server must hold then.

A person is played with the mouse and the keyboard. `rows` reads the application's own database or its API; it is the
judge of a replay.
"""

from __future__ import annotations

import base64
import json
import sqlite3
import urllib.request
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeAlias

from playwright.async_api import Locator, Page

from bench.discovery_apps.app import Running

Data: TypeAlias = Mapping[str, str]
Rows: TypeAlias = list[tuple[str, ...]]


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


async def choose(native_list: Locator, label: str) -> None:
    """Choose in a native list with the keyboard."""
    await native_list.focus()
    await native_list.page.keyboard.type(label)


# -- Django admin: a select, an autocomplete, a checkbox in a folded group ---------------------------------------

AUTHORS, PUBLISHERS = ("Author 03", "Author 07"), ("Limmat", "Rhone")


async def add_book(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="Books", exact=True).first.click()
    await page.get_by_role("link", name="Add book").click()
    await page.get_by_label("Title:").click()
    await page.keyboard.type(data["title"])
    await choose(page.get_by_label("Publisher:"), data["publisher"])
    await page.locator(".field-author .select2-selection").click()
    await page.keyboard.type(data["author"])
    await page.get_by_role("option", name=data["author"]).click()
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_text("was added successfully").wait_for()


# -- django-helpdesk: a long form with native lists ---------------------------------------------------------------

QUEUES, PRIORITIES = ("Support", "Repairs"), ("2. High", "4. Low", "1. Critical")


async def submit_ticket(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="New Ticket").click()
    await choose(page.get_by_label("Queue"), data["queue"])
    await page.get_by_label("Summary of the problem").click()
    await page.keyboard.type(data["summary"])
    await page.get_by_label("Description of your issue").click()
    await page.keyboard.type(data["description"])
    await choose(page.get_by_label("Priority"), data["priority"])
    await page.get_by_role("button", name="Submit Ticket").click()
    await page.get_by_role("heading", name=data["summary"]).first.wait_for()


# -- Flask-AppBuilder: drawn lists, a folding menu ----------------------------------------------------------------

GROUPS = ("Work", "Family", "Friends")


async def add_contact(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="Contacts").nth(1).click()
    await page.get_by_role("link", name="List Contacts").click()
    await page.locator("a[href*='/contactview/add']").first.click()
    await page.locator(".select2-container, .select2-selection").first.click()
    await page.locator(".select2-results li", has_text=data["group"]).click()
    await page.locator("#name").click()
    await page.keyboard.type(data["name"])
    await page.locator("#address").click()
    await page.keyboard.type(data["address"])
    await page.get_by_role("button", name="Save").click()
    await page.get_by_text("Added Row").wait_for()


# -- Optuna Dashboard: a dialog of Material UI --------------------------------------------------------------------

DIRECTIONS = ("Maximize", "Minimize")


async def create_study(page: Page, data: Data) -> None:
    await page.get_by_role("button", name="Create").click()
    await page.get_by_label("Study name").click()
    await page.keyboard.type(data["name"])
    await page.get_by_role("dialog").get_by_role("combobox").first.click()
    await page.get_by_role("option", name=data["direction"]).click()
    await page.get_by_role("dialog").get_by_role("button", name="Create").click()
    await page.get_by_role("link", name=data["name"]).wait_for()


# -- Trac: a long form in a table, written as wiki text -----------------------------------------------------------

KINDS = ("enhancement", "task", "defect")


async def create_trac_ticket(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="New Ticket").first.click()
    await page.get_by_label("Summary:").click()
    await page.keyboard.type(data["summary"])
    await choose(page.get_by_label("Type:"), data["type"])
    await page.get_by_role("button", name="Create ticket").click()
    await page.locator("#ticket").wait_for()


# -- Roundup: fields without names, told apart by the text beside them --------------------------------------------


async def create_issue(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="Create New").first.click()
    await page.locator("input[name=title]").click()
    await page.keyboard.type(data["title"])
    await choose(page.locator("select[name=priority]"), data["priority"])
    await page.locator("textarea[name='@note']").click()
    await page.keyboard.type(data["note"])
    await page.get_by_role("button", name="Submit New Entry").click()
    await page.get_by_text("created").first.wait_for()


# -- Kinto: a form that React draws from a schema ------------------------------------------------------------------


async def create_bucket(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="Create bucket").click()
    await page.get_by_label("Bucket id").click()
    await page.keyboard.type(data["id"])
    await page.get_by_role("button", name="Create bucket").click()
    await page.get_by_text("Bucket created").first.wait_for()


def _buckets(site: Running) -> Rows:
    headers = {"Authorization": "Basic " + base64.b64encode(b"admin:admin-password").decode()}
    request = urllib.request.Request(f"{site.base}/v1/buckets", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return sorted((str(one["id"]),) for one in json.load(answer)["data"])


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
    "kinto": Task(
        "kinto",
        "/v1/admin/",
        lambda n: {"id": f"bucket-{n + 101}"},
        create_bucket,
        _buckets,
        lambda data: (data["id"],),
    ),
}
