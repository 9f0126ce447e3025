"""The process of the simulated uiautomator2 server: it forwards a port of the device to the test process.

Run as `python -IS android_relay.py SOCKET PORT`. It runs as long as its first connection, which carries no data. The
tests see from that connection that it runs, and close it to end the process.
"""

import asyncio
import sys


async def forward(one: asyncio.StreamReader, other: asyncio.StreamWriter) -> None:
    while data := await one.read(65536):
        other.write(data)
        await other.drain()
    other.close()


async def main(path: str, port: int) -> None:
    lifeline, writer = await asyncio.open_unix_connection(path)
    writer.write(b"life\n")

    async def serve(request: asyncio.StreamReader, response: asyncio.StreamWriter) -> None:
        target_reader, target_writer = await asyncio.open_unix_connection(path)
        await asyncio.gather(
            forward(request, target_writer), forward(target_reader, response), return_exceptions=True
        )

    await asyncio.start_server(serve, "127.0.0.1", port)
    print("[server] INFO: [UiAutomator2Server] Starting Server", flush=True)
    await lifeline.read()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
