"""Render the approval page as HTML: one card per confirmation request or handed over step.

Every value from outside is escaped. `approval_page` serves it and talks to the session.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

STYLE = """
:root { color-scheme: light dark; --ink: #16181d; --soft: #5b6270; --line: #d9dde5; --paper: #f6f7f9; --card: #fff;
  --go: #1f6feb; --warn: #b42318 }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaee; --soft: #9aa3b2; --line: #30363f; --paper: #0f1115;
  --card: #181b21; --go: #3b7ddd; --warn: #ff8a7a } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 52rem; margin: 0 auto; padding: 1.5rem 1.25rem }
h1 { font-size: 1rem; font-weight: 600; color: var(--soft); margin: 0 0 1rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.5rem;
  margin: 0 0 1.5rem }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere }
.why { color: var(--warn); margin: 0 0 1rem }
svg.shot { display: block; width: 100%; height: auto; border: 1px solid var(--line); border-radius: 8px;
  margin: 1rem 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.25rem; margin: 1rem 0 }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
.row { display: flex; gap: .75rem; align-items: center; flex-wrap: wrap; margin-top: 1.25rem }
button { font: inherit; font-weight: 600; padding: .6rem 1.4rem; border-radius: 8px; border: 1px solid var(--line);
  background: transparent; color: var(--ink); cursor: pointer }
button.go { background: var(--go); border-color: var(--go); color: #fff }
button:disabled { opacity: .45; cursor: default }
button:focus-visible { outline: 3px solid var(--go); outline-offset: 2px }
.left { margin-left: auto; color: var(--soft); font-variant-numeric: tabular-nums }
.none { color: var(--soft) }
"""

SCRIPT = """
"use strict";
const shown = document.body.dataset.bonds;
const tick = () => {
  for (const el of document.querySelectorAll("[data-until]")) {
    const left = Math.max(0, Math.round((Number(el.dataset.until) - performance.now()) / 1000));
    el.textContent = left ? `${left} s left` : "expired";
    if (!left) for (const b of el.closest("form").querySelectorAll("button")) b.disabled = true;
  }
};
tick();
setInterval(tick, 1000);
// a button that appears under a moving pointer must not be pressed by accident
const allow = document.querySelectorAll("button.go");
for (const b of allow) b.disabled = true;
setTimeout(() => { for (const b of allow) b.disabled = false; tick(); }, 600);
setInterval(async () => {
  try {
    const bonds = JSON.stringify(await (await fetch("/state", { cache: "no-store" })).json());
    if (bonds !== shown) location.reload();
  } catch { document.title = "the session has ended"; }
}, 1500);
"""


def page(
    waiting: list[dict[str, Any]], *, form_key: str, nonce: str, handoffs: Sequence[dict[str, Any]] = ()
) -> str:
    cards = "".join(confirmation_card(one, n, form_key) for n, one in enumerate(waiting))
    cards += "".join(handoff_card(one, len(waiting) + n, form_key) for n, one in enumerate(handoffs))
    count = len(waiting) + len(handoffs)
    head = (
        "Nothing to confirm"
        if not count
        else "1 action waits for your answer"
        if count == 1
        else f"{count} actions wait for your answer"
    )
    bonds = escape(json.dumps(shown_ids(waiting, handoffs), separators=(",", ":")))
    hint = "" if cards else '<p class="none">The next request appears here automatically.</p>'
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(head)} · uiap</title>'
        f'<meta name="viewport" content="width=device-width"><style nonce="{nonce}">{STYLE}</style></head>'
        f'<body data-bonds="{bonds}"><main><h1>{escape(head)}</h1>{cards}{hint}</main>'
        f'<script nonce="{nonce}">{SCRIPT}</script></body></html>'
    )


def shown_ids(waiting: Sequence[dict[str, Any]], handoffs: Sequence[dict[str, Any]]) -> list[str]:
    """Return the ids of everything on the page; the page reloads when they change."""
    return [*(one["bond"] for one in waiting), *(one["actionHandle"] for one in handoffs)]


def handoff_card(one: dict[str, Any], number: int, form_key: str) -> str:
    """Return the card of a step that the person does in the application and reports here."""
    hidden = {"key": form_key, "handle": one["actionHandle"]}
    inputs = "".join(f'<input type="hidden" name="{n}" value="{escape(v)}">' for n, v in hidden.items())
    focus = " autofocus" if number == 0 else ""
    return (
        f'<section class="card" aria-labelledby="q{number}"><h2 id="q{number}">Please do this step yourself</h2>'
        f"<p>{escape(_sentence(one['note']))}</p>"
        f'<form method="post" action="/answer" class="row">{inputs}'
        f'<button name="answer" value="declined"{focus}>I decline</button>'
        '<button class="go" name="answer" value="done">I have done it</button></form></section>'
    )


def confirmation_card(one: dict[str, Any], number: int, form_key: str) -> str:
    request, preview = one["request"], one["request"].get("preview", {})
    risk = request.get("risk", {})
    hidden = {"key": form_key, "handle": one["actionHandle"], "bond": one["bond"]}
    inputs = "".join(f'<input type="hidden" name="{n}" value="{escape(v)}">' for n, v in hidden.items())
    focus = " autofocus" if number == 0 else ""
    until = f'<span class="left" data-until="{one["expiresInMs"]}" role="timer"></span>'
    return (
        f'<section class="card" aria-labelledby="q{number}"><h2 id="q{number}">'
        f"{escape(_sentence(preview.get('summary', request['actionId'])))}?</h2>"
        f'<p class="why">{escape(_sentence(risk.get("reason", "")))}</p>{picture(one)}'
        f"<dl>{_facts(one, request, preview)}</dl>"
        f'<form method="post" action="/answer" class="row">{inputs}'
        f'<button name="answer" value="deny"{focus}>Deny</button>'
        f'{_session_button(one)}<button class="go" name="answer" value="grant">Allow once</button>'
        f"{until}</form></section>"
    )


def _session_button(one: dict[str, Any]) -> str:
    """Return the button that allows this kind until the session ends. Its tooltip says what the kind is."""
    if not one.get("kind"):
        return ""
    return (
        f'<button name="answer" value="session" title="{escape(one["kind"])}">Allow for this session</button>'
    )


def picture(one: dict[str, Any]) -> str:
    """Return the screenshot with the target marked; the mark is drawn here, outside the page's reach."""
    view = one.get("viewport", {})
    width, height = view.get("width", 1280), view.get("height", 800)
    label = "the page, with the target marked" if one.get("box") else "the page"
    return (
        f'<svg class="shot" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{label}">'
        f'<image href="/picture" width="{width:g}" height="{height:g}"/>{_target_mark(one.get("box"))}</svg>'
    )


def _target_mark(box: dict[str, Any] | None) -> str:
    if not box:
        return ""
    x, y, width, height = (float(box.get(key, 0)) for key in ("x", "y", "width", "height"))
    rect = f'x="{x - 6:g}" y="{y - 6:g}" width="{width + 12:g}" height="{height + 12:g}" rx="8" fill="none"'
    return f'<rect {rect} stroke="#fff" stroke-width="9"/><rect {rect} stroke="#d92d20" stroke-width="5"/>'


def _facts(one: dict[str, Any], request: dict[str, Any], preview: dict[str, Any]) -> str:
    target = preview.get("target", {})
    facts = {
        "Action": request["actionId"],
        "Target": f"{target.get('role', '')} “{target.get('name', '')}”" if target else "",
        "Arguments": json.dumps(preview["args"], ensure_ascii=False) if preview.get("args") else "",
        **{f"Field {name}": value or "(empty)" for name, value in one.get("fields", ())},
        "Site": one.get("origin", ""),
        "Risk": ", ".join([request["risk"]["level"], *request["risk"].get("tags", [])]).replace("_", " "),
        "This session": one.get("kind", ""),
        "Decided by": one.get("decidedBy", ""),
        "Requested by": one["principal"],
    }
    return "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts.items() if value
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
