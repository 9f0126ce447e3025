"""The HTML report of a package: its screens, the findings, the transition graph and the review queue.

One file next to its evidence. Every text that comes from a page is escaped. The only script searches and filters; the
content policy names its digest.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from typing import Any

from uiap.discovery.report.drawing import transition_graph_svg
from uiap.discovery.report.limits_line import limits_line
from uiap.discovery.report.network_line import network_line, read_hints
from uiap.discovery.report.screens import screens_html
from uiap.spec.discovery import DiscoveryPackage
from uiap.spec.web import PageGraph

SCRIPT = """
const q=document.getElementById('q'),f=document.getElementById('f'),n=document.getElementById('n');
const cards=[...document.querySelectorAll('article')],rows=[...document.querySelectorAll('tr.row')];
function show(){const words=q.value.toLowerCase().split(/\\s+/).filter(Boolean);
const fits=e=>words.every(w=>e.textContent.toLowerCase().includes(w));let shown=0;
for(const c of cards){const is=fits(c)&&(!f.value||c.dataset.marks.split(' ').includes(f.value));c.hidden=!is;shown+=is}
for(const r of rows)r.hidden=!fits(r);n.textContent=shown+' of '+cards.length+' screens'}
q.addEventListener('input',show);f.addEventListener('change',show);
q.form.addEventListener('submit',e=>e.preventDefault());show();
"""
STYLE = """
:root{--ink:#1c2430;--soft:#5d6b7e;--line:#dfe5ec;--paper:#fff;--back:#f5f7fa;--blue:#2458d3;--red:#b3261e;
--amber:#8a5a00;--green:#1d6b3c}
@media(prefers-color-scheme:dark){:root{--ink:#e6ebf2;--soft:#9aa8ba;--line:#2b3646;--paper:#161d27;--back:#0f151d;
--blue:#7ea6ff;--red:#ff8a80;--amber:#ffc46b;--green:#7fd6a0}}
*{box-sizing:border-box}body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:1240px;margin:0 auto;padding:28px 24px 60px}
h1{font-size:24px;margin:0}h2{font-size:18px;margin:34px 0 10px}
.meta{color:var(--soft);margin:4px 0 22px}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(130px,1fr));gap:10px}
.card{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.card b{display:block;font-size:24px;line-height:1.2}.card span{color:var(--soft);font-size:13px}
.sheet{background:var(--paper);border:1px solid var(--line);border-radius:10px;overflow:auto}
table{border-collapse:collapse;width:100%;font-size:14px}th,td{text-align:left;vertical-align:top;padding:8px 12px;
border-top:1px solid var(--line)}tr:first-child th{border-top:0}th{color:var(--soft);font-weight:600;white-space:nowrap}
td{overflow-wrap:anywhere}
code{font:13px ui-monospace,monospace}.high{color:var(--red)}.medium{color:var(--amber)}.low{color:var(--soft)}
.allow{color:var(--green)}.deny{color:var(--red)}.review{color:var(--amber)}.skip{color:var(--soft)}
details>summary{cursor:pointer;font-size:18px;font-weight:600;margin:34px 0 10px}
svg{display:block}svg text{fill:var(--ink);font:12px system-ui,sans-serif}svg .id{fill:var(--soft);font-size:10px}
svg .route{font-weight:600;font-size:13px}svg .lane{fill:none;stroke:var(--line)}svg g rect{fill:var(--back);
stroke:var(--soft)}svg .seed rect{stroke:var(--blue);stroke-width:2}
svg .modal rect{stroke:var(--amber);stroke-dasharray:4 3}
svg .edge{fill:none;stroke:var(--blue);stroke-opacity:.55}svg .low{stroke:var(--soft)}svg .edge:hover{stroke-opacity:1;
stroke-width:2.5}svg marker path{fill:var(--blue)}.key{color:var(--soft);font-size:13px;margin:8px 0}
[hidden]{display:none!important}nav a,article a{color:var(--blue)}nav{margin:14px 0}
.find{position:sticky;top:0;background:var(--back);display:flex;gap:16px;align-items:center;padding:10px 0;z-index:1}
.find input,.find select{font:inherit;padding:5px 9px;border:1px solid var(--line);border-radius:7px;
background:var(--paper);color:var(--ink)}.find output{color:var(--soft)}
.screens{display:grid;grid-template-columns:repeat(auto-fill,minmax(230px,1fr));gap:14px}
article{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:10px;font-size:13px;
overflow-wrap:anywhere}article h3{font-size:14px;margin:0 0 6px}article p{margin:6px 0 0}
article img,.thumb{width:100%;height:auto;border-radius:6px}.badge{background:var(--amber);color:var(--paper);
border-radius:6px;padding:1px 6px;font-size:11px}
svg.thumb .page{fill:var(--back);stroke:var(--line)}svg.thumb .bar{fill:var(--line)}svg.thumb text{font-size:8px}
svg.thumb g rect{fill:var(--paper);stroke:var(--line)}svg.thumb .press rect{fill:var(--line)}
svg.thumb .link rect,svg.thumb .label rect{fill:none;stroke:none}svg.thumb .link text{fill:var(--blue)}
svg.thumb .label text{font-weight:700}svg.thumb .tab rect{fill:none}svg.thumb .over{fill:var(--paper);
stroke:var(--amber)}
"""


def html_report(package: DiscoveryPackage, graphs: Mapping[str, PageGraph] | None = None) -> str:
    """Return the report as one HTML document. `graphs` are the redacted graphs of the states, for thumbnails."""
    run, environment = package.run, package.environment
    mode = environment.safety.default_mode if environment.safety else "safe_explore"
    head = f"{environment.base_url} · {mode} · {run.status} · {run.started_at}"
    return (
        "<!doctype html><html lang=en><meta charset=utf-8>"
        "<meta name=viewport content='width=device-width,initial-scale=1'>"
        f'<meta http-equiv=Content-Security-Policy content="{_content_policy()}">'
        f"<title>Discovery of {escape(environment.base_url)}</title><style>{STYLE}</style><main>"
        f"<h1>Discovery of {escape(environment.environment_id)}</h1>"
        f"<p><b>{escape(network_line(package))}</b></p>"
        f"<p class=meta>{escape(head)}<br>{escape(limits_line(package))}<br>"
        "These findings are suggestions. Nothing is used before a person has reviewed it.</p>"
        f"{_cards(package)}{_CONTENTS}"
        f"<h2 id=screens>Screens</h2>{screens_html(package, graphs or {})}"
        f"<h2 id=graph>Transition graph</h2><div class=sheet>{transition_graph_svg(package)}</div>"
        "<p class=key>One lane for each route, its states from left to right. Blue: the state of a seed. "
        "Dashed: a dialog is open. Point at a line to read its action.</p>"
        f"<h2 id=held>Held back</h2>{_held(package)}{_read_hints(package)}"
        f"<h2 id=not-tried>Not tried</h2>{_not_tried(package)}"
        f"<h2 id=review>To review</h2>{_review(package)}"
        f"<h2 id=routes>Routes</h2>{_routes(package)}"
        f"<h2 id=workflows>Workflow candidates</h2>{_workflows(package)}"
        f"<h2 id=actions>Actions and decisions</h2>{_actions(package)}"
        f"<details><summary>Scopes</summary>{_scopes(package)}</details>"
        f"<details><summary>Elements</summary>{_elements(package)}</details>"
        f"{_notes(package)}</main><script>{SCRIPT}</script></html>"
    )


_CONTENTS = "<nav>" + " · ".join(
    f"<a href='#{id}'>{name}</a>"
    for id, name in (
        ("screens", "Screens"),
        ("graph", "Transitions"),
        ("held", "Held back"),
        ("not-tried", "Not tried"),
        ("review", "To review"),
        ("routes", "Routes"),
        ("workflows", "Workflows"),
        ("actions", "Actions"),
    )
)
_CONTENTS += "</nav>"


def _content_policy() -> str:
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src 'self' file:; script-src 'sha256-{digest}'"
    )


def _cards(package: DiscoveryPackage) -> str:
    covered, graph = package.coverage, package.transition_graph
    figures = (
        (covered.routes_discovered, "routes"),
        (len(graph.states), "states"),
        (len(graph.edges), "transitions"),
        (covered.scopes_discovered, "scopes"),
        (covered.elements_discovered, "elements"),
        (covered.actions_discovered, "actions"),
        (covered.opaque_regions, "unreadable regions"),
        (covered.review_items, "items to review"),
    )
    cards = "".join(f"<div class=card><b>{count}</b><span>{name}</span></div>" for count, name in figures)
    return f"<div class=cards>{cards}</div>"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table. The cells must be HTML already."""
    body = "".join("<tr class=row>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    head = "".join(f"<th>{name}" for name in heads)
    return f"<div class=sheet><table><tr>{head}</tr>{body}</table></div>" if body else "<p>None.</p>"


def _list(values: Any, limit: int = 4) -> str:
    shown = [escape(str(value)) for value in values or ()]
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


def _confidence(confidence: Any) -> str:
    """Return the confidence without a colour, because a low confidence is not a warning."""
    return escape(str(confidence)) if confidence else ""


def _mark(word: Any) -> str:
    return f"<span class={escape(str(word))}>{escape(str(word))}</span>" if word else ""


def _meta(one: Any, member: str) -> Any:
    return one.metadata.get(member) if one.metadata else None


def _decision(one: Any) -> str:
    found = _meta(one, "decision") or {}
    if not found:
        return ""
    return (
        f"{_mark(found['effect'])} <span class=low>{escape(found['reason'])}: {escape(found['why'])}</span>"
    )


def _review(package: DiscoveryPackage) -> str:
    rows = (
        (
            _mark(one.severity),
            escape(one.kind.replace("_", " ")),
            escape(one.description)
            + (f"<br><span class=low>{escape(one.remediation)}</span>" if one.remediation else ""),
            _evidence_links(package, one.evidence),
        )
        for one in package.review_queue.items
    )
    return _table(("Severity", "Kind", "Description", "Evidence"), rows)


def _evidence_links(package: DiscoveryPackage, refs: Iterable[Any], limit: int = 4) -> str:
    """Return the references; one that has a file links to it, one of a state to its screen."""
    items = package.evidence_index.items if package.evidence_index else ()
    files = {item.ref_id: str(item.uri) for item in items if item.uri}
    shown = []
    for one in refs:
        text = escape(one.ref_id)
        file = files.get(one.ref_id)
        shown.append(f'<a href="{escape(file)}">{text}</a>' if file else text)
    more = f" and {len(shown) - limit} more" if len(shown) > limit else ""
    return ", ".join(shown[:limit]) + more


def _held(package: DiscoveryPackage) -> str:
    """Return the requests that the network guard held back, the most frequent first."""
    held = ((package.metadata or {}).get("network") or {}).get("held") or {}
    rows = sorted(held.items(), key=lambda one: -one[1])
    return _table(("Times", "Request"), ((str(count), escape(request)) for request, count in rows))


def _read_hints(package: DiscoveryPackage) -> str:
    lines = "".join(f"<li>{escape(line)}" for line in read_hints(package))
    return f"<h3>Held back, but may only read</h3><ul>{lines}</ul>" if lines else ""


def _not_tried(package: DiscoveryPackage) -> str:
    reasons = (package.metadata or {}).get("notTried") or {}
    return _table(("Controls", "Reason"), ((str(count), escape(reason)) for reason, count in reasons.items()))


def _routes(package: DiscoveryPackage) -> str:
    rows = (
        (
            f"<code>{escape(one.route_id)}</code>",
            f"<code>{escape(str(_meta(one, 'pattern') or ''))}</code>",
            _list(one.titles),
            escape(str(_meta(one, "states") or 0)),
            _list(_meta(one, "principals") or ()),
            _confidence(one.confidence),
        )
        for one in package.route_catalog.routes
    )
    return _table(("Route", "Pattern", "Titles", "States", "Seen by", "Confidence"), rows)


def _workflows(package: DiscoveryPackage) -> str:
    flows = package.workflow_candidates.workflows if package.workflow_candidates else ()
    rows = (
        (
            f"<code>{escape(one.id)}</code>",
            escape(one.title or ""),
            _list((each.name for each in one.required_inputs or ()), 8),
            _list((signal.kind for signal in one.success_signals or ()), 4),
            _confidence(one.confidence),
        )
        for one in flows
    )
    return _table(("Candidate", "Title", "Inputs", "Success signals", "Confidence"), rows)


def _actions(package: DiscoveryPackage) -> str:
    rows = (
        (
            f"<code>{escape(one.id)}</code>",
            escape(one.kind),
            escape(one.side_effect_class or ""),
            _list((signal.kind for signal in one.success_signals or ()), 4),
            _decision(one),
        )
        for one in package.action_catalog.actions
    )
    return _table(("Action", "Kind", "Side effect", "Success signals", "Decision"), rows)


def _scopes(package: DiscoveryPackage) -> str:
    rows = (
        (
            f"<code>{escape(one.scope_id)}</code>",
            escape(one.kind),
            _list(one.names),
            _list(one.route_ids),
            _confidence(one.confidence),
        )
        for one in package.scope_catalog.scopes
    )
    return _table(("Scope", "Kind", "Names", "Routes", "Confidence"), rows)


def _elements(package: DiscoveryPackage) -> str:
    rows = (
        (
            f"<code>{escape(one.semantic_key)}</code>",
            escape(one.role),
            _list(one.names),
            _list(one.routes),
            _decision(one),
        )
        for one in package.element_catalog.elements
    )
    return _table(("Element", "Role", "Names", "Routes", "Decision"), rows)


def _notes(package: DiscoveryPackage) -> str:
    notes = package.run.notes or ()
    lines = "".join(f"<li>{escape(note)}" for note in notes)
    return f"<h2>Notes of the run</h2><ul>{lines}</ul>" if lines else ""
