"""Whether an environment may be explored: staging may, any other host needs a recorded permission (DISC-2.6)."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit

from uiap.discovery.plan.plan import metadata
from uiap.spec.discovery import DiscoveryEnvironment

_STAGING = re.compile(
    r"(?:^|[.-])(?:staging|stage|stg|demo|test|testing|dev|development|sandbox|qa|uat|preview|preprod|localhost|local)"
    r"\d*(?:[.-]|$)"
)
_RESERVED = (".test", ".example", ".localhost", ".local", ".internal", ".invalid")


def authorisation_problem(environment: DiscoveryEnvironment) -> str | None:
    """Return the reason why the environment must not be explored; None if it may."""
    host = (urlsplit(environment.base_url).hostname or "").lower()
    if urlsplit(environment.base_url).scheme not in ("http", "https"):
        return f"`{environment.base_url}` is not the address of a web application; start it with http:// or https://"
    if is_test_host(host) or metadata(environment).get("authorization"):
        return None
    return f"`{host}` may be in production; name the person who allowed it (--authorised-by NAME), or use staging"


def is_test_host(host: str) -> bool:
    """Whether the host is local, private, reserved for tests, or named as a test environment."""
    if host.endswith(_RESERVED) or _STAGING.search(host) or host in ("example.com", "example.org"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_private
