"""A person works in a real browser, and the recording runs again with other data. Playwright plays the person."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import pytest
from msgspec import UNSET
from playwright.async_api import Page

import uiap
from tests.drivers.chromium.site import Site
from tests.drivers.playwright.browser import playwright_chromium
from tests.host.handlers.test_workflows import Videos
from uiap.api import signals
from uiap.api.open_session import start_session
from uiap.api.ui import Ui
from uiap.api.workflows import StartedRecording
from uiap.drivers.scripted import ScriptedDriver
from uiap.errors import UiapError
from uiap.host.bundles.bundle import Bundle
from uiap.host.workflows.recorded_bindings import bundle_of_run
from uiap.spec.workflow import ActionStep, WorkflowDefinition

MEMBERS = """<!doctype html><title>Members</title>
<h1>Members</h1><button id=add>Add member</button><ul id=list aria-label="Members"></ul>
<div role=status id=said></div>
<dialog id=box aria-label="New member"><form id=form>
<label>Name <input id=name></label><label>Display name <input id=display></label>
<label>Password <input type=password id=pass></label>
<label>Role <select id=role><option>Reader<option>Writer<option>Owner</select></label>
<button>Save</button></form></dialog>
<script>
const id = (name) => document.getElementById(name);
id("add").onclick = () => id("box").showModal();
id("form").onsubmit = (event) => {
  event.preventDefault();
  const item = document.createElement("li");
  item.innerHTML = "<a href=#></a> <span></span>";
  item.querySelector("a").textContent = id("name").value;
  item.querySelector("span").textContent = [id("display").value, id("pass").value.length, id("role").value].join("/");
  id("list").append(item);
  id("box").close();
  id("said").textContent = "Member " + id("name").value + " added";
};
</script>"""


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()
    site.page("/members", MEMBERS)
    yield site
    site.close()


async def add_member(page: Page, ui: Ui, name: str) -> None:
    """Add a member as a person does: with the mouse and the keyboard."""
    await page.get_by_role("button", name="Add member").click()
    assert await ui.expect([signals.dialog_opened()], timeout_ms=10_000)
    await page.get_by_label("Name", exact=True).click()
    await page.keyboard.type(name)
    await page.keyboard.press("Tab")
    await page.keyboard.type(name)
    await page.keyboard.press("Tab")
    await page.keyboard.type("s3cret!")
    await page.keyboard.press("Tab")
    await page.keyboard.press("ArrowDown")
    await page.get_by_label("Name", exact=True).focus()
    await page.keyboard.press("Enter")
    assert await ui.expect([signals.text_appeared(f"Member {name} added")], timeout_ms=10_000)


async def pick_the_member(page: Page, recording: StartedRecording) -> None:
    """Press the member that was added. While a pick waits, a press does nothing else."""
    before = await page.content()
    picking = asyncio.ensure_future(recording.pick(timeout_ms=20_000))
    while not picking.done():  # it begins at an unknown time; presses before it are recorded
        await page.get_by_role("link").first.click()
    assert await picking == "Ada Lovelace"
    assert await page.content() == before


def with_workflow(definition: WorkflowDefinition, url: str) -> Bundle:
    """Return a bundle that has the definition and its bindings."""
    bundle = bundle_of_run(definition, None, url)
    assert bundle is not None
    content = msgspec.structs.replace(bundle.content, workflows=(definition,))
    return Bundle(content, bundle.bindings, bundle.origins)


def actions(definition: WorkflowDefinition) -> list[Any]:
    steps = [one for one in definition.steps if isinstance(one, ActionStep)]
    return [(one.action_id, one.id, None if one.args is UNSET else one.args) for one in steps]


@pytest.mark.browser
async def test_a_persons_task_is_recorded_and_runs_with_other_data(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playwright_chromium() as browser, uiap.attach(await browser.new_page()) as ui:
        (page,) = browser.contexts[0].pages
        await page.goto(site.url("/members"))
        recording = await ui.workflows.record()
        await add_member(page, ui, "Ada Lovelace")
        with pytest.raises(UiapError, match="nobody pressed"):
            await recording.pick(timeout_ms=1)
        definition = await recording.peek()
        await pick_the_member(page, recording)
        (picked,) = (await recording.stop()).success or ()
        assert picked.target.name == "{{name}}"  # type: ignore[union-attr]
    assert actions(definition) == [
        ("ui.activate", "add-member", None),
        ("ui.enterText", "name", {"text": {"$param": "name"}}),
        ("ui.enterText", "display-name", {"text": {"$param": "name"}}),
        ("ui.enterText", "password", {"text": {"secret": "password"}}),
        ("ui.choose", "role", {"label": {"$param": "role"}}),
        ("ui.activate", "save", None),
    ]
    text = msgspec.json.encode(definition).decode()
    assert "s3cret" not in text and "Ada" not in text
    assert [one.kind for one in definition.success or ()] == [
        "dialog.closed",
        "element.appeared",
        "toast.contains",
    ]

    monkeypatch.setenv("UIAP_SECRET_PASSWORD", "other!")
    url = site.url("/members")
    async with uiap.open(url, bundle=with_workflow(definition, url)) as ui:
        result = await ui.run(definition.id, name='Bea "B"', role="Owner")
        assert (result.status, result.error) == ("succeeded", None)
        assert '/6/Owner"' in (await ui.observe()).outline()


LISTS = """<!doctype html><title>Order</title><main>
<p id=a>Colour</p><div role=combobox tabindex=0 id=colour aria-labelledby="a colour" aria-expanded=false
  aria-haspopup=listbox aria-controls=colours>Red</div>
<ul role=listbox id=colours hidden style="position:fixed;inset:0;background:#fff;margin:0">
  <li role=option>Red<li role=option>Green<li role=option>Blue</ul>
<h2>Size</h2><div role=combobox tabindex=0 class=box aria-expanded=false aria-haspopup=listbox>Small</div>
<div id=drop></div>
<label>Note <input id=note></label><button id=send>Send</button><div role=status id=said></div></main>
<script>
const id = (name) => document.getElementById(name), box = document.querySelector(".box");
const show = (open) => { id("colours").hidden = !open; id("colour").setAttribute("aria-expanded", open); };
id("colour").onmousedown = () => show(true);                      // the list covers the box before the click
for (const one of id("colours").children)
  one.onclick = () => { id("colour").textContent = one.textContent; show(false); };
box.onmousedown = () => {
  box.setAttribute("aria-expanded", "true");
  id("drop").innerHTML =
    "<input type=search aria-label=Find><ul role=listbox><li role=option>Small<li role=option>Large</ul>";
  for (const one of id("drop").querySelectorAll("li")) one.onmouseup = () => {  // the option is gone before the click
    box.textContent = one.textContent; id("drop").innerHTML = ""; box.setAttribute("aria-expanded", "false");
  };
};
id("send").onclick = () => {
  id("said").textContent = ["Ordered", id("colour").textContent, box.textContent, id("note").value].join(" ");
};
</script>"""


@pytest.mark.browser
async def test_choices_in_drawn_lists_are_recorded_as_choices_of_their_fields(site: Site) -> None:
    """The lists react before a click, so that no click reaches the box or the option."""
    site.page("/lists", LISTS)
    async with playwright_chromium() as browser, uiap.attach(await browser.new_page()) as ui:
        (page,) = browser.contexts[0].pages
        await page.goto(site.url("/lists"))
        recording = await ui.workflows.record()
        await page.locator("#colour").click(force=True)
        await page.get_by_role("option", name="Green").click()
        assert await ui.expect([signals.text_appeared("Green")], timeout_ms=10_000)
        await page.locator(".box").click()
        await page.get_by_role("searchbox").click()
        await page.keyboard.type("La")
        await page.get_by_role("option", name="Large").click()
        await page.get_by_label("Note").click()
        await page.keyboard.type("soon")
        await page.get_by_role("button", name="Send").click()
        assert await ui.expect([signals.text_appeared("Ordered Green Large soon")], timeout_ms=10_000)
        definition = await recording.stop()
    steps = actions(definition)
    assert [one[0] for one in steps] == ["ui.choose", "ui.choose", "ui.enterText", "ui.activate"]
    assert [one.default for one in definition.parameters or ()] == ["Green", "Large", UNSET]
    assert [one.name for one in definition.parameters or ()] == ["colour", "size", "note"]

    url = site.url("/lists")
    async with uiap.open(url, bundle=with_workflow(definition, url)) as ui:
        result = await ui.run(definition.id, colour="Blue", size="Small", note="late")
        assert (result.status, result.error) == ("succeeded", None)
        assert "Ordered Blue Small late" in (await ui.observe()).outline()


TRACKER = """<!doctype html><title>Tracker</title><main><h1>New issue</h1>
<form><table><tr><th>Title<td colspan=3><input name=title required>
<tr><th>Priority<td><select name=priority><option>wish<option>urgent</select>
<th>Status<td><select name=status><option>new<option>done</select>
<tr><th>Note<td colspan=3><textarea name=note></textarea></table><button>Submit</button></form>
<div id=said></div></main>
<script>
let count = 21;
document.forms[0].onsubmit = (event) => {
  event.preventDefault();
  const { title, priority, status } = event.target.elements;
  location.hash = "#/issue" + count++;
  document.querySelector("h1").textContent = [title.value, priority.value, status.value].join("/");
  event.target.reset();
  document.getElementById("said").innerHTML = "<div class='alert alert-success'>Issue " + count + " created</div>" +
    "<div class='alert alert-warning'>You don't have the required permission to edit it</div>";
};
</script>"""


@pytest.mark.browser
async def test_a_form_in_a_table_that_is_empty_again_and_warns_is_recorded_and_runs(site: Site) -> None:
    """The rows of the table are no records, and the address of a new record is none of the next one."""
    url = site.page("/tracker", TRACKER)
    async with playwright_chromium() as browser, uiap.attach(await browser.new_page()) as ui:
        (page,) = browser.contexts[0].pages
        await page.goto(url)
        recording = await ui.workflows.record()
        await page.locator("[name=title]").click()
        await page.keyboard.type("Rain")
        await page.locator("[name=priority]").focus()
        await page.keyboard.type("urgent")
        await page.get_by_role("button", name="Submit").click()
        definition = await recording.stop()
    success = definition.success or ()
    assert success[0] == signals.route_changed("/issue*")
    assert [one.text for one in success[1:]] == ["created"]  # type: ignore[union-attr]
    warning = "You don't have the required permission to edit it"
    assert definition.steps[-2].metadata == {"expectedMessages": [warning]}
    async with uiap.open(url, bundle=with_workflow(definition, url)) as ui:
        result = await ui.run(definition.id, title="Snow", priority="wish")
        assert (result.status, result.error) == ("succeeded", None)
        assert "Snow/wish/new" in (await ui.observe()).outline()


@pytest.mark.browser
async def test_inputs_on_a_page_that_has_just_loaded_are_recorded(site: Site) -> None:
    """A person may act before the first graph of a page was sent: the page is long, and the input comes at once."""
    filler = "".join(f"<p>Line {n} <a href=#{n}>more</a></p>" for n in range(3_000))
    second = (
        f"<!doctype html><title>B</title><select aria-label=Queue><option>Low<option>High</select>{filler}"
    )
    second += "<script>document.querySelector('select').focus()</script>"
    url = site.page("/first", "<!doctype html><title>A</title><a href=/second>Next</a>")
    site.page("/second", second)
    async with playwright_chromium() as browser, uiap.attach(await browser.new_page()) as ui:
        (page,) = browser.contexts[0].pages
        await page.goto(url)
        recording = await ui.workflows.record()
        await page.get_by_role("link", name="Next").click(no_wait_after=True)
        await page.wait_for_function("document.activeElement?.tagName === 'SELECT'")
        await page.keyboard.type("High")
        definition = await recording.stop()
    assert [one[:2] for one in actions(definition)] == [("ui.activate", "next"), ("ui.choose", "queue")]


async def test_an_agent_records_its_own_actions_and_nothing_of_a_person() -> None:
    videos = Videos()
    async with AsyncExitStack() as stack:
        driver = ScriptedDriver(videos.page())
        ui = await start_session(stack, driver, rules="standard", principal="agent:ben")
        recording = await ui.workflows.record()
        assert not recording.person
        assert await ui.act("ui.enterText", role="textbox", name="Title", args={"text": "Eve"})
        assert not await ui.act("ui.activate", role="button", name="Missing", timeout_ms=100)
        with pytest.raises(UiapError, match="only a person can pick"):
            await recording.pick()
        definition = await recording.stop()
        with pytest.raises(UiapError, match="has no recording"):
            await recording.stop()
    assert [one[:2] for one in actions(definition)] == [("ui.enterText", "title")]
