"""Token files: digests only, not writable by other users, one token for each principal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.conftest import AGENT, PERSON, token_file
from uiap.errors import Unavailable
from uiap.host.consent.principals import effective_principal
from uiap.server.tokens import TokenHolder, Tokens, digest_of, read_or_create_secret, read_tokens
from uiap.spec.policy import PolicyPrincipal


def test_a_token_file_names_the_owner_of_each_token(tmp_path: Path):
    tokens = read_tokens(token_file(tmp_path))
    bot, ann = tokens.holder_of(AGENT), tokens.holder_of(PERSON)
    assert bot is not None and (bot.principal, bot.type, bot.answers_for) == ("bot", "agent", ())
    assert ann is not None and (ann.principal, ann.type, ann.answers_for) == ("ann", "user", ("bot",))
    assert tokens.holder_of(digest_of(AGENT)) is None  # the digest is not the token
    assert tokens.holder_of("") is None
    assert tokens.by_principal("bot") is bot
    assert tokens.by_principal(None) is None


def test_a_token_can_limit_roles_and_grants(tmp_path: Path):
    file = tmp_path / "tokens.json"
    holder = f'"sha256": "{digest_of(AGENT)}", "principal": "reader"'
    file.write_text(f'{{"tokens": [{{{holder}, "roles": ["audit"], "grants": ["observe"]}}]}}')
    file.chmod(0o600)
    found = read_tokens(file).holder_of(AGENT)
    assert found is not None
    assert effective_principal(found.policy_principal) == PolicyPrincipal(
        type="agent", id="reader", roles=("audit",), grants=("observe",)
    )
    file.write_text(f'{{"tokens": [{{{holder}, "grants": ["everything"]}}]}}')
    with pytest.raises(Unavailable, match="not a token file"):
        read_tokens(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a token file"),
        ("[]", "not a token file"),
        ('{"tokens": [{"token": "in clear"}]}', "not a token file"),
        ('{"tokens": [{"sha256": "ABC", "principal": "x"}]}', "not a token file"),
        (
            f'{{"tokens": [{{"sha256": "{"0" * 64}", "principal": "x", "type": "root"}}]}}',
            "not a token file",
        ),
    ],
)
def test_an_invalid_token_file_is_refused(tmp_path: Path, text: str, message: str):
    file = tmp_path / "tokens.json"
    file.write_text(text)
    file.chmod(0o600)
    with pytest.raises(Unavailable, match=message):
        read_tokens(file)


def test_a_token_file_that_others_can_write_is_refused(tmp_path: Path):
    file = token_file(tmp_path)
    file.chmod(0o666)
    with pytest.raises(Unavailable, match="other users can write"):
        read_tokens(file)
    with pytest.raises(Unavailable, match="cannot read"):
        read_tokens(tmp_path / "nowhere")


def test_two_tokens_of_one_principal_are_refused():
    with pytest.raises(Unavailable, match="same principal"):
        Tokens([TokenHolder(sha256="0" * 64, principal="x"), TokenHolder(sha256="1" * 64, principal="x")])


def test_a_secret_is_created_once_and_private(tmp_path: Path):
    file = tmp_path / "new" / "secret"
    secret = read_or_create_secret(file)
    assert len(secret) > 20
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_or_create_secret(file) == secret
    file.chmod(0o644)
    with pytest.raises(Unavailable, match="other users can read"):
        read_or_create_secret(file)
    file.chmod(0o600)
    file.write_text("short")
    with pytest.raises(Unavailable, match="too short"):
        read_or_create_secret(file)
