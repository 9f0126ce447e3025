"""The tasks: what a person does once in each application, with which data, and what the server must hold then.

A person is played with the mouse and the keyboard. `rows` reads the application's own database or its API; it is the
judge of a replay.
"""

from __future__ import annotations

import base64
import json
import re
import sqlite3
import threading
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


# -- I Hate Money: a form with check boxes, and a form beside the list that it changes -----------------------------

PEOPLE = ("Ada", "Cora", "Bela")


async def add_bill(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="Add a new bill").click()
    await page.wait_for_load_state()  # a script of the page moves the focus
    await page.get_by_label("What?").click()
    await page.keyboard.type(data["what"])
    await choose(page.get_by_label("Who paid?"), data["payer"])
    await page.get_by_label("How much?").click()
    await page.keyboard.type(data["amount"])
    await page.get_by_role("button", name="Submit", exact=True).click()
    await page.get_by_role("cell", name=data["what"]).wait_for()


async def add_participant(page: Page, data: Data) -> None:
    await page.get_by_placeholder("Add participant").click()
    await page.keyboard.type(data["name"])
    await page.get_by_role("button", name="Add", exact=True).click()
    await page.get_by_role("cell", name=data["name"]).first.wait_for()


def first_names(n: int) -> str:
    """Return another name of a person for each run."""
    return f"{('Emil', 'Zoë', 'Jörg', 'Mia', 'Tom')[n % 5]}{chr(ord('a') + n % 26)} {n}"


# -- Fava: dialogs of Svelte, fields that suggest, rows that grow ------------------------------------------------

SPENT, PAID = ("Expenses:Food", "Expenses:Rent"), ("Assets:Cash", "Assets:Bank")


async def suggest(page: Page, field: Locator, text: str) -> None:
    """Type into a field, and take what it suggests."""
    await field.click()
    await page.keyboard.type(text.partition(":")[2])
    await page.get_by_role("option").filter(has_text=text).first.click()


async def add_transaction(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="+").click()
    dialog = page.locator("dialog")
    await dialog.get_by_placeholder("Payee").click()
    await page.keyboard.type(data["payee"])
    await dialog.get_by_placeholder("Narration").click()
    await page.keyboard.type(data["narration"])
    await suggest(page, dialog.get_by_placeholder("Account").first, data["spent"])
    await dialog.get_by_placeholder("Amount").first.click()
    await page.keyboard.type(data["amount"])
    await suggest(page, dialog.get_by_placeholder("Account").nth(1), data["paid"])
    await dialog.get_by_role("button", name="Save").click()
    await page.get_by_text("Stored 1 entries").wait_for()


async def add_note(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="+").click()
    dialog = page.locator("dialog")
    await dialog.get_by_role("button", name="Note").click()
    await suggest(page, dialog.get_by_placeholder("Account"), data["account"])
    await dialog.get_by_placeholder("Comment").click()
    await page.keyboard.type(data["comment"])
    await dialog.get_by_role("button", name="Save").click()
    await page.get_by_text("Stored 1 entries").wait_for()


def _ledger(site: Running) -> Rows:
    """Return the transactions and notes of the ledger without their dates."""
    text = (site.folder / "book.beancount").read_text()
    notes = re.findall(r'^\d{4}-\d\d-\d\d note (\S+) "(.*)"$', text, re.MULTILINE)
    found = re.findall(r'^\d{4}-\d\d-\d\d \* "(.*?)" "(.*)"\n((?:[ \t]+\S.*\n?)+)', text, re.MULTILINE)
    bookings = ((payee, narration, *postings.split()) for payee, narration, postings in found)
    return [*notes, *bookings]


# -- Wagtail: a menu that slides in, forms in panels ---------------------------------------------------------------


async def add_collection(page: Page, data: Data) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("link", name="Collections").click()
    await page.get_by_role("link", name="Add a collection").first.click()
    await page.get_by_label("Name*").click()
    await page.keyboard.type(data["name"])
    await choose(page.get_by_label("Parent*"), data["parent"])
    await page.get_by_role("button", name="Create").click()
    await page.get_by_text("created").first.wait_for()


async def add_redirect(page: Page, data: Data) -> None:
    await page.get_by_role("button", name="Settings").click()
    await page.get_by_role("link", name="Redirects").click()
    await page.get_by_role("link", name="Add redirect").first.click()
    await page.get_by_label("Redirect from*").click()
    await page.keyboard.type(data["from"])
    await page.get_by_label("Redirect to any URL").click()
    await page.keyboard.type(data["to"])
    await page.get_by_role("button", name="Create").click()
    await page.get_by_text("added").first.wait_for()


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


# -- Piccolo Admin: forms of Vue behind a hash router, fields without programmatic labels ----------------------------


async def add_film(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="film", exact=True).click()
    await page.get_by_role("link", name="Add Row").click()
    await page.locator("input[name=title]").click()
    await page.keyboard.type(data["title"])
    await page.locator("input[name=year]").click(click_count=3)
    await page.keyboard.type(data["year"])
    await choose(page.locator("select[name=restored]"), data["restored"])
    await page.get_by_role("button", name="Create").click()
    await page.get_by_text("Successfully added row").wait_for()


async def add_director(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="director", exact=True).click()
    await page.get_by_role("link", name="Add Row").click()
    await page.locator("input[name=name]").click()
    await page.keyboard.type(data["name"])
    await page.locator("input[name=country]").click()
    await page.keyboard.type(data["country"])
    await page.get_by_role("button", name="Create").click()
    await page.get_by_text("Successfully added row").wait_for()


# -- Bukuserver: a form in a dialog of Bootstrap, read from the server ------------------------------------------------


async def add_bookmark(page: Page, data: Data) -> None:
    await page.get_by_role("link", name="Create").click()
    await page.get_by_label("URL").click()
    await page.keyboard.type(data["url"])
    await page.get_by_label("Title").click()
    await page.keyboard.type(data["title"])
    await page.get_by_label("Description").click()
    await page.keyboard.type(data["description"])
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("cell", name=data["description"]).wait_for()


SAVED_S = 3.0


# -- TiddlyWiki: an editor with a frame, saved after a while ----------------------------------------------------------


async def add_tiddler(page: Page, data: Data) -> None:
    await page.get_by_role("button", name="new tiddler").click()
    editor = page.get_by_role("region", name="Editor")
    await editor.get_by_placeholder("tag name").click()
    await page.keyboard.type(data["tag"])
    await editor.get_by_role("button", name="add", exact=True).first.click()
    await editor.locator("input.tc-titlebar").click(click_count=3)
    await page.keyboard.type(data["title"])
    await editor.get_by_placeholder("field name").click()
    await page.keyboard.type(data["field"])
    await editor.get_by_placeholder("field value").click()
    await page.keyboard.type(data["shelf"])
    await editor.get_by_role("button", name="add", exact=True).last.click()
    await editor.get_by_role("button", name="Confirm changes").click()
    await page.get_by_role("heading", name=data["title"]).wait_for()


def _tiddlers(site: Running) -> Rows:
    """Return title, tag and shelf of the tiddlers of a person, once the page had time to save them."""
    threading.Event().wait(SAVED_S)  # nothing tells that it saved
    texts = [one.read_text("utf-8") for one in (site.folder / "wiki" / "tiddlers").glob("*.tid")]
    heads = [dict(line.split(": ", 1) for line in one.partition("\n\n")[0].splitlines()) for one in texts]
    ours = [one for one in heads if not one["title"].startswith(("$:/", "Draft of"))]
    return [(one["title"], one.get("tags", ""), one.get("shelf", "")) for one in ours]


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
        _ledger,
        lambda data: (data["payee"], data["narration"], data["spent"], *data["amount"].split(), data["paid"]),
    ),
    "fava_note": Task(
        "fava_book",
        "/household/income_statement/",
        lambda n: {"account": (*SPENT, *PAID)[n % 4], "comment": words(n)},
        add_note,
        _ledger,
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
        _tiddlers,
        lambda data: (data["title"], data["tag"], data["shelf"]),
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
