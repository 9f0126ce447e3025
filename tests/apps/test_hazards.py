"""The hazard site itself: every entry has its page, every page its truth, and the server answers as requested."""

from __future__ import annotations

import http.client
import threading

import pytest

from apps.hazards import HAZARDS, serving
from apps.hazards.catalogue import UNUSED_PAGES
from apps.hazards.server import PAGES
from uiap.spec.action import RuntimeErrorCode

HELPERS = {"foreign", "frame_one", "frame_two", "frame_button", "controls", "widgets"}


def ask(port: int, path: str, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_every_page_is_in_the_catalogue_or_listed_as_unused() -> None:
    pages = {page.stem for page in PAGES.glob("*.html")}
    assert pages == {hazard.id for hazard in HAZARDS} | set(UNUSED_PAGES) | HELPERS


def test_every_page_keeps_its_own_truth() -> None:
    assert all("window.__truth" in page.read_text() for page in PAGES.glob("*.html"))


def test_every_answer_uses_a_code_of_the_runtime() -> None:
    answers = [answer for hazard in HAZARDS for answer in (*hazard.default, *(hazard.semantic or ()))]
    assert {a.code for a in answers if a.code} <= set(RuntimeErrorCode.__args__)  # type: ignore[attr-defined]
    assert all((a.code is None) == (a.status == "succeeded") for a in answers)


def test_pages_and_answers_are_served_on_both_ports() -> None:
    with serving() as server:
        for port in (server.port, server.other_port):
            status, body = ask(port, "/plain.html?other=1")
            assert status == 200 and b"Save" in body
        assert ask(server.port, "/api/ok") == (200, b'{"ok": true}')
        assert ask(server.port, "/api/fail", "POST")[0] == 500
        assert ask(server.port, "/api/count", "POST")[1] == b'{"ok": true, "count": 1}'
        assert server.hits == {"ok": 1, "fail": 1, "count": 1}


@pytest.mark.parametrize("path", ["/nothing.html", "/../server.py", "/%2e%2e/server.py", "/", "//etc/passwd"])
def test_nothing_but_the_pages_is_served(path: str) -> None:
    with serving() as server:
        assert ask(server.port, path)[0] == 404


def test_a_request_without_an_answer_ends_with_the_server() -> None:
    with serving() as server:
        cut = threading.Event()

        def wait() -> None:
            with pytest.raises((http.client.HTTPException, OSError)):
                ask(server.port, "/api/never")
            cut.set()

        thread = threading.Thread(target=wait)
        thread.start()
    assert cut.wait(10)
    thread.join()
