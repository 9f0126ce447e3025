"""The log of signals as a reader may see it."""

from __future__ import annotations

import msgspec

from uiap.signals.log import SignalLog, SignalOccurrence
from uiap.spec.web import StatusUpdatedSignal, WebSignal


def hidden(signal: WebSignal) -> WebSignal:
    return msgspec.structs.replace(signal, text="•••")


def test_a_reader_gets_masked_signals_and_the_log_keeps_its_own() -> None:
    log = SignalLog()
    log.occurrences.append(SignalOccurrence(StatusUpdatedSignal(text="4111"), "caused"))
    log.touch("d1e1", "caused")
    seen = log.as_seen(hidden)
    assert [(one.text, cause) for one, cause in seen.of(StatusUpdatedSignal)] == [("•••", "caused")]
    assert [one.text for one, _ in log.of(StatusUpdatedSignal)] == ["4111"]
    assert seen.attribution_of("d1e1") == "caused"
