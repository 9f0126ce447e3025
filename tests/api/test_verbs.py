"""The verbs in Python: each sends the request of the table, and an effect that was not observed raises."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

import uiap
from tests.support.handlers import Notes
from uiap.api.open_session import start_session
from uiap.client.verbs import VERBS
from uiap.drivers.scripted import ScriptedDriver

pytestmark = pytest.mark.asyncio(loop_scope="module")
PAGE = """data:text/html,<title>t</title>
<form onsubmit="event.preventDefault(); out.textContent = 'Saved ' + this.title.value">
<label>Title <input name=title></label>
<label>Category <select><option value=a>Alpha<option value=b>Beta</select></label>
<label><input type=checkbox> Subtitles</label>
<label>Length <input type=number min=1 max=90 value=10></label>
<button>Save</button></form><p id=out role=status></p>
<button>Dead</button><button>Delete draft</button><button>Delete video</button>
<details><summary>More</summary><p>Inside</p></details>
<table><caption>Loans</caption><tr><th>Book<th>Due<tr><td>Dune<td>Monday<tr><td>Emma<td>Friday</table>
"""


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def ui() -> AsyncIterator[uiap.Ui]:
    async with uiap.open(PAGE.replace("\n", "")) as session:
        yield session


async def test_every_verb_of_the_table_is_a_method_with_its_arguments_documented():
    for name in VERBS:
        method = getattr(uiap.Ui, name)
        parameters = [one for one in inspect.signature(method).parameters if one != "self"]
        assert all(f"{one}: " in (method.__doc__ or "") for one in parameters), name


@pytest.mark.browser
async def test_fields_are_filled_by_their_names_and_read_back(ui: uiap.Ui):
    await ui.fill("Title", "321")
    await ui.select("Category", "Beta")
    await ui.check("Subtitles")
    await ui.set("Length", 12)
    saved = await ui.click("Save", expect=[uiap.status_contains("Saved 321")])
    assert saved.ok
    assert await ui.read("Category", "value") == "Beta"
    assert (await ui.uncheck("Subtitles")).side_effect_state == "applied"


@pytest.mark.browser
async def test_a_dead_button_raises_with_the_result_inside(ui: uiap.Ui):
    with pytest.raises(uiap.ActionFailed, match=r"^verification_failed: ") as raised:
        await ui.click("Dead", timeout_ms=1_000)
    assert raised.value.result.error is not None
    # it may have happened, so it is not repeated blindly
    assert (await ui.click("Dead", timeout_ms=1_000, check=False)).reason == "unsafe_retry_refused"


@pytest.mark.browser
async def test_a_name_that_fits_nothing_names_what_is_similar(ui: uiap.Ui):
    similar = "target_not_found: no element matches `Delete drafts`; similar: button “Delete draft”"
    with pytest.raises(uiap.ActionFailed, match=similar):
        await ui.click("Delete drafts", timeout_ms=500)


@pytest.mark.browser
async def test_a_name_that_fits_two_lists_the_candidates(ui: uiap.Ui):
    refused = await ui.click("Delete", check=False)
    assert refused.reason == "target_ambiguous"
    assert refused.error is not None
    assert [one["name"] for one in refused.error.detail["candidates"]] == ["Delete draft", "Delete video"]


@pytest.mark.browser
async def test_a_match_of_find_and_a_ref_are_targets_too(ui: uiap.Ui):
    found = (await ui.find("Title", role="textbox"))[0]
    assert await ui.fill(found, "by match")
    assert await ui.fill(found.instance_id, "by ref")
    assert await ui.read(found, "value") == "by ref"


@pytest.mark.browser
async def test_a_table_is_a_list_of_dictionaries(ui: uiap.Ui):
    assert await ui.table("Loans") == [
        {"Book": "Dune", "Due": "Monday"},
        {"Book": "Emma", "Due": "Friday"},
    ]
    assert await ui.table() == await ui.table("Loans")
    with pytest.raises(
        uiap.ActionFailed, match="“Title” has no rows; tables and lists of this page: table “Loans”"
    ):
        await ui.table("Title")


@pytest.mark.browser
async def test_a_begun_action_can_be_cancelled(ui: uiap.Ui):
    begun = await ui.begin("click", "Dead")
    await begun.cancel("enough")
    assert (await begun.result(check=False)).status == "cancelled"


async def test_a_verb_without_its_value_says_what_it_needs():
    closed = uiap.Ui.__new__(uiap.Ui)
    with pytest.raises(uiap.UiapError, match="fill needs a text"):
        await closed.fill("Title")


@pytest.mark.browser
async def test_several_steps_are_verified_one_by_one_and_end_at_the_first_that_is_not(ui: uiap.Ui):
    done = await ui.do("fill Title=By steps; check Subtitles; select Category=Alpha; click Save")
    assert [one.ok for one in done] == [True] * 4
    assert await ui.read("Title", "value") == await ui.text("Title") == "By steps"
    with pytest.raises(uiap.ActionFailed, match=r"^step 2 \(fill Titel\): target_not_found: ") as raised:
        await ui.do(
            [{"do": "fill", "target": "Title", "value": "x"}, {"do": "fill", "target": "Titel", "value": "y"}]
        )
    assert [one.ok for one in raised.value.results] == [True, False]  # type: ignore[attr-defined]
    assert len(await ui.do("fill Titel=x; click Save", check=False)) == 1


@pytest.mark.browser
async def test_looks_and_reads_between_the_steps_return_what_they_read(ui: uiap.Ui):
    done = await ui.do(
        "fill Title=Looks; click Save; wait text Saved Looks; find Dead; table Loans; observe Loans; wait idle"
    )
    found, rows, part = (one.return_value for one in done[3:6])
    assert found["text"].splitlines()[0].split(" ", 1)[1].startswith('button "Dead"')
    assert rows["rows"][0] == {"Book": "Dune", "Due": "Monday"}
    assert "Emma" in part["text"]
    with pytest.raises(uiap.ActionFailed, match=r"^step 1 \(find Nowhere\): target_not_found: no element"):
        await ui.do("find Nowhere; click Save")


@pytest.mark.browser
async def test_the_role_of_each_field_decides_how_a_form_is_filled_in(ui: uiap.Ui):
    await ui.fill_form({"Title": "Form", "Category": "Beta", "Subtitles": True, "Length": 30})
    assert [await ui.read(name, "value") for name in ("Title", "Category", "Length")] == ["Form", "Beta", 30]


@pytest.mark.browser
async def test_a_draft_that_does_not_last_fails_although_later_drafts_hold():
    page = (
        "data:text/html,<label>A <input id=a></label><label>B <input id=b></label>"
        "<script>b.oninput = () => { a.readOnly = true; a.value = 'reverted' }</script>"
    )
    async with uiap.open(page) as ui:
        with pytest.raises(uiap.ActionFailed, match=r"^step 1 \(fill A\): "):
            await ui.do("fill A=one; fill B=two")


async def test_the_timeout_of_a_verb_bounds_the_wait_for_a_person_and_withdraws_the_question():
    async with AsyncExitStack() as stack:
        driver = ScriptedDriver(Notes().page())
        ui = await start_session(stack, driver, rules="standard", principal="agent:bot")
        begun = await ui.begin("click", "Save")
        assert await begun.waits_for_person(10.0)
        await begun.cancel()
        assert (await ui.click("Save", timeout_ms=100, check=False)).status == "cancelled"
        assert await ui.pending() == ()
