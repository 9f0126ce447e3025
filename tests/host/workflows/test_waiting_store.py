"""A run waits for a database that is away: a read is repeated until it answers, an intent only for a while."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from uiap.host.workflows import waiting_store
from uiap.host.workflows.run_store import IntentClaim, MemoryRunStore
from uiap.host.workflows.waiting_store import WaitingStore

pytestmark = pytest.mark.usefixtures("no_waits")


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting_store, "RETRY_S", (0.0, 0.0))


class Away(MemoryRunStore):
    """A store whose first calls fail. `claim` takes effect and fails afterwards, as a lost connection does."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    def _fail(self) -> None:
        self.failures -= 1
        if self.failures >= 0:
            raise OperationalError("select", None, Exception("the connection is closed"))

    def claim(self, *args: Any) -> IntentClaim:
        claim = super().claim(*args)
        self._fail()
        return claim

    def claim_of(self, key: str) -> IntentClaim | None:
        self._fail()
        return super().claim_of(key)

    def wants_picture(self, key: str) -> bool:
        self._fail()
        return super().wants_picture(key)


async def test_a_read_is_repeated_until_the_database_is_back() -> None:
    assert await WaitingStore(Away(7), "wf_1").claim_of("key") is None


@pytest.mark.requirement("WF-6b")
async def test_a_claim_whose_answer_was_lost_is_still_the_claim_of_this_execution() -> None:
    claim = await WaitingStore(Away(1), "wf_1").claim("key", "mine", (1,))
    assert claim == IntentClaim("mine", (1,))


async def test_an_intent_that_cannot_be_stored_is_given_up() -> None:
    with pytest.raises(OperationalError):
        await WaitingStore(Away(99), "wf_1").claim("key", "mine", ())


async def test_a_picture_is_not_waited_for() -> None:
    with pytest.raises(OperationalError):
        await WaitingStore(Away(1), "wf_1").wants_picture("key")
