"""Recognise links that write when they are followed. Before that, only their words can show it.

The lexicon of policy judges the words of label and address. A link with a word that opens a form (`Add`, `Edit`) leads
to a page, unless its address names a record to change. A word that names a thing (`Order`) leads to a page in a menu.
After the address of a record, a part that names no known page counts as an order too.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from msgspec import UNSET

from uiap.discovery.risk_words import worst_class
from uiap.policy.addresses import (
    FORM,
    OPERATIONS,
    PAGE,
    SEPARATORS,
    SHOWS,
    THING,
    VIEW_PARAMETERS,
    address_order,
    read_address,
    verb_order,
)
from uiap.policy.control import native_of
from uiap.policy.disguise import words_of
from uiap.policy.lexicon import is_known_language, meaning_of
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ElementNode

_FORM_BUTTONS = FORM | {
    *("rename", "umbenennen", "renommer", "renombrar", "rinomina", "renomear", "hernoemen"),
    *("import", "importieren", "importer", "importar", "importa", "importeren"),  # they ask for a file
}
_NEEDS_INPUT = {
    *("insert", "rename", "upload", "invite", "compose", "reply", "comment"),
    *("insérer", "renommer", "inviter", "insertar", "renombrar", "invitar"),
    *("inserisci", "rinomina", "invita", "inserir", "renomear", "convidar"),
    *("invoegen", "hernoemen", "uitnodigen"),
}
"""Verbs that nobody can carry out without an entry: a link with them leads to its form, unless it names a record."""
_AT_ONCE = {
    *(
        "now",
        "all",
        "everyone",
        "everybody",
        "again",
        "jetzt",
        "alle",
        "alles",
        "nochmals",
        "maintenant",
        "tous",
    ),
    *("toutes", "ahora", "todo", "todos", "todas", "adesso", "tutti", "tutte", "agora", "nu", "iedereen"),
}
"""Words with which a verb needs no entry: `Invite all`."""
_NEW = {
    "new",
    "neu",
    "neue",
    "neuen",
    "neues",
    "nouveau",
    "nouvelle",
    "nuevo",
    "nueva",
    "nuovo",
    "nuova",
    "novo",
    "nova",
}
_NEEDS_INPUT_LAST = {"einfügen", "umbenennen", "hochladen", "einladen", "antworten"}
_EDIT_LABELS = {"edit", "bearbeiten", "modifier", "éditer", "editar", "modifica", "bewerken"}
_EDIT_PAGES = ("update", "change", "modify")
_FORM_PAGES = ("edit", "new")
_ARTICLES = frozenset({"a", "an", "new", "another"})
_NOUN_ENDINGS = (
    "tion",
    "tions",
    "ment",
    "ments",
    "ity",
    "ory",
    "ics",
    "ings",
    "ance",
    "ence",
    "ship",
    "ness",
    "ware",
)
_MIN_WORD_LETTERS = 3
_MAX_TITLE_WORDS = 5
"""A longer label is a title; only its first and last words order something."""


_MAX_PLACE_WORDS = 3
_HANDLERS = ("on", "ng-", "v-on", "x-on", "wire:", "@", "jsaction", "data-action")
"""Attributes with a handler of the page, which a link to an address often has."""


class LinkOrder(NamedTuple):
    side_effect: SideEffectClass
    why: str


class _Address(NamedTuple):
    words: tuple[str, ...]
    """The words of the path, without ids."""
    last: str
    """The last part of the path that is no id."""
    tail: str
    """The part after the last id, or ""."""
    has_record: bool
    is_record: bool = False
    """The path has an id."""
    head: str = ""
    """The part before the first id, or ""."""
    operation: str = ""
    """The operation that a parameter chooses, or ""."""


def leads_to_address(element: ElementNode) -> bool:
    """Whether following the element loads an address. `#` and `javascript:` only run a script of the page."""
    metadata = element.metadata if element.metadata is not UNSET else {}
    href = metadata.get("href")
    if not isinstance(href, str) or not (element.role == "link" or native_of(element) == "link"):
        return False
    text = href.strip().lower()
    if text.startswith("#"):
        return text.startswith(("#/", "#!/"))
    return bool(text) and not text.startswith("javascript:")


def part_of_link(element: ElementNode) -> str:
    """Return the part of the page that a link leads to: `api` for `#api`; "" for `#`, for a route, and for an order."""
    href = element.metadata.get("href") if element.metadata is not UNSET else None
    if not isinstance(href, str) or element.role != "link" or not href.strip().startswith("#"):
        return ""
    part = unquote(href.strip()[1:])
    words = words_of(SEPARATORS.sub(" ", part))
    text = " ".join(words)
    orders = worst_class(_kinds(text)) is not None and not opens_form(text)
    return "" if orders or not OPERATIONS.isdisjoint(words) or part.startswith(("/", "!")) else part


def words_of_part(element: ElementNode) -> str:
    """Return the words of the part of the page that a link leads to: `add transaction` for `#add-transaction`."""
    return " ".join(words_of(SEPARATORS.sub(" ", part_of_link(element))))


def sends_request(element: ElementNode) -> bool:
    """Whether an attribute of the link sends a request of another kind, or asks before it is followed."""
    method = element.metadata.get("method", "") if element.metadata is not UNSET else ""
    return bool(method) and not str(method).startswith(_HANDLERS)


def is_handled_by_request(element: ElementNode) -> bool:
    """Whether a script of the page sends a request when the link is pressed, and no attribute says which one."""
    return element.metadata is not UNSET and element.metadata.get("method") == "request"


@lru_cache(8192)
def link_order(label: str, url: str, *, in_menu: bool = False, page: str = "") -> LinkOrder | None:
    """Return the side effect that following the link may have; None if it leads to a page.

    `page` is the address of the page with the link. The parts that both addresses begin with name a place: on `/book/`,
    the link `Book 47` to `/book/47/` names a record.
    """
    address = _read(url)
    place = _common_parts(page, url)
    for verb in read_address(url).verbs:
        if (order := _verb_order(verb)) is not None:
            return order
    words = words_of(label)
    for flag, is_blank in read_address(url).flags:
        if (order := _flag_order(flag, is_blank, words, address)) is not None:
            return order
    ordered = address_order(url)  # policy asks before an agent follows it, so discovery never does
    if ordered is not None and not place.issuperset(words_of(ordered.operation)):
        kind = worst_class(set(ordered.kinds)) or "unknown"
        return LinkOrder(kind, f"the address asks for the operation `{ordered.operation}`")
    if address.operation in _FORM_PAGES and worst_class(_kinds(label)) in (None, "data_write"):
        return None  # `Attach file` to `?action=new`
    if _opens_form(words, address) or (in_menu and _names_thing(words, address)):
        return None
    if in_menu and names_place(label) and address.last in FORM and not address.has_record:
        return None  # `Backups` in a menu, to `/backups/create`
    rest = tuple(word for word in words if word not in place)
    judged_label = " ".join(rest) if rest and rest != words else label
    judged_words = (one for one in address.words if one.lower() not in place)
    for text in (_judged_part(judged_label, rest or words), *judged_words):
        if (order := _order_of(text, address)) is not None:
            return order
    return _unknown_order(words, address)


def _common_parts(page: str, url: str) -> frozenset[str]:
    """Return the names in the path that both addresses begin with."""
    ours, theirs = (urlsplit(one).path.lower().strip("/").split("/") for one in (page, url))
    common = takewhile(lambda pair: pair[0] == pair[1], zip(ours, theirs, strict=False))
    parts = [part for part, _ in common if part]
    return frozenset(SEPARATORS.sub(" ", unquote(part)) for part in parts)


def _read(url: str) -> _Address:
    known = read_address(url)
    segments, ids = known.segments, sorted(known.ids)
    names = [one for at, one in enumerate(segments) if at not in known.ids]
    return _Address(
        words=tuple(SEPARATORS.sub(" ", one) for one in names),
        last=names[-1].lower() if names else "",
        tail=segments[-1].lower() if ids and ids[-1] < len(segments) - 1 else "",
        has_record=bool(ids) or known.keyed,
        is_record=bool(ids),
        head=segments[ids[0] - 1].lower() if ids and ids[0] > 0 else "",
        operation=next((one.lower() for one in known.verbs), ""),
    )


def _opens_form(words: tuple[str, ...], address: _Address) -> bool:
    """Whether the label opens a form: `Add user`, `Passwort ändern`, and the address is not about one record."""
    needs_input = bool(words) and (words[0] in _NEEDS_INPUT or words[-1] in _NEEDS_INPUT_LAST)
    if needs_input and not address.has_record and _AT_ONCE.isdisjoint(words):
        return not any(_kinds(word) & {"destructive", "billing"} for word in words)
    makes_new = not _NEW.isdisjoint(words[:-1]) and _AT_ONCE.isdisjoint(words)
    if makes_new and address.last in FORM and not address.has_record:  # `Start a new project`
        return not _kinds(words[0]) & {"billing"} and not any("destructive" in _kinds(one) for one in words)
    if not words or FORM.isdisjoint((words[0], "" if words[-1] in _NEW else words[-1])):  # `Mark as new`
        return False
    if not address.has_record:
        orders = any(_kinds(word) & {"destructive", "billing"} for word in words)
        return not orders and all(hint.kind != "write" for hint in meaning_of(" ".join(words)).names)
    if words[0] in _EDIT_LABELS and address.last in _EDIT_PAGES:
        return True  # `Edit` to `/items/update/3`: without an entry there is nothing to update
    return address.tail in PAGE or address.last in _FORM_PAGES


def _names_thing(words: tuple[str, ...], address: _Address) -> bool:
    """Whether a menu leads to the page of a thing: the label is its name, and the address too."""
    if address.has_record or not 1 <= len(words) <= 2:
        return False
    return all(word in THING or not _kinds(word) for word in words)


def _judged_part(label: str, words: tuple[str, ...]) -> str:
    return label if len(words) <= _MAX_TITLE_WORDS else f"{words[0]} {words[-1]}"


def _order_of(text: str, address: _Address) -> LinkOrder | None:
    meaning = meaning_of(text)
    tags = {hint.kind for hint in (*meaning.orders, *meaning.asks)}
    tags |= {hint.kind for hint in meaning.names if address.has_record or hint.kind == "write"}
    words = words_of(text)
    if len(words) > 1 and words[-1] in PAGE and all(word in THING for word in words[:-1]):
        return None  # `Order history`
    if words and words[-1] in PAGE and not tags & {"destructive", "billing", "write"}:
        return None
    kind = worst_class(tags)
    return LinkOrder(kind, f"`{text}` may order something") if kind is not None else None


def _verb_order(verb: str) -> LinkOrder | None:
    """Return the order of an operation that the address asks for by a parameter, as in `?action=purge`."""
    order = verb_order(verb)
    if order is None:
        return None
    return LinkOrder(
        worst_class(set(order.kinds)) or "unknown", f"the address asks for the operation `{verb}`"
    )


def _flag_order(flag: str, is_blank: bool, words: tuple[str, ...], address: _Address) -> LinkOrder | None:
    """Return the order of a parameter that is only switched on.

    It is a verb of the lexicon, or a word on the address of a record that names no part of its page and has no value
    or is in the label.
    """
    names = words_of(SEPARATORS.sub(" ", flag.lstrip("@_$")))
    if flag.lower() in VIEW_PARAMETERS or not names:
        return None
    kind = worst_class(_kinds(" ".join(names)))
    is_word = all(len(one) >= _MIN_WORD_LETTERS for one in names) and not _names_page(names[-1])
    is_operation = address.is_record and is_word and (is_blank or names[0] in words)
    if kind is None and not is_operation:
        return None
    return LinkOrder(kind or "unknown", f"the address asks for the operation `{flag}`")


def _unknown_order(words: tuple[str, ...], address: _Address) -> LinkOrder | None:
    """Return an unknown order: a part after or before a record's id that names no page."""
    operation = next((word for word in address.words if word.lower() in OPERATIONS), None)
    if operation is not None:
        return LinkOrder("unknown", f"`{operation}` in an address asks for an operation")
    if address.tail and not _names_page(address.tail):
        return LinkOrder("unknown", f"`{address.tail}` on the address of a record is no known page")
    head = words_of(address.head)
    if head and words == head and not _names_page(address.head):
        return LinkOrder("unknown", f"`{address.head}` may be an operation on a record")
    return None


def opens_form(label: str) -> bool:
    """Whether a label opens a form: `Create`, `Add user`, `Neuer Eintrag`. It orders nothing else.

    `Add to cart` has one word too many: it says where the thing goes.
    """
    words = words_of(label)
    words = (*words[:1], *(word for word in words[1:] if word not in _ARTICLES))
    if not 1 <= len(words) <= 2 or _FORM_BUTTONS.isdisjoint((words[0], words[-1])):
        return False
    return is_known_language(label) and worst_class(_kinds(label)) in (None, "data_write")


def names_place(label: str) -> bool:
    """Whether a label names a page or a part of one and orders nothing: `Users`, `Billing settings`."""
    words = words_of(label)
    if not 1 <= len(words) <= _MAX_PLACE_WORDS or not is_known_language(label):
        return False
    if words[-1] in FORM or meaning_of(label)[:3] != ((), (), ()):
        return False
    return _names_page(words[-1])


def _names_page(part: str) -> bool:
    words = words_of(part)
    if not words:
        return True
    last = words[-1]
    is_plural = last.endswith("s") and not last.endswith(("ss", "us", "is"))
    return last in PAGE or last in SHOWS or is_plural or last.endswith(_NOUN_ENDINGS) or "." in part


def _kinds(text: str) -> set[str]:
    meaning = meaning_of(text)
    return {hint.kind for hint in (*meaning.orders, *meaning.asks)}
