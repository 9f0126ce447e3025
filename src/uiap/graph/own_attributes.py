"""Attributes by which developers name an element, as the page script publishes them: test id, id, name, address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from urllib.parse import parse_qsl, urljoin, urlsplit

from msgspec import UNSET

from uiap.graph.identity import route_pattern
from uiap.graph.store import GraphStore
from uiap.spec.web import ElementNode

MEMBERS: Mapping[str, str] = MappingProxyType(
    {
        "data-testid": "testId",
        "data-test": "testId",
        "data-test-id": "testId",
        "data-cy": "testId",
        "data-qa": "testId",
        "id": "htmlId",
        "name": "htmlName",
    }
)
"""The attributes that the page script publishes, and the member of the metadata that holds each."""
HREF = "href"
_CSS = re.compile(r"#(?P<id>[\w-]+)|\[(?P<attr>[\w-]+)=(['\"]?)(?P<value>[^'\"\]]+)\3\]")


def selected_attribute(css: str) -> tuple[str, str] | None:
    """Return the attribute and the value that a css selector of one published attribute names, else None."""
    found = _CSS.fullmatch(css.strip())
    if found is None:
        return None
    name, value = ("id", found["id"]) if found["id"] else (found["attr"], found["value"])
    return (name, value) if name in MEMBERS else None


def is_published_attribute(name: str) -> bool:
    """Return whether a page publishes the attribute, or whether it may be the id annotation of an application."""
    return name in MEMBERS or name == HREF or (name.startswith("data-") and name.endswith("-id"))


def own_attribute(store: GraphStore, element: ElementNode, name: str) -> str | None:
    """Return the value of an attribute; of `href` the pattern of its address, with `:id` for records."""
    facts = element.metadata if element.metadata is not UNSET else {}
    if name == HREF:
        address = facts.get("href")
        return href_pattern(store.route.url, address) if isinstance(address, str) else None
    value = facts.get(MEMBERS[name]) if name in MEMBERS else other_attributes(element).get(name)
    return value if isinstance(value, str) else None


def other_attributes(element: ElementNode) -> Mapping[str, str]:
    """Return the attributes that a page publishes only because a bundle names them."""
    facts = element.metadata if element.metadata is not UNSET else {}
    found = facts.get("attributes")
    return found if isinstance(found, dict) else {}


@lru_cache(8_192)
def href_pattern(base: str, address: str) -> str | None:
    """Return the path with `:id` for records and the names of changed parameters; None if it is no page of the web.

    A link to the page itself repeats the parameters that the page has now. Only those that it changes count.
    """
    if address.startswith("#") and not address.startswith(("#/", "#!/")):
        return None  # many controls that are no links have such an address
    parts = urlsplit(urljoin(base, address))
    if parts.scheme not in ("http", "https"):
        return None
    path = route_pattern(parts.fragment if parts.fragment.startswith(("/", "!/")) else parts.path or "/")
    here = urlsplit(base)
    current = set(_parameters(here.query)) if here.path == parts.path else set()
    names = sorted({name for name, value in _parameters(parts.query) if (name, value) not in current})
    return f"{path}?{'&'.join(names)}" if names else path


def _parameters(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query, keep_blank_values=True)
