"""Random graphs and random walks over them as JSON, for the reference and the store."""

from typing import Any

from hypothesis import strategies as st

NOW = "2026-01-01T00:00:00Z"
texts = st.sampled_from(["Save", "Delete", "user-1", "Größe", 'a "b"', "x" * 50])
states = st.fixed_dictionaries(
    {},
    optional={
        "visible": st.booleans(),
        "enabled": st.booleans(),
        "checked": st.sampled_from([True, False, "mixed"]),
        "textValue": texts,
        "numericValue": st.integers(0, 5),
    },
)
metadata = st.dictionaries(
    st.sampled_from(["record", "level", "deep"]),
    st.one_of(
        texts, st.integers(0, 3), st.dictionaries(st.sampled_from("ab"), st.integers(0, 2), max_size=2)
    ),
    max_size=2,
)


def page(revision: str = "r0") -> dict[str, Any]:
    return {
        "modelVersion": "0.1",
        "profile": "web@0.1",
        "revision": revision,
        "seq": 0,
        "capturedAt": NOW,
        "route": {"url": "http://app.test/"},
        "documents": [{"documentId": "d", "kind": "root", "access": "full"}],
        "scopes": [{"scopeId": "s0", "kind": "region", "documentId": "d"}],
        "elements": [],
        "collections": [],
        "opaqueRegions": [],
    }


@st.composite
def elements(draw: Any, key: str, parents: list[str], scopes: list[str]) -> dict[str, Any]:
    node: dict[str, Any] = {
        "instanceId": key,
        "documentId": "d",
        "role": draw(st.sampled_from(["button", "row", "cell", "textbox"])),
        "state": draw(states),
        "affordances": draw(st.lists(st.sampled_from(["read", "activate"]), max_size=2)),
    }
    for member, strategy in (("name", texts), ("text", texts), ("stableId", texts), ("metadata", metadata)):
        if draw(st.booleans()):
            node[member] = draw(strategy)
    if scopes and draw(st.booleans()):
        node["scopeId"] = draw(st.sampled_from(scopes))
    if parents and draw(st.booleans()):
        node["parentInstanceId"] = draw(st.sampled_from(parents))
    return node


def _leaves(graph: dict[str, Any]) -> list[str]:
    parents = {node.get("parentInstanceId") for node in graph["elements"]}
    return [node["instanceId"] for node in graph["elements"] if node["instanceId"] not in parents]


@st.composite
def deltas(draw: Any, graph: dict[str, Any], number: int) -> dict[str, Any]:
    """A delta a correct publisher could send after this graph."""
    change: dict[str, Any] = {
        "baseRevision": graph["revision"],
        "revision": f"r{number}",
        "seq": graph["seq"] + draw(st.integers(1, 2)),
        "capturedAt": NOW,
    }
    leaves = _leaves(graph)
    removed = draw(st.lists(st.sampled_from(leaves), unique=True, max_size=2)) if leaves else []
    kept = [node["instanceId"] for node in graph["elements"] if node["instanceId"] not in removed]
    scopes = [node["scopeId"] for node in graph["scopes"]]
    added: list[dict[str, Any]] = []
    for index in range(draw(st.integers(0, 3))):
        key = removed[0] if removed and index == 0 and draw(st.booleans()) else f"e{number}_{index}"
        parents = kept + [node["instanceId"] for node in added]
        added.append(draw(elements(key, parents, scopes)))
    updated = [
        {"key": key, "patch": draw(patches(kept))}
        for key in (draw(st.lists(st.sampled_from(kept), unique=True, max_size=2)) if kept else [])
    ]
    parts = {"removed": removed, "added": added, "updated": updated}
    change["elements"] = {name: nodes for name, nodes in parts.items() if nodes}
    if draw(st.booleans()):
        change["scopes"] = {"added": [{"scopeId": f"s{number}", "kind": "form", "documentId": "d"}]}
    if draw(st.booleans()):
        change["focus"] = draw(st.sampled_from([None, {"documentId": "d"}]))
    if draw(st.booleans()):
        change["route"] = {"url": f"http://app.test/{draw(st.integers(0, 2))}"}
    return change


def patches(parents: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "name": st.one_of(st.none(), texts),
            "text": st.one_of(st.none(), texts),
            "state": st.fixed_dictionaries({}, optional={"checked": st.sampled_from([None, True, "mixed"])}),
            "metadata": st.one_of(st.none(), metadata),
            "affordances": st.just(["read"]),
            "parentInstanceId": st.one_of(st.none(), st.sampled_from(parents)),
        },
    )
