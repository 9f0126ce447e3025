"""Serve the tracker by its WSGI handler: its own server refuses to run as root."""

import re
import sys
from pathlib import Path
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIServer, make_server

from roundup.cgi.wsgi_handler import RequestDispatcher


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


port, public_port = sys.argv[1:]
config = Path("tracker/config.ini")
config.write_text(re.sub(r"(?m)^web = .*$", f"web = http://localhost:{public_port}/", config.read_text()))
make_server("localhost", int(port), RequestDispatcher("tracker"), server_class=Server).serve_forever()
