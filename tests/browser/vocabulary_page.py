"""Pages that show every word of the capability model: roles, state keys, affordances, and all kinds of signals."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

ROLES = """<title>Words</title><body>
<main aria-label=Region><article>Group</article><form aria-label=Form><label for=q>Name</label><input id=q></form></main>
<dialog open>Dialog</dialog><div role=dialog class=drawer>Drawer</div><div role=tooltip>Popover</div><div role=tabpanel aria-label=P>Panel</div>
<a href=#x>Link</a><div role=menu><div role=menuitem>Item</div></div><div role=tablist><div role=tab>Tab</div></div>
<div role=toolbar aria-label=T>Tools</div><nav class=breadcrumb>Crumbs</nav><nav class=pagination>Pages</nav>
<ul><li>One</ul><table><tr><td>Cell</table><div role=grid aria-label=G>Grid</div><div role=tree aria-label=Tr><div role=treeitem>Leaf</div></div>
<button>Press</button><textarea aria-label=Long></textarea><input type=search aria-label=Search><select aria-label=S><option>O</select>
<select multiple aria-label=L><option>A</select><input type=checkbox aria-label=C><input type=radio aria-label=R><div role=switch aria-checked=false>Switch</div>
<input type=range aria-label=Slide><input type=number aria-label=Spin><input type=date aria-label=Day><input type=time aria-label=Time><input type=file aria-label=File>
<h1>Heading</h1><p role=alert>Alert</p><div role=status class=toast>Toast</div><p role=status>Status</p><progress value=1 max=2 aria-label=Pr></progress>
<div role=status class=spinner>Wait</div><img alt=Picture width=9 height=9><video aria-label=V></video><audio controls></audio><canvas aria-label=Can></canvas>
<div data-uiap-route=home>Route</div><div data-uiap-role=x.shop.card>Card</div><div data-uiap-role=wizard onclick=go()>Wizard</div>
<script>function go() {}</script>"""

STATES = """<title>States</title><body>
<button id=b data-uiap-id=b>Button</button>
<input id=f data-uiap-id=f aria-label=F placeholder=hint>
<input id=n data-uiap-id=n type=number aria-label=N min=1 max=9 step=2 value=3>
<input id=k data-uiap-id=k type=checkbox aria-label=K>
<div id=d data-uiap-id=d role=dialog aria-label=Box hidden><p>Inside</p></div>
<section id=s data-uiap-id=s aria-label=Part>Text</section>
<div id=o data-uiap-id=o role=option aria-selected=false>Option</div>
<div id=t data-uiap-id=t role=tablist aria-label=Tabs aria-orientation=horizontal></div>
<textarea id=m data-uiap-id=m aria-label=M></textarea>
<div id=g data-uiap-id=g role=button aria-grabbed=false tabindex=0>Grip</div>
<progress id=p data-uiap-id=p aria-label=P></progress>"""

STATE_CHANGES: dict[str, tuple[str, str, object, object]] = {
    "visible": ("d", "d.hidden = false", None, True),
    "enabled": ("b", "b.disabled = true", True, False),
    "focusable": ("b", "b.disabled = true", True, None),
    "focused": ("f", "f.focus()", None, True),
    "editable": ("f", "f.readOnly = true", True, False),
    "readonly": ("f", "f.readOnly = true", None, True),
    "required": ("f", "f.required = true", None, True),
    "busy": ("s", "s.setAttribute('aria-busy', 'true')", None, True),
    "loading": ("p", "p.value = 1", True, None),
    "blocked": ("b", "b.inert = true", None, True),
    "selected": ("o", "o.setAttribute('aria-selected', 'true')", False, True),
    "checked": ("k", "k.indeterminate = true", False, "mixed"),
    "pressed": ("b", "b.setAttribute('aria-pressed', 'true')", None, True),
    "expanded": ("b", "b.setAttribute('aria-expanded', 'true')", None, True),
    "open": ("d", "d.hidden = false", None, True),
    "modal": ("d", "d.setAttribute('aria-modal', 'true'); d.hidden = false", None, True),
    "dragged": ("g", "g.setAttribute('aria-grabbed', 'true')", None, True),
    "current": ("b", "b.setAttribute('aria-current', 'step')", None, "step"),
    "invalid": ("f", "f.setAttribute('aria-invalid', 'grammar')", None, "grammar"),
    "multiline": ("m", "m.remove()", True, None),
    "hasPopup": ("b", "b.setAttribute('aria-haspopup', 'tree')", None, "tree"),
    "orientation": ("t", "t.setAttribute('aria-orientation', 'vertical')", "horizontal", "vertical"),
    "textValue": ("f", "f.value = 'words'", "", "words"),
    "numericValue": ("n", "n.value = 5", 3, 5),
    "min": ("n", "n.min = 2", 1, 2),
    "max": ("n", "n.max = 8", 9, 8),
    "step": ("n", "n.step = 1", 2, 1),
    "placeholder": ("f", "f.placeholder = 'other'", "hint", "other"),
    "sensitive": ("f", "f.type = 'password'", None, True),
    "obscured": ("f", "f.type = 'password'", None, True),
}
"""By state key: the element, the script that changes it, the value before and the value after."""

AFFORDANCES = """<title>Affordances</title><body>
<button data-uiap-action=video.create>Create</button><input aria-label=Text><select aria-label=S><option>O</select>
<input type=checkbox aria-label=C><details><summary>More</summary>x</details><button aria-haspopup=dialog>Settings</button>
<dialog open>D</dialog><div style="overflow:auto;height:20px"><p style="height:90px">Long</div><form aria-label=F><button>Send</button></form>
<div draggable=true>Drag</div><div ondrop=take()>Drop</div><textarea aria-label=Grow></textarea><input type=file aria-label=Up><a href=#x>Go</a>"""

SAME_CONTROLS = """<title>Same</title><body><script>
customElements.define('my-button', class extends HTMLElement {
  connectedCallback() { const i = this.attachInternals(); this.setAttribute('role', 'button'); this.tabIndex = 0; } });
customElements.define('my-check', class extends HTMLElement {
  connectedCallback() { this.setAttribute('role', 'checkbox'); this.setAttribute('aria-checked', 'false'); this.tabIndex = 0; } });
</script>
<button>press</button><div role=button tabindex=0>press</div><my-button>press</my-button>
<label><input type=checkbox>tick</label><div role=checkbox aria-checked=false tabindex=0>tick</div><my-check>tick</my-check>
<a href=#a>visit</a><span role=link tabindex=0>visit</span>"""

SIGNALS = """<title>Signals</title><body>
<button id=go>Go</button><input id=f aria-label=Field required><p role=status id=status></p><ul id=list aria-label=Rows><li>1</ul>
<div id=dialog role=dialog aria-label=Box hidden>Text</div><div id=later hidden><button>Later</button></div><button id=old>Old</button>
<script>
const send = (type, detail) => window.dispatchEvent(new CustomEvent(type, {detail}));
const entity = (change, more) => send("uiap:entity", {change, entityType: "video", ...more});
const effects = {
  "element.appeared": () => { later.hidden = false },
  "element.disappeared": () => { old.remove() },
  "element.state": () => { go.setAttribute("aria-pressed", "true") },
  "value.equals": () => { f.value = "seven" },
  "route.changed": () => { history.pushState({}, "", "?page=2") },
  "dialog.opened": () => { dialog.hidden = false },
  "dialog.closed": () => { dialog.hidden = true },
  "toast.contains": () => { const p = document.createElement("p"); p.className = "toast"; p.style.position = "fixed"; p.textContent = "Saved it"; document.body.append(p) },
  "status.contains": () => { document.getElementById("status").textContent = "All is done" },
  "validation.none": () => { f.value = "good" },
  "collection.count": () => { list.insertAdjacentHTML("beforeend", "<li>2") },
  "entity.created": () => entity("created", {id: 7}),
  "entity.updated": () => entity("updated", {data: {video: {id: "v7"}}}),
  "entity.deleted": () => entity("deleted", {id: 7}),
  "network.response": () => fetch("/api/save?n=1"),
  "custom": () => send("uiap:signal", {name: "sync.finished", payload: {count: 2}}),
  "forged": () => send("uiap:signal", {name: "download.completed", payload: {name: "a.pdf"}}),
};
go.onclick = () => effects[window.kind]();
</script>"""

EXPECTED: dict[str, dict[str, object]] = {
    "validation.none": {},
    "element.appeared": {"target": {"by": "semantic", "role": "button", "name": "Later"}},
    "element.disappeared": {"target": {"by": "semantic", "role": "button", "name": "Old"}},
    "element.state": {
        "target": {"by": "semantic", "role": "button", "name": "Go"},
        "state": {"pressed": True},
    },
    "value.equals": {"target": {"by": "semantic", "role": "textbox", "name": "Field"}, "value": "seven"},
    "route.changed": {},
    "dialog.opened": {},
    "dialog.closed": {},
    "toast.contains": {"text": "Saved"},
    "status.contains": {"text": "done"},
    "collection.count": {
        "target": {"by": "semantic", "role": "list", "name": "Rows"},
        "op": "eq",
        "value": 2,
    },
    "entity.created": {"entityType": "video", "idPath": "id"},
    "entity.updated": {"entityType": "video", "idPath": "video.id"},
    "entity.deleted": {"entityType": "video"},
    "network.response": {"urlPattern": "*/api/save*", "status": 200},
    "custom": {"name": "sync.finished", "payload": {"count": 2}},
}
"""By kind of signal: the members of the signal that the page makes occur."""

ANNOTATED = """<button data-uiap-action=video.save data-uiap-actions="ui.activate video.save" data-uiap-risk=confirm
  data-uiap-success='[{"kind": "toast.contains", "text": "Saved"}]'>Save</button>"""

SCOPES = """<form aria-label="New video"><input aria-label=Title></form>
<section aria-label=Box data-uiap-scope=box><input aria-label=Title></section>"""
