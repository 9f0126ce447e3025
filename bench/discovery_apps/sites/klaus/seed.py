"""Create two repositories with branches, a tag, folders and a README."""

from pathlib import Path

from dulwich import porcelain

FILES = {
    "README.md": "# Shop\n\nSells lamps.\n",
    "shop/lamps.py": "def price(watts):\n    return watts * 2\n",
    "shop/orders/open.py": "OPEN = []\n",
    "docs/manual.md": "# Manual\n\nTurn it on.\n",
}
for name in ("shop", "tools"):
    folder = f"{name}.git"
    repo = porcelain.init(folder)
    for count in range(6):
        for path, text in FILES.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text + f"# {count}\n")
        porcelain.add(folder, [f"{folder}/{path}" for path in FILES])
        porcelain.commit(folder, message=f"Change {count}".encode(), author=b"Mara <mara@example.test>")
    porcelain.branch_create(folder, "spring")
    porcelain.tag_create(
        folder, "v1.0", message=b"first", author=b"Mara <mara@example.test>", annotated=False
    )
    repo.close()
