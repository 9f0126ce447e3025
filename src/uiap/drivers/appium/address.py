"""Parse addresses such as `appium:FILE.json@http://127.0.0.1:4723`: the capabilities of a session, and its server.

The capabilities are a file or words: `appium:platformName=iOS,bundleId=com.example`. The file contains a secret only by
its name, `{"secret": "farm key"}`. The address of the server never becomes part of a snapshot.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from uiap.drivers.errors import NotSupported
from uiap.errors import UiapError, Unavailable

SCHEME = "appium:"
DEFAULT_SERVER = "http://127.0.0.1:4723"
SERVER_VARIABLE = "UIAP_APPIUM_SERVER"
_PARTS = re.compile(r"(?P<capabilities>.*?)(?:@(?P<server>https?://.+))?", re.DOTALL)
_WORD = re.compile(r"([A-Za-z][\w.:\-]*)=(.*)", re.DOTALL)


class AppiumServer(NamedTuple):
    url: str
    user: str = ""
    password: str = ""


class AppiumAddress(NamedTuple):
    capabilities: Mapping[str, Any]
    server: AppiumServer


def parse(
    address: str, environ: Mapping[str, str], secrets: Callable[[str], str] | None = None
) -> AppiumAddress:
    """Parse an address; without a server, use UIAP_APPIUM_SERVER or else the server on this computer."""
    found = _PARTS.fullmatch(address.removeprefix(SCHEME).strip())
    assert found is not None
    raw = _capabilities(found["capabilities"], address)
    if not _capability(raw, "platformName"):
        raise UiapError(f"`{address}` has no platformName; write `appium:platformName=iOS,bundleId=…`")
    capabilities = {name: _resolve_secrets(value, secrets) for name, value in raw.items()}
    return AppiumAddress(
        capabilities, _server(found["server"] or environ.get(SERVER_VARIABLE) or DEFAULT_SERVER)
    )


def is_application(name: str) -> bool:
    """Return whether this is a bundle or package name, optionally with an activity."""
    return re.fullmatch(r"[A-Za-z][\w\-]*(?:\.[\w\-]+)+(?:/[\w.$]+)?", name) is not None


def _capabilities(text: str, address: str) -> Mapping[str, Any]:
    if text.endswith(".json"):
        return _read_file(Path(text))
    words = [_WORD.fullmatch(word.strip()) for word in text.split(",")]
    if not all(words):
        raise UiapError(
            f"`{address}` names no session; write `appium:FILE.json` with its capabilities, or "
            "`appium:platformName=Android,appPackage=com.example`, and add `@http://HOST:PORT` for another server"
        )
    return {word[1]: _parse_value(word[2]) for word in words if word is not None}


def _read_file(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UiapError(f"`{path}` cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UiapError(f"`{path}` is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UiapError(
            f'`{path}` contains no capabilities; write an object such as {{"platformName": "iOS"}}'
        )
    return found


def _parse_value(word: str) -> Any:
    if word in ("true", "false"):
        return word == "true"
    return int(word) if word.isdigit() and not word.startswith("0") else word


def _resolve_secrets(value: Any, secrets: Callable[[str], str] | None) -> Any:
    if isinstance(value, dict):
        name = value.get("secret")
        if len(value) == 1 and isinstance(name, str):
            return _secret(name, secrets)
        return {key: _resolve_secrets(one, secrets) for key, one in value.items()}
    return [_resolve_secrets(one, secrets) for one in value] if isinstance(value, list) else value


def _secret(name: str, secrets: Callable[[str], str] | None) -> str:
    if secrets is None:
        raise Unavailable(f"no secret `{name}` is known here, but the capabilities refer to it")
    try:
        return secrets(name)
    except NotSupported as unknown:
        raise Unavailable(unknown.message) from unknown


def _capability(capabilities: Mapping[str, Any], name: str) -> Any:
    return capabilities.get(name, capabilities.get(f"appium:{name}"))


def _server(url: str) -> AppiumServer:
    parts = urlsplit(url)
    if not parts.hostname:
        raise UiapError("the address of the Appium server has no host; write `@http://HOST:PORT`")
    plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])).rstrip("/")
    return AppiumServer(plain, unquote(parts.username or ""), unquote(parts.password or ""))
