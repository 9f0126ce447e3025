"""Facts about a press that a role does not say, and the one button that closes a dialog without agreeing to it."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import pytest

from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

FACTS: list[tuple[str, dict[str, Any]]] = [
    ("<button>N</button>", {}),
    ("<button role=tab>N</button>", {"native": "button"}),
    ("<form><button role=switch aria-checked=false>N</button></form>", {"native": "submit"}),
    ("<form><input type=submit role=checkbox aria-label=N></form>", {"native": "submit"}),
    ("<div role=menuitem tabindex=0>N</div>", {}),
    ("<a href=/x>N</a>", {"href": "/x"}),
    ("<a href=/x role=menuitem>N</a>", {"href": "/x", "native": "link"}),
    ("<a href=/x data-uiap-role=tab>N</a>", {"href": "/x", "native": "link"}),
    ("<a href=#here>N</a>", {"href": "#here", "anchor": True}),
    ("<li><a href=#>N</a><ul hidden><li>M</li></ul></li>", {"href": "#", "opens": "list"}),
    ("<li><a href=/n>N</a><ul hidden><li>M</li></ul></li>", {"href": "/n"}),
    ("<a href=#nowhere>N</a>", {"href": "#nowhere"}),
    ("<a href='javascript:go()'>N</a>", {"href": "javascript:"}),
    ("<a href=/x data-method=delete>N</a>", {"href": "/x", "method": "data-method"}),
    ("<a href=/x data-method=get>N</a>", {"href": "/x"}),
    ("<a href=/x hx-post=/y>N</a>", {"href": "/x", "method": "hx-post"}),
    ("<a href=/x data-turbo-method=put>N</a>", {"href": "/x", "method": "data-turbo-method"}),
    ("<a href=/x onclick='go()'>N</a>", {"href": "/x", "method": "onclick"}),
    ("<a href=/x @click='go'>N</a>", {"href": "/x", "method": "@click"}),
    ("<a href=/x ping=/y>N</a>", {"href": "/x", "method": "ping"}),
    ("<button onclick='go()'>N</button>", {}),
    ("<button aria-expanded=false hx-delete=/y>N</button>", {"method": "hx-delete"}),
    ("<form><button formmethod=post>N</button></form>", {"method": "formmethod"}),
    ("<form method=post><button formaction=/y>N</button></form>", {"method": "formaction", "posts": "/y"}),
    ("<form method=get aria-label=N></form>", {"form": "get"}),
    ("<form action=/find aria-label=N></form>", {"form": "get", "action": "/find"}),
    ("<form action=/x aria-label=N><input type=hidden name=action value=delete></form>", {"form": "get", "action": "/x?action=delete"}),
    ("<form action=/x?a=b aria-label=N><input type=hidden name=remove value=17></form>", {"form": "get", "action": "/x?a=b&remove=17"}),
    ("<form action=/x aria-label=N><input type=hidden name=token value=s3cr3t-value></form>", {"form": "get", "action": "/x"}),
    ("<form method=post><button name=op value=drop>N</button></form>", {"sends": "op=drop"}),
    ("<form><button name=note value='some text'>N</button></form>", {}),
    ("<form action=/find onsubmit='go()' aria-label=N></form>", {"posts": "/find"}),
    ("<form method=get hx-post=/y aria-label=N></form>", {}),
    ("<form method=get @submit=go aria-label=N></form>", {}),
    ("<form method=post action=/find aria-label=N></form>", {"posts": "/find"}),
    ("<form action='javascript:go()' aria-label=N></form>", {"posts": "javascript:"}),
    ("<form action=mailto:a@b.example aria-label=N></form>", {"posts": "mailto:a@b.example"}),
    ("<form aria-label=N></form>", {}),
    ("<form id=p method=post></form><button form=p>N</button>", {"owner": "p"}),
    ("<form id=g action=/find hidden></form><input form=g aria-label=N>", {"owner": "g", "ownerForm": "get"}),
    ("<form id=i><button form=i>N</button></form>", {}),
    ("<button form=nowhere>N</button>", {}),
    ("<form id=n method=post aria-label=N></form>", {"formId": "n"}),
    ("<form method=post action=/items/3/delete aria-label=N></form>", {"posts": "/items/3/delete"}),
    ("<form method=post><button formaction=/y/destroy>N</button></form>", {"posts": "/y/destroy", "method": "formaction"}),
    ("<form method=dialog><button>N</button></form>", {"closes": True}),
    ("<form method=dialog><button formmethod=post>N</button></form>", {"method": "formmethod"}),
    ("<button role=tab aria-controls=pan>N</button><div id=pan role=tabpanel hidden>x</div>", {"native": "button", "controls": "tabpanel"}),
    ("<button popovertarget=pop>N</button><div id=pop popover>x</div>", {"opens": "popover"}),
    ("<button onclick='removeRow(4)'>N</button>", {"writes": True}),
    ("<a href='javascript:removeRow(4)'>N</a>", {"href": "javascript:", "writes": True}),
    ("<button onclick=\"el.classList.remove('x'); el.remove()\">N</button>", {}),
    ("<input type=checkbox aria-label=N onchange=\"fetch('/x', {method: 'POST'})\">", {"writes": True}),
    ("<input type=checkbox aria-label=N onchange=\"fetch('/x?on=1')\">", {}),
    ("<form action=/find><input type=checkbox aria-label=N onchange='this.form.submit()'></form>", {}),
    ("<form method=post><input type=checkbox aria-label=N onchange='this.form.submit()'></form>", {"writes": True}),
    ("<button>\u202eN</button>", {"directionMarks": True}),
    ("<button aria-label='\u2066N'></button>", {"directionMarks": True}),
]


async def test_the_page_publishes_the_native_element_the_address_and_other_requests(tab: Tab) -> None:
    await tab.load(
        "<!doctype html><p id=here>x</p>"
        + "".join(f"<div id=c{i}>{html}</div>" for i, (html, _) in enumerate(FACTS))
    )
    kept = {"native", "href", "anchor", "opens", "method", "form", "action", "sends", "directionMarks"}
    kept |= {"owner", "ownerForm", "formId", "posts", "closes", "controls", "writes"}
    for index, (html, facts) in enumerate(FACTS):
        ids = await tab.call(
            f"JSON.stringify([...document.querySelectorAll('#c{index} *')].map((el) => __uiap.idOf(el)).filter(Boolean))"
        )
        found = next(one for one in (tab.graph["elements"][id] for id in ids) if one.get("name") == "N")
        assert {key: value for key, value in found.get("metadata", {}).items() if key in kept} == facts, html


CLOSERS: list[tuple[str, str | None]] = [
    ("<h2>Plan</h2><button>Cancel subscription</button><button>Keep</button>", None),
    ("<h2>Cancel order?</h2><button>Cancel</button>", None),
    ("<h2>Plan</h2><button>Cancel subscription</button><button>Cancel</button>", "Cancel"),
    ("<h2>Plan</h2><form method=post><button>Close</button></form>", None),
    ("<h2>Plan</h2><form method=dialog><button>Close</button></form>", "Close"),
    ("<h2>Plan</h2><button hx-post=/x>Close</button>", None),
    ("<h2>Plan</h2><a href=/x>Close</a>", None),
    ("<h2>Plan</h2><button>Close account</button><button aria-label=×>×</button>", "×"),
]


async def test_a_dialog_is_closed_only_by_a_button_that_agrees_to_nothing(tab: Tab) -> None:
    dialogs = (f"<div role=dialog aria-label=Plan{i}>{html}</div>" for i, (html, _) in enumerate(CLOSERS))
    await tab.load("<!doctype html>" + "".join(dialogs))
    for index, (html, closer) in enumerate(CLOSERS):
        host = tab.found("dialog", f"Plan{index}")["instanceId"]
        found = (await tab.ask("perform", {"op": "closer", "instanceId": host}))["detail"]["closer"]
        assert (tab.graph["elements"][found]["name"] if found else None) == closer, html
