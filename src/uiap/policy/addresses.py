"""Operations in addresses: a GET can write, and its address is the only thing that says so before it is sent.

`/items/3/delete`, `?action=archive` and `?delete=1` name an operation; `/items/3/edit`, `/archive/2024` and
`/blog/how-to-delete-a-file` name a page. Policy and discovery read addresses by this one rule. Discovery is stricter on
top of it: it also leaves out operations in unknown words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from uiap.policy.disguise import words_of
from uiap.policy.lexicon import is_exit, is_known_language, meaning_of, words_in
from uiap.record_segments import is_record_segment

FORM, PAGE, THING, SHOWS = (words_in(group) for group in ("form", "page", "thing", "shows"))
VERB_PARAMETERS = frozenset(
    {"action", "do", "op", "cmd", "command", "method", "_method", "verb", "task", "event", "act", "operation"}
)
OPERATIONS = frozenset(
    {"do", "act", "action", "actions", "exec", "execute", "perform", "cmd", "command"}
    | {"trigger", "invoke", "handle"}
)
"""Parts of a path that stand before an operation."""
VIEW_PARAMETERS = frozenset(
    {"tab", "view", "section", "mode", "step", "panel", "page", "sort", "order", "o"}
    | {"q", "query", "search", "filter", "title", "name", "lang", "year", "month", "day", "week"}
)
SEPARATORS = re.compile(r"[._\-+\s]+")
_SHELL_WORDS = frozenset({"rm", "del", "rmdir", "unlink"})
_SWITCHED_ON = frozenset({"", "1", "true", "yes", "on", "y"})
_FILE_ENDING = re.compile(r"\.[A-Za-z]{2,6}$")
_MAX_DECODED = 3
_MAX_ADDRESS = 4_000
_MAX_SLUG_WORDS, _MAX_NAME_WORDS = 4, 5
"""A longer part with hyphens is a title. A name with underscores or capitals may be longer."""
_MAX_LABEL_WORDS = 2
_OVERVIEWS = frozenset({"trash", "reset", "deleted", "removed", "disabled", "leave", "undo", "restart"})
"""Words that name a page if no record is named: a list of deleted things, or a form to reset a password."""
_STRONG = frozenset(
    {"destructive", "irreversible", "billing", "external_effect", "security", "identity", "privileged"}
)


class Address(NamedTuple):
    """The parts of an address, decoded."""

    segments: tuple[str, ...]
    """The parts of the path, also of a path in the fragment."""
    ids: frozenset[int]
    """The numbers of the segments that name a record."""
    query: tuple[tuple[str, str], ...]

    @property
    def keyed(self) -> bool:
        """Return whether a parameter names a record."""
        return any(is_record_segment(value) for key, value in self.query if key not in VIEW_PARAMETERS)

    @property
    def verbs(self) -> tuple[str, ...]:
        """Return the values of the parameters that choose an operation."""
        return tuple(value for key, value in self.query if key in VERB_PARAMETERS and value)

    @property
    def flags(self) -> tuple[tuple[str, bool], ...]:
        """Return the parameters that are only switched on, and whether they have no value: `?take`, `?take=1`."""
        return tuple((key, not value) for key, value in self.query if value.lower() in _SWITCHED_ON)


class AddressOrder(NamedTuple):
    """The operation that an address names, and its kinds in the lexicon; no kinds if its words are unknown."""

    operation: str
    kinds: frozenset[str]


@lru_cache(4096)
def read_address(url: str) -> Address:
    """Return the decoded parts of an address. Encodings inside of each other are decoded too."""
    try:
        parts = urlsplit(url[:_MAX_ADDRESS].strip())
    except ValueError:
        return Address((), frozenset(), ())
    in_fragment = parts.fragment.startswith(("/", "!/"))
    path, _, inner_query = (parts.fragment if in_fragment else parts.path).lstrip("!").partition("?")
    path, _, matrix = path.partition(";")
    if not path and not in_fragment:
        path = parts.fragment  # `#delete` tells a script what to do
    segments = tuple(part for one in path.split("/") if one for part in _record_and_verb(_decoded(one)))
    queries = "&".join((parts.query, inner_query, matrix)).replace(";", "&")
    query = tuple(
        (_decoded(key).casefold(), _decoded(value))
        for key, value in parse_qsl(queries, keep_blank_values=True)
    )
    ids = frozenset(at for at, one in enumerate(segments) if is_record_segment(one))
    return Address(segments, ids, query)


def _record_and_verb(segment: str) -> tuple[str, ...]:
    """Return the record and the verb of `3:cancel`, or the segment as it is."""
    record, colon, verb = segment.rpartition(":")
    return (record, verb) if colon and verb.isidentifier() and is_record_segment(record) else (segment,)


def _decoded(text: str) -> str:
    for _ in range(_MAX_DECODED):
        decoded = unquote(text)
        if decoded == text:
            break
        text = decoded
    return text


@lru_cache(8192)
def address_order(url: str, *, nested: bool = True) -> AddressOrder | None:
    """Return the operation that following the address may order; None if it leads to a page."""
    address = read_address(url)
    for key, value in address.query:  # the commands of a shell are words of an address, and of no label
        named = key if is_record_segment(value) or value.lower() in _SWITCHED_ON else value
        if named.lower() in _SHELL_WORDS and (named == key or key in VERB_PARAMETERS | {"mode"}):
            return AddressOrder(named, frozenset({"destructive"}))
    for verb in address.verbs:
        if (order := verb_order(verb)) is not None and (order.kinds or not is_known_language(verb)):
            return order
    for key, value in address.query:
        if (order := _parameter_order(key, value)) is not None:
            return order
        is_address = nested and value.startswith(("/", "http:", "https:"))
        if is_address and (order := address_order(value, nested=False)) is not None:
            return order
    return next(_path_orders(address), None)


def verb_order(verb: str) -> AddressOrder | None:
    """Return the operation that a parameter asks for, as in `?action=purge`; None if it shows a page."""
    words = words_of(verb)
    if not words or all(word in PAGE or word in SHOWS or word.isdigit() for word in words):
        return None
    return AddressOrder(verb, kinds_of(" ".join(words), names=True))


def _parameter_order(key: str, value: str) -> AddressOrder | None:
    """Return the operation that the name of a parameter orders, as in `?delete=1` or `?removeItem=17`."""
    is_target = value.lower() in _SWITCHED_ON or is_record_segment(value)
    words = words_of(SEPARATORS.sub(" ", key.lstrip("@_$")))
    if not is_target or not words or key in VIEW_PARAMETERS or words[0] in (PAGE | SHOWS):
        return None
    is_on = value.lower() in _SWITCHED_ON
    kinds = kinds_of(" ".join(words), names=is_on)
    return AddressOrder(key, kinds) if kinds & _STRONG or (kinds and is_on) else None


def _path_orders(address: Address) -> Iterator[AddressOrder]:
    segments, ids = address.segments, address.ids
    last = max((at for at in range(len(segments)) if at not in ids), default=-1)
    for at, segment in enumerate(segments):
        if at in ids:
            continue
        words = _operation_words(segment)
        if not words or _names_page(words):
            continue
        text = " ".join(words)
        if at - 1 in ids and len(words) == 1 and not is_known_language(segment):
            yield AddressOrder(segment, frozenset())  # a word in no known language, after a record
            continue
        if at - 1 in ids and at == last and is_exit(text):
            yield AddressOrder(segment, frozenset())  # `/orders/3/cancel` leaves no dialog
            continue
        kinds, named = kinds_of(text), kinds_of(text, names=True)
        on_record = any(one < at for one in ids) or (at == last and address.keyed)
        after_operation = at > 0 and segments[at - 1].lower() in OPERATIONS
        is_form = len(words) <= 2 and named <= {"write"} and not FORM.isdisjoint((words[0], words[-1]))
        is_thing = words[-1] in THING or words[-1].endswith("s")
        before_record = at + 1 in ids and not is_thing and not is_form
        alone = at == last and not is_thing and _orders_alone(words)
        if named and (after_operation or (on_record and not is_form)):
            yield AddressOrder(segment, named)
        elif kinds and (before_record or alone):
            yield AddressOrder(segment, kinds)


def _names_page(words: tuple[str, ...]) -> bool:
    """Return whether words name a page: `order-history`, `show-all`. `delete-account` does not."""
    if words[0] in SHOWS:
        return True
    ordered = {hint.kind for hint in meaning_of(words[0]).orders}
    return words[-1] in PAGE and not ordered & {"destructive", "irreversible"}


def _operation_words(segment: str) -> tuple[str, ...]:
    """Return the words of a part of a path that may be an operation; () for a title."""
    name = _FILE_ENDING.sub("", segment)
    words = words_of(SEPARATORS.sub(" ", name))
    is_slug = "-" in name or " " in name
    if not words or len(words) > (_MAX_SLUG_WORDS if is_slug else _MAX_NAME_WORDS):
        return ()
    if len(words) > 2 and is_slug and not kinds_of(words[0], names=True):
        return ()  # a title, such as `judge-orders-stop`
    return words


def _orders_alone(words: tuple[str, ...]) -> bool:
    """Return whether words order something although the address names no record: `/logout`, `/cache/clear`."""
    meaning = meaning_of(" ".join(words))
    ordered = {hint.kind for hint in meaning.orders}
    if ordered & {"destructive", "irreversible", "identity"}:
        return True
    asked = {hint.kind for hint in meaning.asks}
    return bool(asked & {"destructive", "identity"}) and _OVERVIEWS.isdisjoint(words)


@lru_cache(8192)
def kinds_of(text: str, *, names: bool = False) -> frozenset[str]:
    """Return the kinds of effect that the words of a text order or ask for; with `names`, those that they name too."""
    meaning = meaning_of(text)
    # a download or an export is named as an effect outside of the page, and writes nothing
    named = [hint for hint in meaning.names if hint.kind != "external_effect"] if names else ()
    return frozenset(hint.kind for hint in (*meaning.orders, *meaning.asks, *named))


@lru_cache(8192)
def orders_on_record(label: str, url: str) -> bool:
    """Return whether a short label orders something, such as `Approve`, and the address names the record for it."""
    words = words_of(label)
    if not 1 <= len(words) <= _MAX_LABEL_WORDS or not FORM.isdisjoint((words[0], words[-1])):
        return False
    address = read_address(url)
    ordered = kinds_of(words[0]) | kinds_of(words[-1])
    is_page = _names_page(words) or words[-1] in THING or words[-1].endswith("s")
    return bool(ordered) and not is_page and bool(address.ids or address.keyed)


def is_ordinary(order: AddressOrder) -> bool:
    """Return whether an operation is at most an ordinary change, which a person can take back."""
    words = " ".join(words_of(SEPARATORS.sub(" ", order.operation)))
    routine = any(hint.kind == "routine" for hint in meaning_of(words).shows)
    return routine and order.kinds <= {"write"}
