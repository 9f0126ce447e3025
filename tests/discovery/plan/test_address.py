"""Allowed origins, and address patterns."""

from __future__ import annotations

import pytest

from uiap.discovery.plan.address import (
    AllowedOrigins,
    address_from_page,
    address_pattern,
    view_parameters,
    without_carried,
)

ALLOWED = AllowedOrigins.of("https://app.example/", ("https://cdn.app.example",))


@pytest.mark.parametrize(
    "href",
    [
        "https://other.example/",
        "//other.example/x",
        "https://app.example.evil.test/",
        "https://app.example:8443/",
        "http://app.example/",
        "javascript:alert(1)",
        "JaVa\tScript:alert(1)",
        "data:text/html,x",
        "blob:https://app.example/1",
        "file:///etc/passwd",
        "intent://scan",
        "mailto:someone@app.example",
        "tel:+41",
    ],
)
@pytest.mark.requirement("DISC-SEC.1")
def test_an_address_outside_the_allowed_origins_is_refused(href: str) -> None:
    assert ALLOWED.refusal(href) is not None


@pytest.mark.parametrize(
    "href", ["/videos", "?page=2", "#main", "https://app.example/x", "https://cdn.app.example/"]
)
def test_an_address_inside_the_allowed_origins_is_not_refused(href: str) -> None:
    assert ALLOWED.refusal(href) is None


@pytest.mark.parametrize(
    ("url", "as_one"),
    [
        ("https://a.test/videos/17", "/videos/:id"),
        ("https://a.test/videos?page=2&size=25", "/videos?page=&size="),
        ("https://a.test/calendar?month=2026-04", "/calendar?month="),
        ("https://a.test/settings?tab=profile", "/settings?tab=profile"),
        ("https://a.test/#/users/9", "/users/:id"),
    ],
)
def test_addresses_that_differ_in_ids_and_counters_have_one_pattern(url: str, as_one: str) -> None:
    assert address_pattern(url) == as_one


@pytest.mark.requirement("DISC-SEC.1")
@pytest.mark.parametrize(
    "url",
    [
        "https://app.example@evil.example/",
        "https://evil.example\\@app.example/",
        "https://app.example./",
        "https://app.example:99999/",
        "ftp://app.example/",
    ],
)
def test_a_url_that_only_looks_like_an_allowed_origin_is_refused(url: str) -> None:
    assert not AllowedOrigins.of("https://app.example/", ("https://app.example:99999/",)).allows(url)
    assert AllowedOrigins.of("https://app.example/").allows("https://ann@App.example:443/x")


@pytest.mark.parametrize(
    ("href", "switches"),
    [
        ("/?lang=de", True),
        ("/lang/de", True),
        ("/set_language/pt_BR/", True),
        ("/i18n/zh-Hans", True),
        ("/lang/statistics", False),
        ("/languages", False),
        ("/de/about", False),
    ],
)
def test_an_address_that_chooses_a_language_is_recognised(href: str, switches: bool) -> None:
    assert AllowedOrigins.of("http://app.test/").switches_language(href) is switches


@pytest.mark.parametrize(
    ("page", "link", "as_one"),
    [
        ("/sales?period=2024", "/stock?period=2024", "/stock"),
        ("/sales?period=2024", "/stock?period=2023", "/stock?period=2023"),
        ("/sales?period=2024", "/sales?period=2024&tab=all", "/sales?period=2024&tab=all"),
        ("/show?id=3", "/edit?id=3", "/edit?id=3"),
        ("/show?user_id=3&lang=de", "/edit?user_id=3&lang=de", "/edit?user_id=3"),
        ("/sales", "/stock?period=2024", "/stock?period=2024"),
        ("/#/sales?period=2024", "/#/stock?period=2024", "/#/stock"),
        ("/#/sales?period=2024", "/#/stock?period=2024&all=1", "/#/stock?all=1"),
    ],
)
@pytest.mark.requirement("DISC-11.5d")
def test_a_parameter_that_a_link_only_carries_along_does_not_count(page: str, link: str, as_one: str) -> None:
    base = "https://app.example"
    assert without_carried(base + link, base + page) == base + as_one


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("/#/runs/17?tab=charts", "/runs/:id?tab=charts"),
        ("/#/runs?page=2", "/runs?page="),
        ("/app?lang=de#!/runs?page=2", "/runs?lang=&page="),
        ("/app?page=2#part?x", "/app?page="),
    ],
)
def test_the_parameters_of_a_route_in_the_fragment_count(url: str, pattern: str) -> None:
    assert address_pattern(f"https://app.example{url}") == pattern


@pytest.mark.parametrize(
    ("url", "views"),
    [
        ("/?tab=history", {("tab", "history")}),
        ("/issue?@template=search&:page=users", {("@template", "search"), (":page", "users")}),
        ("/?page=2&page=12ab34&step=17", set()),
        ("/?name=history", set()),
    ],
)
def test_a_parameter_chooses_a_view_by_a_word(url: str, views: set[tuple[str, str]]) -> None:
    assert view_parameters(url) == views


@pytest.mark.parametrize(
    ("url", "page", "expected"),
    [
        ("/lamps/export/csv", "/lamps/list", "../export/csv"),
        ("/chairs/export/csv", "/chairs/list", "../export/csv"),
        ("/chairs/3", "/chairs", ":id"),
        ("/about", "/chairs/list", "../../about"),
        ("/chairs?sort=name", "/chairs", "?sort="),
    ],
)
def test_an_address_can_be_counted_from_a_page(url: str, page: str, expected: str) -> None:
    assert address_from_page(url, page) == expected
