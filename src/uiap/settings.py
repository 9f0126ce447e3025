"""Settings from environment variables. No other module reads the environment.

Every session command imports this module, so it avoids slow imports such as dataclasses, tempfile and pathlib.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from uiap.errors import Unavailable

if TYPE_CHECKING:
    from pathlib import Path

MAX_NAME_LENGTH = 64
"""The maximum length of a session's name."""


class Settings(NamedTuple):
    """The settings of the environment, with defaults."""

    browser: str | None
    """UIAP_BROWSER: the browser to use instead of an installed one."""
    store: str | None
    """UIAP_STORE: the store's URL; None means a SQLite file under `data`."""
    data: Path
    """UIAP_HOME, or the platform's folder for application data."""
    runtime: Path
    """The folder for sockets of resident sessions, private to this user."""
    environ: Mapping[str, str]
    audit_key: str | None = None
    """UIAP_AUDIT_KEY: the key of the audit chain, if several machines write to one store."""
    audit_anchor: str | None = None
    """UIAP_AUDIT_ANCHOR: where heads of the audit chain are published: file:PATH, syslog: or https://ADDRESS."""
    traces: int = 2000
    trace_mb: float = 256
    """UIAP_TRACES, UIAP_TRACE_MB: the maximum number of stored traces, and their maximum size in total."""

    autonomy: str | None = None
    """UIAP_AUTONOMY: the level of autonomy of new sessions, and the highest that they may have."""

    @property
    def store_url(self) -> str:
        return self.store or f"sqlite:///{self.data / 'uiap.sqlite3'}"


def read(environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings from the environment, or from a mapping in tests."""
    from pathlib import Path

    env = os.environ if environ is None else environ
    home = Path(env["UIAP_HOME"]) if env.get("UIAP_HOME") else None
    return Settings(
        browser=env.get("UIAP_BROWSER") or None,
        store=env.get("UIAP_STORE") or None,
        data=home or _data_folder(env),
        runtime=Path(runtime(env)),
        environ=dict(env),
        audit_key=env.get("UIAP_AUDIT_KEY") or None,
        audit_anchor=env.get("UIAP_AUDIT_ANCHOR") or None,
        traces=int(_number(env, "UIAP_TRACES", 2000)),
        trace_mb=_number(env, "UIAP_TRACE_MB", 256),
        autonomy=env.get("UIAP_AUTONOMY") or None,
    )


def _number(env: Mapping[str, str], name: str, default: float) -> float:
    """Return a setting as a number, or the default if it is not a number."""
    try:
        return max(0.0, float(env.get(name) or default))
    except ValueError:
        return default


def runtime(environ: Mapping[str, str] | None = None) -> str:
    """Return `Settings.runtime` as text. The path is short, because a socket path has at most 100 characters."""
    env = os.environ if environ is None else environ
    if env.get("UIAP_HOME"):
        return os.path.join(env["UIAP_HOME"], "run")  # noqa: PTH118 (pathlib is slow to import)
    if env.get("XDG_RUNTIME_DIR"):
        return os.path.join(env["XDG_RUNTIME_DIR"], "uiap")  # noqa: PTH118
    user = os.getuid() if hasattr(os, "getuid") else "user"
    return os.path.join(env.get("TMPDIR") or "/tmp", f"uiap-{user}")  # noqa: PTH118


def check_session_name(name: str) -> str:
    """Return the name of a session. Raise Unavailable if it could name a file outside of the runtime folder."""
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    if not (plain.isascii() and plain.isalnum()) or name[0] in ".-" or len(name) > MAX_NAME_LENGTH:
        raise Unavailable(
            f"`{name[:80]}` is not a name for a session; use up to {MAX_NAME_LENGTH} letters, digits, - and _"
        )
    return name


def session_name(environ: Mapping[str, str] | None = None) -> str:
    """Return the name of the session that commands use if none is given."""
    return (os.environ if environ is None else environ).get("UIAP_SESSION") or "default"


def session_socket(name: str) -> str:
    """Return the socket of the session with this name."""
    return f"{runtime()}/{check_session_name(name)}.sock"


def _data_folder(env: Mapping[str, str]) -> Path:
    from pathlib import Path

    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "uiap"
    return Path(env.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "uiap"
