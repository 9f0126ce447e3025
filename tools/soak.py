"""`make soak [CASE=F10]`: run the long repetitions and write a report of each case to docs/reports/.

Usage: python tools/soak.py [--fresh] [code ...]
       python tools/soak.py --list

A case is a list of units. Each unit runs in its own process, and its figures are kept under .uiap/soak/, so that an
interrupted run continues with the next unit. `--fresh` discards the kept figures. The cases are defined in tools/cases,
one module per family; the code they run is next to the tests.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.cases import CASES
from tools.cases.case import ROOT, Case, Figures
from tools.report_tables import tables

FIGURES_FOLDER = ROOT / ".uiap" / "soak"
REPORTS = ROOT / "docs" / "reports"
UNIT_TIMEOUT_S = 3600


def soak(code: str, fresh: bool) -> bool:
    """Run the units that have no kept figures, write the report, and return whether the case passed."""
    case = CASES[code]
    file = FIGURES_FOLDER / f"{code}.json"
    figures: dict[str, Figures] = {} if fresh or not file.exists() else json.loads(file.read_text())
    for unit in case.units:
        if unit in figures:
            print(f"{code} {unit}: figures of an earlier run are used", flush=True)
            continue
        print(f"{code} {unit}: running", flush=True)
        command = [sys.executable, str(Path(__file__)), "--unit", code, unit]
        child = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=UNIT_TIMEOUT_S)
        if child.returncode:
            write_report(code, case, figures, [f"{unit}: failed with exit code {child.returncode}"])
            return False
        figures[unit] = json.loads(child.stdout.splitlines()[-1])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(figures, indent=1))
    problems = case.judge(figures)
    write_report(code, case, figures, problems)
    file.unlink(missing_ok=True)
    return not problems


def write_report(code: str, case: Case, all_figures: dict[str, Figures], problems: list[str]) -> None:
    REPORTS.mkdir(parents=True, exist_ok=True)
    lines = [f"# {case.title}", "", case.shows, "", f"- date: {datetime.now(UTC):%Y-%m-%d}"]
    lines += [f"- command: `make soak CASE={code}`", f"- repetitions: {case.repetitions}"]
    lines += [f"- machine: {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"]
    lines += [f"- outcome: {'as expected' if not problems else '; '.join(problems)}"]
    lines += tables(all_figures)
    (REPORTS / case.report).write_text("\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


def case_list() -> str:
    """Return one line for each case: its code and its title."""
    width = max(len(code) for code in CASES)
    return "\n".join(f"{code:{width}}  {case.title}" for code, case in CASES.items())


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--unit"]:
        print(json.dumps(CASES[arguments[1]].run(arguments[2])))
        return 0
    if arguments[:1] in (["-h"], ["--help"], ["-l"], ["--list"]):
        print(f"usage: make soak [CASE=CODE], or python tools/soak.py [--fresh] [CODE ...]\n\n{case_list()}")
        return 0
    fresh = "--fresh" in arguments
    codes = [argument for argument in arguments if argument != "--fresh"]
    unknown = [code for code in codes if code not in CASES]
    if unknown:
        print(
            f"soak: there is no case `{unknown[0]}`; use one of these codes:\n{case_list()}", file=sys.stderr
        )
        return 2
    passed = [
        soak(code, fresh) for code in codes or CASES
    ]  # a list, so that all cases run after a failed one
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
