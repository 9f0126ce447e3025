"""The files of a resident session, and the claim to its name.

A process holds a lock on the name as long as it serves the session. No second process of the user can take the name,
overwrite the secret of the first, or remove its files.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from itertools import count
from pathlib import Path

from uiap.errors import Unavailable
from uiap.ids import new_secret
from uiap.private_files import open_private, private_folder, write_private
from uiap.settings import check_session_name


class NameInUse(Unavailable):
    """Another process serves a session of this name."""


class SessionFolder:
    """The files of the session with one name."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, check_session_name(name)
        self._lock: int | None = None

    @property
    def socket(self) -> Path:
        return self.folder / f"{self.name}.sock"

    @property
    def approval(self) -> Path:
        """The file with the secret of the person who may confirm. Only this user can read it."""
        return self.folder / f"{self.name}.approve"

    @property
    def log(self) -> Path:
        return self.folder / f"{self.name}.log"

    @property
    def lock(self) -> Path:
        """The file whose lock is the claim. It holds the id of the process that serves the session."""
        return self.folder / f"{self.name}.lock"

    @property
    def pid(self) -> Path:
        """The file with the id of the resident process, written by the process that started it."""
        return self.folder / f"{self.name}.pid"

    def claim(self) -> bool:
        """Take the name for this process. Return False if this object already has it.

        Raise NameInUse if another process has it.
        """
        if self._lock is not None:
            return False
        private_folder(self.folder)
        descriptor = self._take_lock()
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._lock = descriptor
        return True

    def _take_lock(self) -> int:
        while True:
            descriptor = open_private(self.lock)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(descriptor)
                raise NameInUse(
                    f"another process serves the session `{self.name}`; close it, or choose another name"
                ) from None
            with suppress(FileNotFoundError):  # the last holder may have removed the file that we opened
                if os.path.samestat(self.lock.lstat(), os.fstat(descriptor)):
                    return descriptor
            os.close(descriptor)

    def release(self) -> None:
        """Give the name back."""
        if self._lock is not None:
            self.lock.unlink(missing_ok=True)  # while it is locked: nobody else can hold it
            os.close(self._lock)
            self._lock = None

    def write_secret(self) -> str:
        """Write a new approval secret and return it. Only the holder of the name may do this."""
        assert self._lock is not None, "claim the name first"
        secret = new_secret("person")
        write_private(self.approval, secret)
        return secret

    def remove_secret(self) -> None:
        self.approval.unlink(missing_ok=True)

    def serving_process(self) -> int | None:
        """Return the id of the process that holds the name, or None. A dead process holds nothing."""
        with suppress(OSError, ValueError):
            descriptor = os.open(self.lock, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return int(os.read(descriptor, 20))
            finally:
                os.close(descriptor)
        return None


def claim_free_name(folder: Path, wanted: str) -> SessionFolder:
    """Return a claimed folder: with the wanted name, or with the first free one of `NAME-2`, `NAME-3` and so on."""
    for number in count(1):
        found = SessionFolder(folder, wanted if number == 1 else f"{wanted}-{number}")
        with suppress(NameInUse):
            found.claim()
            return found
    raise AssertionError
