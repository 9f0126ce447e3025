"""Texts: the order of locales, fallbacks, and missing texts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import built, codes, manifest, messages, package, policy, workflow

APP = manifest("App", "app", {"appId": "a", "displayName": "A", "defaultLocale": "de"})


def pack(namespaces: dict[str, dict[str, Any]], id: str = "texts") -> dict[str, Any]:
    return manifest("LocalePack", id, {"namespaces": {n: {"messages": m} for n, m in namespaces.items()}})


def bindings_with_title(title: Any) -> dict[str, Any]:
    return manifest(
        "Bindings", "b", {"routes": [{"id": "r", "match": [{"kind": "path", "value": "/"}], "title": title}]}
    )


def built_title(title: Any, *packs: dict[str, Any], **context: Any) -> Any:
    result = built(package(APP, bindings_with_title(title), *packs), **context)
    assert result.bundle is not None, messages(result)
    return result.bundle.bindings.routes[0].title  # type: ignore[union-attr, index]


HELLO = {"default": "Hi", "byLocale": {"de": "Hallo", "de-CH": "Grüezi", "zh-Hant": "您好", "no": "Hei"}}


@pytest.mark.requirement("AUTH-5.7")
@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("de-CH", "Grüezi"),
        ("de-AT", "Hallo"),
        ("zh-Hant-TW", "您好"),
        ("no", "Hei"),
        ("no-NO", "Hei"),
        ("fr", "Hallo"),  # the default locale of the app comes before the default of the message
    ],
)
def test_a_text_is_searched_from_the_exact_locale_to_shorter_ones(locale: str, text: str) -> None:
    assert built_title({"ref": "n.hello"}, pack({"n": {"hello": HELLO}}), locale=locale) == text
    assert built_title(HELLO, locale=locale) == text


@pytest.mark.requirement("AUTH-5.7")
def test_without_a_text_in_the_default_locale_the_default_text_is_used() -> None:
    assert built_title({"default": "Hi", "byLocale": {"en": "Hello"}}, locale="fr") == "Hi"


@pytest.mark.requirement("AUTH-5.7")
def test_the_longest_namespace_decides() -> None:
    packs = pack({"a": {"b.c": {"default": "short"}}, "a.b": {"c": {"default": "long"}}})
    assert built_title({"ref": "a.b.c"}, packs) == "long"
    assert built_title({"ref": "a.b.c"}, pack({"a": {"b.c": {"default": "short"}}})) == "short"


@pytest.mark.requirement("AUTH-5.7c", "AUTH-5.7d")
@pytest.mark.requirement("AUTH-5.7")
def test_a_missing_text_falls_back_or_is_reported() -> None:
    assert built_title({"ref": "n.none", "fallback": "F"}) == "F"
    result = built(package(APP, bindings_with_title({"ref": "n.none"})))
    (missing,) = [one for one in result.diagnostics if one.severity == "warning"]
    assert (missing.code, missing.pointer) == ("missing_text", "/spec/routes/0/title")
    assert "`n.none`" in missing.message and missing.file
    assert result.bundle.bindings.routes[0].title == "n.none"  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-5.7", "AUTH-12")
def test_without_a_locale_a_reference_becomes_the_whole_text() -> None:
    title = built_title({"ref": "n.hello"}, pack({"n": {"hello": HELLO}}))
    assert (title.default, title.by_locale["de-CH"]) == ("Hi", "Grüezi")
    assert built_title({"ref": "n.plain"}, pack({"n": {"plain": {"default": "Hi"}}})) == "Hi"


@pytest.mark.requirement("AUTH-5.7b")
@pytest.mark.requirement("AUTH-5.7", "AUTH-12")
def test_all_texts_are_resolved_and_similar_objects_are_not_changed() -> None:
    text = {"ref": "n.hello"}
    alike = {"ref": "n.hello", "fallback": "stays"}
    step = {"id": "a", "type": "handoff", "title": text, "handoff": {"reason": "other", "instructions": text}}
    flow = workflow(
        "w",
        title=text,
        initialStepId="a",
        steps=[step, {"id": "z", "type": "complete"}],
        parameters=[{"name": "p", "type": "string", "title": text}],
        onFailure={"handoff": {"reason": "other", "instructions": text}},
        metadata=alike,
    )
    rule = {"id": "r", "match": {}, "effect": "confirm", "message": text, "confirmation": {"summary": text}}
    files = package(
        APP,
        pack({"n": {"hello": HELLO}}),
        manifest("WorkflowCatalog", "flows", {"workflows": [flow]}),
        manifest("PolicySet", "ps", {"policies": [policy("p", rules=[rule], title=text)]}),
        bindings_with_title("plain"),
    )
    result = built(files, locale="de")
    assert result.data.count(b"Hallo") == 8 + 1, result.data  # 8 places and the flat map
    assert result.data.count(b'"ref"') == 1
    assert result.bundle is not None and result.bundle.workflows[0].metadata == alike  # type: ignore[index]


@pytest.mark.requirement("AUTH-5.7")
def test_the_bundle_has_a_map_of_texts_only_with_a_locale() -> None:
    files = package(APP, pack({"n": {"hello": HELLO}}))
    assert built(files, locale="de-CH").bundle.locales == {"n.hello": "Grüezi"}  # type: ignore[union-attr]
    assert not built(files).bundle.locales  # type: ignore[union-attr]


@pytest.mark.requirement("AUTH-7.1f")
@pytest.mark.requirement("AUTH-7.1")
def test_locale_packs_are_joined_and_different_texts_are_an_error() -> None:
    one = pack({"n": {"k": {"default": "D", "byLocale": {"de": "d"}}}}, "one")
    two = pack({"n": {"k": {"default": "D", "byLocale": {"en": "e"}}, "l": {"default": "L"}}}, "two")
    assert built(package(APP, one, two), locale="en").bundle.locales == {"n.k": "e", "n.l": "L"}  # type: ignore[union-attr]
    three = pack({"n": {"k": {"default": "D", "byLocale": {"de": "other"}}}}, "three")
    (error,) = built(package(APP, one, three)).errors
    assert (error.code, error.pointer) == ("merge_conflict", "/spec/namespaces/n/messages/k/byLocale/de")


def test_a_key_that_is_not_a_locale_is_a_warning() -> None:
    odd = pack({"n": {"k": {"default": "D", "byLocale": {"german!": "d"}}}})
    assert codes(built(package(APP, odd)), "warning") == ["odd_locale"]
