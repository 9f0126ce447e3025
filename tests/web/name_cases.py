"""Pages whose elements state the accessible name and role they must get, and the judgement of our answers.

An element with `data-expectedlabel` states its name and one with `data-expectedrole` its ARIA role. `data-testname`
names the case. Each case belongs to one of two halves by a hash of its names. We look at failing cases of the tuning
half only; the measuring half gives figures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from tests.web.tab import Tab

PUBLIC = Path(__file__).parents[3] / "shared/data/accessible-names/pages.json"
WRITTEN = Path(__file__).parent / "pages/names"
HALVES = ("tuning", "measuring")
# The ARIA roles that each UIRole stands for.
ARIA_ROLES: dict[str, set[str]] = {
    "alert": {"alert"},
    "app": {"application", "document"},
    "breadcrumb": {"navigation"},
    "button": {"button"},
    "cell": {"cell", "gridcell", "columnheader", "rowheader"},
    "checkbox": {"checkbox"},
    "combobox": {"combobox"},
    "dialog": {"dialog", "alertdialog"},
    "drawer": {"dialog", "alertdialog"},
    "fileinput": {"button"},
    "form": {"form"},
    "grid": {"grid", "treegrid"},
    "group": {"group", "radiogroup", "article", "figure", "blockquote"},
    "image": {"image", "img"},
    "label": {"heading"},
    "link": {"link"},
    "list": {"list", "feed", "directory"},
    "listbox": {"listbox"},
    "listitem": {"listitem"},
    "menu": {"menu", "menubar"},
    "menuitem": {"menuitem", "menuitemcheckbox", "menuitemradio"},
    "option": {"option"},
    "pagination": {"navigation"},
    "popover": {"tooltip"},
    "progress": {"progressbar", "meter"},
    "radio": {"radio"},
    "region": {"region", "banner", "complementary", "contentinfo", "main", "navigation", "search"},
    "row": {"row"},
    "searchbox": {"searchbox"},
    "slider": {"slider", "scrollbar", "separator"},
    "spinbutton": {"spinbutton"},
    "spinner": {"progressbar", "status"},
    "status": {"status", "log", "marquee", "timer"},
    "switch": {"switch"},
    "tab": {"tab"},
    "table": {"table"},
    "tablist": {"tablist"},
    "tabpanel": {"tabpanel"},
    "textarea": {"textbox"},
    "textbox": {"textbox"},
    "toast": {"alert", "status"},
    "toolbar": {"toolbar"},
    "tree": {"tree"},
    "treeitem": {"treeitem"},
}
# A UIRole stands for these only where the element is a control or has a name.
SOMETIMES = {"separator", "figure", "blockquote"}
MAPPABLE = set().union(*ARIA_ROLES.values()) - SOMETIMES
COLLECT = """(() => {
  const found = [], trees = [document];
  for (let tree = trees.pop(); tree; tree = trees.pop()) for (const el of tree.querySelectorAll("*")) {
    if (el.shadowRoot) trees.push(el.shadowRoot);
    const label = el.getAttribute("data-expectedlabel"), role = el.getAttribute("data-expectedrole");
    if (label === null && role === null) continue;
    found.push({id: __uiap.idOf(el), name: el.getAttribute("data-testname") ?? "", label, role, html: el.outerHTML});
  }
  return JSON.stringify(found);
})()"""


class NamedPage(NamedTuple):
    name: str
    html: str


@dataclass(frozen=True)
class Verdict:
    """Our answer to one expectation."""

    page: str
    case: str
    what: str
    wanted: str
    answered: str
    published: bool
    html: str

    @property
    def half(self) -> str:
        return half_of(f"{self.page} {self.case}")

    @property
    def counts(self) -> bool:
        """Names count where we publish the element, roles where a UIRole stands for the ARIA role."""
        if self.what == "name" or self.wanted in SOMETIMES:
            return self.published
        return self.wanted in MAPPABLE

    @property
    def right(self) -> bool:
        if self.what == "name":
            return _words(self.wanted) == _words(self.answered)
        return self.wanted in ARIA_ROLES.get(self.answered, ())


def half_of(text: str) -> str:
    return HALVES[sha256(text.encode()).digest()[0] % 2]


def public_pages() -> list[NamedPage]:
    """Return the pages of the public suite, or none when the data is absent."""
    if not PUBLIC.exists():
        return []
    return [NamedPage(page["page"], page["html"]) for page in json.loads(PUBLIC.read_text("utf-8"))]


def written_pages() -> list[NamedPage]:
    """Return our own pages, written from the text of the specifications."""
    return [NamedPage(path.stem, path.read_text("utf-8")) for path in sorted(WRITTEN.glob("*.html"))]


async def judge_page(tab: Tab, page: NamedPage) -> list[Verdict]:
    await tab.load(page.html)
    verdicts = []
    for place, case in enumerate(await tab.call(COLLECT)):
        element = tab.graph["elements"].get(case["id"], {})
        label = case["name"] or f"case {place}"
        for what, wanted, answered in (
            ("name", case["label"], element.get("name", "")),
            ("role", case["role"], element.get("role", "")),
        ):
            if wanted is not None:
                verdicts.append(
                    Verdict(page.name, label, what, wanted, answered, bool(element), case["html"])
                )
    return verdicts


def share(verdicts: list[Verdict], what: str, half: str) -> tuple[int, int]:
    """Return how many expectations of a half are met, and how many count."""
    counted = [one for one in verdicts if one.what == what and one.half == half and one.counts]
    return sum(one.right for one in counted), len(counted)


def _words(text: str) -> str:
    return " ".join(text.split())
