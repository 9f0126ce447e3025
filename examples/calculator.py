"""7 + 5 in a web page, in a desktop application and through adb: the same lines, only the address differs.

python examples/calculator.py                                   # the web page beside this file, and galculator
python examples/calculator.py desktop:galculator android:com.android.calculator2@SERIAL --html traces.html
"""

import asyncio
import sys
from html import escape
from pathlib import Path

import uiap
from uiap.api.signals import value_equals

WEB = (Path(__file__).resolve().parent / "calculator.html").as_uri()
KEYS = {"7": "7", "+": None, "5": "5", "=": "12"}
"""Each key, and what the display shows when it worked; after + it shows nothing new on some calculators."""


async def seven_plus_five(address):
    async with uiap.open(address) as ui:
        display = next(one for one in await ui.observe() if one.role in ("textbox", "textarea"))
        for key, shown in KEYS.items():
            seen = [value_equals(shown, ref=display.instance_id)] if shown else []
            result = await ui.act(
                "ui.activate", role="button", name=key, expect=seen, policy="all" if shown else "none"
            )
            assert result, f"{key} on {address}: {result.error.message}"
        return [await ui.trace(done.action_handle) for done in reversed(await ui.traces())]


def table(traces):
    """The traces side by side: a column an address, a line a key."""
    lines = [["", *(address.rpartition("/")[2] for address in traces)]]
    for number, key in enumerate(KEYS):
        told = [column[number].payload for column in traces.values()]
        lines.append([key, *(f"{one.status}, {one.result.metadata['durationMs']:.0f} ms" for one in told)])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def page(traces):
    """The same as one HTML file, with each trace in full."""
    heads = "".join(f"<th>{escape(address)}" for address in traces)
    rows = "".join(
        f"<tr><th>{escape(key)}"
        + "".join(
            f'<td><iframe srcdoc="{escape(column[number].html())}"></iframe>' for column in traces.values()
        )
        for number, key in enumerate(KEYS)
    )
    style = "table{width:100%;table-layout:fixed} th:first-child{width:2em} iframe{width:100%;height:60vh;border:0}"
    return (
        f"<!doctype html><meta charset=utf-8><title>7 + 5</title><style>{style}</style>"
        f"<table><tr><th>{heads}{rows}</table>"
    )


async def main(words):
    file = Path(words[words.index("--html") + 1]) if "--html" in words else None
    addresses = [word for word in words if word != "--html" and word != str(file)]
    traces = {one: await seven_plus_five(one) for one in addresses or [WEB, "desktop:galculator"]}
    print(table(traces))
    if file is not None:
        file.write_text(page(traces), "utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
