"""Reproducible builds: equal digests for any file order, hash seed, locale, time zone and Python version."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.authoring.folders import PACKAGES, built, folder
from tests.authoring.reproduce import KEPT
from tests.authoring.soak import times

ROOT = Path(__file__).parents[2]
SCRIPT = """
import sys
sys.path[:0] = sys.argv[1:3]
import locale
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from tests.authoring.folders import built, folder
base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
result = built(folder("videoland-example"), imports=base, channel="staging", locale="de-CH")
sys.stdout.write(result.bundle.digest)
"""


def example_digest() -> str:
    base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
    bundle = built(folder("videoland-example"), imports=base, channel="staging", locale="de-CH").bundle
    assert bundle is not None and isinstance(bundle.digest, str)
    return bundle.digest


@pytest.mark.requirement("AUTH-12")
def test_the_order_of_files_does_not_matter() -> None:
    base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
    files = list(folder("videoland-example").items())
    seen = set()
    shuffle = random.Random(7)
    for _ in range(times(20)):
        shuffle.shuffle(files)
        seen.add(built(dict(files), imports=base, channel="staging").data)
    assert len(seen) == 1


@pytest.mark.requirement("AUTH-12")
def test_the_time_of_the_build_does_not_matter() -> None:
    base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
    files = folder("videoland-example")
    moments = ("2026-06-01T00:00:00Z", "2031-01-01T12:00:00+09:00")
    assert len({built(files, imports=base, channel="staging", now=now).data for now in moments}) == 1


@pytest.mark.requirement("AUTH-12")
@pytest.mark.parametrize(
    ("seed", "zone", "language"),
    [("0", "UTC", "C"), ("1", "Asia/Tokyo", "tr_TR.UTF-8"), ("4242", "America/St_Johns", "de_DE.UTF-8")],
)
def test_hash_seed_time_zone_and_locale_do_not_matter(seed: str, zone: str, language: str) -> None:
    assert _digest_in(sys.executable, PYTHONHASHSEED=seed, TZ=zone, LC_ALL=language) == example_digest()


@pytest.mark.requirement("AUTH-12")
@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_the_python_version_does_not_matter(version: str) -> None:
    """Skipped without that Python; `make soak CASE=A6` prepares it and builds a hundred times."""
    python = KEPT / version / "bin" / "python"
    if not python.exists():
        pytest.skip(f"no python {version} was prepared here; see: make soak CASE=A6")
    assert _digest_in(str(python)) == example_digest()


def _digest_in(python: str, **environment: str) -> str:
    assert PACKAGES.is_dir()
    done = subprocess.run(
        [python, "-c", SCRIPT, str(ROOT), str(ROOT / "src")],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, **environment, "PYTHONPATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
