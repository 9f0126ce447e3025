"""The controls: markup, the action that uses each, and how its script reads, writes and hears the value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Control:
    role: str
    name: str
    action: str
    args: dict[str, Any]
    markup: str
    """The element with the id `control`, and the parts that belong to it."""
    event: str
    """The event that the page listens to."""
    fires: str = "true"
    """A condition in JavaScript on the event `e`: the control has been used."""
    prepare: str = ""
    """JavaScript that runs before the behaviour when the control has been used."""
    read: str = ""
    """JavaScript expression: the value now. Empty when the control holds none."""
    write: str = ""
    """JavaScript statement that sets the value `v`."""
    values: tuple[Any, Any] = field(default=(None, None))
    """The value before and the wanted value."""
    script: str = ""


CONTROLS: dict[str, Control] = {
    "button": Control(
        role="button", name="Place order", action="ui.activate", args={},
        markup="<button id=control type=button>Place order</button>", event="click",
    ),
    "link": Control(
        role="link", name="Place order", action="ui.activate", args={},
        markup='<a id=control href="#order">Place order</a>', event="click", prepare="e.preventDefault();",
    ),
    "form": Control(
        role="form", name="Checkout", action="ui.submit", args={},
        markup=(
            '<form id=control aria-label=Checkout action="/wrong">'
            '<label>Name <input id=field name=name value="Ada"></label><button>Place order</button></form>'
        ),
        event="submit", prepare="e.preventDefault();",
    ),
    "key": Control(
        role="textbox", name="Command", action="x.uiap.press", args={"key": "Enter"},
        markup='<label>Command <input id=control value="order 7"></label>', event="keydown",
        fires='e.key === "Enter"',
    ),
    "checkbox": Control(
        role="checkbox", name="Gift wrap", action="ui.toggle", args={"checked": True},
        markup="<label><input id=control type=checkbox> Gift wrap</label>", event="change",
        read="control.checked", write="control.checked = v", values=(False, True),
    ),
    "switch": Control(
        role="switch", name="Express", action="ui.toggle", args={"checked": True},
        markup="<button id=control type=button role=switch aria-checked=false>Express</button>", event="click",
        prepare="write(!read());", read='control.getAttribute("aria-checked") === "true"',
        write='control.setAttribute("aria-checked", String(v))', values=(False, True),
    ),
    "select": Control(
        role="combobox", name="Size", action="ui.choose", args={"label": "Large"},
        markup="<label>Size <select id=control><option>Small<option>Medium<option>Large</select></label>",
        event="change", read="control.value", write="control.value = v", values=("Small", "Large"),
    ),
    "combobox": Control(
        role="combobox", name="Colour", action="ui.choose", args={"label": "Blue"},
        markup=(
            "<div id=control role=combobox tabindex=0 aria-label=Colour aria-expanded=false aria-controls=list>"
            "Red</div>"
            "<ul id=list role=listbox aria-label=Colours hidden><li role=option aria-selected=true>Red"
            "<li role=option aria-selected=false>Green<li role=option aria-selected=false>Blue</ul>"
        ),
        event="chosen", prepare="write(e.detail);", read="control.textContent",
        write=(
            "control.textContent = v; "
            'for (const o of list.children) o.setAttribute("aria-selected", String(o.textContent === v))'
        ),
        values=("Red", "Blue"),
        script="""
const list = document.getElementById("list");
const open = (on) => { list.hidden = !on; control.setAttribute("aria-expanded", String(on)) };
document.addEventListener("click", (e) => { if (e.target === control) open(list.hidden) });
list.addEventListener("click", (e) => {
  open(false);
  control.dispatchEvent(new CustomEvent("chosen", {detail: e.target.textContent, bubbles: true}));
});""",
    ),
    "text": Control(
        role="textbox", name="Voucher", action="ui.enterText", args={"text": "AB1234"},
        markup="<label>Voucher <input id=control></label>", event="input",
        fires="becomes(control.value.length >= 6)", read="control.value", write="control.value = v",
        values=("", "AB1234"),
    ),
    "editable": Control(
        role="textbox", name="Note", action="ui.enterText", args={"text": "Thanks"},
        markup="<div id=control contenteditable=true role=textbox aria-label=Note></div>", event="input",
        fires="becomes(control.textContent.length >= 6)", read="control.textContent",
        write="control.textContent = v; getSelection().selectAllChildren(control); getSelection().collapseToEnd()",
        values=("", "Thanks"),
    ),
    "slider": Control(
        role="slider", name="Quantity", action="ui.setValue", args={"value": 70},
        markup="<label>Quantity <input id=control type=range min=0 max=100 step=10 value=20></label>",
        event="input", fires='becomes(control.value === "70")', read="control.value", write="control.value = v",
        values=("20", "70"),
    ),
}  # fmt: skip
"""`list`, `open`, `read`, `write` and `becomes` are names of the page's script. `becomes` is true once, at the edge."""
