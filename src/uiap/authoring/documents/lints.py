"""Find credentials, and endpoints outside App.environments, in the text of a manifest (AUTH-SEC.2).

The patterns run in linear time. A finding is a warning, because only the author knows what a string means.
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
# Every match contains one of these; searching for them first costs a tenth of the pattern.
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
    """Yield the findings with their line, never with the value itself."""
    text = content if isinstance(content, str) else content.decode(errors="replace")
    lower = text.lower()
    for found in _CREDENTIALS.finditer(text) if any(word in lower for word in _TRIGGERS) else ():
        line = text.count("\n", 0, found.start()) + 1
        message = f"line {line} seems to contain a credential"
        yield Lint(
            "warning",
            "credential_in_manifest",
            "",
            message,
            "keep secrets out of manifests; use a reference",
        )
    if "http" in text:
        yield from _endpoints(text)


def _endpoints(text: str) -> Iterator[Lint]:
    for number, line in enumerate(text.splitlines(), 1):
        if "http" in line and _ENDPOINT.search(line) and not _BASE_URL_LINE.search(line):
            message = f"line {number} contains an endpoint"
            hint = "name hosts only in App.environments; redact before publishing"
            yield Lint("warning", "endpoint_in_manifest", "", message, hint)
