"""Start and stop: addresses, threads, ports, the command line, and limits of the files."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
import yaml

from apps import videoland
from apps.videoland import Settings, serving
from apps.videoland.canaries import BILLING_CANARY, SHADOW_CANARY
from tests.apps.videoland_people import signed_in

ROOT = Path(videoland.__file__).parent
REPOSITORY = ROOT.parents[1]


def test_a_server_stops_with_its_block_and_leaves_neither_thread_nor_port() -> None:
    before = set(threading.enumerate())
    with serving(Settings(rows=1)) as server:
        assert any(thread.name == "videoland" for thread in set(threading.enumerate()) - before)
        with httpx.Client(base_url=server.url) as client:
            assert client.get("/login").status_code == 200
    assert set(threading.enumerate()) == before
    for port in (server.port, server.billing_port):
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port)) != 0
    with serving(Settings(rows=1, port=server.port, billing_port=server.billing_port)) as again:
        assert again.port == server.port


def test_a_server_stops_during_a_slow_answer() -> None:
    before = set(threading.enumerate())
    answers: list[str] = []
    with serving(Settings(rows=1)) as server, signed_in(server) as client:
        sending = threading.Event()

        def slow() -> None:
            with httpx.Client(base_url=server.url, cookies=client.cookies, timeout=60) as other:
                sending.set()
                try:
                    cut = other.get("/api/videos", headers={"X-Knobs": "delay_ms:600000"})
                    answers.append(str(cut.status_code))
                except httpx.HTTPError:
                    answers.append("cut off")

        caller = threading.Thread(target=slow)
        caller.start()
        assert sending.wait(10)
    caller.join(30)
    assert answers in (["cut off"], ["500"]), "ended, not served"
    assert set(threading.enumerate()) == before


def test_an_error_inside_the_block_still_stops_the_server() -> None:
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError), serving(Settings(rows=1)):
        _ = 1 / 0
    assert set(threading.enumerate()) == before


def test_a_taken_port_is_an_error_at_once() -> None:
    with serving(Settings(rows=1)) as server:
        second = serving(Settings(rows=1, port=server.port))
        with pytest.raises(OSError, match="in use"), second:
            pass


def test_the_billing_frames_have_the_origins_they_claim() -> None:
    with serving(Settings(rows=1)) as server, signed_in(server) as client:
        assert server.url == f"http://localhost:{server.port}"
        assert server.billing_url == f"http://localhost:{server.billing_port}"
        assert server.billing_foreign_url == f"http://127.0.0.1:{server.billing_port}"
        page = client.get("/billing")
        assert f'"billingPort": {server.billing_port}' in page.text
        assert (
            f"frame-src {server.billing_url} {server.billing_foreign_url};"
            in (page.headers["content-security-policy"])
        )
        for url in (server.billing_url, server.billing_foreign_url):
            assert BILLING_CANARY in httpx.get(f"{url}/").text
        assert BILLING_CANARY not in page.text
        assert client.get("/plan").status_code == 404, "the main origin has no billing"


def test_the_command_prints_one_line_with_its_addresses_and_stops_on_a_signal(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "apps.videoland",
        "--rows",
        "7",
        "--truth",
        "--db",
        str(tmp_path / "v.sqlite3"),
    ]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        urls = json.loads(process.stdout.readline())
        assert httpx.get(f"{urls['url']}/__truth").json()["videos"] == 7
        assert httpx.get(urls["billing"]).status_code == httpx.get(urls["billingForeign"]).status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stdout.read() == ""


def test_the_command_refuses_a_bad_knob(capfd: pytest.CaptureFixture[str]) -> None:
    from apps.videoland.__main__ import main

    assert main(["--knobs", "speed:1"]) == 2
    assert "unknown knob `speed`" in capfd.readouterr().err


def test_the_shadow_canary_exists_only_in_the_closed_widget() -> None:
    holders = [
        path.name
        for path in (ROOT / "static").rglob("*")
        if path.is_file() and SHADOW_CANARY in path.read_text()
    ]
    assert holders == ["support_chat.js"]


def test_nothing_is_loaded_from_other_origins_and_no_file_exceeds_400_lines() -> None:
    for path in ROOT.rglob("*"):
        if path.suffix not in (".js", ".css", ".py", ".svg"):
            continue
        text = path.read_text("utf-8")
        assert text.count("\n") <= 400, path
        if path.suffix in (".js", ".css"):
            foreign = re.findall(r"https?://(?!www\.w3\.org|\$\{)[^\s\"'`)]+", text)
            assert foreign == [], path


def test_submit_has_no_default_action_and_the_team_page_no_annotations() -> None:
    form = (ROOT / "static/js/video_form.js").read_text("utf-8")
    assert '"data-uiap-id": "video.submit"' in form
    assert "data-uiap-action" not in form
    assert "data-uiap" not in (ROOT / "static/js/pages/team.js").read_text("utf-8")


def test_only_known_annotations_are_written() -> None:
    known = {
        "id", "scope", "scope-kind", "route", "meaning", "action", "risk", "risk-tags", "data-class", "sensitive",
        "success", "collection", "entity",
    }  # fmt: skip
    scripts = "\n".join(path.read_text("utf-8") for path in (ROOT / "static/js").rglob("*.js"))
    assert {name.rstrip("-") for name in re.findall(r"data-uiap-([a-z-]+)", scripts)} <= known
    assert "dataset.uiapRoute" in scripts


def test_the_package_lists_manifests_of_the_declared_kinds() -> None:
    package = yaml.safe_load((ROOT / "uiap/package.uiap.yaml").read_text("utf-8"))
    assert (package["kind"], package["spec"]["packageId"]) == ("Package", "videoland.uiap")
    manifests = {}
    for entry in package["spec"]["manifests"]:
        manifest = yaml.safe_load((ROOT / "uiap" / entry["path"]).read_text("utf-8"))
        assert (manifest["kind"], manifest["metadata"]["id"]) == (entry["kind"], entry["id"])
        manifests.setdefault(entry["kind"], []).append(manifest)
    (app,) = manifests["App"]
    assert app["spec"]["appId"] == "videoland"
