"""The parsed documents of a package, cached in its `.uiap/cache` folder for the next command.

Other people can write that folder (by a commit, or an unpacked archive), so a build must not trust it. Every segment
carries a keyed hash, and the key is in this account's data folder. Losing the cache only costs time.
"""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, MutableMapping
from contextlib import suppress
from pathlib import Path

import uiap
from uiap import settings
from uiap.authoring.documents.cache import pack, unpack
from uiap.authoring.documents.document import Loaded
from uiap.cli.registry import replace_file

FOLDER = ".uiap/cache"
MAX_BYTES = 256 * 1024 * 1024
MAX_GROWTH = 2  # rewrite the file when it holds more than this many times the documents in use


class DocumentCache(MutableMapping[bytes, Loaded]):
    """Loaded documents by the hash of their text: read on first access, written by `save`."""

    def __init__(self, package: str | Path, home: Path | None = None, *, persistent: bool = True) -> None:
        self.file = Path(package) / FOLDER / "documents"
        self._home = home or settings.read().data
        self._loaded: dict[bytes, Loaded] | None = None if persistent else {}
        self._used: set[bytes] = set()
        self._new: dict[bytes, Loaded] = {}
        self._secret = b""

    def __getitem__(self, key: bytes) -> Loaded:
        found = self._new.get(key) or self._all[key]
        self._used.add(key)
        return found

    def __setitem__(self, key: bytes, loaded: Loaded) -> None:
        self._new[key] = loaded
        self._used.add(key)

    def __delitem__(self, key: bytes) -> None:
        self._all.pop(key, None)
        self._new.pop(key, None)

    def __iter__(self) -> Iterator[bytes]:
        return iter({**self._all, **self._new})

    def __len__(self) -> int:
        return len({*self._all, *self._new})

    @property
    def _all(self) -> dict[bytes, Loaded]:
        if self._loaded is None:
            self._loaded = self._read()
        return self._loaded

    def _read(self) -> dict[bytes, Loaded]:
        try:
            self._secret = _secret(self._home)
            handle = os.open(self.file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            with os.fdopen(handle, "rb") as file:
                data = file.read(MAX_BYTES + 1)
        except OSError:
            return {}
        return (unpack(data, self._secret) or {}) if len(data) <= MAX_BYTES else {}

    def save(self) -> None:
        """Append the new documents; rewrite the whole file if most of it is no longer used."""
        if not self._new or not self._secret:
            return
        with suppress(OSError):  # a cache that cannot be written is no reason to fail
            documents = self._all
            documents.update(self._new)
            whole = len(documents) > MAX_GROWTH * len(self._used) or len(documents) == len(self._new)
            keys = self._used if whole else self._new.keys()
            segment = pack(((key, documents[key]) for key in keys), self._secret)
            self._prepare()
            if whole:
                replace_file(self.file, segment, mode=0o600)
            else:
                with self.file.open("ab") as file:
                    file.write(segment)
        self._new = {}

    def _prepare(self) -> None:
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        ignore = self.file.with_name(".gitignore")
        if not ignore.exists():
            ignore.write_text("*\n", "ascii")


def _secret(home: Path) -> bytes:
    """Return a key from this account's secret and the version of the program, which may parse a text differently."""
    path = home / "cache.key"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (
        suppress(FileExistsError),
        os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
    ):
        file.write(secrets.token_bytes(32))
    return hashlib.sha256(path.read_bytes() + _program()).digest()


def _program() -> bytes:
    """Return the version of the program, with size and time of every source file of the parser."""
    root = Path(uiap.__file__).parent
    marks = [uiap.__version__]
    for package in ("authoring", "spec"):
        for path in sorted((root / package).rglob("*.py")):
            status = path.stat()
            marks.append(f"{path.relative_to(root)}:{status.st_size}:{status.st_mtime_ns}")
    return "\n".join(marks).encode()
