"""Addresses that were visited: each parameter of a path counts once."""

from __future__ import annotations

from uiap.discovery.knowledge.visited import VisitedAddresses


def test_a_path_is_visited_with_each_parameter_that_was_seen_in_any_combination() -> None:
    visited = VisitedAddresses()
    visited.add("http://app.test/items?sort=name")
    visited.add("http://app.test/items?page=2")
    assert visited.has("/items") and visited.has("/items?page=&sort=")
    assert not visited.has("/items?owner=") and not visited.has("/users")
    assert list(visited.paths) == ["/items"]
