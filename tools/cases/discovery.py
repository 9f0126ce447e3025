"""A soak of one long discovery run. What it does lives in tests/discovery."""

from __future__ import annotations

from tools.cases.case import Case, Figures


def run_many_states(_unit: str) -> Figures:
    from tests.discovery.many import figures

    return figures()


def judge_many_states(seen: dict[str, Figures]) -> list[str]:
    (found,) = seen.values()
    wrong = [] if found["states"] == 2_000 else [f"{found['states']} states instead of 2,000"]
    early = found["ms of the machine for each state, early"]
    if found["ms of the machine for each state, late"] > 2 * early:
        wrong.append("a state costs more the more are known")
    if found["KiB kept of each state"] > 48:
        wrong.append("more is kept of a state than what was found in it")
    return wrong


CASES: dict[str, Case] = {
    "DISC-2000": Case(
        "a discovery run of very many states",
        "one run of 2,000 states, each with controls of its own",
        ("scripted",),
        run_many_states,
        judge_many_states,
    ),
}
