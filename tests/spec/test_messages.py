"""The message table has every row of the registry, and its rows agree with each other."""

import pytest

from uiap.spec.messages import MESSAGES

REGISTRY = {
    "core": """session.initialize session.initialized session.ping session.pong session.terminate
        session.terminated error capabilities.list capabilities.listed capabilities.changed""",
    "web": """web.state.get web.state.snapshot web.state.observe web.state.observing web.state.unobserve
        web.state.unobserved web.state.delta web.signal""",
    "action": """action.request action.accepted action.progress action.confirmation.request
        action.confirmation.grant action.confirmation.deny action.cancel action.cancelled action.result""",
    "uiap.policy": """uiap.policy.get uiap.policy.document uiap.policy.evaluate uiap.policy.decision
        uiap.policy.changed uiap.policy.audit uiap.policy.handoff.started uiap.policy.handoff.completed""",
    "uiap.workflow": """uiap.workflow.list uiap.workflow.listed uiap.workflow.get uiap.workflow.definition
        uiap.workflow.start uiap.workflow.started uiap.workflow.progress uiap.workflow.input.request
        uiap.workflow.input.provided uiap.workflow.pause uiap.workflow.paused uiap.workflow.resume
        uiap.workflow.resumed uiap.workflow.cancel uiap.workflow.cancelled uiap.workflow.status.get
        uiap.workflow.status uiap.workflow.result""",
}
DISCOVERY = """uiap.discovery.plan uiap.discovery.planned uiap.discovery.start uiap.discovery.started
    uiap.discovery.progress uiap.discovery.pause uiap.discovery.paused uiap.discovery.resume
    uiap.discovery.resumed uiap.discovery.cancel uiap.discovery.cancelled uiap.discovery.result
    uiap.discovery.package.get uiap.discovery.package"""


def owned_by(owner: str) -> set[str]:
    return {row.type for row in MESSAGES.values() if row.owner == owner}


@pytest.mark.parametrize("owner", REGISTRY)
def test_owner_has_exactly_its_messages(owner: str) -> None:
    assert owned_by(owner) == set(REGISTRY[owner].split())


@pytest.mark.requirement("DISC-14")
def test_discovery_has_exactly_its_messages() -> None:
    assert owned_by("uiap.discovery") == set(DISCOVERY.split())


def test_there_is_no_message_without_a_known_owner() -> None:
    assert {row.owner for row in MESSAGES.values()} == {*REGISTRY, "uiap.discovery", "x.uiap.tools"}


def test_requests_name_their_answers_and_nothing_else_does() -> None:
    for row in MESSAGES.values():
        if "request" in row.kinds and row.kinds != ("request", "response", "event"):
            assert row.answers, row.type
        for answer in row.answers:
            assert "response" in MESSAGES[answer].kinds


def test_a_row_is_kept_under_its_own_type_and_payload() -> None:
    assert all(row.type == key for key, row in MESSAGES.items())
    payloads = [row.payload for row in MESSAGES.values()]
    assert len(set(payloads)) == len(payloads)


def test_only_extension_messages_need_an_extension() -> None:
    assert MESSAGES["action.request"].extension is None
    assert MESSAGES["uiap.policy.get"].extension == "uiap.policy"
