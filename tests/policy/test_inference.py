"""Risk and data classes inferred from words: whole words, two languages, and only ever a higher risk."""

from __future__ import annotations

import pytest

from tests.support.playbook import button
from uiap.policy.appraisal import RiskEvidence, appraise, strictest_level
from uiap.policy.inference import (
    data_class_hints,
    derived_side_effect,
    identifier_words,
    is_exit_label,
    risk_hints,
)
from uiap.spec.capability import RISK_LEVELS, RiskDescriptor


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("delete", "destructive"), ("delete video", "destructive"), ("really delete 3 files?", "destructive"),
        ("video löschen", "destructive"), ("video loeschen", "destructive"), ("konto kündigen", "destructive"),
        ("close my account", "destructive"), ("empty the trash", "destructive"),
        ("pay now", "billing"), ("buy", "billing"), ("jetzt bezahlen", "billing"), ("geld überweisen", "billing"),
        ("place your order", "billing"), ("transfer money", "billing"), ("zahlungspflichtig bestellen", "billing"),
        ("publish", "external_effect"), ("veröffentlichen", "external_effect"), ("send invitation", "external_effect"),
        ("person einladen", "external_effect"), ("absenden", "external_effect"),
        ("share with everyone", "external_effect"),
        ("change password", "security"), ("passwort ändern", "security"), ("reset my password", "security"),
        ("change your email address", "identity"), ("grant admin", "privileged"), ("i agree", "legal"),
        ("permanently remove", "irreversible"), ("endgültig entfernen", "irreversible"),
    ],
)  # fmt: skip
def test_labels_that_suggest_a_risk(text: str, tag: str) -> None:
    assert tag in {hint.kind for hint in risk_hints(text)}


@pytest.mark.parametrize(
    "text",
    ["payments", "publisher", "undeleted", "invoice", "sender", "shareholder", "postcode", "buyer", "settings", "next",
     "save", "speichern", "weiter", "kaufmann", "teilnehmer", "play", "display", "password manager", "withdraw"],
)  # fmt: skip
def test_similar_labels_suggest_no_risk(text: str) -> None:
    assert risk_hints(text) == ()


@pytest.mark.parametrize(
    ("text", "data_class"),
    [
        ("password", "credential"), ("neues passwort", "credential"), ("one-time code", "credential"),
        ("tan", "credential"),
        ("sms code", "credential"), ("einmalcode", "credential"), ("api key", "credential"), ("pin", "credential"),
        ("card number", "payment"), ("kreditkartennummer", "payment"), ("cvc", "payment"), ("iban", "payment"),
        ("diagnosis", "health"), ("blutgruppe", "health"), ("social security number", "sensitive"),
        ("steuernummer", "sensitive"),
    ],
)  # fmt: skip
def test_field_names_that_suggest_a_data_class(text: str, data_class: str) -> None:
    assert data_class in {hint.kind for hint in data_class_hints(text)}


@pytest.mark.parametrize(
    "text", ["pinboard", "tangent", "spin", "title", "secretary", "description", "ibanez"]
)
def test_similar_field_names_suggest_no_data_class(text: str) -> None:
    assert data_class_hints(text) == ()


def test_identifiers_are_read_as_words() -> None:
    assert identifier_words("account.deleteAll") == "account delete all"
    assert risk_hints(identifier_words("btn-delete_user"))


def test_the_most_severe_of_several_classes_counts() -> None:
    assert derived_side_effect(["external_effect", "destructive"]) == "destructive"
    assert derived_side_effect(["irreversible", "destructive"]) == "irreversible"
    assert derived_side_effect(["legal"]) is None


@pytest.mark.parametrize(
    ("label", "out"), [("cancel", True), ("no, keep it", True), ("zurück", True), ("ok", False)]
)
def test_exit_labels_do_not_do_what_the_dialog_is_called(label: str, out: bool) -> None:
    assert is_exit_label(label) is out


def test_a_label_that_names_a_risk_is_no_exit_label() -> None:
    assert not is_exit_label("cancel and delete")


@pytest.mark.requirement("CAP-8.1", "CAP-SEC.3")
@pytest.mark.parametrize("declared", [None, *RISK_LEVELS])
@pytest.mark.parametrize("name", ["save", "delete", "pay", "change password"])
def test_declared_and_inferred_risks_combine_to_the_stricter(declared: str | None, name: str) -> None:
    risk = {} if declared is None else {"risk": RiskDescriptor(level=declared)}  # type: ignore[arg-type]
    plain = appraise(button("x", **risk), "unknown", RiskEvidence())
    seen = appraise(button(name, **risk), "unknown", RiskEvidence(label=name, presses=True))
    assert strictest_level(plain.level, seen.level) == seen.level
    assert plain.tags <= seen.tags
    assert not seen.explicit  # a claim of the page is no declaration


def test_only_a_signed_bundle_may_lower_an_inferred_risk() -> None:
    element = button("delete", risk=RiskDescriptor(level="safe"))
    evidence = RiskEvidence(label="delete", presses=True)
    assert appraise(element, "unknown", evidence).side_effect == "destructive"
    vouched = appraise(element, "unknown", evidence, trusted_risk=True)
    assert (vouched.level, vouched.explicit, vouched.side_effect) == ("safe", True, "unknown")
