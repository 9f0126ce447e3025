"""Several controls with one name: the text that tells a person which is which is published beside each."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

NAMES = ("Alpha", "Beta", "Gamma")
PRESS = "<button>Delete</button>"


def besides(tab: Tab, name: str = "Delete") -> list[str | None]:
    elements = tab.graph["elements"].values()
    return [e.get("metadata", {}).get("beside") for e in elements if e.get("name") == name]


def each(make: Callable[[str], str]) -> str:
    return "".join(map(make, NAMES))


ALTERNATING = {
    "paragraphs": each(lambda name: f"<p>{name} {PRESS}</p>"),
    "boxes": each(lambda name: f"<div><span>{name}</span>{PRESS}</div>"),
    "deep boxes": each(lambda name: f"<div><div><b>{name}</b></div><div><div>{PRESS}</div></div></div>"),
    "headings": each(lambda name: f"<h3>{name}</h3>{PRESS}"),
    "lines": each(lambda name: f"{name} {PRESS}<br>"),
    "terms": "<dl>" + each(lambda name: f"<dt>{name}</dt><dd>{PRESS}</dd>") + "</dl>",
    "cells of a grid": "<div>" + each(lambda name: f"<div>{name}</div><div>{PRESS}</div>") + "</div>",
    "text behind": each(lambda name: f"<div>{PRESS} {name}</div>"),
    "lines with text behind": each(lambda name: f"{PRESS} {name}<br>"),
    "links": each(lambda name: f"<div><a href='#{name}'>{name}</a> {PRESS} <button>Edit</button></div>"),
    "fields": each(lambda name: f"<div><input placeholder={name}>{PRESS}</div>"),
    "boxes to tick": each(lambda name: f"<div><label><input type=checkbox>{name}</label>{PRESS}</div>"),
    "keys of their own": each(lambda name: f"<div>{name} <button data-id={name[0]}1>Delete</button></div>"),
    "slots": each(
        lambda name: f"<x-r><template shadowrootmode=open><b><slot></slot></b>{PRESS}</template>{name}</x-r>"
    ),
    "wrappers without a box": each(lambda name: f"<div><p style='display:contents'>{name}</p>{PRESS}</div>"),
    "pictures": each(lambda name: f"<div><img src=data: alt={name}>{PRESS}</div>"),
    "after an introduction": "<h1>Page</h1><p>About</p>" + each(lambda name: f"{name} {PRESS}<br>"),
    "after a message": "<p role=status>Deleted one</p>" + each(lambda name: f"{name} {PRESS}<br>"),
    "hidden words": each(lambda name: f"<div>{name}<span hidden>not this</span>{PRESS}</div>"),
    "long content": each(lambda name: f"<div><h4>{name}</h4><p>{'words ' * 60}</p>{PRESS}</div>"),
}


async def test_a_term_or_heading_before_each_box_is_part_of_its_text(tab: Tab) -> None:
    await tab.load("<dl>" + each(lambda name: f"<dt>{name}</dt><dd>since {len(name)} {PRESS}</dd>") + "</dl>")
    assert besides(tab) == ["Alpha since 5", "Beta since 4", "Gamma since 5"]
    await tab.load("<h1>Page</h1>" + each(lambda name: f"<p>{name} {PRESS}</p>"))
    assert besides(tab) == list(NAMES)


@pytest.mark.parametrize("html", ALTERNATING.values(), ids=ALTERNATING)
async def test_each_of_several_controls_alike_has_its_own_text(tab: Tab, html: str) -> None:
    await tab.load(html)
    assert besides(tab) == list(NAMES)


@pytest.mark.parametrize(
    "html",
    [
        f"<p>Alpha {PRESS}</p><p>Beta <button>Keep</button></p>",  # one of its kind
        each(lambda name: f"<p>{name}</p>") + PRESS * 3,  # nobody can say which text belongs to which
        f"<p>The same {PRESS}</p>" * 3,
        "<ul>" + each(lambda name: f"<li>{name} {PRESS}</li>") + "</ul>",  # a row has its record
        each(lambda name: f"<p><b data-uiap-sensitive>{name}</b> {PRESS}</p>"),
        "".join(f"<p>Item {n} {PRESS}</p>" for n in range(61)),
    ],
    ids=["one", "apart", "same", "rows", "private", "very many"],
)
async def test_no_text_where_it_would_tell_nothing_or_too_much(tab: Tab, html: str) -> None:
    await tab.load(html)
    assert set(besides(tab)) == {None}


async def test_an_icon_without_a_name_has_the_text_of_its_box(tab: Tab) -> None:
    await tab.load(each(lambda name: f"<div>{name} <button><svg width=9 height=9></svg></button></div>"))
    buttons = [e for e in tab.graph["elements"].values() if e["role"] == "button"]
    assert [e["metadata"]["beside"] for e in buttons] == list(NAMES)


CHANGES = {
    "text": ("first.textContent = 'First'", ["First", "Beta", "Gamma"]),
    "one more": ("list.insertAdjacentHTML('beforeend', '<p>Delta <button>Delete</button></p>')", [*NAMES, "Delta"]),
    "only one left": ("list.lastChild.remove(); list.lastChild.remove()", [None]),
    "other order": ("list.prepend(list.lastChild)", ["Gamma", "Alpha", "Beta"]),
    "other name": ("list.querySelector('button').textContent = 'Keep'", ["Beta", "Gamma"]),
    "hidden": ("first.hidden = true", [None, None, None]),
    "hidden by a class": ("first.className = 'gone'", [None, None, None]),
    "exchanged texts": ("const [a, b] = document.querySelectorAll('b'); [a.textContent, b.textContent] = [b.textContent, a.textContent]", ["Beta", "Alpha", "Gamma"]),
    "in a list": ("list.firstChild.setAttribute('role', 'listitem')", [None, "Beta", "Gamma"]),
}  # fmt: skip


@pytest.mark.parametrize(("script", "expected"), CHANGES.values(), ids=CHANGES)
async def test_the_texts_follow_every_change(tab: Tab, script: str, expected: list[str | None]) -> None:
    rows = each(lambda name: f"<p><b>{name}</b> {PRESS}</p>").replace("<b>", "<b id=first>", 1)
    await tab.load(f"<style>.gone{{display:none}}</style><div id=list>{rows}</div>")
    assert besides(tab) == list(NAMES)
    await tab.evaluate(script)
    await tab.settle()
    assert sorted(besides(tab), key=str) == sorted(expected, key=str)
    await tab.snapshot()
    assert besides(tab) == expected


ICONS = {
    "font awesome": ("<i class='fa fa-fw fa-trash-o'></i>", "trash o"),
    "bootstrap": ("<i class='bi bi-pencil-square'></i>", "pencil square"),
    "ligature": ("<i class='q-icon material-icons' aria-hidden=true>delete_forever</i>", "delete forever"),
    "test id": ("<svg data-testid=DeleteOutlinedIcon width=9 height=9></svg>", "delete"),
    "sprite": ("<svg width=9 height=9><use href='/s.svg#icon-close'></use></svg>", "close"),
    "lucide": ("<svg class='lucide lucide-trash-2' width=9 height=9></svg>", "trash"),
    "ant": ("<span class='anticon anticon-reload'></span>", "reload"),
    "picture": ("<img src='/img/print.png?v=2' width=9 height=9>", "print"),
    "none": ("<svg width=9 height=9></svg>", None),
}


@pytest.mark.parametrize(("html", "word"), ICONS.values(), ids=ICONS)
async def test_a_control_without_a_name_has_the_word_of_its_icon(tab: Tab, html: str, word: str | None) -> None:
    await tab.load(f"<button>{html}</button><button aria-label=Named>{html}</button>")
    icons = [e.get("metadata", {}).get("icon") for e in tab.graph["elements"].values() if e["role"] == "button"]
    assert icons == [word, None]


async def test_the_word_of_an_icon_follows_its_class(tab: Tab) -> None:
    await tab.load("<button><i id=i class='fa fa-play'></i></button>")
    await tab.evaluate("i.className = 'fa fa-stop'")
    await tab.settle()
    assert tab.found("button")["metadata"]["icon"] == "stop"


async def test_a_box_that_only_a_script_focuses_is_no_target(tab: Tab) -> None:
    await tab.load("<div tabindex=-1>Box <button>In</button></div><div tabindex=0>Key</div><div tabindex=-1 aria-label=Pane>x</div>")
    found = [e for e in tab.graph["elements"].values() if e.get("customRole") == "x.focusable"]
    assert [one.get("name") or one.get("text") for one in found] == ["Key", "Pane"]
