"""Outlines of the pages of one session: made once per revision and reader, and compared with the page before."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from uiap.graph.outline import outline
from uiap.graph.repeated_lines import line_keys
from uiap.graph.store import GraphStore
from uiap.host.privacy.redaction import Redaction
from uiap.spec.tools import ToolsOutlinePayload

MAX_TEXTS = 16


class _TextKey(NamedTuple):
    tab: str
    revision: str
    seq: int
    reader: int
    """The identity of the reader's redaction, which another one replaces as soon as a private value is learned."""
    request: ToolsOutlinePayload


class OutlineCache:
    """The latest outlines, and the lines of the last whole page of each tab."""

    def __init__(self) -> None:
        self._texts: OrderedDict[_TextKey, tuple[Redaction, str]] = OrderedDict()
        self._before: dict[str, frozenset[str]] = {}

    def text(self, tab: str, store: GraphStore, redaction: Redaction, request: ToolsOutlinePayload) -> str:
        """Return the outline that the request asks for, as this reader may see it."""
        key = _TextKey(tab, store.revision, store.seq, id(redaction), request)
        known = self._texts.get(key)
        if known is not None and known[0] is redaction:
            return known[1]
        text = self._make(tab, redaction.masked_view(store), request)
        text = redaction.text_mask.mask_text(text)
        self._texts[key] = redaction, text
        while len(self._texts) > MAX_TEXTS:
            self._texts.popitem(last=False)
        if not request.scope and not request.query and _is_whole(text, request):
            folded = self._before.get(tab, frozenset()) if request.since else frozenset()
            self._before[tab] = folded | line_keys(text)
        return text

    def _make(self, tab: str, store: GraphStore, request: ToolsOutlinePayload) -> str:
        return outline(
            store,
            scope=request.scope or None,
            since=request.since or None,
            budget=request.budget or None,
            query=request.query or None,
            before=self._before.get(tab, ()),
        )


def _is_whole(text: str, request: ToolsOutlinePayload) -> bool:
    """Return whether the text shows a page and not its changes."""
    return not request.since or " → " not in text.partition("\n")[0]
