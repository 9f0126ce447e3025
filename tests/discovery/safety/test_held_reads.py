"""Requests that look like reads."""

from __future__ import annotations

import pytest

from uiap.discovery.safety.held_reads import looks_like_read, read_option

BASE = "http://app.test"


@pytest.mark.parametrize(
    "path", ["/api/search", "/_search", "/query", "/items/list", "/web/dataset/search_read"]
)
def test_an_address_that_names_a_read_looks_like_one(path: str) -> None:
    assert looks_like_read("POST", BASE + path, on_load=False)


@pytest.mark.parametrize("path", ["/items/delete", "/track", "/api/publish/search", "/save"])
def test_orders_and_reports_do_not(path: str) -> None:
    assert not looks_like_read("POST", BASE + path, on_load=False)


def test_other_methods_do_not() -> None:
    assert not looks_like_read("PUT", BASE + "/api/search", on_load=True)


def test_the_option_names_the_address_without_its_parameters() -> None:
    assert read_option("POST", f"{BASE}/api/query?x=1") == f"--read-request 'POST {BASE}/api/query*'"
