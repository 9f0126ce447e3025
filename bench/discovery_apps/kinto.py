"""Kinto with its administration: a React application behind a hash router that reads by batches of requests."""

from __future__ import annotations

import base64

from bench.discovery_apps.app import App
from uiap.api.discovery import Principal

SIGN_IN = (
    {"action": "ui.activate", "role": "radio", "name": "Basic Auth"},
    {"action": "ui.enterText", "role": "textbox", "name": "Username", "args": {"text": "admin"}},
    {"action": "ui.enterText", "role": "textbox", "name": "Password", "args": {"text": "admin-password"}},
    {"action": "ui.activate", "role": "button", "name": "Sign in using Basic Auth"},
)
APP = App(
    name="kinto",
    packages=("kinto==25.0.0", "pyramid==2.0.2", "pyramid_multiauth==1.0.2", "setuptools<81"),
    start=(
        "-c",
        "from kinto.__main__ import main; main()",
        "start",
        "--ini",
        "kinto.ini",
        "--port",
        "{port}",
    ),
    fill=("fill.py", "{base}"),
    home="/v1/admin/",
    exports=("/v1/buckets/kitchen/history", "/v1/buckets/office/history", "/v1/buckets"),
    headers={"Authorization": "Basic " + base64.b64encode(b"admin:admin-password").decode()},
    principal=Principal(id="admin", url="/v1/admin/", steps=SIGN_IN),
    read_requests=("POST {base}/v1/batch*",),
    expected_writes=(r"POST /v1/batch",),
    half="tuning",
)
