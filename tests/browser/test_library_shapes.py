"""Controls as component libraries draw them, each on a small page of its own: the real field is hidden or doubled."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

import uiap

STYLE = "<style>.away{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0);pointer-events:none;opacity:0}[hidden]{display:none!important}</style>"
LIST = """
function list(select, button, search) {
  const ul = document.createElement('ul'); ul.setAttribute('role', 'listbox'); ul.hidden = true; document.body.append(ul)
  const draw = (text) => { ul.replaceChildren(...[...select.options].filter((one) => one.label.startsWith(text)).map((one) => {
    const li = document.createElement('li'); li.setAttribute('role', 'option'); li.textContent = one.label
    li.onclick = () => { select.value = one.value; button.textContent = one.label; ul.hidden = true; button.setAttribute('aria-expanded', 'false') }
    return li })) }
  button.onclick = () => { ul.hidden = false; button.setAttribute('aria-expanded', 'true'); draw('') }
}
"""
EDITOR = """
const lines = document.getElementById('lines'); let model = 'old text', all = false
const draw = () => { lines.innerHTML = model.split('\\n').map((one) => `<div class="my-line">${one}</div>`).join('') }
keys.addEventListener('keydown', (e) => { if (e.key === 'a' && e.ctrlKey) { all = true; e.preventDefault() } if (e.key === 'Delete' && all) { model = ''; all = false; draw() } })
keys.addEventListener('input', () => { model = (all ? '' : model) + keys.value; all = false; keys.value = ''; draw() })
draw()
"""

PAGES = {
    "a check box without a size in its label": (
        "<label>Night <span style='display:inline-block;width:30px;height:16px;background:#ccc'></span><input type=checkbox id=a style='width:0;height:0;opacity:0;position:absolute'></label>",
        ("ui.toggle", "checkbox", "Night", {"checked": True}),
        "a.checked",
    ),
    "a radio button that a pressable box draws": (
        "<div id=b style='width:20px;height:20px;background:gold'><span class=away><input type=radio id=a aria-label='2 stars'></span></div><script>b.addEventListener('click', () => { a.checked = true })</script>",
        ("ui.choose", "radio", "2 stars", {}),
        "a.checked",
    ),
    "a radio button named by its own label": (
        "<label><input type=radio name=p>Free</label><label><input type=radio name=p id=a>Pro</label>",
        ("ui.choose", "radio", "Pro", {"label": "Pro"}),
        "a.checked",
    ),
    "a list drawn after a hidden native one": (
        "<label for=a>City</label><select id=a class=away><option>Bern<option>Oslo</select><span id=b role=combobox tabindex=0 aria-expanded=false style='display:inline-block;width:150px'>Bern</span>"
        f"<script>{LIST} list(a, b)</script>",
        ("ui.choose", "combobox", "City", {"label": "Oslo"}),
        "a.value === 'Oslo' && b.textContent === 'Oslo'",
    ),
    "several choices of a list that marks the option under the cursor": (
        "<div id=b role=combobox aria-label=City tabindex=0 aria-expanded=false style='width:200px'><select multiple id=a class=away><option>Bern<option>Oslo<option>Rome</select>pick</div><ul role=listbox id=l hidden><li role=option>Bern<li role=option>Oslo<li role=option>Rome</ul>"
        "<script>b.onclick = () => { l.hidden = false; b.ariaExpanded = 'true' };"
        "for (const [n, li] of [...l.children].entries()) { li.onmouseenter = () => { for (const one of l.children) one.ariaSelected = String(one === li || one === li.nextElementSibling) }; li.onclick = () => { a.options[n].selected = !a.options[n].selected } }</script>",
        ("ui.choose", "combobox", "City", {"multiple": ["Oslo", "Rome"]}),
        "[...a.selectedOptions].map((one) => one.value).join() === 'Oslo,Rome'",
    ),
    "a combobox around a combobox": (
        "<div role=combobox aria-label=City aria-expanded=false aria-controls=l><input role=combobox aria-label=City aria-controls=l id=a onclick='l.hidden=false'></div><ul role=listbox id=l hidden><li role=option onclick='a.value=\"Oslo\";l.hidden=true'>Oslo</ul>",
        ("ui.choose", "combobox", "City", {"label": "Oslo"}),
        "a.value === 'Oslo'",
    ),
    "an editor with a hidden text area": (
        f"<div style='position:relative;width:300px;height:60px'><div style='overflow:hidden;width:3px;height:0;position:relative'><textarea id=keys aria-label=Code style='position:absolute;width:500px;height:1em'></textarea></div><div id=lines></div></div><script>{EDITOR}</script>",
        ("ui.enterText", "textarea", "Code", {"text": "x = 5"}),
        "model === 'x = 5'",
    ),
    "a surface that opens under the pointer": (
        "<input id=a readonly aria-label=Day><div id=c hidden style='position:fixed;inset:0;background:#fff'><button>17</button></div><script>a.addEventListener('mousedown', () => { c.hidden = false })</script>",
        ("ui.activate", "textbox", "Day", {}),
        "!c.hidden",
    ),
    "a frame whose body is an editor": (
        "<iframe id=f title=Text srcdoc='<body aria-label=Note></body>'></iframe><script>f.onload = () => setTimeout(() => { f.contentDocument.body.contentEditable = 'true' }, 50)</script>",
        ("ui.enterText", "textarea", "Note", {"text": "Blue door"}),
        "f.contentDocument.body.textContent === 'Blue door'",
    ),
    "suggestions of which the one under the cursor is marked": (
        "<input role=combobox aria-label=Command aria-expanded=true aria-controls=l><ul role=listbox id=l><li role=option aria-selected=true>Open<li role=option aria-selected=false>Close</ul><p id=a>Last:</p>"
        "<script>for (const li of l.children) li.onclick = () => { a.textContent = `Last: ${li.textContent}` }</script>",
        ("ui.choose", "combobox", "Command", {"label": "Open"}),
        "a.textContent === 'Last: Open'",
    ),
    "options in the slot of a component": (
        "<my-list id=a><b role=option>Bern</b><b role=option>Oslo</b></my-list><script>customElements.define('my-list', class extends HTMLElement { constructor() { super();"
        " const root = this.attachShadow({ mode: 'open' }); root.innerHTML = '<div role=combobox aria-label=City tabindex=0 aria-expanded=false aria-controls=l>none</div><div id=l role=listbox hidden><slot></slot></div>';"
        " const [box, list] = root.children; box.onclick = () => { list.hidden = false; box.ariaExpanded = 'true' };"
        " this.onclick = ({ target }) => { if (target.role === 'option') { this.value = box.textContent = target.textContent; list.hidden = true; box.ariaExpanded = 'false' } } } })</script>",
        ("ui.choose", "combobox", "City", {"label": "Oslo"}),
        "a.value === 'Oslo'",
    ),
    "a component that names its only field": (
        "<my-field id=a aria-label=Guests></my-field><script>customElements.define('my-field', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<input>' } })</script>",
        ("ui.enterText", "textbox", "Guests", {"text": "Ada"}),
        "a.shadowRoot.firstChild.value === 'Ada'",
    ),
    "an editor with an edit context": (
        "<div style='position:relative;width:300px;height:60px'><div id=keys role=textbox aria-label=Code aria-multiline=true tabindex=0 style='position:absolute;width:0;height:19px'></div><textarea readonly aria-hidden=true tabindex=-1></textarea><div id=lines class=mouse-cursor-text></div></div>"
        "<script>let model = 'old text', all = false; const context = keys.editContext = new EditContext(); const draw = () => { lines.innerHTML = `<div class=view-line>${model}</div>` };"
        "keys.addEventListener('keydown', (e) => { if (e.key === 'a' && e.ctrlKey) { all = true; e.preventDefault() } }); context.addEventListener('textupdate', (e) => { model = (all ? '' : model) + e.text; all = false; draw() }); draw()</script>",
        ("ui.enterText", "textarea", "Code", {"text": "x = 5"}),
        "model === 'x = 5'",
    ),
    "a hidden field that only carries the value of a drawn one": (
        "<span id=a role=textbox contenteditable aria-label='Tags, type to add' style='display:inline-block;width:150px;border:1px solid'></span><input aria-label=Tags tabindex=-1 style='position:absolute;left:-9999px'>",
        ("ui.enterText", None, "Tags", {"text": "Oslo"}),
        "a.textContent === 'Oslo'",
    ),
    "a list named by its label that shows its choice": (
        "<label id=n for=b>City</label> <button id=b aria-haspopup=listbox aria-expanded=false aria-labelledby='n b'>Bern</button><ul role=listbox id=l hidden><li role=option>Bern<li role=option>Oslo</ul>"
        "<script>b.onclick = () => { l.hidden = !l.hidden; b.ariaExpanded = String(!l.hidden) }; for (const li of l.children) li.onclick = () => { b.textContent = li.textContent; l.hidden = true; b.ariaExpanded = 'false' }</script>",
        ("ui.choose", "button", None, {"label": "Oslo"}),
        "b.textContent === 'Oslo'",
    ),
    "a number in a text field": (
        "<label>Guests <input id=a inputmode=numeric value=3></label>",
        ("ui.setValue", "textbox", "Guests", {"value": 17}),
        "a.value === '17'",
    ),
}
FORGETFUL = (
    "<div id=b role=combobox aria-label=City tabindex=0 aria-expanded=false style='width:200px'>pick</div><ul role=listbox id=l hidden><li role=option>Bern<li role=option>Oslo<li role=option>Rome</ul>"
    "<script>b.onclick = () => { l.hidden = false; b.ariaExpanded = 'true' }; for (const li of l.children) li.onclick = () => { for (const one of l.children) one.ariaSelected = String(one === li) }</script>"
)
"""A list that keeps only the last choice."""


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    bodies = [*(page[0] for page in PAGES.values()), FORGETFUL]

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index = self.path.strip("/")
            body = bodies[int(index)] if index.isdigit() else ""
            text = f"<!doctype html><meta charset=utf-8><title>{index}</title>{STYLE}{body}".encode()
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.browser
@pytest.mark.requirement("ACT-10.3")
async def test_each_shape_is_used_and_its_page_agrees(origin: str) -> None:
    failed: list[Any] = []
    async with uiap.open(origin) as ui:
        for index, (shape, (_, step, truth)) in enumerate(PAGES.items()):
            (await ui.navigate(f"{origin}/{index}")).check()
            act, role, name, args = step
            result = await ui.act(act, role=role, name=name, args=args or None)
            done = bool(await ui.evaluate(truth))
            if result.error is not None or not done:
                failed.append((shape, result.error and result.error.message, done))
    assert failed == []


@pytest.mark.browser
@pytest.mark.requirement("ACT-10.3")
async def test_two_choices_of_a_list_that_keeps_one_have_failed(origin: str) -> None:
    async with uiap.open(f"{origin}/{len(PAGES)}") as ui:
        args = {"multiple": ["Oslo", "Rome"]}
        result = await ui.act("ui.choose", role="combobox", name="City", args=args)
    assert result.status == "failed"
