"""The overview of a report: a card for each screen, with a thumbnail, marks to filter by, and links to its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from html import escape
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

from uiap.discovery.report.thumbnail import shared_controls, thumbnail_svg
from uiap.spec.discovery import DiscoveryPackage, DiscoveryStateNode
from uiap.spec.web import PageGraph

FILTERS = (
    ("", "all screens"),
    ("page", "pages"),
    ("dialog", "dialogs"),
    ("crippled", "crippled by the guard"),
    ("low", "low confidence"),
    ("end", "without a way onward"),
)
_MAX_ADDRESS = 60
_BADGES = {"dialog": "dialog", "crippled": "crippled by the guard", "low": "low confidence"}
_EVIDENCE_NAMES = {"page_graph": "graph", "screenshot": "screenshot", "accessibility": "accessibility tree"}


def screens_html(package: DiscoveryPackage, graphs: Mapping[str, PageGraph]) -> str:
    """Return the controls that search and filter, and a card for each screen."""
    tried = Counter(one.from_state_id for one in package.transition_graph.edges)
    shared = shared_controls(graphs.values())
    titles = Counter(graph.route.title or "" for graph in graphs.values())
    cards = "".join(
        _card(package, one, _Screen(graphs.get(one.state_id), shared, titles, tried[one.state_id]))
        for one in package.transition_graph.states
    )
    options = "".join(f'<option value="{value}">{text}</option>' for value, text in FILTERS)
    return (
        "<form class=find role=search><label>Search <input type=search id=q autocomplete=off></label>"
        f"<label>Show <select id=f>{options}</select></label><output id=n></output></form>"
        f"<div class=screens>{cards}</div>"
    )


class _Screen(NamedTuple):
    graph: PageGraph | None
    shared: frozenset[str]
    titles: Counter[str]
    tried: int
    """The number of actions that were tried on it."""

    def title(self, one: DiscoveryStateNode, address: str) -> str:
        """Return the title of the page; one that several screens have is followed by the address."""
        title = (self.graph.route.title or "") if self.graph is not None else ""
        place = urlunsplit(urlsplit(address)._replace(scheme="", netloc=""))
        if not title:
            return str(one.route_id or one.state_id)
        return title if self.titles[title] < 2 else f"{title} {_short(place)}"


def _card(package: DiscoveryPackage, one: DiscoveryStateNode, screen: _Screen) -> str:
    """Return one screen: title, picture, badges, address, the blocked requests it lacks, and its evidence."""
    metadata = one.metadata or {}
    address = str(metadata.get("url", ""))
    blocked = metadata.get("crippledBy") or ()
    marks = _marks(one, bool(blocked), screen.tried)
    place = f'<span title="{escape(address)}">{escape(_short(address))}</span>'
    return (
        f'<article id="{escape(one.state_id)}" data-marks="{" ".join(marks)}">'
        f"<h3>{escape(screen.title(one, address))}</h3>{_picture(package, one, screen)}"
        f"<p><code>{escape(str(one.route_id or ''))}</code> {_badges(marks)}<br>"
        f"<span class=low>{escape(one.state_id)} · {place} · {screen.tried} actions tried</span></p>"
        f"{_missing_answers(blocked)}<p>{_evidence(package, one)}</p></article>"
    )


def _badges(marks: list[str]) -> str:
    shown = [_BADGES[mark] for mark in marks if mark in _BADGES]
    return " ".join(f"<span class=badge>{escape(text)}</span>" for text in shown)


def _missing_answers(blocked: Iterable[str]) -> str:
    return "".join(f"<p class=medium>lacks the answer to {escape(_request(one))}</p>" for one in blocked)


def _short(address: str) -> str:
    """Return the address without its long parameters, which would fill a card; its tooltip has all of it."""
    return address if len(address) <= _MAX_ADDRESS else f"{address[:_MAX_ADDRESS]}…"


def _marks(one: DiscoveryStateNode, is_crippled: bool, tried: int) -> list[str]:
    """Return the names of the filters that show this screen."""
    marks = ["dialog" if one.modal_stack else "page"]
    marks += ["crippled"] if is_crippled else []
    marks += ["low"] if one.confidence == "low" else []
    return marks if tried else [*marks, "end"]


def _request(option: str) -> str:
    """Return the request of an option such as `--read-request 'POST URL*'`."""
    return option.partition("'")[2].rstrip("'*")


def _picture(package: DiscoveryPackage, one: DiscoveryStateNode, screen: _Screen) -> str:
    """Return the screenshot if the run was permitted to take it, else a drawing of the redacted graph."""
    screenshot = next((uri for kind, uri in _files(package, one) if kind == "screenshot"), None)
    if screenshot is not None:
        return f'<img loading=lazy alt="" src="{escape(screenshot)}">'
    return thumbnail_svg(screen.graph, screen.shared) if screen.graph is not None else ""


def _evidence(package: DiscoveryPackage, one: DiscoveryStateNode) -> str:
    return " · ".join(
        f'<a href="{escape(uri)}">{_EVIDENCE_NAMES.get(kind, kind)}</a>' for kind, uri in _files(package, one)
    )


def _files(package: DiscoveryPackage, one: DiscoveryStateNode) -> list[tuple[str, str]]:
    items = package.evidence_index.items if package.evidence_index else ()
    return [(item.kind, str(item.uri)) for item in items if item.uri and item.state_id == one.state_id]
