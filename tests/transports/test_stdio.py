"""Newline JSON: lines that are too long, not UTF-8 or without end, and the pipes of the process."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from uiap.errors import Unavailable
from uiap.transports import Peer, TransportClosed
from uiap.transports.stdio import LineTransport, from_stdio

SECONDS = 20.0


class Ends:
    """A LineTransport whose peer is a raw socket of the test."""

    def __init__(
        self, transport: LineTransport, writer: asyncio.StreamWriter, reader: asyncio.StreamReader
    ) -> None:
        self.transport, self.writer, self.reader = transport, writer, reader


@pytest.fixture
async def ends() -> AsyncIterator[Ends]:
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours, limit=1000)
    raw_reader, raw_writer = await asyncio.open_connection(sock=theirs)
    transport = LineTransport(reader, writer, Peer("pair"), max_bytes=1000, send_timeout=0.2)
    yield Ends(transport, raw_writer, raw_reader)
    raw_writer.transport.abort()
    await transport.close()


async def test_a_line_that_is_too_long_ends_the_connection_before_it_is_complete(ends: Ends) -> None:
    ends.writer.write(b"x" * 1500)  # and never a newline
    with pytest.raises(TransportClosed) as end:
        async with asyncio.timeout(SECONDS):
            await ends.transport.receive()
    assert end.value.close_code == 1009


async def test_a_flood_without_a_newline_is_not_kept_in_memory(ends: Ends) -> None:
    ends.writer.write(b"x" * 5_000_000)
    with pytest.raises(TransportClosed):
        async with asyncio.timeout(SECONDS):
            await ends.transport.receive()
    # the reader stops its socket at twice its limit, plus the one chunk that crossed it
    assert len(ends.transport._reader._buffer) < 400_000  # type: ignore[attr-defined]


async def test_a_line_that_is_not_utf8_is_received_as_bytes_and_the_next_line_follows(ends: Ends) -> None:
    ends.writer.write(b'{"a":"\xff"}\n{"b":1}\n')
    assert await ends.transport.receive() == b'{"a":"\xff"}'
    assert await ends.transport.receive() == '{"b":1}'


async def test_blank_lines_and_carriage_returns_are_ignored(ends: Ends) -> None:
    ends.writer.write(b'\n  \n\r\n{"a":1}\r\n')
    assert (await ends.transport.receive()).strip() == '{"a":1}'


async def test_an_end_inside_a_line_is_an_abnormal_close(ends: Ends) -> None:
    ends.writer.write(b'{"a":1}\n{"half":')
    ends.writer.write_eof()
    assert await ends.transport.receive() == '{"a":1}'
    with pytest.raises(TransportClosed) as end:
        await ends.transport.receive()
    assert end.value.close_code == 1006


async def test_a_peer_that_never_reads_is_dropped_after_the_timeout(ends: Ends) -> None:
    ends.reader._transport.pause_reading()  # type: ignore[attr-defined]
    with pytest.raises(TransportClosed) as end:
        async with asyncio.timeout(SECONDS):
            while True:
                await ends.transport.send('"' + "x" * 900 + '"')
    assert end.value.close_code == 1013


async def test_a_message_with_line_breaks_is_sent_as_one_line(ends: Ends) -> None:
    await ends.transport.send('{\r\n  "a": "\u2028"\n}')
    assert await ends.reader.readline() == '{    "a": "\u2028" }\n'.encode()


async def test_standard_input_and_output_of_a_process_carry_envelopes() -> None:
    program = (
        "import asyncio\n"
        "from uiap.transports.stdio import from_stdio\n"
        "from uiap.transports import TransportClosed\n"
        "async def main():\n"
        "    transport = await from_stdio()\n"
        "    try:\n"
        "        while True: await transport.send(await transport.receive())\n"
        "    except TransportClosed as end: assert end.close_code == 1000\n"
        "asyncio.run(main())\n"
    )
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", program, stdin=pipe, stdout=pipe, stderr=pipe
    )
    async with asyncio.timeout(SECONDS):
        out, err = await process.communicate('{"a":"ä"}\n{"b":2}\n'.encode())
    assert (out.decode(), err, process.returncode) == ('{"a":"ä"}\n{"b":2}\n', b"", 0)


async def test_the_blocking_mode_of_pipes_is_restored() -> None:
    (in_read, in_write), (out_read, out_write) = os.pipe(), os.pipe()
    with os.fdopen(in_read, "rb", 0) as stdin, os.fdopen(out_write, "wb", 0) as stdout:
        transport = await from_stdio(stdin=stdin, stdout=stdout)
        os.write(in_write, b"{}\n")
        assert await transport.receive() == "{}"
        await transport.close()
        assert os.get_blocking(stdin.fileno())
        assert os.get_blocking(stdout.fileno())
    os.close(in_write)
    os.close(out_read)


async def test_files_instead_of_pipes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("{}\n")
    stdin, stdout = (tmp_path / "in").open("rb"), (tmp_path / "out").open("wb")
    with stdin, stdout, pytest.raises(Unavailable, match="pipes"):
        await from_stdio(stdin=stdin, stdout=stdout)
