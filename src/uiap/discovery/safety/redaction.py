"""Redaction of graphs, texts and addresses before anything is stored (DISC-SEC.2).

Structure, roles and names stay, because discovery maps them. Entered values and secrets are masked.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec
from msgspec import UNSET

from uiap.graph.view import is_user_generated
from uiap.spec.web import ElementNode, PageGraph

MASK = "•••"
_INPUT_ROLES = frozenset({"textbox", "textarea", "searchbox", "spinbutton", "datepicker", "timepicker"})
_DATA_ROLES = frozenset({"cell", "row", "listitem", "treeitem"})
_PUBLIC_CLASSES = frozenset({"public", "internal"})
_SECRET_PARAMETERS = re.compile(
    r"token|secret|passw|session|sid$|^sig|signature|api.?key|auth|code$|nonce|csrf", re.IGNORECASE
)
_PATTERNS = (
    re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),  # a JSON web token
    re.compile(r"\b(?:sk|pk|ghp|gho|xox[bp]|AKIA|glpat)[-_][\w-]{12,}|\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"\b[A-Z]{2}\d{2}(?: ?[0-9A-Z]{4}){3,7}(?: ?[0-9A-Z]{1,3})?\b"),  # IBAN
    re.compile(r"\b(?:\d[ -]?){13,19}\b"),  # card numbers
    re.compile(r"\b[0-9a-f]{32,}\b", re.IGNORECASE),
    re.compile(r"(?<![\w.])\+\d[\d ()/.-]{7,}\d"),  # international telephone numbers
)


def mask_text(text: str) -> str:
    """Return the text with mail addresses, card and account numbers, keys and tokens masked."""
    for pattern in _PATTERNS:
        text = pattern.sub(MASK, text)
    return text


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
        graph.route, url=clean_url(graph.route.url), title=_mask_if_text(graph.route.title), params=UNSET
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


def _redact_element(one: ElementNode) -> ElementNode:
    classes = () if one.data_classes is UNSET else one.data_classes
    private = one.state.sensitive is True or not _PUBLIC_CLASSES.issuperset(classes)
    state = one.state
    if state.text_value is not UNSET or state.numeric_value is not UNSET:
        removed = private or one.role in _INPUT_ROLES
        state = msgspec.structs.replace(
            state,
            text_value=UNSET if removed else _mask_if_text(state.text_value),
            numeric_value=UNSET if removed else state.numeric_value,
        )
    text: Any = _mask_if_text(one.text)
    if private or is_user_generated(one) or one.role in _DATA_ROLES:
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
    return metadata


def _mask_if_text(text: Any) -> Any:
    return mask_text(text) if isinstance(text, str) else text
