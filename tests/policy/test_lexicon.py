"""The lexicon: words of 13 languages, in every spelling and behind every disguise."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

import pytest

from tests.policy.corpus import LANGUAGES, labels
from uiap.policy.lexicon import begins_with_exit, is_exit, is_known_language, meaning_of

UPSIDE_DOWN = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ɐqɔpǝɟƃɥᴉɾʞlɯuodbɹsʇnʌʍxʎz")
SMALL_CAPITALS = str.maketrans("abcdeghijklmnoprtuvwyz", "ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡʏᴢ")
LOOKALIKES = str.maketrans("aeopcyx", "аеорсух")
DIGITS = str.maketrans("aeios", "4310$")

SPELLINGS: dict[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "snake case": lambda text: text.replace(" ", "_"),
    "camel case": lambda text: text.title().replace(" ", ""),
    "dashes": lambda text: text.replace(" ", "-"),
    "invisible letters": lambda text: "\u200b".join(text),
    "accents": lambda text: "".join(one + ("\u0301" if one in "aeiou" else "") for one in text),
    "struck through": lambda text: "".join(one + "\u0336" for one in text),
    "wide": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
}
DISGUISES: dict[str, Callable[[str], str]] = {
    "spaced": " ".join,
    "mirrored": lambda text: text[::-1],
    "upside down": lambda text: text.lower().translate(UPSIDE_DOWN)[::-1],
    "small capitals": lambda text: text.lower().translate(SMALL_CAPITALS),
    "look-alikes": lambda text: text.translate(LOOKALIKES),
    "digits": lambda text: text.translate(DIGITS),
}
ORDERS = ("delete account", "pay now", "send message", "publish", "erase data", "purchase")


def orders_something(label: str) -> bool:
    meaning = meaning_of(label)
    return bool(meaning.orders or meaning.asks)


def test_every_language_has_at_least_forty_terms() -> None:
    lines = files("uiap.policy").joinpath("lexicon.txt").read_text("utf-8").splitlines()
    for language in LANGUAGES:
        rows = [line.partition(": ")[2].split(",") for line in lines if line.startswith(f"{language} ")]
        assert sum(map(len, rows)) >= 40, language


@pytest.mark.parametrize("part", ["tuning", "measuring", "natives"])
def test_labels_of_every_language_order_something(part: str) -> None:
    known = [orders_something(label) for _, label in labels(part)]
    assert sum(known) >= 0.95 * len(known), f"{sum(known)} of {len(known)}"


def test_labels_of_pages_and_sections_order_nothing() -> None:
    assert [one for one in labels("harmless") if orders_something(one[1])] == []


@pytest.mark.parametrize(
    ("label", "orders"),
    [
        ("Cancel event", True), ("Annuler l’abonnement", True), ("Cancelar todos os pedidos", True),
        ("Veranstaltung abbrechen", True), ("C\u0430ncel event", True), ("イベントをキャンセル", True),
        ("Cancel", False), ("Annuler", False), ("Cancel search", False), ("Auswahl abbrechen", False),
    ],
)  # fmt: skip
def test_cancelling_something_is_an_order_and_cancelling_alone_leaves(label: str, orders: bool) -> None:
    assert orders_something(label) is orders


def test_a_short_word_is_no_mirrored_order() -> None:
    assert meaning_of("The plan is open").disguise == ""


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("label", ORDERS)
def test_a_spelling_does_not_hide_an_order(label: str, spelling: str) -> None:
    assert meaning_of(SPELLINGS[spelling](label)).orders


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("label", ORDERS)
def test_a_disguise_does_not_hide_an_order_and_deceives(label: str, disguise: str) -> None:
    written = DISGUISES[disguise](label)
    meaning = meaning_of(written)
    assert meaning.orders, written
    assert meaning.disguise or written == label


@pytest.mark.parametrize("spelling", ["upper case", "invisible letters", "struck through", "wide"])
def test_a_spelling_hides_no_order_of_any_language(spelling: str) -> None:
    missed = [label for _, label in labels("tuning") if not orders_something(SPELLINGS[spelling](label))]
    assert missed == []


def test_words_of_another_script_that_look_like_an_order_are_one() -> None:
    assert (
        meaning_of("рау").disguise == "its letters look like those of another script"
    )  # all letters Cyrillic


@pytest.mark.parametrize(
    ("label", "out"),
    [
        ("Cancel", True), ("Abbrechen", True), ("×", True), ("No thanks", True), ("キャンセル", True),
        ("Cancel subscription", False), ("Cancel order", False), ("OK", False), ("Close account", False),
    ],
)  # fmt: skip
def test_only_a_whole_label_is_an_exit(label: str, out: bool) -> None:
    assert is_exit(label) is out


def test_a_label_may_begin_with_an_exit() -> None:
    assert begins_with_exit("No, keep it") and not begins_with_exit("Cancel subscription")


@pytest.mark.parametrize(
    ("label", "known"),
    [
        ("Overview", True), ("Übersicht", True), ("Обзор", True), ("概要", True), ("개요", True), ("⋮", True),
        ("ภาพรวม", False), ("نظرة عامة", False), ("סקירה", False), ("Επισκόπηση", False), ("Přehled", False),
        ("🗑", False), ("", False),
    ],
)  # fmt: skip
def test_a_label_of_no_known_language_is_recognised(label: str, known: bool) -> None:
    assert is_known_language(label) is known
