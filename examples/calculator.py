"""Compute 7 + 5 in a web page, in a desktop application and through adb; only the address differs.

python examples/calculator.py                                   # the web page next to this file, and galculator
python examples/calculator.py desktop:galculator android:com.android.calculator2@SERIAL --html traces.html
"""

import asyncio
import sys
from pathlib import Path

import uiap
from uiap.api.signals import value_equals
from uiap.api.trace_compare import side_by_side

WEB = (Path(__file__).resolve().parent / "calculator.html").as_uri()
KEYS = {"7": "7", "+": None, "5": "5", "=": "12"}
"""Each key, and the expected display; after `+` some calculators do not change the display."""


async def seven_plus_five(address):
    async with uiap.open(address) as ui:
        display = next(one for one in await ui.observe() if one.role in ("textbox", "textarea"))
        traces = []
        for key, value in KEYS.items():
            expected = [value_equals(value, ref=display.instance_id)] if value else []
            result = await ui.act(
                "ui.activate", role="button", name=key, expect=expected, policy="all" if value else "none"
            )
            assert result, f"{key} on {address}: {result.error.message}"
            traces.append(await result.trace())
        return traces


def short(address):
    return address.rpartition("/")[2] if address.startswith("file:") else address


def table(traces):
    """Return the traces as a table with one column per address and one line per key."""
    lines = [["", *map(short, traces)]]
    for number, key in enumerate(KEYS):
        payloads = [column[number].payload for column in traces.values()]
        lines.append(
            [key, *(f"{one.status}, {one.result.metadata['durationMs']:.0f} ms" for one in payloads)]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def page(traces):
    """Return the traces as one HTML page, with stages, evidence and each complete trace."""
    columns = {short(address): [one.to_dict() for one in column] for address, column in traces.items()}
    return side_by_side("7 + 5", list(KEYS), columns)


async def main(arguments):
    file = Path(arguments[arguments.index("--html") + 1]) if "--html" in arguments else None
    addresses = [one for one in arguments if one != "--html" and one != str(file)]
    traces = {one: await seven_plus_five(one) for one in addresses or [WEB, "desktop:galculator"]}
    print(table(traces))
    if file is not None:
        file.write_text(page(traces), "utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
