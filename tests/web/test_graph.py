"""The full graph: roles, names, states, scopes, collections, records and text of real HTML."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.web.tab import Tab
from uiap.spec.web import CollectionNode, ElementNode, OpaqueRegion, RouteInfo, ScopeNode

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# html, role, name, part of the state
ROLES: list[tuple[str, str, str | None, dict[str, Any]]] = [
    ("<button>Go</button>", "button", "Go", {"visible": True, "enabled": True, "focusable": True}),
    ("<button disabled>Go</button>", "button", "Go", {"enabled": False}),
    ("<button aria-pressed=true>Bold</button>", "button", "Bold", {"pressed": True}),
    ("<button aria-haspopup=menu aria-expanded=false>M</button>", "button", "M", {"hasPopup": "menu", "expanded": False}),
    ("<a href=/x aria-current=page>Here</a>", "link", "Here", {"current": "page"}),
    ("<input aria-label=Name value=Ann>", "textbox", "Name", {"textValue": "Ann", "editable": True}),
    ("<input aria-label=N readonly>", "textbox", "N", {"readonly": True, "editable": False}),
    ("<input aria-label=N required>", "textbox", "N", {"required": True, "invalid": True}),
    ("<input type=email aria-label=N value=x>", "textbox", "N", {"invalid": True}),
    ("<input type=search aria-label=N placeholder=p>", "searchbox", "N", {"placeholder": "p"}),
    ("<textarea aria-label=N>a\nb</textarea>", "textarea", "N", {"textValue": "a\nb", "multiline": True}),
    ("<div contenteditable aria-label=N>ab</div>", "textarea", "N", {"textValue": "ab", "multiline": True}),
    ("<select aria-label=N><option>A<option selected>B</select>", "combobox", "N", {"textValue": "B"}),
    ("<select aria-label=N multiple><option>A</select>", "listbox", "N", {}),
    ("<input type=checkbox aria-label=N checked>", "checkbox", "N", {"checked": True}),
    ("<div role=checkbox tabindex=0 aria-checked=mixed>N</div>", "checkbox", "N", {"checked": "mixed"}),
    ("<input type=radio aria-label=N>", "radio", "N", {"checked": False}),
    ("<div role=switch tabindex=0 aria-checked=true>N</div>", "switch", "N", {"checked": True}),
    ("<input type=range aria-label=N min=0 max=9 step=3 value=6>", "slider", "N", {"numericValue": 6, "min": 0, "max": 9, "step": 3}),
    ("<input type=number aria-label=N value=4>", "spinbutton", "N", {"numericValue": 4, "textValue": "4"}),
    ("<div role=slider tabindex=0 aria-label=N aria-valuenow=5 aria-valuemax=10 aria-orientation=vertical></div>", "slider", "N",
     {"numericValue": 5, "max": 10, "orientation": "vertical"}),
    ("<input type=date aria-label=N value=2020-01-02>", "datepicker", "N", {"textValue": "2020-01-02"}),
    ("<input type=time aria-label=N>", "timepicker", "N", {}),
    ("<input type=file aria-label=N>", "fileinput", "N", {}),
    ("<div role=tablist><button role=tab aria-selected=true>N</button></div>", "tab", "N", {"selected": True}),
    ("<div role=tabpanel aria-label=N>x</div>", "tabpanel", "N", {}),
    ("<div role=menu aria-label=N><div role=menuitem>x</div></div>", "menu", "N", {}),
    ("<div role=tree><div role=treeitem aria-expanded=true>N</div></div>", "treeitem", "N", {"expanded": True}),
    ("<nav aria-label=Breadcrumb><a href=/>Home</a></nav>", "breadcrumb", "Breadcrumb", {}),
    ("<nav aria-label=Pagination><a href=/2>2</a></nav>", "pagination", "Pagination", {}),
    ("<div role=toolbar aria-label=N><button>x</button></div>", "toolbar", "N", {}),
    ("<form aria-label=N></form>", "form", "N", {}),
    ("<dialog open aria-label=N>x</dialog>", "dialog", "N", {"open": True}),
    ("<div role=alertdialog aria-modal=true aria-label=N>x</div>", "dialog", "N", {"modal": True, "open": True}),
    ("<div role=dialog class='app-drawer' aria-label=N>x</div>", "drawer", "N", {}),
    ("<div role=tooltip>Tip</div>", "popover", "Tip", {}),
    ("<fieldset><legend>N</legend></fieldset>", "group", "N", {}),
    ("<details open><summary>N</summary>x</details>", "button", "N", {"expanded": True}),
    ("<div role=alert>Boom</div>", "alert", None, {}),
    ("<output>42</output>", "status", None, {}),
    ("<div class=toast role=status>Saved</div>", "toast", None, {}),
    ("<progress aria-label=N value=3 max=10></progress>", "progress", "N", {"numericValue": 3, "max": 10}),
    ("<progress aria-label=N></progress>", "progress", "N", {"loading": True}),
    ("<div role=progressbar aria-label=N aria-hidden=true style='height:0px'></div>", "progress", "N", {"visible": False}),
    ("<div role=progressbar class=spinner aria-label=N></div>", "spinner", "N", {"loading": True}),
    ("<img alt=N src='data:,'>", "image", "N", {}),
    ("<video aria-label=N controls></video>", "video", "N", {}),
    ("<audio aria-label=N controls></audio>", "audio", "N", {}),
    ("<canvas aria-label=N></canvas>", "canvas", "N", {}),
    ("<h2>N</h2>", "label", "N", {}),
    ("<div tabindex=0 aria-label=N></div>", "custom", "N", {"focusable": True}),
    ("<div aria-busy=true role=region aria-label=N></div>", "region", "N", {"busy": True}),
    ("<div inert><button>N</button></div>", "button", "N", {"blocked": True}),
]  # fmt: skip


@pytest.mark.requirement("CAP-4", "CAP-5")
async def test_html_and_aria_become_roles_names_and_states(tab: Tab) -> None:
    await tab.load(
        "<!doctype html>" + "".join(f"<div id=c{i}>{html}</div>" for i, (html, *_) in enumerate(ROLES))
    )
    for index, (html, role, name, state) in enumerate(ROLES):
        ids = await tab.call(
            f"JSON.stringify([...document.querySelectorAll('#c{index} *')].map((el) => __uiap.idOf(el)).filter(Boolean))"
        )
        elements = [tab.graph["elements"][instance_id] for instance_id in ids]
        matching = [el for el in elements if el["role"] == role and el.get("name") == name]
        assert len(matching) == 1, f"{html}: {elements}"
        assert state.items() <= matching[0]["state"].items(), f"{html}: {matching[0]['state']}"


async def test_everything_published_has_the_shape_of_the_web_profile(tab: Tab) -> None:
    await tab.load("".join(html for html, *_ in ROLES) + "<iframe src='https://other.invalid/'></iframe>")
    graph = (await tab.snapshot(includeBBox=True))["graph"]
    shapes = {
        "elements": ElementNode,
        "scopes": ScopeNode,
        "collections": CollectionNode,
        "opaqueRegions": OpaqueRegion,
    }
    for part, shape in shapes.items():
        assert graph[part]
        msgspec.convert(graph[part], list[shape])  # type: ignore[valid-type]
    msgspec.convert(graph["route"], RouteInfo)
    ids = {element["instanceId"] for element in graph["elements"]}
    scopes = {scope["scopeId"] for scope in graph["scopes"]}
    for element in graph["elements"]:
        assert element.get("parentInstanceId") in ids | {None}
        assert element.get("scopeId") in scopes | {None}
    assert {scope["hostInstanceId"] for scope in graph["scopes"]} <= ids
    assert {region["hostInstanceId"] for region in graph["opaqueRegions"]} <= ids


async def test_text_outside_controls_belongs_to_the_nearest_scope_row_or_cell(tab: Tab) -> None:
    await tab.load(
        "<main><p>Pay <b>12</b> EUR</p><label>Name <input></label>"
        "<table><tr><td>Ann</td><td><button>Delete</button></td></tr></table><ul><li>First <a href=#>link</a> thing</li></ul></main>"
    )
    assert tab.found("region")["text"] == "Pay 12 EUR"
    cells = [element for element in tab.graph["elements"].values() if element["role"] == "cell"]
    assert [cell.get("text") for cell in cells] == ["Ann", None]
    assert tab.found("listitem")["text"] == "First thing"


async def test_elements_in_a_row_have_the_record_key_of_the_row(tab: Tab) -> None:
    await tab.load(
        "<table><tr><th>Name<th>Do</tr><tr data-id=u-ann-7f3a9><td>Ann<td><button>A</button></tr>"
        "<tr id=row-2><td>Bob<td><button>B</button></tr><tr><td><a href=/users/4711>Cid</a><td><button>C</button></tr>"
        "<tr><td>Dan<td><a href=javascript:void(0)>Do</a> <a href=tel:0815>Call</a><button>D</button></tr><tr data-uiap-entity=user:9><td>Eve<td><button>E</button></tr></table><button>F</button>"
    )
    records = {name: tab.found("button", name).get("metadata", {}).get("record") for name in "ABCDEF"}
    assert records == {
        "A": "data-id:u-ann-7f3a9", "B": "id:row-2 Bob", "C": "link:4711", "D": "text:Dan", "E": "user:9", "F": None,
    }  # fmt: skip


async def test_a_table_whose_body_takes_the_focus_has_its_rows(tab: Tab) -> None:
    await tab.load("<table><tbody tabindex=0><tr tabindex=-1><td>Alpha<td>100</table>")
    (row,) = (el for el in tab.graph["elements"].values() if el["role"] == "row")
    assert row["parentInstanceId"] == tab.found("table")["instanceId"]
    assert not [el for el in tab.graph["elements"].values() if el["role"] == "custom"]


async def test_collections_count_their_items_and_sign_their_order(tab: Tab) -> None:
    await tab.load(
        "<table aria-rowcount=500><thead><tr><th>N</tr></thead><tr><td>a</tr><tr><td>b</tr></table>"
        "<ul><li>one<li>two<ul><li>nested</ul></ul>"
    )
    table, outer, inner = tab.graph["collections"].values()
    assert (table["role"], table["count"], table["totalCount"]) == ("table", 2, 500)
    assert (outer["count"], inner["count"]) == (2, 1)
    before = table["signature"]
    await tab.evaluate(
        "document.querySelectorAll('tbody')[0].append(document.querySelectorAll('tbody tr')[0])"
    )
    await tab.settle()
    after = tab.graph["collections"][table["collectionId"]]
    assert after["count"] == 2
    assert after["signature"] != before


async def test_modal_dialogs_stack_and_scopes_nest(tab: Tab) -> None:
    await tab.load("<main><dialog id=a aria-label=A><p>x<dialog id=b aria-label=B>y</dialog></dialog></main>")
    assert tab.graph["modalStack"] == []
    await tab.evaluate("a.showModal(); b.showModal()")
    await tab.settle()
    names = [tab.graph["scopes"][scope]["name"] for scope in tab.graph["modalStack"]]
    assert names == ["A", "B"]
    inner = tab.graph["scopes"][tab.graph["modalStack"][1]]
    assert tab.graph["scopes"][inner["parentScopeId"]]["name"] == "A"


async def test_annotations_are_passed_on_as_claims_of_the_page(tab: Tab) -> None:
    await tab.load(
        "<body data-uiap-route=users><div data-uiap-scope=panel data-uiap-scope-kind=region data-uiap-name=Panel>"
        "<button data-uiap-id=save data-uiap-meaning=user.save data-uiap-risk=confirm data-uiap-risk-tags='billing identity' "
        "data-uiap-action=user.save data-uiap-affordances='read invoke nonsense' data-uiap-role=button "
        """data-uiap-success='[{"kind":"toast.contains","text":"saved"}]'>Save</button>"""
        "<button data-uiap-risk=harmless data-uiap-success='not json' data-uiap-role=wizard>Odd</button></div></body>"
    )
    save = tab.found("button", "Save")
    assert save["stableId"] == "save"
    assert save["meaning"] == "user.save"
    assert save["risk"] == {"level": "confirm", "tags": ["billing", "identity"]}
    assert save["defaultAction"] == "user.save"
    assert save["affordances"] == ["read", "invoke"]
    assert save["success"] == [{"kind": "toast.contains", "text": "saved"}]
    assert save["source"] == "annotation"
    assert (save["scopeId"], tab.graph["scopes"]["panel"]["kind"]) == ("panel", "region")
    assert tab.graph["route"]["routeId"] == "users"
    odd = tab.found("button", "Odd")
    assert not {"risk", "success"} & odd.keys()


async def test_the_later_of_two_equal_stable_ids_loses_it(tab: Tab) -> None:
    await tab.load("<button data-uiap-id=x>One</button><button data-uiap-id=x>Two</button>")
    assert tab.found("button", "One")["stableId"] == "x"
    two = tab.found("button", "Two")
    assert "stableId" not in two
    assert two["metadata"]["duplicateStableId"] == "x"
    await tab.evaluate("document.querySelector('button').remove()")
    await tab.settle()
    assert tab.found("button", "Two")["stableId"] == "x"


async def test_a_recreated_node_names_the_node_it_replaces(tab: Tab) -> None:
    await tab.load(
        "<table><tr><td>Ann<td><button>Delete</button></tr><tr><td>Bob<td><button>Delete</button></tr></table>"
    )
    old = {
        e["metadata"]["record"]: e["instanceId"]
        for e in tab.graph["elements"].values()
        if e["role"] == "button"
    }
    await tab.evaluate("const rows = document.querySelector('tbody'); rows.innerHTML = rows.innerHTML")
    await tab.settle()
    new = {e["metadata"]["record"]: e for e in tab.graph["elements"].values() if e["role"] == "button"}
    assert {record: element["metadata"]["was"] for record, element in new.items()} == old
    assert not {element["instanceId"] for element in new.values()} & set(old.values())


async def test_more_elements_than_the_cap_are_counted_not_published(browser: Any) -> None:
    tab = Tab(browser)
    await tab.open(maxElements=50)
    await tab.load("<button>b</button>" * 80)
    message = await tab.snapshot()
    assert len(message["graph"]["elements"]) == 50
    assert message["graph"]["truncated"] == {"reason": "max_elements", "omittedElements": 31}
    await tab.close()


async def test_bounding_boxes_are_sent_only_on_request(tab: Tab) -> None:
    await tab.load("<button style='position:absolute;left:10px;top:20px;width:30px;height:40px'>Go</button>")
    assert "bbox" not in tab.found("button")
    graph = (await tab.snapshot(includeBBox=True))["graph"]
    button = next(element for element in graph["elements"] if element["role"] == "button")
    assert button["bbox"] == {"x": 10, "y": 20, "width": 30, "height": 40}


async def test_a_group_that_is_only_drawn_is_no_part_of_the_graph(tab: Tab) -> None:
    drawn = "<fieldset aria-hidden=true><legend><span>Host</span></legend></fieldset>"
    await tab.load(
        f"<form><label>Host <input></label>{drawn}<fieldset><legend>Users</legend><input></fieldset></form>"
    )
    assert [e.get("name") for e in tab.graph["elements"].values() if e["role"] == "group"] == ["Users"]
