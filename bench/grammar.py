"""Compare the claim on every generated page with the truth that is known by construction.

Options: `--half=tune` or `--half=measure`, `--only=TEXT` for the cases whose id contains it, `--turns=N`,
`--repeats=N` for several tries of each case in one session, which learns from the first, `--seed=WORD` for other pages
of the same grammar, `--tool=playwright` for a plain playwright-python script instead of the runtime.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from apps.grammar import DIMENSIONS, Case, cases, serving
from apps.grammar.design import SEED
from apps.grammar.verdict import VERDICTS, Verdict, judge
from bench.plain_playwright import Script
from bench.table import Claim, show
from tests.browser.grammar_soak import Outcome, try_all

SUMMARY = "generated hazards: right, false success, false failure and wrong effect, by dimension"
PARALLEL = 4
FALSE_FAILURES = 0.02


async def _with_playwright(chosen: Sequence[Case]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    queue = iter(chosen)
    with serving() as server:
        async with Script() as script:

            async def work() -> None:
                for case in queue:
                    claimed, message, page, records = await script.attempt(server, case)
                    verdict = judge(case, claimed, page, records)
                    outcomes.append(Outcome(case, verdict, message, page, records, 0.0))

            await asyncio.gather(*(work() for _ in range(PARALLEL)))
    return outcomes


def _rows(outcomes: Sequence[Outcome], names: Sequence[tuple[str, list[Outcome]]]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "trials", *VERDICTS)]
    for name, group in names:
        count: Counter[Verdict] = Counter(outcome.verdict for outcome in group)
        rows.append((name, str(len(group)), *(str(count[verdict]) for verdict in VERDICTS)))
    return rows


def _groups(outcomes: Sequence[Outcome]) -> list[tuple[str, list[Outcome]]]:
    """Return the outcomes of each half, of each truth, and of each value of each dimension."""
    groups = [("all", list(outcomes))]
    groups += [(half, [o for o in outcomes if o.case.half == half]) for half in ("tune", "measure")]
    groups += [
        ("must succeed" if good else "must fail", [o for o in outcomes if o.case.truth.succeeds is good])
        for good in (True, False)
    ]
    for name, values in DIMENSIONS.items():
        groups += [
            (f"{name}: {value}", [o for o in outcomes if getattr(o.case.shape, name) == value])
            for value in values
        ]
    return [(name, group) for name, group in groups if group]


def run(*options: str) -> bool:
    given = dict(option.removeprefix("--").partition("=")[::2] for option in options)
    unknown = set(given) - {"half", "only", "turns", "tool", "seed", "repeats"}
    if unknown or given.get("half", "tune") not in ("tune", "measure"):
        raise SystemExit(
            "bench grammar: use --half=tune, --half=measure, --only=, --turns=, --repeats=, --seed= or "
            "--tool=playwright"
        )
    chosen = [
        case
        for case in cases(given.get("seed", SEED))
        if case.half == given.get("half", case.half) and given.get("only", "") in case.id
    ] * int(given.get("turns", "1"))
    repeats = int(given.get("repeats", "1"))
    with_playwright = given.get("tool") == "playwright"
    tried = _with_playwright(chosen) if with_playwright else try_all(chosen, PARALLEL, repeats)
    outcomes = sorted(asyncio.run(tried), key=lambda outcome: outcome.case.id)
    for outcome in outcomes:
        if outcome.verdict != "right":
            print(f"  {outcome.verdict}: {outcome.describe()}")
    count = Counter(outcome.verdict for outcome in outcomes)
    wrong = count["false success"] + count["wrong effect"]
    failures = count["false failure"] + count["missed"]
    claims = [
        Claim(f"{wrong} false successes and wrong effects (none allowed)", wrong == 0),
        Claim(
            f"{failures} false failures and misses (at most 2 %)", failures <= FALSE_FAILURES * len(outcomes)
        ),
    ]
    return show(f"{len(outcomes)} trials", _rows(outcomes, _groups(outcomes)), claims)
