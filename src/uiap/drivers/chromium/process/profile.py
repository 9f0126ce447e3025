"""A browser profile folder that lasts as long as its browser.

The folder is locked by the process that made it. A clean close removes it; after `kill -9` of that process
the folder stays behind unlocked, and the next launch on this machine removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "uiap-profile-"
LOCK = "owner.lock"


class Profile:
    """A fresh, locked user-data folder."""

    def __init__(self, parent: Path | None = None) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
        self._lock = os.open(self.path / LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def remove(self) -> None:
        """Remove the folder; a browser that is still writing its last files is given no second chance."""
        for _ in range(5):  # a dying child may add a file between listing and removing
            shutil.rmtree(self.path, ignore_errors=True)
            if not self.path.exists():
                break
        with contextlib.suppress(OSError):
            os.close(self._lock)


def sweep(parent: Path | None = None) -> list[Path]:
    """Remove profiles whose owner was killed; returns what was removed."""
    removed = []
    for folder in Path(parent or tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _abandoned(folder):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def _abandoned(folder: Path) -> bool:
    try:
        if folder.is_symlink() or folder.stat().st_uid != os.getuid():
            return False
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # not ours, already gone, or its owner has not locked it yet
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(lock)
    return True
