"""The HTML of the order form: the page around a build, and the forms that servers render for four styles of page."""

from __future__ import annotations

import json
from html import escape
from urllib.parse import urlencode

from apps.frameworks.orders import CLIENT_SIDE, OrderBook

STYLE = """<style>body{font:16px sans-serif;margin:16px}label{display:block;margin:6px}
.toast{position:fixed;right:16px;bottom:16px;background:#eee;padding:8px}.field-error,.errorlist{color:#b00}</style>"""
HEAD = f"<!doctype html><html lang=en><meta charset=utf-8><title>Orders</title>{STYLE}"


def order_page(framework: str, book: OrderBook, trial: str) -> str:
    """Return the page of a trial."""
    if framework == "django":
        return f"{HEAD}<body>{_django(book, trial)}"
    script = f"<script src='/built/orders/{framework}.js'></script>"
    if framework in (*CLIENT_SIDE, "socket"):
        return f"{HEAD}<body><div id=root></div>{script}"
    return f"{HEAD}<body>{order_fragment(framework, book, trial)}{script}"


def order_fragment(framework: str, book: OrderBook, trial: str) -> str:
    """Return the part that the server renders again after each event."""
    return {"htmx": _htmx, "ujs": _ujs, "socket": _live}[framework](book, trial)


def ujs_script(book: OrderBook, trial: str) -> str:
    """Return the script with which a Rails server answers a remote form."""
    return f"document.getElementById('orders').outerHTML = {json.dumps(_ujs(book, trial))};"


def _checked(book: OrderBook) -> str:
    return "checked" if book.paid else ""


def _query(book: OrderBook, trial: str) -> str:
    return escape(urlencode({"trial": trial, "scenario": book.scenario}))


def _django(book: OrderBook, trial: str) -> str:
    at, kind = _query(book, trial), "button" if book.scenario == "nothing" else "submit"
    level = "success" if book.message in ("Saved", "Deleted") else "error"
    message = f'<ul class="messagelist"><li class="{level}">{book.message}</li></ul>' if book.message else ""
    errors = f'<ul class="errorlist" id="id_title_error"><li>{book.error}</li></ul>' if book.error else ""
    invalid = 'aria-invalid="true"' if book.error else ""
    rows = "".join(
        f'<li>{escape(title)} <form method=post action="/django/remove/{id}?{at}"><button>Delete</button></form>'
        for id, title in book.rows.items()
    )
    return f"""{message}<form method=post action="/django/save?{at}">
      <input type=hidden name=csrfmiddlewaretoken value=abc>
      <div><label for=id_title>Title:</label>{errors}
      <input type=text name=title maxlength=80 required id=id_title {invalid}></div>
      <input type={kind} value=Save></form>
      <form method=post action="/django/pay?{at}"><label><input type=checkbox name=paid value=on {_checked(book)}
        onchange="this.form.submit()"> Paid</label></form><ul>{rows}</ul>"""


def _htmx(book: OrderBook, trial: str) -> str:
    at = _query(book, trial)
    trigger = 'hx-trigger="never"' if book.scenario == "nothing" else ""
    invalid = 'aria-invalid="true"' if book.error else ""
    error = f'<p class="field-error">{book.error}</p>' if book.error else ""
    said = f'<div role="status" class="toast">{book.message}</div>' if book.message else ""
    rows = "".join(
        f'<li>{escape(title)} <button hx-post="/htmx-orders/remove/{id}?{at}">Delete</button></li>'
        for id, title in book.rows.items()
    )
    prevent = 'onsubmit="return false"' if trigger else ""
    return f"""<main id=orders hx-target="#orders" hx-swap="outerHTML">
      <form hx-post="/htmx-orders/save?{at}" {trigger} {prevent} novalidate>
      <label>Title <input name=title {invalid}></label>{error}<button>Save</button></form>
      <label><input type=checkbox name=paid {_checked(book)} hx-post="/htmx-orders/pay?{at}"> Paid</label>
      <ul>{rows}</ul>{said}</main>"""


def _ujs(book: OrderBook, trial: str) -> str:
    at = _query(book, trial)
    remote = "" if book.scenario == "nothing" else 'data-remote="true"'
    dead = 'onsubmit="return false"' if not remote else ""
    error = f'<p class="field-error" role=alert>{book.error}</p>' if book.error else ""
    rows = "".join(
        f'<li>{escape(title)} <button data-remote="true" data-method="delete" '
        f'data-url="/ujs/remove/{id}?{at}">Delete</button></li>'
        for id, title in book.rows.items()
    )
    flash = f'<p class="flash notice">{book.message}</p>' if book.message else ""
    return f"""<main id=orders><div id=flash>{flash}</div>
      <form action="/ujs/save?{at}" method=post {remote} {dead} novalidate>
      <label>Title <input name=title></label>{error}<button>Save</button></form>
      <label><input type=checkbox name=paid value=on {_checked(book)} data-remote="true" data-method="post"
        data-url="/ujs/pay?{at}"> Paid</label><ul>{rows}</ul></main>"""


def _live(book: OrderBook, _trial: str) -> str:
    submit = "" if book.scenario == "nothing" else 'live-submit="save"'
    error = f'<span class="field-error" role=alert>{book.error}</span>' if book.error else ""
    flash = f'<div role=status class="toast">{book.message}</div>' if book.message else ""
    rows = "".join(
        f'<li id="row-{id}">{escape(title)} <button live-click="remove" data-id="{id}">Delete</button></li>'
        for id, title in book.rows.items()
    )
    return f"""<main><form {submit} novalidate><label>Title <input name=title></label>{error}
      <button>Save</button></form>
      <label><input type=checkbox live-change="pay" {_checked(book)}> Paid</label>
      <ul id=rows>{rows}</ul>{flash}</main>"""
