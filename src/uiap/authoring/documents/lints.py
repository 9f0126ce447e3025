"""What does not belong into a file under version control: credentials, and endpoints outside their place (AUTH-SEC.2).

Looks at text alone, with linear patterns. A finding is a warning: only the author knows what a string is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from uiap.authoring.kinds.kind import Lint

_CREDENTIALS = re.compile(
    r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
    r"|\bAKIA[0-9A-Z]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}"
    r"|\bxox[abprs]-[A-Za-z0-9-]{10,}"
    r"|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\."
    r"|://[^/\s:@\"']{1,64}:[^/\s:@\"']{1,64}@"
    r"|(?i:\b(?:password|passwd|secret|api[_-]?key|access[_-]?token|client[_-]?secret)\b['\"]?\s{0,4}[:=]\s{0,4}"
    r"['\"]?[^\s'\"{}\[\],]{8,})"
)
# A finding needs one of these; looking for them first costs a tenth of the pattern.
_TRIGGERS = (
    "passw",
    "secret",
    "key",
    "token",
    "akia",
    "gho_",
    "ghp_",
    "ghu_",
    "ghs_",
    "ghr_",
    "xox",
    "eyj",
    "://",
)
_ENDPOINT = re.compile(r"(?i)\bhttps?://[^\s'\"<>]{1,200}")
_BASE_URL_LINE = re.compile(r"(?i)baseUrls|urlPattern|origins|\$schema|^\s*#|^\s*-\s*['\"]?https?://")


def text_lints(content: str | bytes) -> Iterator[Lint]:
    """Findings with their line; the value itself is never repeated."""
    text = content if isinstance(content, str) else content.decode(errors="replace")
    lower = text.lower()
    for found in _CREDENTIALS.finditer(text) if any(word in lower for word in _TRIGGERS) else ():
        line = text.count("\n", 0, found.start()) + 1
        message = f"line {line} looks like it holds a credential"
        yield Lint(
            "warning",
            "credential_in_manifest",
            "",
            message,
            "keep secrets out of manifests; name a reference",
        )
    if "http" in text:
        yield from _endpoints(text)


def _endpoints(text: str) -> Iterator[Lint]:
    for number, line in enumerate(text.splitlines(), 1):
        if "http" in line and _ENDPOINT.search(line) and not _BASE_URL_LINE.search(line):
            message = f"line {number} holds an endpoint"
            hint = "name hosts in App.environments alone; redact before publishing"
            yield Lint("warning", "endpoint_in_manifest", "", message, hint)
