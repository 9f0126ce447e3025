"""Add a group and six watches; two of them are checked twice, so that they have a history."""

import json
import sys
import time
import urllib.request
from pathlib import Path

base, port = sys.argv[1], Path("site-port").read_text()
deadline = time.monotonic() + 60


def api_key() -> str:
    for file in Path("datastore").glob("*.json"):
        found = json.loads(file.read_text())
        if isinstance(found, dict) and "settings" in found:
            return str(found["settings"]["application"]["api_access_token"])
    raise SystemExit("no settings file")


def call(method: str, path: str, body: object = None):
    request = urllib.request.Request(
        f"{base}/api/v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"x-api-key": api_key(), "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"null")


for uuid in call("GET", "/watch"):  # examples that a new installation has
    call("DELETE", f"/watch/{uuid}")
tag = call("POST", "/tag", {"title": "shops"})["uuid"]
made = [
    call("POST", "/watch", {"url": f"http://localhost:{port}/{name}", "title": f"Shop {name}", "tags": [tag]})
    for name in ("lamps", "chairs", "tables", "shelves", "beds", "doors")
]


def until_checked(uuid: str, times: int) -> None:
    while call("GET", f"/watch/{uuid}").get("history_n", 0) < times:
        if time.monotonic() > deadline:
            raise SystemExit("a watch was not checked")
        urllib.request.urlopen(base, timeout=30).close()


for one in made:  # a new watch is checked once by itself
    until_checked(one["uuid"], 1)
for one in made[:2]:
    call("GET", f"/watch/{one['uuid']}?recheck=1")
    until_checked(one["uuid"], 2)
