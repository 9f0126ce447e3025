"""The script that calls an endpoint of the application from its own page, with the session that the page has.

The request goes to the origin of the page and nowhere else. The page can change what the script uses, so its answer is
checked like that of any function of the page.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

from uiap.actions.invoke import ENDPOINT
from uiap.actions.ops import Invoke
from uiap.drivers.chromium.page.world import as_js_string

WITHOUT_BODY = frozenset({"GET", "DELETE"})
SCRIPT = """(async (method, path, body, mark) => {
  const sendMark = () => document.dispatchEvent(new Event(mark));
  try {
    sendMark();
    const options = { method, credentials: "same-origin", headers: { accept: "application/json" } };
    if (body !== "") { options.headers["content-type"] = "application/json"; options.body = body; }
    const response = await fetch(new URL(path, location.origin), options);
    const text = (await response.text()).slice(0, 100000);
    sendMark();
    if (!response.ok) return JSON.stringify({ error: `the server answered ${response.status}` });
    let value = text;
    try { value = JSON.parse(text); } catch { /* the answer is a plain text */ }
    return JSON.stringify({ value });
  } catch (error) {
    return JSON.stringify({ error: String((error && error.message) || error).slice(0, 500) });
  }
})"""


def endpoint_call(op: Invoke, mark: str) -> str:
    """Return the expression that calls the endpoint of an operation with its arguments."""
    method, path, body = endpoint_request(op.action, op.args)
    return f"{SCRIPT}({', '.join(map(as_js_string, (method, path, body, mark)))})"


def endpoint_request(endpoint: str, args: dict[str, Any]) -> tuple[str, str, str]:
    """Return method, path and body. `{name}` in the path takes an argument; the others are the body or the query.

    Raise ValueError if an argument would lead to another endpoint: a browser removes `..` and what is before it.
    """
    found = ENDPOINT.fullmatch(endpoint)
    assert found is not None, "the bundle was checked for this"
    method, path, rest = found["method"], found["path"], dict(args)
    for name in args:
        if f"{{{name}}}" in path:
            path = path.replace(f"{{{name}}}", _path_part(name, rest.pop(name)))
    if method in WITHOUT_BODY:
        return method, f"{path}?{urlencode(rest)}" if rest else path, ""
    return method, path, json.dumps(rest)


def _path_part(name: str, value: Any) -> str:
    part = str(value)
    if part.strip(".") == "":
        raise ValueError(f"`{name}` cannot be `{part}`, because it is a part of the address")
    return quote(part, safe="")
