"""The HTML of a shape. Each page has the script of its own values only, and knows nothing of UIAP.

A page counts in `window.__truth` how often its control was used, and reads from its own document what it shows.
"""

from __future__ import annotations

import json

from apps.grammar.controls import CONTROLS
from apps.grammar.dimensions import ERROR_ENDS, NETWORK, OUTSIDE, PRESSED, Shape

DEBOUNCE_MS = 250
TOAST_HIDES_MS = 900
RIPPLE_MS = 600

_STYLE = (
    "body{font:16px sans-serif;margin:16px}button,input,select{font:inherit;margin:4px}"
    "[contenteditable],[role=combobox]{border:1px solid;min-width:120px;padding:4px;display:inline-block}"
    ".toast{position:fixed;right:8px;bottom:8px;background:#333;color:#fff;padding:8px}"
    ".error{color:#b00020}.ripple{outline:4px solid #8888}.dark{background:#222;color:#eee}"
)

_BEHAVIOURS = {
    "plain": "listen(control, handle)",
    "delegated": ('document.addEventListener(EVENT, (e) => { if (e.target.closest("#control")) handle(e) })'),
    "optimistic": "listen(control, handle)",
    # as React's scheduler does it: one channel made at load, and a queue
    "scheduler": """
const queue = [], channel = new MessageChannel();
channel.port1.onmessage = () => { for (const job of queue.splice(0)) job() };
listen(control, handle)""",
    "rerender": """
const replace = () => {
  const focused = document.activeElement === control, old = control, kept = read();
  control = old.cloneNode(true);
  old.replaceWith(control);
  if (kept !== null) write(kept);
  listen(control, handle);
  if (focused) control.focus();
};
listen(control, handle)""",
    # the value belongs to the state of the page: it is put back, and rendered again from the state
    "controlled": """
let state = read();
listen(control, handle);
if (state !== null) control.addEventListener(EVENT, () => {
  const now = read();
  write(state);
  queueMicrotask(() => { state = now; write(now) });
})""",
    "debounce": "let waiting; listen(control, handle)",
}
_RUN = {
    "plain": "perform()",
    "delegated": "perform()",
    "optimistic": "perform()",
    "scheduler": "queue.push(perform); channel.port2.postMessage(0)",
    "rerender": "replace(); perform()",
    "controlled": "queueMicrotask(perform)",
    "debounce": f"clearTimeout(waiting); waiting = setTimeout(perform, {DEBOUNCE_MS})",
}
_SET_UP_CARRIER = {
    "websocket": """
const socket = new WebSocket(`ws://localhost:${query.get("socket")}/`), replies = new Map();
const opened = new Promise((resolve) => { socket.onopen = resolve });
socket.onmessage = (e) => { const reply = JSON.parse(e.data); replies.get(reply.token)?.() };""",
    "sse": """
const stream = new EventSource(`/events?trial=${trial}`), replies = new Map();
stream.onmessage = (e) => { const reply = JSON.parse(e.data); replies.get(reply.token)?.() };""",
    "worker": """
const code = "onmessage = (e) => setTimeout(() => postMessage(e.data), e.data)";
const worker = new Worker(URL.createObjectURL(new Blob([code])));""",
    "broadcast": "const radio = new BroadcastChannel(`grammar-${trial}`);",
}
_CARRY = {
    "task": "done()",
    "root": "done()",
    "microtask": "Promise.resolve().then(done)",
    "timer": "setTimeout(done, DELAY)",
    "frame": "requestAnimationFrame(() => requestAnimationFrame(done))",
    "fetch": 'fetch(saveUrl, {method: "POST"}).then((r) => r.text()).then(done, done)',
    "xhr": 'const x = new XMLHttpRequest(); x.open("POST", saveUrl); x.onloadend = done; x.send()',
    "websocket": """
const token = String(Math.random());
replies.set(token, done);
opened.then(() => socket.send(JSON.stringify({trial, token, answer: ANSWER, delay: DELAY})))""",
    "sse": """
const token = String(Math.random());
replies.set(token, done);
fetch(`${saveUrl}&token=${token}&push=1`, {method: "POST"})""",
    "worker": "worker.onmessage = done; worker.postMessage(DELAY)",
    "indexeddb": """
const asked = indexedDB.open(`grammar-${trial}`, 1);
asked.onupgradeneeded = () => asked.result.createObjectStore("orders");
asked.onsuccess = () => {
  const writing = asked.result.transaction("orders", "readwrite");
  writing.objectStore("orders").put("order", 7);
  writing.oncomplete = done;
}""",
    "broadcast": "radio.onmessage = done; radio.postMessage(DELAY)",
    "storage": """
addEventListener("storage", (e) => { if (e.key === `answer-${trial}`) done() });
localStorage.setItem(`question-${trial}`, String(DELAY))""",
    "new_tab": "window.open(`/tab?trial=${trial}`); done()",
    "download": """
const a = document.createElement("a");
a.href = `/file?trial=${trial}`; a.download = "order.csv"; a.click();
done()""",
}  # fmt: skip
_FRAMED = ("broadcast", "storage")
_ENDS = {
    "lasts": "show(); finish()",
    "toast_hides": f'show(); setTimeout(() => {{ byId("own-toast")?.remove(); finish() }}, {TOAST_HIDES_MS})',
    "error_clears": 'byId("old-error").remove(); show(); finish()',
    "ripple": (
        'show(); control.classList.add("ripple"); '
        f'setTimeout(() => {{ control.classList.remove("ripple"); finish() }}, {RIPPLE_MS})'
    ),
    "timer_rollback": "show(); setTimeout(() => { withdraw(); finish() }, ROLLBACK)",
    "response_rollback": "withdraw(); finish()",
    "error_toast": 'hide(); complain("toast error", "status"); finish()',
    "error_alert": 'hide(); complain("", "alert"); finish()',
    "inline_error": 'hide(); complain("error", ""); finish()',
    "invalid_field": """
hide();
complain("error", "");
const field = byId("field") ?? control;
field.setAttribute("aria-invalid", "true");
field.setAttribute("aria-describedby", "own-error");
finish()""",
    "body_refuses": "show(); finish()",
    "http_refuses": "show(); finish()",
    "saved_but_error": 'hide(); complain("", "alert"); finish()',
    "nothing": "",
}
_NOISE = {
    "none": "",
    "clock": "ticking()",
    "poll": "polling()",
    "both": "ticking(); polling()",
    "storm": """
let round = 0;
setInterval(() => {
  byId("storm").innerHTML = ["ann", "bob", "cid", "dee"].map(
    (name) => `<li>${name} <b>${++round}</b> <button>Remove ${name}</button>`).join("");
}, 40)""",
}
_NOISE_TOOLS = """
const ticking = () => { let n = 0; setInterval(() => { byId("clock").textContent = ++n }, 100) };
const polling = () => {
  let n = 0;
  setInterval(async () => { await fetch("/poll"); byId("poll").textContent = ++n }, 250);
};"""
_DISGUISES = {
    "foreign_toast": """
setInterval(() => {
  const foreign = document.createElement("div");
  foreign.className = "toast"; foreign.setAttribute("role", "status"); foreign.textContent = "Saved";
  document.body.append(foreign);
  setTimeout(() => foreign.remove(), 200);
}, 350)""",
    "clock_status": """
let age = 0;
setInterval(() => { byId("age").textContent = `Saved ${++age} s ago` }, 200)""",
}
ERRORS = (
    "Payment declined",
    "Something went wrong, try again later",
    "Order 7 could not be placed",
    "Error: the warehouse did not answer",
)
ERROR_WITH_SUCCESS_WORDS = "Not saved: only 5 orders can be Saved at a time"


def html_of(shape: Shape, *, title: str, answer: str, rollback_ms: int, error_text: str) -> str:
    """Return the page of a shape. `answer` is the server's answer to a write of this page."""
    control = CONTROLS[shape.control]
    before, wanted = control.values
    constants = {
        "EVENT": control.event,
        "DELAY": int(shape.delay),
        "ANSWER": answer,
        "ROLLBACK": rollback_ms,
        "OLD": before,
        "NEW": wanted,
        "ERROR": error_text,
    }
    script = [
        "".join(f"const {name} = {json.dumps(value)};\n" for name, value in constants.items()),
        _core(shape),
        _SET_UP_CARRIER.get(shape.carrier, ""),
        control.script,
        _BEHAVIOURS[shape.behaviour] + ";",
        _DISGUISES.get(shape.disguise, ""),
        _NOISE_TOOLS if shape.noise in ("clock", "poll", "both") else "",
        _NOISE[shape.noise],
    ]
    return "\n".join(
        (
            f"<!doctype html><html lang=en><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>",
            "<h1>Orders</h1>",
            _markup(shape),
            "<script>",
            *(part.strip() for part in script if part.strip()),
            "</script>",
        )
    )


def _markup(shape: Shape) -> str:
    control = CONTROLS[shape.control].markup
    if shape.disguise == "pressed_flips":
        control = control.replace("<button ", "<button aria-pressed=false ")
    parts = [
        "<div id=old-error role=alert>The last order is incomplete</div>"
        if shape.end == "error_clears"
        else "",
        f"<section id=area aria-label=Order>{control} <span id=beside></span>"
        "<button id=decoy type=button>Discard everything</button></section>",
        "<h2>Placed</h2><ul id=rows><li>Order 1</li></ul>",
        "<div id=status role=status></div>" if shape.display == "status" else "",
        _earlier(shape),
        "<div id=age role=status>Saved 0 s ago</div>" if shape.disguise == "clock_status" else "",
        "<p>Time <span id=clock>0</span></p>" if shape.noise in ("clock", "both") else "",
        "<p>News <span id=poll>0</span></p>" if shape.noise in ("poll", "both") else "",
        "<ul id=storm></ul>" if shape.noise == "storm" else "",
    ]
    return "\n".join(part for part in parts if part)


def _earlier(shape: Shape) -> str:
    if shape.disguise != "text_before":
        return ""
    kind = "class=toast style=bottom:60px " if shape.display == "toast" else ""
    return f"<div {kind}role=status>Saved order 6</div>"


def _core(shape: Shape) -> str:
    control = CONTROLS[shape.control]
    early = shape.behaviour == "optimistic" or shape.end == "response_rollback"
    if shape.end == "nothing":
        perform = "performed++; " + _nothing(shape)
    else:
        perform = f"performed++; {'show();' if early else ''} carry(() => {{ {_stop(shape)} end() }})"
    if shape.disguise == "spinner":
        perform = "spin(); " + perform
    if shape.disguise == "pressed_flips":
        perform = 'control.setAttribute("aria-pressed", "true"); ' + perform
    carry = "done()" if shape.end in ERROR_ENDS and shape.carrier in OUTSIDE else _CARRY[shape.carrier]
    return f"""
const query = new URLSearchParams(location.search), trial = Number(query.get("trial"));
const byId = (id) => document.getElementById(id);
const saveUrl = `/save?trial=${{trial}}&answer=${{ANSWER}}&delay=${{DELAY}}`;
let control = byId("control"), performed = 0, decoy = 0, finished = false, edge = false;
byId("decoy").addEventListener("click", () => {{ decoy++ }});
const becomes = (now) => {{ const rose = now && !edge; edge = now; return rose }};
const read = () => {{ return {control.read or "null"} }};
const write = (v) => {{ {control.write} }};
const value = () => {{
  const now = read();
  return now === null ? "none" : now === NEW ? "new" : now === OLD ? "old" : now;
}};
window.__truth = {{
  get performed() {{ return performed }}, get decoy() {{ return decoy }}, get finished() {{ return finished }},
  get value() {{ return value() }},
  get shown() {{
    const effect = {_EFFECT_OF.get(shape.carrier, 'byId("own-row") !== null')};
    const error = byId("own-error") !== null;
    return effect && error ? "both" : effect ? "effect" : error ? "error" : "nothing";
  }},
}};
const finish = () => {{ finished = true }};
{_show(shape)}
const complain = (style, role) => {{
  const error = document.createElement("div");
  error.id = "own-error"; error.className = style; error.textContent = ERROR;
  if (role) error.setAttribute("role", role);
  (style === "error" ? byId("beside") : document.body).append(error);
}};
const spin = () => {{
  const spinner = document.createElement("div");
  spinner.id = "spinner"; spinner.setAttribute("role", "progressbar"); spinner.setAttribute("aria-label", "Working");
  byId("area").setAttribute("aria-busy", "true"); byId("area").append(spinner);
}};
const end = () => {{ {_ENDS[shape.end]} }};
const carry = (done) => {{ {carry} }};
const perform = () => {{ {perform} }};
const handle = (e) => {{ if ({control.fires}) {{ {control.prepare} {_RUN[shape.behaviour]} }} }};
const listen = (node, handler) => node.addEventListener(EVENT, handler);
{_frame(shape)}"""


_EFFECT_OF = {
    "root": 'document.documentElement.classList.contains("dark")',
    "new_tab": "false",
    "download": "false",
}


def _stop(shape: Shape) -> str:
    return (
        'byId("area").removeAttribute("aria-busy"); byId("spinner")?.remove();'
        if shape.disguise == "spinner"
        else ""
    )


def _show(shape: Shape) -> str:
    """Return the functions that show, hide and withdraw the effect."""
    if shape.carrier in OUTSIDE:
        return "const show = () => {}, hide = () => {};"
    back = "" if shape.control in PRESSED else "write(OLD);"
    if shape.carrier == "root":
        return f"""
const show = () => {{ document.documentElement.classList.add("dark"); document.title = "Order 7"; }};
const hide = () => {{ document.documentElement.classList.remove("dark"); document.title = "Orders"; }};
const withdraw = () => {{ hide(); {back} }};"""
    message = {
        "row": "",
        "status": 'byId("status").textContent = "Saved order 7";',
        "toast": """
  const toast = document.createElement("div");
  toast.id = "own-toast"; toast.className = "toast"; toast.setAttribute("role", "status");
  toast.textContent = "Saved order 7";
  document.body.append(toast);""",
    }[shape.display]
    clear = {"row": "", "status": 'byId("status").textContent = "";', "toast": 'byId("own-toast")?.remove();'}
    return f"""
const show = () => {{
  if (byId("own-row")) return;
  const row = document.createElement("li");
  row.id = "own-row"; row.innerHTML = "Order 7 <button type=button>Open order 7</button>";
  byId("rows").append(row);
  {message}
}};
const hide = () => {{ byId("own-row")?.remove(); {clear[shape.display]} }};
const withdraw = () => {{ hide(); {back} }};"""


def _nothing(shape: Shape) -> str:
    """Return the script of a control that leads to nothing: at most a request that only counts the use."""
    reset = ""
    if shape.control not in PRESSED and shape.expect == "none":
        reset = "queueMicrotask(() => write(OLD)); setTimeout(() => write(OLD));"
    carried = "" if shape.carrier in OUTSIDE else "carry(() => {});"
    if shape.carrier == "websocket":
        carried = 'opened.then(() => socket.send(JSON.stringify({trial, answer: "track"})));'
    elif shape.carrier in NETWORK:
        carried = 'fetch(`/save?trial=${trial}&answer=track&delay=0`, {method: "POST"});'
    return f"{carried} {reset} finish()"


def _frame(shape: Shape) -> str:
    if shape.carrier not in _FRAMED:
        return ""
    return (
        f'const frame = document.createElement("iframe"); frame.hidden = true; '
        f"frame.src = `/frame?kind={shape.carrier}&trial=${{trial}}`; document.body.append(frame);"
    )


FRAMES = {
    "broadcast": """<!doctype html><script>
const trial = new URLSearchParams(location.search).get("trial"), radio = new BroadcastChannel(`grammar-${trial}`);
radio.onmessage = (e) => setTimeout(() => radio.postMessage("answer"), e.data);
</script>""",
    "storage": """<!doctype html><script>
const trial = new URLSearchParams(location.search).get("trial");
addEventListener("storage", (e) => {
  if (e.key === `question-${trial}`) setTimeout(() => localStorage.setItem(`answer-${trial}`, "1"), Number(e.newValue));
});
</script>""",
}
"""The other side of two carriers: a frame of the same origin that answers."""
