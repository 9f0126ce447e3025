"""`uiap key`: create a key pair to sign bundles with. The private key is only written to its file, never printed."""

from __future__ import annotations

import os
from pathlib import Path

import click

from uiap.authoring.bundles.signature import key_id_of, new_key, public_key_of
from uiap.cli.authoring import DONE
from uiap.cli.output import json_option, print_json
from uiap.cli.registry import replace_file
from uiap.errors import Unavailable


@click.command(
    help="Create an Ed25519 key pair: the private key in FILE (keep it secret, for `uiap build --sign`), the public "
    "key in FILE.pub (share it, for `uiap open --trust`)."
)
@click.argument("file", type=click.Path(dir_okay=False))
@json_option
def command(file: str, as_json: bool) -> int:
    private, path = new_key(), Path(file)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise Unavailable(f"`{file}` already exists and is never overwritten; choose another file") from None
    with os.fdopen(handle, "w", encoding="ascii") as secret:
        secret.write(private.hex() + "\n")
    public = public_key_of(private)
    replace_file(path.with_name(path.name + ".pub"), f"{public}\n".encode())
    if as_json:
        print_json({"privateKeyFile": file, "publicKey": public, "keyId": key_id_of(public)})
    else:
        click.echo(f"written: {file} and {file}.pub; the public key is {public}")
    return DONE
