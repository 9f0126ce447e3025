"""Contradictions: the application itself reports that it did not do what the action asked for."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.graph.names import normalised
from uiap.runtime.events import Observed
from uiap.runtime.expectation import Expectation
from uiap.signals.effect_report import InvalidField
from uiap.signals.error_words import reports_failure
from uiap.spec.capability import NetworkResponse, StatusContains, ToastContains, ValueEquals


class Contradicted(msgspec.Struct, frozen=True):
    """The application itself reports a failure."""

    message: str
    detail: dict[str, Any]


def contradiction(expectation: Expectation, event: Observed) -> Contradicted | None:
    """Return the failure that the application reports, unless the caller expects exactly that."""
    failed, complaint = event.request_failed, event.report.contradiction
    if failed is not None and not _expects_failed_request(expectation):
        detail = {"outcome": "backend_failure", "request": failed}
        return Contradicted(f"the application did not do it: {failed}", detail)
    if expectation.arrival:  # messages and fields of the new page do not concern the way to it
        return None
    if complaint is not None and not _expects_complaint(expectation, complaint):
        return _reported(complaint)
    if (beside := event.report.beside_field) is not None and _sends(expectation):
        return _reported(beside)
    invalid = next((one for one in event.report.invalid_fields if _concerns(expectation, one)), None)
    return None if invalid is None else _reported(invalid.words)


def limitation(expectation: Expectation, event: Observed) -> Contradicted | None:
    """Return the message that limits what was asked, if it is all that came. Ask when everything has ended."""
    words = event.report.limiting if _sends(expectation) and not expectation.arrival else None
    return None if words is None else _reported(words)


def _reported(words: str) -> Contradicted:
    return Contradicted(f"the page reports a failure: {words}", {"outcome": "ui_failure", "message": words})


def _sends(expectation: Expectation) -> bool:
    """Return whether a text behind a field speaks against the action: it sets no field, and no signal proves it."""
    return expectation.field is None and not expectation.signals


def _concerns(expectation: Expectation, invalid: InvalidField) -> bool:
    """Return whether an invalid field speaks against the action.

    An action that only sets a field is judged by that field: others may be incomplete, and so may an emptied one.
    """
    if expectation.field is None:
        return True
    return invalid.node == expectation.field and not invalid.empty


def _expects_complaint(expectation: Expectation, complaint: str) -> bool:
    """Return whether the caller waits for exactly this error, or the message repeats the text that was entered.

    Words of success in an error do not help. A preview of the entered text reports no failure.
    """
    entered = [s.value for s in expectation.own if isinstance(s, ValueEquals)]
    if any(isinstance(one, str) and normalised(one) == normalised(complaint) for one in entered):
        return True
    texts = [s.text for s in expectation.signals if isinstance(s, ToastContains | StatusContains)]
    texts += expectation.messages if expectation.signals else ()
    return any(normalised(text) in normalised(complaint) for text in texts if reports_failure(text))


def _expects_failed_request(expectation: Expectation) -> bool:
    return any(
        isinstance(s, NetworkResponse) and isinstance(s.status, int) and s.status >= 400
        for s in expectation.signals
    )
