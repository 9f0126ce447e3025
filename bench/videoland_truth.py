"""The real content of Videoland, read from its pages by a plain query of the document: the measure for discovery.

Each state is reached as a person would reach it. Dialogs behind a refused action, such as the confirmation of a
deletion, are not part of it.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import uiap
from apps.videoland.routes.pages import PAGES

ROUTES = frozenset(PAGES)
PLACES = (
    ("/login", ""),
    ("/", ""),
    ("/", "#account"),
    ("/videos", ""),
    ("/videos", "[data-uiap-id='video.quick']"),
    ("/videos/virtual", ""),
    ("/videos/new", ""),
    ("/videos/3", ""),
    ("/videos/3", "[data-uiap-id='video.title.edit']"),
    ("/studio", ""),
    ("/team", ""),
    ("/billing", ""),
    *(
        ("/settings", f"[data-uiap-id='settings.tab.{tab}']")
        for tab in ("profile", "notifications", "security", "help")
    ),
)
QUERY = """
(() => {
  const shown = (el) => el.checkVisibility({visibilityProperty: true}) && el.getClientRects().length;
  const kinds = "a[href],button,input,select,textarea,summary,[role=tab],[role=menuitem],[role=switch],[role=slider]";
  const controls = [...document.querySelectorAll(kinds)].filter(shown);
  const text = (el) => (el.getAttribute("aria-label") || el.labels?.[0]?.innerText || el.innerText || "").trim();
  const row = (el) => !!el.closest("tbody tr, [role=row], li[data-id]");
  const scopes = [...document.querySelectorAll("[data-uiap-scope]")].filter(shown).map((el) => el.dataset.uiapScope);
  const dialog = document.querySelector("dialog[open]");
  return JSON.stringify({
    scopes,
    elements: controls.filter((el) => !dialog || dialog.contains(el)).map((el) => ({
      id: el.dataset.uiapId || "", name: text(el), record: row(el), tag: el.tagName.toLowerCase(),
    })),
  });
})()
"""


class Truth(NamedTuple):
    scopes: frozenset[str]
    elements: frozenset[str]
    """By stable id, or as `tag name`."""


async def truth(base: str) -> Truth:
    scopes: set[str] = set()
    elements: set[str] = set()
    for signed_in in (False, True):
        async with uiap.open(base + ("/?as=admin&lang=en" if signed_in else "/login?lang=en")) as ui:
            for path, press in PLACES:
                if (path == "/login") == signed_in:
                    continue
                seen = await _place(ui, base + path, press)
                scopes |= set(seen["scopes"])
                elements |= {key for one in seen["elements"] if (key := _key(one))}
    return Truth(frozenset(scopes), frozenset(elements))


async def _place(ui: uiap.Ui, url: str, press: str) -> dict[str, Any]:
    await ui.navigate(url)
    await ui.evaluate(
        "new Promise(done => { const look = () => document.querySelector('[aria-busy=true]') ? setTimeout(look, 20)"
        " : done(); look(); })"
    )
    if press:
        selector = "[data-uiap-id='account.menu']" if press == "#account" else press
        await ui.evaluate(f"document.querySelector({selector!r}).click()")
        await ui.observe()
    found: dict[str, Any] = json.loads(await ui.evaluate(QUERY))
    return found


def _key(one: dict[str, Any]) -> str | None:
    if one["id"]:
        return str(one["id"])
    if one["record"] and one["tag"] == "a":
        return None  # its name is data of a record
    name = " ".join(one["name"].split()).lower()
    return f"{one['tag']} {name}" if name else None
