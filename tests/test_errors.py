"""One exception class per wire code."""

from __future__ import annotations

import pytest

from uiap import errors
from uiap.spec.core import CORE_ERROR_CODES, CORE_ERROR_RETRYABLE


def test_every_core_code_has_exactly_one_class_with_the_table_s_retryable():
    assert set(errors.CoreFault.by_code) == set(CORE_ERROR_CODES)
    for code, known in errors.CoreFault.by_code.items():
        assert known.code == code
        assert known.retryable is CORE_ERROR_RETRYABLE[code]


@pytest.mark.parametrize("code", sorted(CORE_ERROR_CODES))
def test_a_code_off_the_wire_becomes_its_class(code):
    error = errors.fault(code, "why", detail={"path": "/x"})
    assert type(error) is errors.CoreFault.by_code[code]
    assert (error.code, error.message, str(error), error.detail) == (code, "why", "why", {"path": "/x"})


def test_other_codes_keep_their_name():
    error = errors.fault("uiap.workflow/unknown_step", "why")
    assert isinstance(error, errors.RuntimeFault)
    assert error.code == "uiap.workflow/unknown_step"
    assert error.detail == {}


def test_a_closed_transport_has_a_close_code():
    assert errors.TransportClosed().close_code == 1006
    assert errors.TransportClosed("bye", close_code=1000).message == "bye"


def test_all_exceptions_have_one_base_class():
    for known in (errors.CoreFault, errors.RuntimeFault, errors.TransportClosed, errors.Unavailable):
        assert issubclass(known, errors.UiapError)
