"""A browser profile folder that exists as long as its browser.

The process that created the folder holds a lock on it. A clean close removes the folder. After `kill -9` of that
process the folder remains unlocked, and the next launch on this machine removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "uiap-profile-"
NO_HTTP_SIGN_IN = {"auth": {"schemes": ""}}
"""The browser asks nobody for the name and password of HTTP authentication: a request gets its status 401."""
LOCK = "owner.lock"


class BrowserProfile:
    """A new, locked user-data folder."""

    def __init__(self, parent: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        # locked before it has its name: a file without a lock would look like the one of a killed process
        draft = self.path / f"{LOCK}.new"
        self._lock = os.open(draft, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        draft.rename(self.path / LOCK)

    def answer_401_to_the_page(self) -> None:
        """Let the browser show no sign-in dialog of its own. In a headless browser nobody could answer it, and as long
        as it is open, no input reaches the page."""
        (self.path / "Local State").write_text(json.dumps(NO_HTTP_SIGN_IN))

    def remove(self) -> None:
        """Remove the folder, even if an ending browser still writes to it."""
        for _ in range(5):  # an ending child process may add a file between listing and removing
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
        with contextlib.suppress(OSError):
            os.close(self._lock)


def remove_abandoned_profiles(parent: Path | None = None) -> list[Path]:
    """Remove the profiles of processes that were killed, and return the removed folders."""
    removed = []
    for folder in Path(parent or tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _is_abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def _is_abandoned(folder: Path) -> bool:
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return False
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # not ours, already removed, or not locked yet
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
