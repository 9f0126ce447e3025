"""The origins that a person named or opened in a session, and the texts that were read on each of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from uiap.graph.store import GraphStore
from uiap.origin import OPAQUE, origin_of, origin_to_act_on
from uiap.policy.origins import SessionOrigins

MIN_TEXT, MAX_TEXTS = 8, 5000
"""A shorter text occurs everywhere. Of each origin this many texts are remembered."""


class OriginRegister:
    """The origins of one session. Everything a person opens is added."""

    def __init__(self) -> None:
        self.hosts: tuple[str, ...] = ()
        """Hosts that a person named."""
        self._act: dict[str, None] = {}
        self._read: dict[str, None] = {}
        self._texts: dict[str, dict[str, None]] = {}

    def facts(self, current_url: str) -> SessionOrigins:
        """Return the origins now. The first page counts as opened by a person, because no action has run yet."""
        if not self._act:
            self.open(current_url)
        return SessionOrigins(act=tuple(self._act), read=tuple(self._read), hosts=self.hosts)

    def open(self, url: str) -> None:
        """Let the session act on the origin of this URL."""
        if (origin := origin_of(url)) != OPAQUE:
            self._act.setdefault(origin)

    def allow_reading(self, url: str) -> None:
        """Let the session read the origin of this URL. Acting on it still asks."""
        if (origin := origin_of(url)) != OPAQUE:
            self._read.setdefault(origin)

    def remember(self, store: GraphStore) -> None:
        """Remember the texts of a page that is left."""
        for origin, text in islice(_texts(store), MAX_TEXTS):
            texts = self._texts.setdefault(origin, {})
            if len(texts) < MAX_TEXTS:
                texts.setdefault(text)

    def source_of(self, text: str, origin: str | None, store: GraphStore) -> str:
        """Return the other origin on which a text was read, or "" if there is none."""
        wanted = " ".join(text.split()).casefold()
        if len(wanted) < MIN_TEXT or origin is None:
            return ""
        if any(here == origin and wanted in one for here, one in _texts(store)):
            return ""  # the page shows it too
        for other, one in self._texts_of_others(store):
            if other != origin and (one in wanted or wanted in one):
                return other
        return ""

    def _texts_of_others(self, store: GraphStore) -> Iterator[tuple[str, str]]:
        yield from ((origin, text) for origin, texts in self._texts.items() for text in texts)
        if len(store.documents) > 1:
            yield from _texts(store)


def _texts(store: GraphStore) -> Iterator[tuple[str, str]]:
    """Yield the origin and the folded text of each name, text and value that is long enough."""
    for element in store:
        document = store.documents.get(element.document_id)
        origin = None if document is None else origin_to_act_on(document.origin, document.url)
        if not origin:
            continue
        for text in (element.name, element.text, element.state.text_value):
            if isinstance(text, str) and len(text) >= MIN_TEXT:
                yield origin, " ".join(text.split()).casefold()
