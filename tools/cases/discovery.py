"""The soak case of one long discovery run. Its code is in tests/discovery and tests/browser/many_states.py."""

from __future__ import annotations

from tools.cases.case import Case, Figures


def run_many_states(unit: str) -> Figures:
    if unit == "chromium":
        from tests.browser import many_states

        return many_states.figures()
    from tests.discovery.many_states import figures

    return figures()


def judge_many_states(all_figures: dict[str, Figures]) -> list[str]:
    wrong = []
    for unit, found in all_figures.items():
        if found["states"] != 2_000:
            wrong.append(f"{unit}: {found['states']} states instead of 2,000")
        if found["KiB kept of each state"] > 48:
            wrong.append(f"{unit}: a state takes more memory than its own content")
    machine = all_figures["scripted"]
    if (
        machine["ms of the machine for each state, late"]
        > 2 * machine["ms of the machine for each state, early"]
    ):
        wrong.append("the cost of a state grows with the number of states")
    half, end = all_figures["chromium"]["browser MiB at half, at the end"]
    if end > 1.25 * half:
        wrong.append("the memory of the browser grows during the run")
    return wrong


CASES: dict[str, Case] = {
    "STATES-2000": Case(
        "A discovery run of 2,000 states",
        "Time and memory per state stay constant while a discovery run grows.",
        "one run of 2,000 states, each with its own controls: the state machine alone, and in a browser",
        ("scripted", "chromium"),
        run_many_states,
        judge_many_states,
    ),
}
