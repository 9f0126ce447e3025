"""Both languages are complete, and a request gets the right one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from apps import videoland
from apps.videoland import Server, Settings, seed, serving
from apps.videoland.routes.billing import PLANS
from apps.videoland.settings import LANGUAGES
from tests.apps.videoland_people import visitor

ROOT = Path(videoland.__file__).parent
CATALOGS = {
    language: json.loads((ROOT / "texts" / f"{language}.json").read_text("utf-8")) for language in LANGUAGES
}
SCRIPTS = {path: path.read_text("utf-8") for path in (ROOT / "static" / "js").rglob("*.js")}
PYTHON = "\n".join(path.read_text("utf-8") for path in ROOT.rglob("*.py"))
TEXT_CALL = re.compile(
    r"\b(?:t|toast)\((?:[^`()]|\([^()]*\))*?\)|title: \"[^\"]+\"|framed\([^)]*\)|link\([^)]*\)"
)
KEY = re.compile(r'"([a-z_]+\.[a-z_]+)"')


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Settings(rows=1)) as running:
        yield running


def test_both_languages_have_the_same_keys_and_placeholders() -> None:
    english, german = CATALOGS["en"], CATALOGS["de"]
    assert english.keys() == german.keys()
    for key in english:
        assert english[key].strip() and german[key].strip(), key
        assert set(re.findall(r"\{\w+\}", english[key])) == set(re.findall(r"\{\w+\}", german[key])), key


def test_every_text_key_used_by_the_pages_exists() -> None:
    used = {key for text in SCRIPTS.values() for call in TEXT_CALL.findall(text) for key in KEY.findall(call)}
    assert len(used) > 120
    assert used - CATALOGS["en"].keys() == set()


def test_no_text_is_unused() -> None:
    everything = "\n".join(SCRIPTS.values()) + PYTHON
    families = set(re.findall(r"[`\"]([a-z_]+)\.\$?\{", everything)) | {"category", "sort", "status", "role"}
    unused = [
        key
        for key in CATALOGS["en"]
        if f'"{key}"' not in everything and key.partition(".")[0] not in families
    ]
    assert unused == []


def test_every_choice_and_every_error_code_has_a_text() -> None:
    codes = set(re.findall(r'errors\["?\w+"?\] = "(\w+)"', PYTHON))
    codes |= set(re.findall(r'"(?:\w+)": "(required|too_long|unknown_option)"', PYTHON))
    wanted = {f"error.{code}" for code in codes}
    for family, names in {
        "category": seed.CATEGORIES, "use_case": seed.USE_CASES, "visibility": seed.VISIBILITIES,
        "status": seed.STATUSES, "notification": seed.NOTIFICATIONS, "plan": PLANS, "role": ("admin", "viewer"),
    }.items():  # fmt: skip
        wanted |= {f"{family}.{name}" for name in names}
    assert len(codes) > 10
    assert wanted - CATALOGS["en"].keys() == set()


def test_the_german_texts_of_the_specification_are_kept() -> None:
    german = CATALOGS["de"]
    assert german["create.title"] == "Neues Video"
    assert german["create.submit"] == "Video erstellen"
    assert german["toast.created"] == "Video erstellt"
    assert CATALOGS["en"]["toast.created"] == "Video created"


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("de-CH,de;q=0.9,en;q=0.8", "de"),
        ("en-GB,de;q=0.5", "en"),
        ("fr,de;q=0.4,en;q=0.3", "de"),
        ("fr", "en"),
        ("", "en"),
        ("de;q=x,en", "en"),
    ],
)
def test_the_browser_s_language_is_the_default(server: Server, header: str, language: str) -> None:
    assert language_of(httpx.get(f"{server.url}/login", headers={"Accept-Language": header})) == language


def test_a_chosen_language_takes_precedence_and_is_kept(server: Server) -> None:
    with visitor(server) as client:
        assert language_of(client.get("/login?lang=de", headers={"Accept-Language": "en"})) == "de"
        assert language_of(client.get("/login", headers={"Accept-Language": "en"})) == "de"
        assert language_of(client.get("/login?lang=xx")) == "de"
        assert language_of(client.get("/login?lang=en")) == "en"


def test_the_billing_frame_uses_the_language_of_the_page(server: Server) -> None:
    assert CATALOGS["de"]["billing.pay"] in httpx.get(f"{server.billing_url}/?lang=de").text
    assert CATALOGS["en"]["billing.pay"] in httpx.get(f"{server.billing_url}/?lang=en").text


def language_of(answer: httpx.Response) -> str:
    found = re.search(r'<html lang="(\w+)">', answer.text)
    assert found is not None
    return found[1]
