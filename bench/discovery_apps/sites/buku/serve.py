"""A collection of bookmarks with its web server. The port is the argument; `seed` creates the bookmarks instead."""

import os
import sys
from pathlib import Path

DATABASE = str(Path("bookmarks.db").resolve())
os.environ["BUKUSERVER_DB_FILE"] = DATABASE
os.environ["BUKUSERVER_AUTOFETCH"] = "false"


def seed() -> None:
    from buku import BukuDb

    db = BukuDb(dbfile=DATABASE)
    for n, name in enumerate(("Weather", "Railway", "Library", "Cinema")):
        tags = (",daily,", ",travel,", ",reading,", ",daily,")[n]
        db.add_rec(f"http://{name.lower()}.example/", name, tags, f"About the {name.lower()}.", fetch=False)
    db.close()


if __name__ == "__main__":
    if sys.argv[1] == "seed":
        seed()
    else:
        from bukuserver import server

        server.Swagger = lambda *_args, **_options: None  # its template is missing in the package
        server.create_app().run(host="127.0.0.1", port=int(sys.argv[1]), threaded=True)
