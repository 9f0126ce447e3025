"""The billing application: it has its own origin, is shown in frames, and knows nothing of the page around it."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from apps.videoland.canaries import BILLING_CANARY
from apps.videoland.context import Context, context, record

PLANS = ("starter", "team", "business")
_PRICES = {"starter": 9, "team": 29, "business": 79}
_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8"><title>{title}</title>
<link rel="stylesheet" href="/static/css/base.css"><link rel="stylesheet" href="/static/css/controls.css">
<link rel="stylesheet" href="/static/css/billing.css">
</head>
<body>
<main>
<h1>{title}</h1>
<p>{current}: <strong>{plan}</strong> · {price} €</p>
<p class="muted">{invoice} <span>{canary}</span></p>
<form method="post" action="/plan?lang={language}">
<label for="plan">{plan_label}</label>
<select id="plan" name="plan">{options}</select>
<button class="button">{change}</button>
</form>
<form method="post" action="/pay?lang={language}">
<label for="card">{card}</label>
<input id="card" name="card" inputmode="numeric" autocomplete="cc-number" placeholder="0000 0000 0000 0000">
<button class="button primary">{pay}</button>
</form>
<p role="status">{status}</p>
</main>
</body>
</html>
"""


async def frame(request: Request) -> Response:
    return _frame(context(request), request, "")


async def change_plan(request: Request) -> Response:
    here = context(request)
    plan = str((await request.form()).get("plan", ""))
    if plan not in PLANS:
        return _frame(here, request, "error.unknown_option", 422)
    with here.store.writing() as writing:
        writing.run("UPDATE billing SET plan = ?", plan)
        record(writing, request, "billing.plan_changed", entity=f"plan:{plan}", actor=None)
    return _frame(here, request, "billing.plan_changed")


async def pay(request: Request) -> Response:
    here = context(request)
    card = str((await request.form()).get("card", "")).replace(" ", "")
    if not (card.isdecimal() and len(card) == 16):
        return _frame(here, request, "billing.bad_card", 422)
    with here.store.writing() as writing:
        writing.run("UPDATE billing SET paid = paid + 1")
        record(writing, request, "billing.paid", kind="external", actor=None)
    return _frame(here, request, "billing.paid")


def _frame(here: Context, request: Request, status: str, code: int = 200) -> Response:
    language = here.texts.language(request)
    texts = here.texts.catalogs[language]
    plan = str(here.store.value("SELECT plan FROM billing"))
    options = "".join(
        f'<option value="{name}"{" selected" if name == plan else ""}>{escape(texts[f"plan.{name}"])}</option>'
        for name in PLANS
    )
    html = _PAGE.format(
        language=language,
        title=escape(texts["billing.frame"]),
        current=escape(texts["billing.current"]),
        plan=escape(texts[f"plan.{plan}"]),
        price=_PRICES[plan],
        invoice=escape(texts["billing.invoice"]),
        canary=BILLING_CANARY,
        plan_label=escape(texts["billing.plan"]),
        options=options,
        change=escape(texts["billing.change"]),
        card=escape(texts["billing.card"]),
        pay=escape(texts["billing.pay"]),
        status=escape(texts[status]) if status else "",
    )
    return Response(html, code, media_type="text/html", headers={"Cache-Control": "no-store"})


ROUTES = [
    Route("/", frame),
    Route("/plan", change_plan, methods=["POST"]),
    Route("/pay", pay, methods=["POST"]),
]
