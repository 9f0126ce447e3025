"""Compare published roles and names with Chromium's accessibility tree on real pages.

It counts published interactive elements whose role and name agree, and focusable or interactive nodes of Chromium
that are published. It writes docs/reports/accessibility-tree.md with every disagreement and its reason.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from apps.videoland import Settings, serving
from bench.galleries import ROOT, serve_pages
from bench.table import Claim, show
from tests.web import cdp
from tests.web.oracle import Difference, compare
from tests.web.tab import Tab

SUMMARY = "roles and names, compared with Chromium's accessibility tree on pages of real packages"
REPORT = ROOT / "docs" / "reports" / "accessibility-tree.md"
AGREE = 0.99
VIDEOLAND = (
    "/",
    "/videos",
    "/videos/1",
    "/videos/new",
    "/videos/virtual",
    "/team",
    "/studio",
    "/billing",
    "/settings",
)
# Scripts build most of these pages: wait until nothing has changed for 500 ms, but at most 8 s.
IDLE = """new Promise((resolve) => {
  const end = () => { watch.disconnect(); resolve(); };
  let timer = setTimeout(end, 500);
  const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(end, 500); });
  watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  setTimeout(end, 8000);
})"""
# Pages must not use the network. A file that a package does not ship fails at once.
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"


INVISIBLE = re.compile("[\u200b-\u200f\u2060\ufeff]")


class Reason(NamedTuple):
    """The reason why a disagreement is acceptable."""

    what: str
    ours: str
    theirs: str
    text: str

    def explains(self, found: Difference) -> bool:
        return (
            self.what == found.what
            and re.fullmatch(self.ours, found.ours, re.S) is not None
            and re.fullmatch(self.theirs, found.theirs, re.S) is not None
        )


REASONS = (
    Reason(
        "name",
        "",
        "Choose Files?",
        "the browser's own words, in its own language, for a field that has no name",
    ),
    Reason("name", "Germany", "", "Chromium leaves out a title that repeats the text of its element"),
    Reason(
        "not published",
        "",
        "link `(Prev|Next)`",
        "an `a` without href: only its listener, which no script can see, makes it a link",
    ),
    Reason(
        "not published", "", "button `Support`", "inside a closed shadow root, which is published as opaque"
    ),
)


@dataclass
class Page:
    name: str
    judged: int = 0
    wanted: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def agreeing(self) -> int:
        nodes = {(d.node) for d in self.differences if d.what != "not published"}
        return self.judged - len(nodes)

    @property
    def published(self) -> int:
        return self.wanted - sum(d.what == "not published" for d in self.differences)


def reason_of(found: Difference) -> str:
    if found.what == "name" and found.ours == INVISIBLE.sub("", found.theirs):
        return "invisible characters are removed from a name"
    return next((reason.text for reason in REASONS if reason.explains(found)), "")


@contextmanager
def pages() -> Iterator[dict[str, str]]:
    with ExitStack() as stack:
        found = stack.enter_context(serve_pages())
        app = stack.enter_context(serving(Settings(rows=30, auto_login=True)))
        found |= {f"videoland{path}": f"{app.url}{path}?as=admin&lang=en" for path in VIDEOLAND}
        yield found


async def judge(addresses: dict[str, str]) -> list[Page]:
    cdp.FLAGS.append(NO_NETWORK)
    browser = cdp.Browser()
    await browser.start()
    judged = []
    for name, address in addresses.items():
        tab = Tab(browser)
        await tab.open()
        await tab.visit(address)
        await tab.send("Runtime.evaluate", expression=IDLE, awaitPromise=True)
        await tab.settle()
        judged.append(Page(name, *await compare(tab)))
        await tab.close()
    await browser.close()
    return judged


def share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def report(found: list[Page], agreeing: float, published: float) -> str:
    lines = [
        "# Roles and names against Chromium's accessibility tree",
        "",
        "Written by `python -m bench accessibility`; not edited by hand.",
        "",
        f"{len(found)} pages: those of Videoland, pages that npm packages ship (versions in `bench/galleries.py`) and"
        " small pages around components that ship none.",
        "",
        f"- role and name agree for {agreeing:.2%} of {sum(p.judged for p in found)} published interactive elements",
        f"- {published:.2%} of {sum(p.wanted for p in found)} focusable or interactive nodes of Chromium are published",
        "",
        "| page | interactive elements | agree | focusable or interactive in Chromium | published |",
        "|---|---:|---:|---:|---:|",
        *(f"| {p.name} | {p.judged} | {p.agreeing} | {p.wanted} | {p.published} |" for p in found),
        "",
        "## Every disagreement",
        "",
    ]
    for page in found:
        for d in page.differences:
            names = f"ours `{d.ours[:120]}`, Chromium's `{d.theirs[:120]}`"
            lines.append(f"- {page.name}: {d.what}: {names}: {reason_of(d) or '**no reason known**'}")
    return "\n".join(lines) + "\n"


def run() -> bool:
    with pages() as addresses:
        found = asyncio.run(judge(addresses))
    agreeing = share(sum(p.agreeing for p in found), sum(p.judged for p in found))
    published = share(sum(p.published for p in found), sum(p.wanted for p in found))
    REPORT.write_text(report(found, agreeing, published), "utf-8")
    unexplained = [(p.name, d) for p in found for d in p.differences if not reason_of(d)]
    rows = [("page", "elements", "agree", "in Chromium", "published")]
    rows += [(p.name, str(p.judged), str(p.agreeing), str(p.wanted), str(p.published)) for p in found]
    claims = [
        Claim(f"role and name agree for {agreeing:.2%} (at least {AGREE:.0%})", agreeing >= AGREE),
        Claim(
            f"{published:.2%} of the nodes of Chromium are published (at least {AGREE:.0%})",
            published >= AGREE,
        ),
        Claim(f"{len(unexplained)} disagreements without a reason", not unexplained),
    ]
    return show("accessibility: against Chromium's own tree", rows, claims)
