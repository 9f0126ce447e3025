"""Redaction of graphs, texts and addresses before anything is stored (DISC-SEC.2).

Structure, roles and names stay, because discovery maps them. Entered values and secrets are masked.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
from msgspec import UNSET

from uiap.digests import text_digest
from uiap.graph.preceding_text import DATA_ROLES
from uiap.graph.view import is_user_generated
from uiap.spec.web import ElementNode, PageGraph

MASK = "•••"
_CHOICE_ROLES = frozenset({"combobox", "listbox", "slider", "progress"})
"""Roles whose values are states of the application. Every other value may be one that somebody entered."""
_TEXT_KEY = "text:"
_PUBLIC_CLASSES = frozenset({"public", "internal"})
_SECRET_PARAMETERS = re.compile(
    r"token|secret|passw|session|sid$|^sig|signature|api.?key|auth|code$|nonce|csrf", re.IGNORECASE
)
_PATTERNS = (
    re.compile(r"[\w.+-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+", re.IGNORECASE),  # also percent-encoded
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),  # a JSON web token
    re.compile(r"\b(?:sk|pk|ghp|gho|xox[bp]|AKIA|glpat)[-_][\w-]{12,}|\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){3,7}(?: ?[0-9A-Z]{1,3})?\b"),  # IBAN
    re.compile(r"\b(?:\d[ -]?){13,19}\b"),  # card numbers
    re.compile(r"\b[0-9a-f]{32,}\b", re.IGNORECASE),
    re.compile(r"(?<![\w.])\+\d[\d ()/.-]{7,}\d"),  # international telephone numbers
)

_ADDRESS = re.compile(r"https?://[^\s\"'<>`]+")


def mask_text(text: str) -> str:
    """Return the text with mail addresses, card and account numbers, keys and tokens masked."""
    for pattern in _PATTERNS:
        text = pattern.sub(MASK, text)
    return text


def mask_report(text: str) -> str:
    """Return the text masked, with each address in it cleaned too."""
    return mask_text(_ADDRESS.sub(lambda found: clean_url(found[0]), text))


def clean_url(url: str) -> str:
    """Return the address without credentials and without parameters that carry secrets."""
    parts = urlsplit(url)
    query = [
        (key, value) for key, value in parse_qsl(parts.query, True) if not _SECRET_PARAMETERS.search(key)
    ]
    netloc = parts.netloc.rpartition("@")[2]
    return mask_text(urlunsplit((parts.scheme, netloc, parts.path, urlencode(query), parts.fragment)))


def redact_graph(graph: PageGraph) -> PageGraph:
    """Return the graph without entered values, record texts and secrets."""
    route = msgspec.structs.replace(
        graph.route,
        url=clean_url(graph.route.url),
        path=_mask_if_text(graph.route.path),
        title=_mask_if_text(graph.route.title),
        params=UNSET,
    )
    return msgspec.structs.replace(
        graph,
        route=route,
        documents=tuple(
            msgspec.structs.replace(
                one, url=clean_url(one.url) if one.url else one.url, title=_mask_if_text(one.title)
            )
            for one in graph.documents
        ),
        scopes=tuple(
            msgspec.structs.replace(one, name=_mask_if_text(one.name)) if one.name else one
            for one in graph.scopes
        ),
        elements=tuple(_redact_element(one) for one in graph.elements),
        redacted=True,
    )


def is_data(one: ElementNode) -> bool:
    """Whether the words of an element are those of a record: a cell or a row that heads nothing."""
    is_header = one.metadata is not UNSET and "header" in one.metadata
    return one.role in ("cell", "row") and not is_header


def _redact_element(one: ElementNode) -> ElementNode:
    classes = () if one.data_classes is UNSET else one.data_classes
    private = one.state.sensitive is True or not _PUBLIC_CLASSES.issuperset(classes)
    state = one.state
    if state.text_value is not UNSET or state.numeric_value is not UNSET:
        removed = private or one.role not in _CHOICE_ROLES
        state = msgspec.structs.replace(
            state,
            text_value=UNSET if removed else _mask_if_text(state.text_value),
            numeric_value=UNSET if removed else state.numeric_value,
        )
    if state.placeholder is not UNSET:
        state = msgspec.structs.replace(state, placeholder=_mask_if_text(state.placeholder))
    text: Any = _mask_if_text(one.text)
    if private or is_user_generated(one) or one.role in DATA_ROLES:
        text = UNSET
    return msgspec.structs.replace(
        one,
        name=_mask_if_text(one.name),
        description=_mask_if_text(one.description),
        text=text,
        state=state,
        metadata=_redact_metadata(one),
    )


def _redact_metadata(one: ElementNode) -> Any:
    if one.metadata is UNSET:
        return UNSET
    metadata = dict(one.metadata)
    if isinstance(metadata.get("href"), str):
        metadata["href"] = clean_url(metadata["href"])
    for name in ("record", "htmlId", "htmlName", "testId"):
        if isinstance(metadata.get(name), str):
            metadata[name] = mask_text(metadata[name])
    if str(metadata.get("record", "")).startswith(_TEXT_KEY):  # the words of the record itself
        metadata["record"] = _TEXT_KEY + text_digest([str(metadata["record"])], size_bytes=8)
    return metadata


def _mask_if_text(text: Any) -> Any:
    return mask_text(text) if isinstance(text, str) else text
