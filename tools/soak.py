"""`make soak [CASE=F10]`: the repetitions that robustness asks for, and a report of each under docs/reports/.

A case is a list of units; each runs in a process of its own and its figures are kept under .uiap/soak/, so that
a run that was stopped goes on where it was. `--fresh` forgets what is kept. The cases stand in tools/cases, a module
for each family; what a case does lives with its tests.
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

KEPT = ROOT / ".uiap" / "soak"
REPORTS = ROOT / "docs" / "reports"
UNIT_SECONDS = 3600


def soak(name: str, fresh: bool) -> bool:
    case = CASES[name]
    file = KEPT / f"{name}.json"
    kept: dict[str, Figures] = {} if fresh or not file.exists() else json.loads(file.read_text())
    for unit in case.units:
        if unit in kept:
            print(f"{name} {unit}: kept from an earlier run", flush=True)
            continue
        print(f"{name} {unit}: running", flush=True)
        command = [sys.executable, str(Path(__file__)), "--unit", name, unit]
        child = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, timeout=UNIT_SECONDS)
        if child.returncode:
            report(name, case, kept, [f"{unit}: failed with exit code {child.returncode}"])
            return False
        kept[unit] = json.loads(child.stdout.splitlines()[-1])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(kept, indent=1))
    wrong = case.judge(kept)
    report(name, case, kept, wrong)
    file.unlink(missing_ok=True)
    return not wrong


def report(name: str, case: Case, seen: dict[str, Figures], wrong: list[str]) -> None:
    REPORTS.mkdir(parents=True, exist_ok=True)
    lines = [f"# {name}: {case.title}", "", f"- date: {datetime.now(UTC):%Y-%m-%d}"]
    lines += [f"- command: `make soak CASE={name}`", f"- repetitions: {case.stated}"]
    lines += [f"- machine: {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"]
    lines += [f"- outcome: {'as expected' if not wrong else '; '.join(wrong)}"]
    for unit, figures in seen.items():
        lines += ["", f"## {unit}", "", "| figure | value |", "|---|---|"]
        lines += [
            f"| {figure} | {value:,} |" if isinstance(value, int) else f"| {figure} | {value} |"
            for figure, value in figures.items()
        ]
    (REPORTS / f"{name}.md").write_text("\n".join(lines) + "\n")
    print("\n".join(lines), flush=True)


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--unit"]:
        print(json.dumps(CASES[arguments[1]].run(arguments[2])))
        return 0
    fresh = "--fresh" in arguments
    names = [argument for argument in arguments if argument != "--fresh"]
    unknown = [name for name in names if name not in CASES]
    if unknown:
        print(f"soak: no case `{unknown[0]}`; the cases are {', '.join(CASES)}", file=sys.stderr)
        return 2
    kept = [soak(name, fresh) for name in names or CASES]  # all of them, also after a bad one
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
