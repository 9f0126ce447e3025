"""Files and folders of one user: created for this user alone, and never through a link that somebody else placed.

A folder such as `/tmp/uiap-1000` may have been created by another user before us. Each function checks the folder or
file it got, and writes nothing before that.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from uiap.errors import Unavailable

_OTHERS = 0o077
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK


def private_folder(folder: Path) -> Path:
    """Create the folder if needed and return it. Raise Unavailable if it is a link or others can enter it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise Unavailable(f"cannot create the folder `{folder}`: {_reason(error)}") from None
    if not stat.S_ISDIR(found.st_mode):
        raise Unavailable(f"`{folder}` is a link or a file; remove it, or choose another folder")
    if found.st_uid != os.getuid():
        raise Unavailable(f"`{folder}` belongs to another user; choose another folder")
    if stat.S_IMODE(found.st_mode) & _OTHERS:
        raise Unavailable(f"other users can enter `{folder}`; run chmod 700 on it or choose another folder")
    return folder


def open_private(file: Path, *, empty: bool = False) -> int:
    """Return a descriptor of a file that only this user can read, for writing. The file is created if needed.

    Raise Unavailable for links, devices, files of other users, and files with a second name. `empty` removes the
    content, after these checks.
    """
    try:
        descriptor = os.open(file, _WRITE, 0o600)
    except OSError as error:
        raise Unavailable(f"cannot write `{file}`: {_reason(error)}") from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.getuid() or found.st_nlink > 1:
        os.close(descriptor)
        raise Unavailable(f"`{file}` is not a file of this user with one name; remove it")
    os.fchmod(descriptor, 0o600)  # the umask or an earlier file may have left other permissions
    if empty:
        os.ftruncate(descriptor, 0)
    return descriptor


def write_private(file: Path, text: str) -> None:
    """Write a text to a file that only this user can read."""
    with os.fdopen(open_private(file, empty=True), "w") as out:
        out.write(text)


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
