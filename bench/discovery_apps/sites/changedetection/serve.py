"""Serve the application, and a small site whose pages change with every visit."""

import itertools
import os
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

VISITS = itertools.count(1)


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = f"<html><title>Shop {self.path}</title><p>Visit {next(VISITS)} of {self.path}</p>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=site.serve_forever, daemon=True).start()
Path("site-port").write_text(str(site.server_address[1]))
Path("datastore").mkdir(exist_ok=True)
os.environ.update(
    ALLOW_IANA_RESTRICTED_ADDRESSES="true", DISABLE_VERSION_CHECK="true", SALTED_PASS="", FETCH_WORKERS="2"
)
sys.argv = ["changedetection.io", "-d", "datastore", "-h", "127.0.0.1", "-p", sys.argv[1]]

from changedetectionio import main  # noqa: E402

main()
