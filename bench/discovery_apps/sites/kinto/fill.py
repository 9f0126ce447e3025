"""Two buckets with collections, records and a group, created through the server."""

import base64
import json
import sys
import urllib.request

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "done": {"type": "boolean"}},
    "required": ["title"],
}


SIGNED_IN = "Basic " + base64.b64encode(b"admin:admin-password").decode()


def put(path, data):
    headers = {"Content-Type": "application/json", "Authorization": SIGNED_IN}
    body = json.dumps({"data": data}).encode()
    request = urllib.request.Request(f"{sys.argv[1]}/v1{path}", data=body, headers=headers, method="PUT")
    urllib.request.urlopen(request, timeout=30).close()


for bucket in ("kitchen", "office"):
    put(f"/buckets/{bucket}", {})
    put(f"/buckets/{bucket}/groups/cooks", {"members": ["cook"]})
    for collection in ("chores", "tools"):
        put(
            f"/buckets/{bucket}/collections/{collection}",
            {"schema": SCHEMA, "uiSchema": {}, "displayFields": ["title"], "sort": "title"},
        )
        for n in range(1, 9):
            put(
                f"/buckets/{bucket}/collections/{collection}/records/item-{n}",
                {"title": f"Item {n}", "done": n > 4},
            )
