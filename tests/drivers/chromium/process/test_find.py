"""Finding a browser in fake PATH folders; no program is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from uiap.drivers.chromium.process.find import find_browser, is_snap_stub
from uiap.drivers.errors import BrowserUnavailable

REAL = '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n'
STUB = "#!/bin/sh\n[ -x /snap/bin/chromium ] || echo 'requires the snap'\nexec /snap/bin/chromium \"$@\"\n"


def executable(path: Path, text: str = REAL) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (["google-chrome", "chromium"], "chromium"),
        (["google-chrome-stable", "chromium-browser"], "chromium-browser"),
        (["microsoft-edge", "google-chrome-stable"], "google-chrome-stable"),
        (["google-chrome-stable", "google-chrome"], "google-chrome"),
        (["microsoft-edge"], "microsoft-edge"),
        (["firefox"], None),
    ],
)
def test_browsers_on_path_are_chosen_in_the_documented_order(
    tmp_path: Path, present: list[str], expected: str | None
) -> None:
    for name in present:
        executable(tmp_path / "bin" / name)
    found = find_browser(environ={"PATH": str(tmp_path / "bin")})
    assert (found.path.name if found else None) == expected
    assert found is None or found.found_by == "PATH"


def test_earlier_path_folder_wins_for_the_same_name(tmp_path: Path) -> None:
    first, second = executable(tmp_path / "a" / "chromium"), executable(tmp_path / "b" / "chromium")
    found = find_browser(environ={"PATH": f"{first.parent}:{second.parent}"})
    assert found is not None and found.path == first


def test_explicit_option_wins_over_variable_and_path(tmp_path: Path) -> None:
    named, variable = executable(tmp_path / "mine"), executable(tmp_path / "variable")
    executable(tmp_path / "bin" / "chromium")
    environ = {"PATH": str(tmp_path / "bin"), "UIAP_BROWSER": str(variable)}
    by_option, by_variable = find_browser(named, environ=environ), find_browser(environ=environ)
    assert by_option is not None and (by_option.path, by_option.found_by) == (named, "option")
    assert by_variable is not None and (by_variable.path, by_variable.found_by) == (variable, "UIAP_BROWSER")


def test_explicit_bare_name_is_looked_up_on_path(tmp_path: Path) -> None:
    special = executable(tmp_path / "bin" / "chrome-beta")
    found = find_browser("chrome-beta", environ={"PATH": str(special.parent)})
    assert found is not None and found.path == special


def test_missing_explicit_browser_is_an_error(tmp_path: Path) -> None:
    executable(tmp_path / "bin" / "chromium")
    with pytest.raises(BrowserUnavailable, match="`/nowhere/chrome` is not an executable file"):
        find_browser("/nowhere/chrome", environ={"PATH": str(tmp_path / "bin")})


def test_file_without_execute_permission_is_skipped(tmp_path: Path) -> None:
    executable(tmp_path / "bin" / "chromium").chmod(0o644)
    chrome = executable(tmp_path / "bin" / "google-chrome")
    found = find_browser(environ={"PATH": str(tmp_path / "bin")})
    assert found is not None and found.path == chrome


def test_snap_stub_is_skipped(tmp_path: Path) -> None:
    stub = executable(tmp_path / "bin" / "chromium-browser", STUB)
    chrome = executable(tmp_path / "bin" / "google-chrome")
    found = find_browser(environ={"PATH": str(tmp_path / "bin")})
    assert is_snap_stub(stub) and not is_snap_stub(chrome)
    assert found is not None and found.path == chrome


def test_link_into_snap_is_a_stub(tmp_path: Path) -> None:
    link = tmp_path / "chromium"
    link.symlink_to("/snap/bin/chromium")
    assert is_snap_stub(link)


def test_explicit_snap_stub_is_an_error_with_the_reason(tmp_path: Path) -> None:
    stub = executable(tmp_path / "chromium-browser", STUB)
    with pytest.raises(BrowserUnavailable, match="is a snap"):
        find_browser(stub)


def test_mac_application_folders_are_searched_on_a_mac_only(tmp_path: Path) -> None:
    chrome = executable(tmp_path / "Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
    folders = {"applications": tmp_path / "Applications"}
    found = find_browser(environ={}, platform="darwin", **folders)
    assert found is not None and (found.path, found.found_by) == (chrome, "applications")
    assert find_browser(environ={}, platform="linux", **folders) is None


def test_newest_full_chromium_of_playwrights_cache_is_the_last_choice(tmp_path: Path) -> None:
    cache = tmp_path / ".cache/ms-playwright"
    executable(cache / "chromium-900/chrome-linux/chrome")
    newest = executable(cache / "chromium-1100/chrome-linux/chrome")
    executable(cache / "chromium_headless_shell-1200/chrome-linux/headless_shell")
    found = find_browser(environ={"HOME": str(tmp_path)}, platform="linux")
    assert found is not None and (found.path, found.found_by) == (newest, "playwright")


def test_playwright_cache_follows_its_environment_variable(tmp_path: Path) -> None:
    binary = executable(tmp_path / "elsewhere/chromium-1/chrome-linux64/chrome")
    environ = {"HOME": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "elsewhere")}
    found = find_browser(environ=environ, platform="linux")
    assert found is not None and found.path == binary


def test_machine_without_browser_returns_none(tmp_path: Path) -> None:
    assert find_browser(environ={"PATH": str(tmp_path), "HOME": str(tmp_path)}, platform="linux") is None
