"""Find sentences and names that are not plain English, in the code and in the documentation.

Usage: python tools/words.py [--count] [path ...]

Prints `file:line: rule: excerpt` for each finding and exits with 1 if there is one. `--count` prints the number of
findings per package instead and exits with 0. Without a path it reads the code, the tests, the tools, `docs/*.md` and
`README.md`. `make check` runs it.

The rules:
- A sentence does not begin with a free relative clause ("What was sent is kept"). Questions are fine.
- Some phrases are not used at all, see `PHRASES`.
- A function is not called after a participle (`_told`, `heard`). Predicates such as `is_known` are fine.
- Comments do not cite documents that are not in the repository.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".py", ".ts", ".md")
FOLDERS = ("src", "web/sdk/src", "tests", "tools", "bench", "apps", "examples")
EXAMPLES = {
    "tools/words.py",
    "tools/citations.py",
    "tests/tools/test_words.py",
    "tests/tools/test_citations.py",
}
"""Files that quote the words they look for."""
SKIPPED = {"node_modules", "dist", "outlines", "recordings"}

FREE_RELATIVE = r"(?:what(?:ever)?|who(?:so)?ever|whichever|that which)\s+(?!to\b)[\w`“\"'({]"
FIRST = re.compile(FREE_RELATIVE, re.IGNORECASE)
"""At the beginning of a text or of a list item, in either case."""
LATER = re.compile(
    r"[.!?]\s+(?=" + FREE_RELATIVE.replace("(?:w", "(?:W").replace("|w", "|W").replace("|t", "|T") + ")"
)
"""After the end of another sentence; only a capital letter proves that a new one begins."""
ITEM = re.compile(r"^[ \t]*[-*][ \t]+(?=" + FREE_RELATIVE + ")", re.IGNORECASE | re.MULTILINE)
SENTENCE_END = re.compile(r"[.!?](?=[\s)”\"'*_]|$)|\n[ \t]*(?:\n|[-*#|])")

PHRASES = re.compile(
    r"\bof\s+late\b|\banew\b|\bso\s+many\b(?!\s+that\b)|\bso\s+long\b(?!\s+(?:as|that)\b)|\bcome\s+to\s+by\b"
    r"|\bstands?\s+beside\b|\bbeside\s+it\s+stands?\b|\b(?:is|are|was|were|be|been)\s+told\b(?!\s+apart\b)"
    r"|\bbe\s+so\b(?=\s*(?:[.,;:!?)”\"'`]|$|again\b|yet\b|now\b|already\b))",
    re.IGNORECASE,
)
CITATION = re.compile(r"\bHOUSE\b|\b[Cc]ompanions\s+[§\d]")

PARTICIPLE = re.compile(r"(?:^|_)(?:told|heard|said|shown|known|so)$")
PREDICATE = re.compile(r"^_?(?:is|are|was|were|has|have|had|can|may)_")
PYTHON_FUNCTION = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
SCRIPT_FUNCTION = re.compile(
    r"\bfunction\*?\s+(\w+)"
    r"|^[ \t]+(?:(?:private|public|protected|static|async|get)[ \t]+)*(\w+)\([^;\n]*\{[ \t]*$"
    r"|\bconst[ \t]+(\w+)[ \t]*=[ \t]*(?:async[ \t]*)?(?:\([^;\n]*|\w+[ \t]*)=>",
    re.MULTILINE,
)
SCRIPT_TEXT = re.compile(
    r"/\*.*?\*/|//[^\n]*"
    r"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`",
    re.DOTALL,
)


class Finding(NamedTuple):
    line: int
    rule: str
    excerpt: str


class Text(NamedTuple):
    """A comment, a string or a paragraph, and the line on which it begins."""

    line: int
    text: str


def check_text(text: Text) -> Iterator[Finding]:
    """Yield the findings of one comment, string or paragraph."""
    body = text.text
    for start in _sentence_starts(body):
        end = SENTENCE_END.search(body, start)
        if end is None or body[end.start()] != "?":
            yield _finding(text, start, "begins with a free relative clause")
    for match in PHRASES.finditer(body):
        yield _finding(text, match.start(), f"says `{' '.join(match[0].lower().split())}`")
    for match in CITATION.finditer(body):
        yield _finding(text, match.start(), "cites a document that is not in the repository")


def _sentence_starts(body: str) -> list[int]:
    starts = {match.end() for match in (*LATER.finditer(body), *ITEM.finditer(body))}
    first = re.match(r"[\s\-*“\"'(]*", body)
    if first and FIRST.match(body, first.end()):
        starts.add(first.end())
    return sorted(starts)


def _finding(text: Text, offset: int, rule: str) -> Finding:
    excerpt = " ".join(text.text[offset : offset + 80].split())
    return Finding(text.line + text.text.count("\n", 0, offset), rule, excerpt)


def check_names(source: str, functions: re.Pattern[str]) -> Iterator[Finding]:
    """Yield the functions whose name is a participle."""
    for match in functions.finditer(source):
        name = next(group for group in match.groups() if group)
        if PARTICIPLE.search(name) and not PREDICATE.match(name) and not name.startswith("test_"):
            yield Finding(
                source.count("\n", 0, match.end()) + 1, f"function named `{name}`", match[0].strip()
            )


# -- Texts of each kind of file -------------------------------------------------------------------------------------


def python_texts(source: str) -> Iterator[Text]:
    """Yield comments and strings; successive comment lines and adjacent strings are one text."""
    comments: list[tokenize.TokenInfo] = []
    strings: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind == "COMMENT":
            if comments and not _continues(comments[-1], token):
                yield _joined(comments)
                comments = []
            comments.append(token)
        elif kind in ("STRING", "FSTRING_MIDDLE"):
            strings.append(token)
        elif strings and kind not in ("NL", "FSTRING_START", "FSTRING_END"):
            yield _joined(strings)
            strings = []
    for rest in (comments, strings):
        if rest:
            yield _joined(rest)


def _continues(before: tokenize.TokenInfo, after: tokenize.TokenInfo) -> bool:
    own_line = after.line[: after.start[1]].strip() == ""
    return own_line and after.start[0] == before.end[0] + 1 and after.start[1] == before.start[1]


def _joined(tokens: Sequence[tokenize.TokenInfo]) -> Text:
    """Join tokens so that the lines of the result are the lines of the source."""
    first = tokens[0].start[0]
    joined, line = "", first
    for token in tokens:
        joined += "\n" * (token.start[0] - line) + _bare(token.string)
        line = token.end[0]
    return Text(first, joined)


def _bare(token: str) -> str:
    if token.startswith("#"):
        return token.lstrip("#:").lstrip()
    quoted = re.fullmatch(r"[a-zA-Z]*(\"\"\"|'''|\"|')(.*)\1", token, re.DOTALL)
    return quoted[2] if quoted else token


def script_texts(source: str) -> Iterator[Text]:
    """Yield comments and strings of TypeScript; successive `//` lines are one text."""
    run: list[str] = []
    start = end = 0
    for match in SCRIPT_TEXT.finditer(source):
        line = source.count("\n", 0, match.start()) + 1
        text = match[0]
        if text.startswith("//"):
            alone = source[source.rfind("\n", 0, match.start()) + 1 : match.start()].strip() == ""
            if run and not (alone and line == end + 1):
                yield Text(start, "\n".join(run))
                run = []
            if not run:
                start = line
            run.append(text.lstrip("/").strip())
            end = line
        elif text.startswith("/*"):
            yield Text(line, re.sub(r"(?m)^[ \t]*\*(?!/)", "", text[2:-2].lstrip("*")))
        else:
            yield Text(line, text[1:-1])
    if run:
        yield Text(start, "\n".join(run))


def markdown_texts(source: str) -> Iterator[Text]:
    """Yield paragraphs, list items and table rows; fenced code and headings are left out."""
    lines: list[str] = []
    start, fenced = 1, False
    for number, line in enumerate([*source.split("\n"), ""], 1):
        fence = line.lstrip().startswith(("```", "~~~"))
        fenced ^= fence
        if fenced or fence or not line.strip() or line.startswith("#"):
            if lines:
                yield Text(start, "\n".join(lines))
            lines, start = [], number + 1
        else:
            lines.append(line.lstrip("> "))


def check_file(path: Path) -> list[Finding]:
    source = path.read_text("utf-8")
    found: list[Finding] = []
    if path.suffix == ".py":
        texts = python_texts(source)
        found += check_names(source, PYTHON_FUNCTION)
    elif path.suffix == ".ts":
        texts = script_texts(source)
        found += check_names(source, SCRIPT_FUNCTION)
    else:
        texts = markdown_texts(source)
    for text in texts:
        found += check_text(text)
    return sorted(found)


# -- The command ----------------------------------------------------------------------------------------------------


def files_of(root: Path, paths: Sequence[str] = ()) -> list[Path]:
    """Return the files to check: those below `paths`, or the default ones."""
    if not paths:
        below = [root / folder for folder in FOLDERS]
        single = [*sorted((root / "docs").glob("*.md")), root / "README.md"]
    else:
        given = [Path(path) if Path(path).is_absolute() else root / path for path in paths]
        below = [path for path in given if path.is_dir()]
        single = [path for path in given if not path.is_dir()]
    inside = [file for folder in below for file in sorted(folder.rglob("*")) if _is_ours(file)]
    chosen = [file for file in [*inside, *single] if file.is_file()]
    return chosen if paths else [file for file in chosen if file.relative_to(root).as_posix() not in EXAMPLES]


def _is_ours(file: Path) -> bool:
    return file.suffix in SUFFIXES and SKIPPED.isdisjoint(file.parts)


def package_of(path: Path) -> str:
    """Return `uiap/host` for a module of that package, `web/sdk`, `docs`, or the file itself."""
    parts = path.parts
    if parts[:2] == ("src", "uiap"):
        return f"uiap/{parts[2].removesuffix('.py')}"
    return "/".join(parts[:2]) if parts[0] == "web" else parts[0]


def main(arguments: Sequence[str], root: Path = ROOT) -> int:
    paths = [argument for argument in arguments if not argument.startswith("--")]
    missing = [path for path in paths if not (root / path).exists()]
    unknown = [argument for argument in arguments if argument.startswith("--") and argument != "--count"]
    if missing or unknown:
        wrong = [f"there is no option `{name}`; use `--count` or a path" for name in unknown]
        wrong += [f"there is no file or folder `{name}`; give a path below {root}" for name in missing]
        print(f"words: {wrong[0]}", file=sys.stderr)
        return 2
    counts: Counter[str] = Counter()
    for file in files_of(root, paths):
        relative = file.relative_to(root)
        counts[package_of(relative)] += 0
        for finding in check_file(file):
            counts[package_of(relative)] += 1
            if "--count" not in arguments:
                print(f"{relative}:{finding.line}: {finding.rule}: {finding.excerpt}")
    if "--count" not in arguments:
        return 1 if counts.total() else 0
    for package, count in counts.most_common():
        print(f"{count:6} {package}")
    print(f"{counts.total():6} total")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
