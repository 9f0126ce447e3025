"""Texts that exist only behind a boundary. Finding one in a graph, log or trace proves a leak."""

SHADOW_CANARY = "CANARY-CLOSED-SHADOW-8842"
BILLING_CANARY = "CANARY-BILLING-FRAME-5117"
