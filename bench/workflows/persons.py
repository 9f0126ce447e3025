"""The tasks of the applications, played with the mouse and the keyboard, and the rows that their servers hold."""

from __future__ import annotations

import base64
import json
import re
import threading
import urllib.request
from collections.abc import Mapping
from typing import TypeAlias

from playwright.async_api import Locator, Page

from bench.discovery_apps.app import Running

Data: TypeAlias = Mapping[str, str]
Rows: TypeAlias = list[tuple[str, ...]]


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


def ledger_rows(site: Running) -> Rows:
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


def buckets(site: Running) -> Rows:
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


def tiddlers(site: Running) -> Rows:
    """Return title, tag and shelf of the tiddlers of a person, once the page had time to save them."""
    threading.Event().wait(SAVED_S)  # nothing tells that it saved
    texts = [one.read_text("utf-8") for one in (site.folder / "wiki" / "tiddlers").glob("*.tid")]
    heads = [dict(line.split(": ", 1) for line in one.partition("\n\n")[0].splitlines()) for one in texts]
    ours = [one for one in heads if not one["title"].startswith(("$:/", "Draft of"))]
    return [(one["title"], one.get("tags", ""), one.get("shelf", "")) for one in ours]
