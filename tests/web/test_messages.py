"""Messages outside of live regions: recognised by structure and colour, under our input or on a page that has loaded."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

import json

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import RoadSite, click, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

INSERTED: dict[str, tuple[str, str | None]] = {
    # the html that our input puts beside the field: (html, level of the message or None for no message)
    "class error": ("<div class=error>Pick another name</div>", "error"),
    "camel case": ("<p class='FieldError_x1'>Pick another name</p>", "error"),
    "bootstrap": ("<div class='invalid-feedback'>Pick another name</div>", "error"),
    "django list": ("<ul class=errorlist><li>Pick another name</li></ul>", "error"),
    "red text": ("<span style='color:#b00020'>Pick another name</span>", "error"),
    "red font": ("<font color=red>Pick another name</font>", "error"),
    "flash": ("<div class='flash'>Pick another name</div>", ""),
    "alert success": ("<div class='alert alert-success'>Stored as order 7</div>", "success"),
    "alert with a mark": ("<div role=alert><div data-testid=alertContentError>Pick another name</div></div>", "error"),
    "red alert": ("<div role=alert><p style='color:#9e303b'>Pick another name</p></div>", "error"),
    "red box": ("<div role=alert style='background:#c10015;color:#fff'>Pick another name</div>", "error"),
    "red box inside": ("<div role=alert><div style='background:#c10015;color:#fff'>Pick another name</div></div>", "error"),
    "negative": ("<div role=alert class='bg-negative text-white'>Pick another name</div>", "error"),
    "black alert": ("<div role=alert><p>Pick another name</p></div>", ""),
    "red sign": ("<span style='color:crimson' title='Not delivered, tap it'>!</span>", "error"),
    "named icon": ("<i title='Not delivered, tap it'></i>", ""),
    "plain text": ("<span>Pick another name</span>", None),
    "asterisk": ("<span style='color:red'>*</span>", None),
    "red price": ("<span style='color:red'>-5,00</span>", None),
    "red link": ("<div style='color:red'><a href=/d style='color:red'>Draft of New Page</a></div>", None),
    "red text with a link": ("<div style='color:red'>Name is taken, <a href=/x>pick one</a></div>", "error"),
    "list of errors": ("<ul class=error-list><li><a href=#n>Enter a name first</a></li></ul>", "error"),
    "red button": ("<button style='color:red'>Delete this order</button>", None),
    "chat": ("<div class=message>there was an error</div>", None),
    "table cell": ("<table><tr><td class=error>Pick another name</td></tr></table>", None),
    "coloured row": ("<table><tr class=table-danger><td>Order 7</td><td>Urgent</td></tr></table>", None),
    "row of a form": ("<table><tr><th>Name<td><input aria-label=Second> <span class=error>Pick another name</span></table>", "error"),
    "row with a box": ("<table><tr><td><input type=checkbox><td class=error>Pick another name</table>", None),
    "preview of a field": ("<h1 class=error>Ada of the form</h1>", None),
    "with a field": ("<div class=error><input aria-label=Other> Other</div>", None),
    "invisible": ("<div class=error hidden>Pick another name</div>", None),
}  # fmt: skip
PAGE = """<!doctype html><title>Messages</title><form onsubmit="return false"><input aria-label=Name value="Ada of the form"><span id=beside></span></form><div id=buttons></div>
<p class=error id=waiting hidden>Too many tries</p>
<script>for (const [name, html] of Object.entries($CASES)) {
  const button = Object.assign(document.createElement("button"), { textContent: `do ${name}` });
  button.onclick = () => { beside.innerHTML = ""; setTimeout(() => { beside.innerHTML = html }, 5) };
  buttons.append(button);
}
buttons.append(Object.assign(document.createElement("button"), { textContent: "reveal", onclick: () => { waiting.hidden = false } }));
buttons.append(Object.assign(document.createElement("button"), { textContent: "end", onclick: () => { beside.innerHTML = "<div class=error>the end</div>" } }));
setInterval(() => { if (window.noise) document.body.insertAdjacentHTML("beforeend", "<div class=error>not of ours</div>") }, 20);</script>"""


def messages_by_cause(tab: Tab) -> dict[str, list[tuple[str, str]]]:
    """Return text and level of the messages that each input caused."""
    found: dict[str, list[tuple[str, str]]] = {}
    for message in tab.messages:
        if message["t"] == "signal" and message["signal"]["kind"] == "toast.shown":
            token = (message.get("attribution") or {}).get("causedBy", "")
            found.setdefault(token, []).append(
                (message["signal"]["text"], message["signal"].get("level", ""))
            )
    return found


async def test_a_message_beside_the_field_is_recognised_by_class_or_colour(browser: Browser) -> None:
    async with traced_tab(browser) as tab, RoadSite({}) as site:
        html = {name: html for name, (html, _) in INSERTED.items()}
        site.pages["/"] = ("text/html", PAGE.replace("$CASES", json.dumps(html)))
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        for name in INSERTED:
            await click(tab, f"do {name}", name)
            await tab.evaluate("new Promise((r) => setTimeout(r, 20))", awaitPromise=True)
        await tab.evaluate("window.noise = true")
        await click(tab, "reveal", "reveal")
        await click(tab, "end", "end")
        await tab.settle()
        found = messages_by_cause(tab)
        assert {name: [level for _, level in found.get(name, [])] for name in INSERTED} == {
            name: [] if level is None else [level] for name, (_, level) in INSERTED.items()
        }
        assert found["reveal"] == [("Too many tries", "error")] and ("the end", "error") in found["end"]
        assert "" not in found, "a message of another cause was reported"


LOADED = """<!doctype html><title>Change order</title>
<nav><a class=messages href=/m>Messages of alert</a></nav>
<ul class=messagelist><li class=success>The order was added</li></ul>
<p class=errornote>Please correct the error below.</p>
<form><ul class=errorlist><li>This field is required.</li></ul><input aria-label=Name aria-invalid=true aria-describedby=why><span id=why>Too short</span></form>
<div class=alert hidden>not shown</div><article class=message>an error in a story</article>"""


async def test_a_page_that_has_loaded_sends_its_messages_once(browser: Browser) -> None:
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", LOADED)}) as site:
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        sent = [
            m["signal"]["payload"]
            for m in tab.messages
            if m["t"] == "signal" and m["signal"].get("name") == "message.loaded"
        ]
        assert sorted((one["text"], one.get("level")) for one in sent) == [
            ("Please correct the error below.", "error"),
            ("The order was added", "success"),
            ("This field is required.", "error"),
            ("Too short", "error"),
        ]
        order = [m["t"] for m in tab.messages if m["t"] in ("graph", "signal")]
        assert order.index("graph") < order.index("signal")


BESIDE: dict[str, tuple[str, bool]] = {
    # a form with an element `here` that gets a text: (html, whether the text is behind a field)
    "behind": ("<input aria-label=A><small class=here></small><button>Go</button>", True),
    "in the label's paragraph": ("<p><label>A <input></label></p><p class=here></p><button>Go</button>", True),
    "behind a list": ("<select aria-label=A><option>x</select><i class=here></i>", True),
    "behind the button": ("<input aria-label=A><button>Go</button><p class=here></p>", False),
    "before the field": ("<p class=here></p><input aria-label=A>", False),
    "behind a fixed field": ("<input aria-label=A readonly><small class=here></small>", False),
    "behind a checkbox": ("<input type=checkbox aria-label=A><small class=here></small>", False),
    "in a link": ("<input aria-label=A><a href=#><span class=here></span></a>", False),
}  # fmt: skip


def texts_beside(tab: Tab) -> list[dict[str, object]]:
    signals = [message["signal"] for message in tab.messages if message["t"] == "signal"]
    return [signal["payload"] for signal in signals if signal.get("name") == "message.field"]


async def test_a_text_that_our_input_puts_behind_a_field_is_reported(browser: Browser) -> None:
    forms = "".join(f"<form id=f{n}>{html}</form>" for n, (html, _) in enumerate(BESIDE.values()))
    page = f"""<!doctype html><title>Beside</title>{forms}<button id=all>Fill all</button><script>
      all.onclick = () => {{ for (const form of document.forms) form.querySelector(".here").textContent = `Note ${{form.id}}` }}</script>"""
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", page)}) as site:
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        await click(tab, "Fill all", "fill")
        await tab.settle()
        expected = [f"Note f{n}" for n, (_, behind) in enumerate(BESIDE.values()) if behind]
        assert [one["text"] for one in texts_beside(tab)] == expected


async def test_a_page_that_has_loaded_reports_the_texts_behind_fields_with_a_value(browser: Browser) -> None:
    page = """<!doctype html><title>Back</title><form><label>Team <input value=Core></label><small>Another team has it</small>
      <input aria-label=Empty><small>Up to 20 letters</small><button>Go</button></form>"""
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", page)}) as site:
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        assert texts_beside(tab) == [{"text": "Another team has it", "loaded": True}]


UNSENT = """<!doctype html><title>Unsent</title><form onsubmit="return false"><input aria-label=Amount required
 onfocus="hint.hidden = false"><button>Send</button><button type=button onclick="this.form.checkValidity()">Check</button></form>
<div id=hint role=dialog hidden>Any amount</div>"""


async def test_a_form_that_the_browser_does_not_send_says_why(browser: Browser) -> None:
    async with traced_tab(browser) as tab, RoadSite({}) as site:
        site.pages["/"] = ("text/html", UNSENT)
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        await click(tab, "Check", "check")
        await click(tab, "Send", "send")
        await tab.settle()
        found = messages_by_cause(tab)
        assert "check" not in found
        assert found["send"] == [("Amount: Please fill out this field.", "error")]
