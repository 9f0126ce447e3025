from __future__ import annotations

import pytest

from tests.discovery.test_machine import SHOP
from tests.discovery.world import El, Page, discovered
from uiap.discovery.package.compare import compare, diff_lines
from uiap.discovery.report.report import html_report


@pytest.mark.requirement("DISC-17.2")
def test_what_appeared_vanished_and_changed_is_told() -> None:
    pages = dict(SHOP)
    del pages["/team"]
    pages["/plans"] = Page([El("button", "Close")], title="Plans")
    pages["/"] = Page([*SHOP["/"].elements, El("link", "Plans", href="/plans")], SHOP["/"].parts, "Home")
    changes = compare(discovered(SHOP)[0], discovered(pages)[0])
    assert ("route", "/plans") in {(one.kind, one.id) for one in changes.appeared}
    assert ("route", "/team") in {(one.kind, one.id) for one in changes.vanished}
    assert any(line.startswith("+ route /plans") for line in diff_lines(changes))


@pytest.mark.requirement("DISC-17.2")
def test_two_packages_of_the_same_application_do_not_differ() -> None:
    assert list(diff_lines(compare(discovered(SHOP)[0], discovered(SHOP)[0]))) == ["no difference"]


@pytest.mark.requirement("DISC-17.2", "DISC-8.5")
def test_two_principals_of_one_package_can_be_compared() -> None:
    package, _, _ = discovered(SHOP, profiles=("admin", "viewer"))
    same = compare(package, package, one="admin", other="viewer")
    assert not same.appeared and not same.vanished
    assert compare(package, package, one="admin", other="nobody").vanished


def test_a_report_is_whole_and_gives_words_of_the_page_no_power() -> None:
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    pages = {
        "/": Page([El("button", bad), El("link", bad, href="/b")], title=bad),
        "/b": Page(title='"><svg onload=1>'),
    }
    html = html_report(discovered(pages)[0])
    assert "<script" not in html and "<img" not in html and "<svg onload" not in html
    assert html.count("<svg ") == 1 and "default-src 'none'" in html
    assert "http://app.test/" in html and "To review" in html
