"""Many builds of one package in each available Python, with everything varied that must not matter.

Other Python versions get their own environment under `.uiap` on demand; a missing version is reported.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
KEPT = ROOT / ".uiap" / "pythons"
NEEDS = ("msgspec", "ryaml", "jsonschema-rs", "rfc8785", "PyYAML", "jiter")
VERSIONS = ("3.11", "3.12", "3.13")
ZONES = ("UTC", "Asia/Tokyo", "America/St_Johns", "Pacific/Kiritimati", "Europe/Zurich")
LOCALES = ("C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.UTF-8")
BUILDS = 34  # in each of three Python versions
SCRIPT = """
import locale, random, sys
sys.path[:0] = sys.argv[1:3]
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from tests.authoring.folders import built, folder
shuffle = random.Random(int(sys.argv[3]))
def shuffled(files):
    items = list(files.items())
    shuffle.shuffle(items)
    return dict(items)
base = {"uiap.shared.base": {"0.1.3": shuffled(folder("shared-base"))}}
now = f"20{26 + int(sys.argv[3]) % 60}-06-01T00:00:00Z"
made = built(shuffled(folder("videoland-example")), imports=base, channel="staging", locale="de-CH", now=now)
sys.stdout.write(made.bundle.digest)
"""


class NoPython(Exception):
    """This Python version is not installed, or the dependencies cannot be installed for it."""


def digests(version: str) -> Iterator[str]:
    """Yield the digest of BUILDS processes, each with another seed, time zone, locale and file order."""
    python = interpreter(version)
    for number in range(BUILDS):
        env = {
            **os.environ,
            "PYTHONPATH": "",
            "PYTHONHASHSEED": str(number * 7919),
            "TZ": ZONES[number % len(ZONES)],
            "LC_ALL": LOCALES[number // len(ZONES) % len(LOCALES)],
        }
        command = [str(python), "-c", SCRIPT, str(ROOT), str(ROOT / "src"), str(number)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
        if done.returncode:
            raise AssertionError(f"python {version}, build {number}: {done.stderr[-2000:]}")
        yield done.stdout


def interpreter(version: str) -> Path:
    """Return an interpreter of this version with the dependencies of the compiler."""
    if sys.version.startswith(f"{version}."):
        return Path(sys.executable)
    own = KEPT / version / "bin" / "python"
    if own.exists():
        return own
    for found in _candidates(version):
        made = subprocess.run(
            [str(found), "-m", "venv", str(KEPT / version)], capture_output=True, timeout=120
        )
        if made.returncode == 0:
            install: list[Any] = [own, "-m", "pip", "install", "-q", "-c", ROOT / "constraints.txt", *NEEDS]
            done = subprocess.run(
                [str(word) for word in install], capture_output=True, text=True, timeout=600
            )
            if done.returncode == 0:
                return own
            shutil.rmtree(KEPT / version)
            raise NoPython(f"python {version} cannot be given its packages: {done.stderr.strip()[-200:]}")
    raise NoPython(f"no python {version} here")


def _candidates(version: str) -> Iterator[Path]:
    on_path = shutil.which(f"python{version}")
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [Path(on_path)] if on_path else []
    for path in [*found, *sorted(versions.glob(f"{version}.*/bin/python"))]:
        asked = subprocess.run([str(path), "-V"], capture_output=True, text=True, timeout=60)
        if asked.returncode == 0 and asked.stdout.startswith(f"Python {version}."):
            yield path
