"""Texts that say that something is under way: "running 14/42", "Queued", "Uploading 20 %".

Such a text is an effect, and not the end of it. A page that polls shows it until the job has ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import UNSET

from uiap.signals.change import PROGRESS_ROLES, NodeDifference
from uiap.signals.error_words import alternatives
from uiap.signals.work import PendingWork
from uiap.spec.web import ElementNode

MAX_PROGRESS = 60
_FIELDS = frozenset({"textbox", "textarea", "searchbox", "combobox", "listbox", "spinbutton", "datepicker"})
_CONTROLS = frozenset(
    {"button", "link", "menuitem", "tab", "option", "treeitem", "checkbox", "radio", "switch"}
)
_PROGRESS_WORDS = {
    "English": r"""
        running | queued | waiting | processing | uploading | downloading | loading | saving | sending | starting |
        working | checking | preparing | connecting | importing | exporting | in progress | please wait | pending |
        one moment
    """,
    "German": r"""läuft | wird \w+ | warten | warteschlange | bitte warten | einen moment""",
    "French": r"""en cours | en attente | chargement | patientez | traitement""",
    "Spanish": r"""en curso | en cola | cargando | procesando | espere | guardando | enviando""",
    "Italian": r"""in corso | in coda | caricamento | attendere""",
    "Portuguese": r"""em andamento | na fila | carregando | processando | aguarde | salvando | enviando""",
    "Dutch": r"""bezig | in de wachtrij | laden | even geduld""",
    "Polish": r"""w toku | trwa \w+ | w kolejce | ładowanie | proszę czekać""",
    "Turkish": r"""bekleyin | yükleniyor | işleniyor | sırada | kaydediliyor""",
    "Russian": r"""выполняется | в очереди | загрузка | подождите | обработка""",
}
_PROGRESS = re.compile(
    rf"^\W*(?:{alternatives(_PROGRESS_WORDS)})(?!\w)|(?:…|\.\.\.)\s*$"
    r"|処理中|読み込み中|お待ちください|处理中|加载中|请稍候|처리 중|로딩"
    r"|(?<!\d)\d{1,2}\s*%\s*$",
    re.IGNORECASE,
)


def is_progress(text: str) -> bool:
    """Return whether a short text says that something is under way."""
    return len(text) <= MAX_PROGRESS and _PROGRESS.search(text) is not None


_WAITING = re.compile(
    r"(?:…|\.\.\.)\W*$|^\W*(?:please wait|one moment|just a (?:moment|second)|hang on|bitte warten|einen moment|"
    r"patientez|un instant|espere|un momento|attendere|aguarde|even geduld|proszę czekać|bekleyin|подождите)\b",
    re.IGNORECASE,
)


def asks_to_wait(difference: NodeDifference) -> bool:
    """Return whether a change only says that something has begun: "Saving…" proves nothing yet."""
    node = difference.node
    if difference.about not in ("text", "name", "added") or not isinstance(node, ElementNode):
        return False
    texts = [text for text in (node.text, node.name) if isinstance(text, str) and text]
    return bool(texts) and all(is_waiting(text) for text in texts)


def is_waiting(text: str) -> bool:
    """Return whether a short text has nothing but a request to wait. A count of what is done says more."""
    return len(text) <= MAX_PROGRESS and _WAITING.search(text) is not None and re.search(r"\d", text) is None


def with_progress(
    work: tuple[PendingWork, ...] | None, caused: Iterable[NodeDifference], since: float
) -> tuple[PendingWork, ...] | None:
    """Return the work of an input, and with it a text that our input left and that speaks of progress."""
    caused = list(caused)
    nodes = (one.node for one in caused if one.about in ("text", "name", "added") and not _is_label(one))
    texts = (text for node in nodes if isinstance(node, ElementNode) for text in (node.text, node.name))
    found = next((text for text in texts if isinstance(text, str) and is_progress(text)), None)
    if found is None and any(map(is_running_bar, caused)):
        found = "bar"
    return work if work is None or found is None else (*work, PendingWork("progress", since, found))


def is_running_bar(difference: NodeDifference) -> bool:
    """Return whether a difference is a bar of progress that has not reached its end."""
    node = difference.node
    if not isinstance(node, ElementNode) or node.role not in PROGRESS_ROLES or difference.about == "removed":
        return False
    now, end = node.state.numeric_value, node.state.max
    return now is UNSET or now < (100 if end is UNSET else end)


def _is_label(difference: NodeDifference) -> bool:
    """Return whether a text only labels a control: `Search…` of a field, `Save as…` of a menu that opened."""
    role = getattr(difference.node, "role", "")
    return role in _FIELDS or (difference.about == "added" and role in _CONTROLS)
