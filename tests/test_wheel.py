"""The built wheel has all files of the package, and runs without Node.

`make soak CASE=WHEEL` installs it with its dependencies into an empty environment.
"""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.wheel import ROOT, build_wheel, environment_without_programs, run_package

ASSETS = {f"uiap/drivers/chromium/assets/{name}.js" for name in ("sdk", "tracer", "registry")} | {
    "uiap/policy/lexicon.txt"
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("dist"))


def test_the_wheel_has_the_page_scripts_and_the_types_marker_and_no_tests(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    modules = {str(file.relative_to(ROOT / "src")) for file in (ROOT / "src" / "uiap").rglob("*.py")}
    assert names == modules | ASSETS | {"uiap/py.typed"}


def test_the_extracted_wheel_runs_without_node(wheel: Path, tmp_path: Path) -> None:
    """The package comes from the wheel, its dependencies from this environment."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "package")
    env = environment_without_programs(tmp_path) | {"PYTHONPATH": str(tmp_path / "package")}
    imported = run_package(Path(sys.executable), [sys.executable, "-m", "uiap.cli.main"], env)
    assert imported == tmp_path / "package" / "uiap" / "__init__.py"
