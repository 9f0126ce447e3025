"""The HTML report of a package."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256

from tests.discovery.simulated_app import Element, Page, explore
from uiap.api.absent import none_for_absent
from uiap.discovery.report.report import SCRIPT, html_report


def test_a_report_is_complete_and_escapes_the_texts_of_the_page() -> None:
    bad = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    pages = {
        "/": Page([Element("button", bad), Element("link", bad, href="/b")], title=bad),
        "/b": Page(title='"><svg onload=1>'),
    }
    html = html_report(explore(pages)[0])
    assert html.count("<script") == 1 and "<img" not in html and "<svg onload" not in html
    assert html.count("<svg ") == 1 and "default-src 'none'" in html
    digest = b64encode(sha256(SCRIPT.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in html and f"<script>{SCRIPT}</script>" in html
    assert "http://app.test/" in html and "To review" in html


def test_a_package_of_the_python_api_has_the_same_report() -> None:
    """The API gives None for absent members."""
    package = explore({"/": Page([Element("button", "Save")], title="Home")})[0]
    assert html_report(none_for_absent(package)) == html_report(package)
