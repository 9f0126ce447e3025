"""Answers of a server that refuse what the input asked for: by their status, or by their text.

Knows shapes of answers and words only. Many servers refuse with status 200 and say so in the body, and an optimistic
page shows success all the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple, TypeAlias
from urllib.parse import urlsplit

import msgspec

from uiap.signals.error_words import only_denies_failure, reports_failure

Road: TypeAlias = Literal["request", "socket", "events", "worker"]
READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_WORDS = 200
MAX_DEPTH = 3
MAX_SHORT = 4
MAX_PLAIN = 200
"""A longer plain text is a document, not a message."""


class Answer(msgspec.Struct, frozen=True, rename="camel"):
    """An answer to a message of our input, with the beginning of its text."""

    road: Road = "request"
    method: str = ""
    address: str = ""
    status: int = 0
    """The HTTP status; 0 if there is none."""
    media_type: str = ""
    text: str = ""
    failed: bool = False
    """The network did not deliver it."""

    @property
    def is_read(self) -> bool:
        return self.road == "request" and self.method.upper() in READ_METHODS

    @property
    def key(self) -> str:
        """The question that was answered. A later answer to the same question replaces an earlier one."""
        return f"{self.road} {self.method.upper()} {self.address.partition('?')[0]}"

    @property
    def summary(self) -> str:
        if self.road != "request":
            return f"the {self.road} answered"
        return f"{self.method.upper()} {urlsplit(self.address).path or self.address}"


def refusal_of(answer: Answer) -> str | None:
    """Return why the answer refuses, in its own words where it has some; None if it does not refuse."""
    if is_telemetry(answer.address):
        return None
    pushed = answer.road != "request"
    words = refusal_in(
        answer.text, answer.media_type, read=answer.is_read, pushed=pushed, address=answer.address
    )
    if refuses_by_status(answer.method, answer.status, answer.address):
        said = words or _any_words(answer.text)
        return f"{answer.summary} was answered with {answer.status}" + (f": {said}" if said else "")
    if answer.failed and not answer.is_read:
        return f"{answer.summary}: no answer"
    if words is None or answer.status >= 400:
        return None
    return f"{answer.summary}: {words}"


def undone_deeds(answer: Answer) -> tuple[str, ...]:
    """Return the members of the answer to a write that are false, such as `posted`. The control says if they refuse."""
    if answer.is_read or answer.status >= 400 or answer.failed:
        return ()
    value = _parsed(_GUARDS.sub("", answer.text, count=1).strip())
    if not isinstance(value, dict):
        return ()
    inner = next(
        (one for key, one in value.items() if _plain_key(key) in _WRAPPERS and isinstance(one, dict)), {}
    )
    return tuple(_plain_key(key) for key, one in (*value.items(), *inner.items()) if one is False)


ABSENT = (404, 405, 410, 501)
"""There is no such thing, or the server does not offer it."""
ASKING_METHODS = READ_METHODS | {"PROPFIND", "REPORT", "SEARCH", "QUERY"}
_ASKING_WORDS = re.compile(
    r"(?:^|[/._-])(?:list|search|query|find|lookup|suggest|suggestions|autocomplete|count|status|get|fetch|read|exists)"
    r"(?:[A-Z][A-Za-z]*)?/?$"
)


def refuses_by_status(method: str, status: int, address: str = "") -> bool:
    """Return whether a status refuses. A read that finds nothing is an answer: a name may be free, a feature absent."""
    if status < 400:
        return False
    asks = method.upper() in ASKING_METHODS or (
        method.upper() == "POST" and _ASKING_WORDS.search(urlsplit(address).path) is not None
    )
    return not (asks and status in ABSENT)


def _words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- telemetry ----------------------------------------------------------------------------------------------

_TELEMETRY_SEGMENTS = _words_in(
    """analytics telemetry beacon beacons collect pixel rum tracking metrics gtm matomo piwik vitals web-vitals
    clickstream csp-report cdn-cgi"""
)
_TELEMETRY_HOSTS = re.compile(
    r"(?:^|\.)(?:google-analytics|googletagmanager|doubleclick|segment|sentry|mixpanel|amplitude|hotjar|datadoghq|"
    r"datadoghq-browser-agent|nr-data|newrelic|plausible|posthog|bugsnag|clarity|fullstory|heapanalytics|"
    r"cloudflareinsights|logrocket|rollbar|browser-intake-datadoghq)\.|^(?:analytics|telemetry|metrics|stats|rum)\."
)


def is_telemetry(address: str) -> bool:
    """Return whether a request only counts what people do. Its failure says nothing about the action."""
    split = urlsplit(address)
    segments = {segment.lower() for segment in split.path.split("/")}
    return bool(segments & _TELEMETRY_SEGMENTS) or _TELEMETRY_HOSTS.search(split.netloc.lower()) is not None


# -- texts --------------------------------------------------------------------------------------------------

_GUARDS = re.compile(r"^\s*(?:\)\]\}'[^\n]*\n?|(?:for\s*\(;;\)|while\s*\(1\))\s*;)")
"""Prefixes that keep other sites from running an answer as a script."""
_FRAMING = re.compile(r"^(?:\d+(?:-\d+)?(?:/[\w-]+,)?)(?=[\[{])")
"""The packet type before the JSON of a socket.io message."""
_FAULT = re.compile(
    r"<(?:\w+:)?fault(?:string|\b[^>]*>.*?<(?:\w+:)?(?:faultstring|Text)\b)[^>]*>\s*([^<]*)", re.I | re.S
)
_PLAIN_REFUSALS = _words_in("nok ko nak nack error fail failed failure false denied rejected")


def refusal_in(
    text: str,
    media_type: str = "",
    *,
    read: bool = False,
    pushed: bool = False,
    address: str = "",
    findings: bool = False,
    denials: bool = True,
) -> str | None:
    """Return the words of a text that refuses. `pushed`: it came over a channel without a status of its own.

    With `findings`, a list of errors is what was asked for.
    """
    body = _GUARDS.sub("", text, count=1).strip()
    if not body:
        return None
    if fault := _FAULT.search(body) if body.startswith("<") else None:
        return _short(fault[1]) or "fault"
    value = _parsed(_FRAMING.sub("", body, count=1) if pushed else body)
    if value is _UNREADABLE:
        return (
            None if read or pushed or body.startswith("<") or "html" in media_type else _plain_refusal(body)
        )
    if "problem+json" in media_type.lower() and isinstance(value, dict):
        return _words(value)
    return next(_refusals(value, _Question(read, pushed, address.lower(), findings, denials), 0), None)


_UNREADABLE = object()


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _UNREADABLE


def _plain_refusal(text: str) -> str | None:
    """Return a short text that begins with a word of refusal, such as `ERROR: no stock`."""
    first = re.split(r"[\s:;,.!-]", text, maxsplit=1)[0].lower()
    if len(text) > MAX_PLAIN or not (first in _PLAIN_REFUSALS or reports_failure(first)):
        return None
    if only_denies_failure(text):
        return None
    return _short(text)


# -- shapes -------------------------------------------------------------------------------------------------

_SUCCESS_FLAGS = _words_in(
    "ok success successful succeeded issuccess issuccessful issucceeded exito éxito erfolg sucesso erfolgreich"
)
_DEED_FLAGS = _words_in(
    "valid isvalid accepted isaccepted allowed permitted saved stored added created updated sent applied processed"
)
"""Members that say whether the deed was done. Beside data of its own, such a member is part of a record."""
_SWITCHING_REQUEST = re.compile(r"toggle|remov|delet|unsave|unset")
_FAILURE_FLAGS = _words_in("failed fail haserror haserrors iserror failure")
_STATUS_MEMBERS = _words_in("status result state outcome code resultcode statuscode responsecode")
_ERROR_VALUES = _words_in(
    """error errors err fail failed failure ko nok nack fault exception validation_error bad_request not_ok
    unauthorized unauthorised forbidden fehler erreur échec echec errore erro"""
)
_DECISIONS = _words_in(
    """blocked expired taken full locked unavailable insufficient_funds limit_reached quota_exceeded out_of_stock
    sold_out not_allowed duplicate conflict rejected declined denied refused invalid
    rechazado rechazada abgelehnt refusé refusée rifiutato recusado
    afgewezen отклонено"""
)
"""Values that refuse, unless the request asked for just this decision."""
_REFUSING_REQUEST = re.compile(
    r"rejec|declin|den[iy]|refus|rechaz|ablehn|rifiut|recus|invalidat|block|lock|expire"
)
_ERROR_MEMBERS = _words_in(
    """error err errormessage errormsg errmsg errordescription exception fault fehler erreur errore erro faultstring
    errorcode errcode errno"""
)
_OWN_LISTS = _words_in(
    "usererrors validationerrors fielderrors formerrors nonfielderrors invalidparams modelstate"
)
_LIST_MEMBERS = _OWN_LISTS | _words_in("errors violations problems erreurs errores errori erros")
_ENVELOPE = _words_in(
    """data extensions message msg detail details title type instance jsonrpc id meta traceid requestid timestamp
    path hint reason description"""
)
"""Members around an answer. An object with others holds data of its own."""
_WRAPPERS = _words_in("data result response payload body meta d answer reply status")
_FIELD_MEMBERS = _words_in("field fields")
_OF_RECORDS = _words_in("id title type path description")
_ENVELOPE_IDS = _words_in("id requestid traceid timestamp jsonrpc type event kind op ref seq")
_CONTENT_MEMBERS = _words_in(
    "title name text body label content description value url path email user author task"
)
"""Members with the content of a record. A flag beside them is a state of that record."""
_RECORD_MEMBERS = _words_in("title type path description reason details id")
_KNOWN = (
    _ENVELOPE | _WRAPPERS | _SUCCESS_FLAGS | _FAILURE_FLAGS | _STATUS_MEMBERS | _ERROR_MEMBERS | _LIST_MEMBERS
)
_WORD_MEMBERS = (
    "message", "msg", "errormessage", "errormsg", "errmsg", "errordescription", "detail", "details", "description",
    "reason", "text", "title", "error", "faultstring", "mensaje", "nachricht", "meldung", "messaggio", "mensagem",
    "hint", "code",
)  # fmt: skip
_TEXT_MEMBERS = frozenset(_WORD_MEMBERS) - {"code"}
_NO_ERROR = _words_in("none no ok 0 false null nil success no_error noerror no-error 200 n/a - 00000")
_PUSH_KINDS = _words_in("type event kind op t")
_EMPTY: tuple[Any, ...] = (None, "", 0, "0", False, [], {})


class _Question(NamedTuple):
    """The request or message, as far as the meaning of its answer depends on it."""

    read: bool
    pushed: bool
    address: str
    findings: bool = False
    denials: bool = True

    @property
    def asks_refusal(self) -> bool:
        """Whether the request itself declines something: then a refusal in the answer is its effect."""
        return _REFUSING_REQUEST.search(self.address) is not None


def _refusals(value: Any, question: _Question, depth: int) -> Iterator[str]:
    if isinstance(value, list):
        yield from _refusals_of_list(value, question, depth)
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return
    members = {_plain_key(key): one for key, one in value.items()}
    if _is_refusal(members, question):
        yield _words(value)
    for key in _WRAPPERS & members.keys():
        yield from _refusals(members[key], question, depth + 1)
    if isinstance(
        fields := members.get("data"), dict
    ):  # each field of a GraphQL mutation has its own payload
        for payload in fields.values():
            if isinstance(payload, dict):
                yield from _refusals(payload, question._replace(read=True, pushed=False), depth + 2)


def _refusals_of_list(value: list[Any], question: _Question, depth: int) -> Iterator[str]:
    """Yield the refusals of a batch or of a message with a header. A list of records refuses nothing."""
    if question.pushed and value and _is_word(value[0], _ERROR_VALUES):
        yield _short(next((words for one in value[1:] if (words := _any_words_of(one))), value[0]))
    for one in value[:50]:
        is_batch = isinstance(one, dict) and (
            "jsonrpc" in one or one.keys() <= {"data", "errors", "extensions"}
        )
        if depth == 0 and (question.pushed or is_batch):
            yield from _refusals(one, question, depth + 1)


def _is_refusal(members: dict[str, Any], question: _Question) -> bool:
    """Return whether the members of an answer refuse: by a flag, a status, an error or their message."""
    if any(members.get(flag) is False for flag in _SUCCESS_FLAGS):
        return True
    if any(members.get(flag) is True for flag in _FAILURE_FLAGS):
        return True
    if not question.read and not question.pushed and question.denials and _denies_deed(members, question):
        return True
    if not question.read and (_is_undone(members, question) or _is_reasoned_no(members, question)):
        return True
    if any(_is_refusing_status(members[key], members, question) for key in _STATUS_MEMBERS & members.keys()):
        return True
    if not question.read and not question.pushed and _is_short_decision(members, question):
        return True
    if question.pushed and any(_is_word(members.get(member), _ERROR_VALUES) for member in _PUSH_KINDS):
        return True
    if any(_is_error(members[member]) for member in _ERROR_MEMBERS & members.keys()):
        return not question.read or members.keys() <= _KNOWN
    lists = _LIST_MEMBERS & members.keys()
    if question.findings and "data" not in members:
        lists = frozenset(one for one in lists if _names_messages(members[one]))
    if any(_is_error_list(members[key]) for key in lists):
        return not question.read or _has_no_data(members)
    return not question.read and not question.pushed and _is_message_only(members)


def _names_messages(errors: Any) -> bool:
    """Return whether a list of errors has messages, as GraphQL has them: they are no findings."""
    return isinstance(errors, list) and any(isinstance(one, dict) and "message" in one for one in errors)


def _is_short_decision(members: dict[str, Any], question: _Question) -> bool:
    """Return whether the answer to a write is a few words, and one of them is a decision that refuses."""
    if question.asks_refusal or len(members) > MAX_SHORT or _OF_RECORDS & members.keys():
        return False
    values = list(members.values())
    return all(isinstance(one, str | int | float | None) for one in values) and any(
        _is_word(one, _DECISIONS) for one in values
    )


_POSITIVE_FLAGS = _DEED_FLAGS | _words_in(
    """match matches matched kept booked reserved posted published delivered eligible available confirmed granted
    approved registered joined succeeded uploaded imported submitted paid charged ordered placed"""
)


def _denies_deed(members: dict[str, Any], question: _Question) -> bool:
    """Return whether the answer to a write is no record, has no true flag, and denies something: `{"match": false}`."""
    if _SWITCHING_REQUEST.search(question.address) or (_OF_RECORDS | _CONTENT_MEMBERS) & members.keys():
        return False
    flags = {key: one for key, one in members.items() if isinstance(one, bool)}
    return not any(flags.values()) and bool(_POSITIVE_FLAGS & flags.keys())


def _is_undone(members: dict[str, Any], question: _Question) -> bool:
    """Return whether the answer to a write says that its deed was not done: `{"added": false, "reason": …}`."""
    if _SWITCHING_REQUEST.search(question.address) or not any(
        members.get(one) is False for one in _DEED_FLAGS
    ):
        return False
    return members.keys() <= (_KNOWN - _OF_RECORDS) | _DEED_FLAGS | _FIELD_MEMBERS


def _is_reasoned_no(members: dict[str, Any], question: _Question) -> bool:
    """Return whether the answer is one false flag and its reason, in any language: `{"gelukt": false, "reden": …}`."""
    ignored = _ENVELOPE_IDS if question.pushed else frozenset[str]()
    rest = {key: one for key, one in members.items() if key not in ignored}
    flags = [one for one in rest.values() if isinstance(one, bool)]
    texts = [one for key, one in rest.items() if isinstance(one, str) and key not in _CONTENT_MEMBERS]
    if flags != [False] or len(texts) + 1 != len(rest) or _SWITCHING_REQUEST.search(question.address):
        return False
    return any(len(text.split()) > 1 for text in texts)


def _has_no_data(members: dict[str, Any]) -> bool:
    """Return whether nothing beside the errors is data: a list of errors may itself be what was read."""
    others = (members[key] for key in members.keys() - (_KNOWN - _RECORD_MEMBERS))
    return bool(_OWN_LISTS & members.keys()) or all(one is None or isinstance(one, bool) for one in others)


def _is_word(value: Any, words: frozenset[str]) -> bool:
    return isinstance(value, str) and re.sub(r"[\s-]+", "_", value.strip().lower()) in words


def _is_refusing_status(value: Any, members: dict[str, Any], question: _Question) -> bool:
    """Return whether a status refuses. Beside data of its own, it is the state of a record."""
    alone = members.keys() <= _KNOWN
    if _is_word(value, _ERROR_VALUES):
        return alone or bool(_TEXT_MEMBERS & members.keys())
    if _is_word(value, _DECISIONS):
        return alone and not question.asks_refusal
    if not isinstance(value, int) or isinstance(value, bool) or not _TEXT_MEMBERS & members.keys():
        return False
    return 400 <= value < 600 or (alone and (value >= 1000 or value < 0) and not members.get("data"))


def _is_error(value: Any) -> bool:
    """Return whether the value of an `error` member names an error."""
    if isinstance(value, str):
        return value.strip().lower() not in _NO_ERROR | {""}
    if isinstance(value, dict):
        filled = [one for one in value.values() if one not in _EMPTY]
        return any(str(one).lower() not in _NO_ERROR for one in filled)
    if isinstance(value, list):
        return any(_is_error(one) for one in value)
    return value is True or (isinstance(value, int) and value != 0)


def _is_error_list(value: Any) -> bool:
    """Return whether the value of an `errors` member holds an error. A number is only a count and decides nothing."""
    if isinstance(value, dict):
        return any(one not in _EMPTY for one in value.values())
    return value is True or (isinstance(value, list | str) and len(value) > 0)


def _is_message_only(members: dict[str, Any]) -> bool:
    """Return whether the answer is nothing but a message, and the message reports a failure."""
    texts = [members[key] for key in ("message", "msg", "detail") if isinstance(members.get(key), str)]
    says_success = any(members.get(flag) is True for flag in _SUCCESS_FLAGS)
    if not texts or not members.keys() <= _KNOWN or says_success or members.get("data"):
        return False
    return any(reports_failure(text) for text in texts)


# -- words --------------------------------------------------------------------------------------------------


def _plain_key(key: str) -> str:
    return re.sub(r"[_\-\s]", "", key).lower()


def _words(value: dict[str, Any]) -> str:
    """Return the best text of a refusal: that of its error, else its message, else the whole object."""
    members = {_plain_key(key): one for key, one in value.items()}
    for key in (*sorted(_LIST_MEMBERS & members.keys()), *sorted(_ERROR_MEMBERS & members.keys())):
        if words := _any_words_of(members[key], 1):
            return words
    return _any_words_of(value) or _short(json.dumps(value, ensure_ascii=False))


def _any_words_of(value: Any, depth: int = 0) -> str:
    """Return the first text in a value that is meant for people."""
    if isinstance(value, str):
        return _short(value)
    if depth > MAX_DEPTH:
        return ""
    if isinstance(value, list):
        return next((words for one in value if (words := _any_words_of(one, depth + 1))), "")
    if not isinstance(value, dict):
        return ""
    members = {_plain_key(key): one for key, one in value.items()}
    named = (members[key] for key in _WORD_MEMBERS if key in members)
    found = next((words for one in named if (words := _any_words_of(one, depth + 1))), "")
    return found or (_field_words(value, depth) if depth else "")


def _field_words(value: dict[str, Any], depth: int) -> str:
    """Return the first message of an object that names fields: `{"email": ["is taken"]}`."""
    for key, one in value.items():
        if isinstance(one, list | dict | str) and (words := _any_words_of(one, depth + 1)):
            return _short(f"{key}: {words}")
    return ""


def _any_words(text: str) -> str:
    value = _parsed(_GUARDS.sub("", text, count=1).strip())
    if isinstance(value, dict):
        return _any_words_of(value, 1)
    return _short(text) if value is _UNREADABLE and 0 < len(text) <= MAX_PLAIN and "<" not in text else ""


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= MAX_WORDS else words[: MAX_WORDS - 1] + "…"
