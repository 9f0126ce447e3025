"""Import the shared requirement ledger into `conformance/requirements/`, one file per specification.

Usage: python tools/ledger.py [path of requirements.yaml]
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "spec" / "requirements.yaml"
TARGET = ROOT / "conformance" / "requirements"
HEAD = "# The obligations of {spec}, numbered. Tests cite these ids with @requirement.\n"


def main(source: Path) -> int:
    if not source.is_file():
        print(f"there is no ledger at `{source}`; give its path as the first argument", file=sys.stderr)
        return 2
    for part in re.split(r"^- (?=spec: )", source.read_text("utf-8"), flags=re.MULTILINE)[1:]:
        text = re.sub(r"^  ", "", part, flags=re.MULTILINE)
        spec = text.split("\n", 1)[0].removeprefix("spec: ").strip()
        (TARGET / f"{spec.lower()}.yaml").write_text(HEAD.format(spec=spec) + text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if sys.argv[1:] else SHARED))
