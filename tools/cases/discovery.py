"""A soak of one long discovery run. What it does lives in tests/discovery and tests/browser/many_states.py."""

from __future__ import annotations

from tools.cases.case import Case, Figures


def run_many_states(unit: str) -> Figures:
    if unit == "chromium":
        from tests.browser import many_states

        return many_states.figures()
    from tests.discovery.many import figures

    return figures()


def judge_many_states(seen: dict[str, Figures]) -> list[str]:
    wrong = []
    for unit, found in seen.items():
        if found["states"] != 2_000:
            wrong.append(f"{unit}: {found['states']} states instead of 2,000")
        if found["KiB kept of each state"] > 48:
            wrong.append(f"{unit}: more is kept of a state than what was found in it")
    machine = seen["scripted"]
    if (
        machine["ms of the machine for each state, late"]
        > 2 * machine["ms of the machine for each state, early"]
    ):
        wrong.append("a state costs more the more are known")
    half, end = seen["chromium"]["browser MiB at half, at the end"]
    if end > 1.25 * half:
        wrong.append("the browser holds more the longer the run lasts")
    return wrong


CASES: dict[str, Case] = {
    "DISC-2000": Case(
        "a discovery run of very many states",
        "one run of 2,000 states, each with controls of its own: of the machine alone, and in a browser",
        ("scripted", "chromium"),
        run_many_states,
        judge_many_states,
    ),
}
