"""validation.none of one scope: errors of other scopes do not count."""

from __future__ import annotations

import pytest

from tests.signals.tab import OURS, Tab
from tests.signals.test_kinds import page
from uiap.spec.capability import ValidationNone
from uiap.spec.web import ValidationChangedSignal, ValidationIssue


@pytest.mark.parametrize(("scope", "holds"), [("form1", False), ("form2", True)])
def test_only_errors_of_the_named_scope_count(scope: str, holds: bool) -> None:
    wrong = ValidationChangedSignal(scope_id=scope, errors=(ValidationIssue(message="too short"),))
    tab = Tab(page()).acts(ValidationNone(scope="form1"))
    assert tab.says(wrong, OURS).verdict().holds is holds
