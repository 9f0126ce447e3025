"""The process of the stand-in for uiautomator2's server: a port of the device that leads to the tests' own process.

Run as `python -IS android_relay.py SOCKET PORT`. It lives as long as its first connection, over which nothing is said;
so the tests know that it runs, and can end it.
"""

import asyncio
import sys


async def pour(one: asyncio.StreamReader, other: asyncio.StreamWriter) -> None:
    while data := await one.read(65536):
        other.write(data)
        await other.drain()
    other.close()


async def main(path: str, port: int) -> None:
    life, said = await asyncio.open_unix_connection(path)
    said.write(b"life\n")

    async def lead(near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, on = await asyncio.open_unix_connection(path)
        await asyncio.gather(pour(near, on), pour(far, back), return_exceptions=True)

    await asyncio.start_server(lead, "127.0.0.1", port)
    print("[server] INFO: [UiAutomator2Server] Starting Server", flush=True)
    await life.read()


asyncio.run(main(sys.argv[1], int(sys.argv[2])))
