"""Small pages for the tests of `uiap.graph`, as a publisher sends them."""

from typing import Any

from uiap.spec.web import (
    CollectionNode,
    DocumentNode,
    ElementNode,
    NodeDelta,
    NodePatch,
    PageGraph,
    PageGraphDelta,
    RouteInfo,
    ScopeNode,
    WebElementState,
)

NOW = "2026-01-01T00:00:00Z"
READ = ("read",)
PRESS = ("read", "focus", "activate")
EDIT = ("read", "focus", "edit")
AFFORDANCES = {"button": PRESS, "link": (*PRESS, "navigate"), "textbox": EDIT, "checkbox": ("read", "toggle")}


class Page:
    """Collects nodes in document order, with numbered ids like those of a publisher."""

    def __init__(self, path: str = "/users", title: str = "Users") -> None:
        self.route = RouteInfo(url=f"http://app.test{path}", path=path, title=title)
        self.documents = [
            DocumentNode(document_id="f0", kind="root", access="full", origin="http://app.test")
        ]
        self.scopes: list[ScopeNode] = []
        self.elements: list[ElementNode] = []
        self.collections: list[CollectionNode] = []
        self.more: dict[str, Any] = {}

    def element(self, role: Any, name: str | None = None, *, state: Any = None, **members: Any) -> str:
        number = len(self.elements) + 1
        members.setdefault("instance_id", f"f0e{number}")
        members.setdefault("document_id", "f0")
        members.setdefault("affordances", AFFORDANCES.get(role, READ))
        if name is not None:
            members["name"] = name
        node = ElementNode(role=role, state=WebElementState(**(state or {})), **members)
        self.elements.append(node)
        return node.instance_id

    def scope(self, kind: str, name: str | None = None, *, parent: str | None = None, **members: Any) -> str:
        """Add a scope with its host element, as a publisher does. Further members belong to the scope."""
        scope_id = str(members.pop("scope_id", f"f0s{len(self.scopes) + 1}"))
        text = {"text": members.pop("text")} if "text" in members else {}
        outer = {"scope_id": parent} if parent else {}
        role = kind if kind in ("region", "dialog", "form", "table", "group", "list") else "custom"
        host = self.element(role, name, **outer, **text)
        above: dict[str, Any] = {"parent_scope_id": parent} if parent else {}
        named: dict[str, Any] = {"name": name} if name is not None else {}
        scope = ScopeNode(
            scope_id=scope_id, kind=kind, document_id="f0", host_instance_id=host, **above, **named, **members
        )
        self.scopes.append(scope)
        return scope_id

    def host(self, scope_id: str) -> str:
        return next(str(one.host_instance_id) for one in self.scopes if one.scope_id == scope_id)

    def graph(self, revision: str = "r1", seq: int = 1) -> PageGraph:
        return PageGraph(
            model_version="0.1",
            profile="web@0.1",
            revision=revision,
            seq=seq,
            captured_at=NOW,
            route=self.route,
            documents=tuple(self.documents),
            scopes=tuple(self.scopes),
            elements=tuple(self.elements),
            collections=tuple(self.collections),
            **self.more,
        )


def grid(rows: int) -> Page:
    """Return a page with a table of six columns and two buttons in each row."""
    page = Page()
    scope = page.scope("table", "Users")
    table = page.host(scope)
    head = page.element("row", scope_id=scope, parent_instance_id=table)
    for column in ("Name", "Email", "Role", "City", "Plan", "Actions"):
        page.element("cell", column, scope_id=scope, parent_instance_id=head, metadata={"header": "column"})
    for number in range(rows):
        _row(page, scope, table, number)
    page.collections.append(
        CollectionNode(collection_id="c1", owner_instance_id=table, role="table", count=rows)
    )
    return page


def _row(page: Page, scope: str, table: str, number: int) -> None:
    record = {"record": f"text:user-{number}"}
    row = page.element("row", scope_id=scope, parent_instance_id=table, metadata=record)
    texts = (f"user-{number}", f"user{number}@example.test", "viewer", "Berlin", f"plan {number % 3}")
    for text in texts:
        page.element("cell", text=text, scope_id=scope, parent_instance_id=row)
    last = page.element("cell", scope_id=scope, parent_instance_id=row)
    for name in ("Edit", "Delete"):
        page.element("button", name, scope_id=scope, parent_instance_id=last, metadata=record)


def delta(base: str, revision: str, seq: int, **members: Any) -> PageGraphDelta:
    return PageGraphDelta(base_revision=base, revision=revision, seq=seq, captured_at=NOW, **members)


def patch(key: str, **members: Any) -> NodeDelta[Any]:
    """Return the update of one node, with wire names."""
    return NodeDelta(updated=(NodePatch(key=key, patch=members),))
