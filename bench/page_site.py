"""The generated pages of the page benchmark: lists of controls of any size, and a data grid. Needs no browser."""

from __future__ import annotations

from pathlib import Path

ROW = """<li data-id=item-{n:05d}><a href=/items/{n}>Item {n}</a> <span>{n} in stock</span>
<button>Edit</button> <label>Amount <input name=a{n} value={n}></label></li>"""
PER_ROW = 4
"""Published elements of one row: the item, its link, its button, its field."""

HEAD = """<!doctype html><meta charset=utf-8><title>{title}</title>
<style>body{{font:14px sans-serif}}li{{padding:2px}}
table{{border-collapse:collapse}}td{{border:1px solid #ccc}}</style>"""


def mixed(elements: int) -> str:
    """Return a page of about `elements` published elements: links, buttons, labelled fields and their list items."""
    rows = "\n".join(ROW.format(n=n) for n in range(elements // PER_ROW))
    return f"""{HEAD.format(title=f"{elements} elements")}
<header><nav aria-label=Main><a href=/>Home</a> <a href=/about>About</a></nav></header>
<main><h1>Items</h1><button id=changes>Change 0</button><ul aria-label=Items>{rows}</ul></main>"""


def grid(rows: int, columns: int = 6) -> str:
    """Return a table of plain cells with two buttons per row."""
    names = ["Name", "Mail", "Role", "City", "Seen", "Do"][:columns]
    head = "".join(f"<th>{name}</th>" for name in names)
    body = "\n".join(
        f"<tr><td>User {n}</td><td>user-{n}@example.org</td><td>Editor</td><td>Berlin</td><td>{n} days ago</td>"
        f"<td><button>Edit</button><button>Delete</button></td></tr>"
        for n in range(rows)
    )
    return f"""{HEAD.format(title="Users")}
<main><h1>Users</h1><table aria-label=Users><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></main>"""


def write(folder: Path, name: str, html: str) -> str:
    """Write the page to a file and return its address."""
    file = folder / f"{name}.html"
    file.write_text(html, "utf-8")
    return file.as_uri()
