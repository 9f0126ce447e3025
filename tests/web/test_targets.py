"""Targets made by style or a listener, scrollable areas, and elements beyond the cap."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

STYLE = "<style>.press{cursor:pointer}.pane{overflow:auto;height:50px}</style>"


def custom(tab: Tab, kind: str) -> list[dict[str, Any]]:
    return [e for e in tab.graph["elements"].values() if e.get("customRole") == kind]


async def test_an_element_with_its_own_pointer_cursor_is_a_target_with_a_name(tab: Tab) -> None:
    await tab.load(f"{STYLE}<div class=press>Open <b>menu</b></div><div>plain</div>")
    (found,) = custom(tab, "x.clickable")
    assert (found["name"], found["affordances"], found["source"]) == (
        "Open menu",
        ["read", "activate"],
        "heuristic",
    )


async def test_an_inherited_pointer_cursor_makes_no_target(tab: Tab) -> None:
    await tab.load(
        f"{STYLE}<section class=press><div class=press><span class=x>deep</span></div></section>"
        "<a href=/ ><span class=press>in a link</span></a><label class=press>Name <input></label>"
    )
    assert [found.get("text") for found in custom(tab, "x.clickable")] == [None]
    assert custom(tab, "x.clickable")[0]["name"] == "deep"


async def test_a_large_clickable_card_keeps_its_text_and_its_separate_controls(tab: Tab) -> None:
    await tab.load(f"{STYLE}<div class=press data-id=v7>Holiday <button>Delete</button></div>")
    (card,) = custom(tab, "x.clickable")
    assert "name" not in card and card["text"] == "Holiday"
    assert card["metadata"]["record"] == tab.found("button")["metadata"]["record"]


async def test_clickable_rows_have_the_activate_affordance(tab: Tab) -> None:
    await tab.load(
        f"{STYLE}<style>tbody tr{{cursor:pointer}}</style><table><tbody><tr><td>Ann</td></tr></tbody></table>"
    )
    assert tab.found("row")["affordances"] == ["read", "activate"]


async def test_a_pointer_cursor_that_changes_is_followed(tab: Tab) -> None:
    await tab.load(f"{STYLE}<div id=a>Pick me</div>")
    await tab.evaluate("a.className = 'press'")
    await tab.settle()
    assert len(custom(tab, "x.clickable")) == 1
    await tab.evaluate("a.className = ''")
    await tab.settle()
    assert custom(tab, "x.clickable") == []


async def test_a_scrollable_area_has_the_scroll_affordance(tab: Tab) -> None:
    await tab.load(
        f"{STYLE}<div class=pane><p>One</p></div><ul class=pane aria-label=L><li>a</li></ul><textarea aria-label=T></textarea>"
    )
    (pane,) = custom(tab, "x.scrollable")
    assert pane["affordances"] == ["read", "scroll"] and pane["text"] == "One"
    assert tab.found("list")["affordances"] == ["read", "scroll"]
    assert "scroll" not in tab.found("textarea")["affordances"]


async def test_options_publish_the_value_behind_their_label(tab: Tab) -> None:
    await tab.load("<select aria-label=S><option value=de>Deutsch<option>English</select>")
    assert tab.found("option", "Deutsch")["state"]["textValue"] == "de"
    assert "textValue" not in tab.found("option", "English")["state"]


async def test_deltas_report_the_number_of_omitted_elements_and_publish_them_later(browser: Browser) -> None:
    tab = Tab(browser)
    await tab.open(maxElements=20)
    await tab.load("<main id=m></main>")

    def reported() -> list[Any]:
        return [
            m["delta"]["truncated"] for m in tab.messages if m["t"] == "delta" and "truncated" in m["delta"]
        ]

    await tab.evaluate("m.innerHTML = '<button>x</button>'.repeat(30)")
    await tab.settle()
    assert reported() == [{"reason": "max_elements", "omittedElements": 12}]
    await tab.evaluate("for (let i = 0; i < 15; i++) m.firstChild.remove()")
    await tab.until(lambda: reported()[-1] is None)
    assert sum(e["role"] == "button" for e in tab.graph["elements"].values()) == 15
    await tab.close()


async def test_counts_and_order_follow_single_items_at_any_position(tab: Tab) -> None:
    await tab.load("<table><tbody id=t></tbody></table><ul id=u><li>a<li>b<li>c</ul>")
    await tab.evaluate("t.innerHTML = '<tr><td>r</td></tr>'.repeat(50)")
    await tab.settle()

    async def fresh() -> tuple[dict[str, Any], dict[str, Any]]:
        applied = tab.graph["collections"]
        return applied, {c["collectionId"]: c for c in (await tab.snapshot())["graph"]["collections"]}

    for step in (
        "u.children[1].before(Object.assign(document.createElement('li'), {textContent: 'new'}))",
        "u.append(u.firstElementChild)",
        "u.children[2].remove()",
        "u.firstElementChild.textContent = 'other'",
        "t.rows[20].innerHTML = '<th>head</th>'",
        "t.rows[20].innerHTML = '<td>cell</td>'",
        "t.rows[10].after(t.rows[40])",
    ):
        await tab.evaluate(step)
        await tab.settle()
        applied, wanted = await fresh()
        assert applied == wanted, step


async def test_a_label_that_changes_its_control_renames_both(tab: Tab) -> None:
    await tab.load("<label id=l for=a>Name</label><input id=a><input id=b>")
    first, second = (e for e in tab.graph["elements"].values() if e["role"] == "textbox")
    await tab.evaluate("l.htmlFor = 'b'")
    await tab.settle()
    names = [tab.graph["elements"][e["instanceId"]].get("name") for e in (first, second)]
    assert names == [None, "Name"]
    await tab.evaluate("b.id = 'c'; a.id = 'b'")
    await tab.settle()
    names = [tab.graph["elements"][e["instanceId"]].get("name") for e in (first, second)]
    assert names == ["Name", None]
    await tab.evaluate(
        "document.getElementById('b').type = 'hidden'; c.before(Object.assign(document.createElement('input'), {id: 'b'}))"
    )
    await tab.settle()
    assert [e.get("name") for e in tab.graph["elements"].values() if e["role"] == "textbox"] == [None, None]


async def test_a_node_created_again_names_the_node_it_replaces(tab: Tab) -> None:
    await tab.load("<main id=m><button>Save</button><button>Twice</button><button>Twice</button></main>")
    before = tab.found("button", "Save")["instanceId"]
    await tab.evaluate("m.innerHTML = m.innerHTML")
    await tab.settle()
    after = tab.found("button", "Save")
    assert after["instanceId"] != before and after["metadata"]["was"] == before
    twice = [e for e in tab.graph["elements"].values() if e.get("name") == "Twice"]
    assert len(twice) == 2 and all("was" not in e.get("metadata", {}) for e in twice)


async def test_a_focusable_cell_has_a_name_and_a_plain_cell_has_text(tab: Tab) -> None:
    await tab.load(
        "<div role=grid><div role=row><span role=gridcell tabindex=0>14</span><span role=gridcell>x</span></div></div>"
    )
    day, plain = (e for e in tab.graph["elements"].values() if e["role"] == "cell")
    assert (day["name"], "activate" in day["affordances"]) == ("14", True)
    assert (plain.get("name"), plain["text"], "activate" in plain["affordances"]) == (None, "x", False)


async def test_a_sorted_column_publishes_its_order(tab: Tab) -> None:
    await tab.load("<table><tr><th id=h>Name<th>Age<tr><td>Bea<td>4</table>")
    await tab.evaluate("h.setAttribute('aria-sort', 'ascending')")
    await tab.settle()
    assert [e["metadata"].get("sort") for e in tab.graph["elements"].values() if e.get("name") == "Name"] == [
        "ascending"
    ]


FOLDED = {
    "height": "overflow:hidden;height:0",
    "largest height": "overflow:hidden;max-height:0px",
    "width": "overflow:clip;width:0",
    "clip path": "clip-path:inset(50%)",
    "circle": "clip-path:circle(0)",
}


@pytest.mark.parametrize("way", FOLDED)
async def test_the_content_of_a_folded_box_is_not_seen_until_it_unfolds(tab: Tab, way: str) -> None:
    await tab.load(
        f"<div id=d style='{FOLDED[way]}'><p>Hidden words</p><button>Deep</button></div><p>Open</p>"
    )
    assert "Hidden words" not in str(tab.graph["elements"])
    assert tab.found("button")["metadata"]["text"] == {"visible": False}
    await tab.evaluate("d.removeAttribute('style')")
    await tab.settle()
    assert "Hidden words" in str(tab.graph["elements"])
    assert "text" not in tab.found("button").get("metadata", {})


@pytest.mark.parametrize(("html", "beside"), [
    ("<form>Type:<br><select id=f><option>a</select></form>", "Type:"),
    ("<label>Title</label><input id=f>", "Title"),
    ("<label for=gone>Title</label><input id=f>", "Title"),
    ("<table><tr><td>Amount<td><input id=f></table>", "Amount"),
    ("<table><tr><th>Name<th>City<tr><td>Ada<td><input id=f></table>", "City"),
    ("<table><tr><th>Name<th>City<tr><td>Ada<td>Bern <input id=f></table>", "Bern"),
    ("<table><tr><th colspan=2>Guest<tr><td>Ada<td><input id=f></table>", "Ada"),
    ("<table><tr><th>Name<td>Ada<tr><th>City<td><input id=f></table>", "City"),
    ("<div role=grid><div role=row><b role=columnheader>City</b></div><div role=row><b role=gridcell><input id=f></b></div></div>", "City"),
    ("<dl><dt>City<dd><input id=f></dl>", "City"),
    ("<div><div>Street</div><div><div><input id=f></div></div></div>", "Street"),
    ("<p><input type=checkbox id=f> I agree</p>", "I agree"),
    ("<x-box><template shadowrootmode=open><input type=checkbox id=f><div>Breakfast</div></template></x-box>", "Breakfast"),
    ("<b>Guest</b><x-box><template shadowrootmode=open><input id=f></template></x-box>", "Guest"),
    ("<div>Nights: 1</div><div><p><div><div><div><div role=slider tabindex=0 id=f></div></div></div></div></div>", "Nights: 1"),
    ("<p>Course</p><p><input aria-hidden=true><button id=f aria-haspopup=listbox></button>", "Course"),
    ("<p>Course</p><input aria-hidden=true id=f>", None),
    ("<p>Level</p><div><i>1</i><i>5</i><b role=slider tabindex=0 id=f></b></div>", "Level"),
    ("<p>More</p><button id=f></button>", None),
    ("<label for=f>Real</label><input id=f>", None),
    ("Search <button>Go</button><input id=f>", None),
    ("<span hidden>Secret</span><input id=f>", None),
    ("<div>Card <b data-uiap-sensitive>4111</b></div><input id=f>", None),
    (f"{'long text ' * 12}<input id=f>", None),
    ("<label>Password</label><input type=password id=f>", "Password"),
    ("<div><label>Password</label></div><div><input type=password id=f></div>", "Password"),
    ("Your code is swordfish <input type=password id=f>", None),
    ("<div><label>Key</label> swordfish</div><input type=password id=f>", None),
])  # fmt: skip
async def test_a_field_without_a_name_has_the_text_beside_it(tab: Tab, html: str, beside: str | None) -> None:
    await tab.load(html)
    (found,) = [e for e in tab.graph["elements"].values() if e.get("metadata", {}).get("htmlId") == "f"]
    assert found["metadata"].get("beside") == beside


async def test_the_text_beside_a_field_follows_its_change(tab: Tab) -> None:
    await tab.load("<div><label id=l>Title</label><input></div>")
    await tab.evaluate("document.getElementById('l').textContent = 'Name'")
    await tab.settle()
    (found,) = [e for e in tab.graph["elements"].values() if e["role"] == "textbox"]
    assert found["metadata"]["beside"] == "Name"


async def test_a_label_of_a_hidden_field_is_shown_as_text(tab: Tab) -> None:
    await tab.load("<form><label for=old>Title</label><input><div hidden><input id=old></div></form>")
    (form,) = [e for e in tab.graph["elements"].values() if e["role"] == "form"]
    assert form["text"] == "Title"


async def test_text_in_a_wrapper_without_a_box_is_painted(tab: Tab) -> None:
    await tab.load("<div style='display: contents'><button>Save</button><h1>Hotel</h1></div>")
    assert {e.get("name"): e.get("metadata", {}).get("text") for e in tab.graph["elements"].values()} == {
        None: None,
        "Save": None,
        "Hotel": None,
    }
