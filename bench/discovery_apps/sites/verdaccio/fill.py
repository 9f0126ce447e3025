"""Eight packages with a readme, dependencies and two versions each, published to the running registry."""

import base64
import hashlib
import io
import json
import sys
import tarfile
import urllib.request

NAMES = ("rake", "shovel", "bucket", "seeds", "hose", "gloves", "@garden/tomato", "@garden/bean")


def tarball(manifest):
    data, text = io.BytesIO(), json.dumps(manifest).encode()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        entry = tarfile.TarInfo("package/package.json")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return data.getvalue()


def publish(base, name, version):
    file = f"{name.split('/')[-1]}-{version}.tgz"
    manifest = {
        "name": name,
        "version": version,
        "description": f"{name} for the garden",
        "author": {"name": "Gardener", "email": "gardener@example.test"},
        "license": "MIT",
        "keywords": ["garden"],
        "readme": f"# {name}\n\nA tool.",
        "dependencies": {} if name == "rake" else {"rake": "^1.0.0"},
    }
    packed = tarball(manifest)
    sums = {"shasum": hashlib.sha1(packed).hexdigest(), "tarball": f"{base}/{name}/-/{file}"}
    document = {
        "_id": name,
        "name": name,
        "dist-tags": {"latest": version},
        "readme": manifest["readme"],
        "versions": {version: {**manifest, "_id": f"{name}@{version}", "dist": sums}},
        "_attachments": {
            file: {
                "content_type": "application/octet-stream",
                "data": base64.b64encode(packed).decode(),
                "length": len(packed),
            }
        },
    }
    request = urllib.request.Request(
        f"{base}/{name.replace('/', '%2f')}",
        data=json.dumps(document).encode(),
        headers={"Content-Type": "application/json"},
        method="PUT",
    )
    urllib.request.urlopen(request, timeout=30).close()


for one in NAMES:
    publish(sys.argv[1], one, "1.0.0")
    publish(sys.argv[1], one, "1.1.0")
