"""Measure names and roles on pages that state what each element must get.

Two corpora: the public suite of the W3C specifications, when its data is beside the repository, and our own pages
in tests/web/pages/names. Both are split into halves by a hash. Failures are listed for the tuning half only.
"""

from __future__ import annotations

import asyncio

from bench.table import Claim, show
from tests.web import cdp
from tests.web.name_cases import HALVES, NamedPage, Verdict, judge_page, public_pages, share, written_pages
from tests.web.tab import Tab

SUMMARY = "names and roles, compared with the expectations of the W3C specifications"
NAMES_LEAST, ROLES_LEAST = 0.98, 0.97
LEAST = {"name": NAMES_LEAST, "role": ROLES_LEAST}


async def judge(pages: list[NamedPage]) -> list[Verdict]:
    browser = cdp.Browser()
    await browser.start()
    verdicts = []
    for page in pages:
        tab = Tab(browser)
        await tab.open()
        verdicts += await judge_page(tab, page)
        await tab.close()
    await browser.close()
    return verdicts


def claims(corpus: str, verdicts: list[Verdict]) -> list[Claim]:
    found = []
    for what, least in LEAST.items():
        for half in HALVES:
            met, counted = share(verdicts, what, half)
            text = f"{corpus}, {half} half: {met} of {counted} {what}s (at least {least:.0%})"
            found.append(Claim(text, met >= least * counted))
    return found


def run() -> bool:
    rows: list[tuple[str, ...]] = [("corpus", "case", "expected", "answered")]
    made: list[Claim] = []
    for corpus, pages in (("public", public_pages()), ("written", written_pages())):
        if not pages:
            print(f"names: the {corpus} corpus is absent and was left out")
            continue
        verdicts = asyncio.run(judge(pages))
        made += claims(corpus, verdicts)
        failed = [one for one in verdicts if one.half == HALVES[0] and one.counts and not one.right]
        rows += [(corpus, f"{one.page}: {one.case}", one.wanted, one.answered) for one in failed]
    return show("names: expectations of the W3C specifications", rows, made)
