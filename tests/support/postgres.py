"""A real PostgreSQL server for tests: its own folder and socket, an unprivileged user, fsync on.

`find_binaries()` raises with the reason when PostgreSQL is not installed, so that a skipped test states it.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

SECONDS = 60.0
_CANDIDATES = ("postgres", "nobody")


class PostgresMissing(Exception):
    """PostgreSQL is not available here; the message gives the reason."""


def find_binaries() -> Path:
    """Return the folder with initdb and pg_ctl: on the PATH, or where Debian and Homebrew install them."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places += sorted(Path("/opt/homebrew/opt").glob("postgresql*/bin"), reverse=True)
    on_path = shutil.which("pg_ctl")
    if on_path:
        places.insert(0, Path(on_path).resolve().parent)
    for place in places:
        if all((place / tool).is_file() for tool in ("initdb", "pg_ctl", "postgres")):
            return place
    raise PostgresMissing("no PostgreSQL server programs on this machine (initdb, pg_ctl, postgres)")


def unprivileged_user() -> str | None:
    """Return the user to run as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in _CANDIDATES:
        try:
            pwd.getpwnam(name)
        except KeyError:
            continue
        return name
    raise PostgresMissing("PostgreSQL does not run as root, and there is no user `postgres` or `nobody`")


class Postgres:
    """One server. `start` and `stop` may be repeated; `remove` deletes all of its files."""

    def __init__(self) -> None:
        self._programs = find_binaries()
        self._user = unprivileged_user()
        # short, because the path of a Unix socket is limited to about 100 characters
        self.folder = Path(tempfile.mkdtemp(prefix="uiap-pg-", dir="/tmp"))
        if self._user is not None:
            shutil.chown(self.folder, self._user)
        self.data = self.folder / "data"
        made = self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            "uiap",
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-locale",
            "--no-sync",
        )
        if made.returncode:
            self.remove()
            raise PostgresMissing(f"initdb failed: {made.stderr.strip().splitlines()[-1:]}")
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://uiap@/postgres?host={self.folder}"

    def clear(self) -> None:
        """Delete all tables, which is much cheaper than a new database."""
        import psycopg

        with psycopg.connect(host=str(self.folder), user="uiap", dbname="postgres") as connection:
            connection.execute("set client_min_messages to warning")
            connection.execute("drop schema if exists dbos cascade")
            connection.execute("drop schema public cascade")
            connection.execute("create schema public")

    def start(self) -> None:
        options = f"-c listen_addresses= -c unix_socket_directories={self.folder} -c fsync=on -c shared_buffers=16MB"
        begun = self._run(
            "pg_ctl", "-D", str(self.data), "-l", str(self.folder / "log"), "-w", "-o", options, "start"
        )
        if begun.returncode:
            raise PostgresMissing(f"the server did not start: {(self.folder / 'log').read_text()[-500:]}")

    def stop(self, mode: str = "immediate") -> None:
        self._run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "stop")

    def remove(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        # the server inherits these streams, so they must not be pipes that a caller waits on
        with tempfile.TemporaryFile("w+") as out:
            done = subprocess.run(
                [str(self._programs / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                user=self._user,
                cwd="/tmp",
                timeout=SECONDS,
                env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"},
            )
            out.seek(0)
            return subprocess.CompletedProcess(done.args, done.returncode, "", out.read())
