"""Add two users with indexes, and upload packages with descriptions in two versions."""

import base64
import io
import json
import sys
import tarfile
import urllib.request
import zipfile

base = sys.argv[1]


def call(method: str, path: str, body: object = None, token: str = "") -> dict:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if token:
        headers["X-Devpi-Auth"] = token
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def sign_in(user: str, password: str) -> str:
    found = call("POST", "/+login", {"user": user, "password": password})["result"]["password"]
    return base64.b64encode(f"{user}:{found}".encode()).decode()


def upload(index: str, token: str, name: str, version: str, requires: str) -> None:
    text = f"# {name}\n\nMakes {name} for houses. See [the manual](https://example.test/{name})."
    fields = {
        ":action": "submit",
        "metadata_version": "2.1",
        "name": name,
        "version": version,
        "summary": f"Makes {name}",
        "description": text,
        "description_content_type": "text/markdown",
        "author": "Mara Example",
        "license": "MIT",
        "requires_dist": requires,
        "classifiers": "Programming Language :: Python :: 3",
    }
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        info = tarfile.TarInfo(f"{name}-{version}/PKG-INFO")
        content = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode()
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    send(index, token, fields)
    fields[":action"] = "file_upload"
    fields["filetype"] = "sdist"
    send(index, token, fields, (f"{name}-{version}.tar.gz", packed.getvalue()))
    if name == "lamps":
        manual = io.BytesIO()
        with zipfile.ZipFile(manual, "w") as archive:
            archive.writestr(
                "index.html", f"<title>{name}</title><h1>Manual of {name}</h1><a href='use.html'>Use</a>"
            )
            archive.writestr("use.html", "<title>Use</title><h1>Use</h1><a href='index.html'>Contents</a>")
        fields[":action"] = "doc_upload"
        send(index, token, fields, (f"{name}.zip", manual.getvalue()))


def send(index: str, token: str, fields: dict[str, str], file: tuple[str, bytes] | None = None) -> None:
    mark, parts = "----part-of-upload", []
    for key, value in fields.items():
        parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode())
    if file is not None:
        head = f'--{mark}\r\nContent-Disposition: form-data; name="content"; filename="{file[0]}"\r\n\r\n'
        parts.append(head.encode() + file[1] + b"\r\n")
    request = urllib.request.Request(
        f"{base}/{index}/",
        data=b"".join(parts) + f"--{mark}--\r\n".encode(),
        headers={"Content-Type": f"multipart/form-data; boundary={mark}", "X-Devpi-Auth": token},
        method="POST",
    )
    urllib.request.urlopen(request, timeout=60).close()


for user, indexes in (("mara", ("stable", "dev")), ("noor", ("team",))):
    call("PUT", f"/{user}", {"password": f"{user}-password", "email": f"{user}@example.test"})
    token = sign_in(user, f"{user}-password")
    for index in indexes:
        bases = ["mara/stable"] if index != "stable" else []
        call("PUT", f"/{user}/{index}", {"bases": bases, "type": "stage"}, token)
    if user == "mara":
        for name in ("lamps", "chairs", "tables"):
            for version in ("1.0", "1.1"):
                upload("mara/stable", token, name, version, "chairs>=1.0" if name == "tables" else "")
    else:
        for name in ("shelves", "doors"):
            upload("noor/team", token, name, "2.0", "lamps")
