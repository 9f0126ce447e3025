from __future__ import annotations

import json

import pytest

from uiap.drivers.network_rules import (
    NetworkRules,
    PendingRequest,
    ReadRequest,
    block_reason,
    is_graphql_read,
    is_rpc_read,
)

APP = "https://app.example"
SAFE = NetworkRules(origins=frozenset({APP}))


def blocked(
    url: str,
    method: str = "GET",
    resource: str = "Fetch",
    body: str | None = None,
    rules: NetworkRules = SAFE,
) -> str | None:
    return block_reason(rules, PendingRequest(method=method, url=url, resource=resource, body=body))


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "PROPPATCH", "post"])
@pytest.mark.requirement("DISC-8.2", "DISC-2.3")
def test_request_that_could_write_is_blocked(method: str) -> None:
    assert blocked(f"{APP}/api/x", method) == "write"
    assert blocked(f"{APP}/beacon", method, "Ping") == "write"


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH", "QUERY"])
def test_read_methods_pass(method: str) -> None:
    assert blocked(f"{APP}/api/x", method) is None
    assert blocked("https://cdn.example/lib.js", method, "Script") is None


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/",
        "http://app.example/",
        "https://app.example:8443/",
        "https://app.example.evil.test/",
        "https://app.example@evil.test/",
    ],
)
@pytest.mark.requirement("DISC-SEC.1")
def test_documents_come_from_permitted_origins_only(url: str) -> None:
    assert blocked(url, resource="Document") == "origin"


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:9200/",
        "http://10.0.0.1/",
        "http://[::1]/",
        "http://localhost/",
    ],
)
def test_public_page_cannot_reach_internal_addresses(url: str) -> None:
    assert blocked(url) == "address"


def test_internal_application_can_reach_itself_but_no_metadata_service() -> None:
    local = NetworkRules(origins=frozenset({"http://localhost:8000"}))
    assert blocked("http://localhost:8000/api", rules=local) is None
    assert blocked("http://169.254.169.254/", rules=local) == "address"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://app.example/x", "chrome-extension://x/y", "intent://x"]
)
def test_other_schemes_are_blocked(url: str) -> None:
    assert blocked(url) == "scheme"


def graphql(*queries: str) -> str:
    parts = [{"query": query} for query in queries]
    return json.dumps(parts if len(parts) > 1 else parts[0])


@pytest.mark.parametrize(
    "query",
    [
        "{ videos { id } }",
        "query Q($n: Int) { videos(first: $n) { id } }",
        '# mutation\nquery { note(text: "mutation { x }") { id } }',
        "query A { a } fragment F on V { id }",
        'query { a(text: """ mutation { b } """) }',
    ],
)
def test_graphql_query_passes(query: str) -> None:
    assert is_graphql_read(graphql(query))
    assert blocked(f"{APP}/graphql", "POST", body=graphql(query)) is None


@pytest.mark.parametrize(
    "body",
    [
        graphql("mutation { del(id: 1) }"),
        graphql("query { a } mutation { b }"),
        graphql("query { a }", "mutation { b }"),
        graphql("subscription { a }"),
        graphql("query { a "),
        json.dumps({"operationName": "Del", "extensions": {"persistedQuery": {}}}),
        json.dumps([]),
        "query { a }",
        "",
        None,
    ],
)
def test_other_or_unreadable_graphql_is_blocked(body: str | None) -> None:
    assert blocked(f"{APP}/graphql", "POST", body=body) == "write"


def test_requests_listed_as_reads_pass() -> None:
    rules = NetworkRules(origins=frozenset({APP}), reads=(ReadRequest.parse(f"POST {APP}/api/search*"),))
    assert blocked(f"{APP}/api/search?q=1", "POST", rules=rules) is None
    assert blocked(f"{APP}/api/searches/1", "DELETE", rules=rules) == "write"


@pytest.mark.requirement("DISC-8.3")
def test_sandbox_may_write_to_its_own_origins_only() -> None:
    rules = NetworkRules(origins=frozenset({APP}), writes=True)
    assert blocked(f"{APP}/api", "POST", rules=rules) is None
    assert blocked("https://mail.example/send", "POST", rules=rules) == "write"


def test_sockets_are_blocked_unless_listed_as_reads() -> None:
    assert blocked("wss://app.example/live") == "socket"
    reading = NetworkRules(origins=frozenset({APP}), reads=(ReadRequest.parse("wss://app.example/live"),))
    assert blocked("wss://app.example/live", rules=reading) is None


def test_rules_name_their_origins_or_say_anywhere() -> None:
    for wrong in ({}, {"writes": True}, {"origins": frozenset({APP}), "anywhere": True}):
        with pytest.raises(ValueError, match="anywhere"):
            NetworkRules(**wrong)  # type: ignore[arg-type]
    everywhere = NetworkRules(anywhere=True)
    assert (
        block_reason(everywhere, PendingRequest(method="GET", url="https://b.example/", resource="Document"))
        is None
    )
    assert block_reason(everywhere, PendingRequest(method="POST", url="https://b.example/")) == "write"


@pytest.mark.parametrize("resource", ["Document", "XHR", "Fetch"])
def test_signing_in_permits_the_posts_of_pages(resource: str) -> None:
    rules = NetworkRules(anywhere=True, sign_in=True)
    assert blocked(f"{APP}/login", "POST", resource, rules=rules) is None
    assert blocked("https://identity.example/authorize", "POST", resource, rules=rules) is None


@pytest.mark.parametrize(
    ("method", "resource"), [("PUT", "XHR"), ("DELETE", "Fetch"), ("POST", "Ping"), ("POST", "Other")]
)
def test_signing_in_permits_no_other_writes(method: str, resource: str) -> None:
    assert blocked(f"{APP}/x", method, resource, rules=NetworkRules(anywhere=True, sign_in=True)) == "write"


def test_sockets_need_a_permission_of_their_own() -> None:
    url = "wss://app.example/live"
    writing = NetworkRules(origins=frozenset({APP}), writes=True)
    assert blocked(url, resource="WebSocket", rules=writing) == "socket"
    with_sockets = NetworkRules(origins=frozenset({APP}), writes=True, sockets=True)
    assert blocked(url, resource="WebSocket", rules=with_sockets) is None


def test_an_address_that_nobody_opened_is_not_fetched_ahead_of_time() -> None:
    ahead = PendingRequest(method="GET", url=f"{APP}/items/3/delete", resource="Other", speculative=True)
    assert block_reason(SAFE, ahead) == "speculation"


def call(method: str, /, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


@pytest.mark.parametrize(
    "body",
    [
        call("listItems"),
        call("items.get", id=3),
        call("system.listMethods"),
        call("call", model="res.partner", method="web_search_read"),
        [call("getUser"), call("findOrders")],
    ],
)
@pytest.mark.requirement("DISC-8.2")
def test_json_rpc_that_reads_passes_by_its_body(body: object) -> None:
    assert is_rpc_read(json.dumps(body))
    assert blocked(f"{APP}/rpc", "POST", body=json.dumps(body)) is None


@pytest.mark.parametrize(
    "body",
    [
        call("deleteItem"),
        call("getAndDelete"),
        call("call", model="res.partner", method="unlink"),
        call("call", model="res.partner", method="write"),
        [call("getUser"), call("saveUser")],
        {"method": "getUser"},
        [],
        "text",
    ],
)
def test_other_json_rpc_is_blocked(body: object) -> None:
    assert not is_rpc_read(json.dumps(body))
    assert blocked(f"{APP}/rpc", "POST", body=json.dumps(body)) == "write"
