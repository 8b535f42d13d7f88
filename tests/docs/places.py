"""Where a page of the repository is in the site, and what its links become there. Standard library only: mkdocs runs it, too.

The site has docs/ at its top. Pages beside docs/ keep their path (README.md is the first page); files in examples/ and schemas/
that a page links to are shown as pages of their own; a link to any other file becomes its text.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
BESIDE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/two-sites/README.md")
SHOWN = ("examples/", "schemas/")
LANGUAGES = {".yaml": "yaml", ".yml": "yaml", ".json": "json", ".py": "python", ".sh": "sh"}

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_LINK = re.compile(r"(`+)(?:(?!\1).)+?\1|(?<!!)\[([^\[\]]+)\]\(([^)\s]+)\)")  # code is left as it is
_TARGET = re.compile(r"(`+)(?:(?!\1).)+?\1|\]\(([^)\s]+)\)")


def outside_fences(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it is prose."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
            yield line, False
        elif fence:
            if line.strip() == fence:
                fence = ""
            yield line, False
        else:
            yield line, True


def targets(text: str) -> list[str]:
    """What the prose of a page links to, pictures too."""
    return [
        found[2]
        for line, prose in outside_fences(text)
        if prose
        for found in _TARGET.finditer(line)
        if found[2] is not None
    ]


def elsewhere(target: str) -> bool:
    """Whether a link leads out of the repository."""
    return re.match(r"[a-z]+:", target) is not None


def of_repository(page: str, target: str) -> tuple[str, str]:
    """The file of the repository that a link means, and the anchor in it, from the page that has the link."""
    path, _, anchor = target.partition("#")
    return (posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page), anchor


def in_site(path: str) -> str | None:
    """Where a file of the repository is in the site, None where it is not there."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path in BESIDE:
        return path
    if path.startswith(SHOWN):
        return f"{path}.md"
    return None


def of_site(path: str) -> str:
    """The file of the repository that a page of the site is."""
    return path if path in BESIDE or path.startswith(SHOWN) else f"docs/{path}"


def for_site(page: str, text: str) -> str:
    """A page of the repository as the site has it: its links lead on from there."""
    lines = []
    for line, prose in outside_fences(text):
        if prose:
            line = _LINK.sub(lambda found: _text_or_link(page, found), line)
            line = _TARGET.sub(lambda found: _moved(page, found), line)
        lines.append(line)
    return "\n".join(_indented(lines)) + "\n"


def _text_or_link(page: str, found: re.Match[str]) -> str:
    target = found[3]
    if target is None or elsewhere(target) or in_site(of_repository(page, target)[0]) is not None:
        return found[0]
    return found[2]


def _moved(page: str, found: re.Match[str]) -> str:
    target = found[2]
    if target is None or elsewhere(target) or target.startswith("#"):
        return found[0]
    path, anchor = of_repository(page, target)
    there = in_site(path)
    if there is None:
        return found[0]
    here = in_site(page) or page
    relative = posixpath.relpath(there, posixpath.dirname(here) or ".")
    return f"]({relative}{'#' + anchor if anchor else ''})"


def _indented(lines: list[str]) -> Iterator[str]:
    """What stands below a numbered line is indented by three on a code host, and by four for mkdocs."""
    below = False
    for line in lines:
        if re.match(r"\d\. ", line):
            below = True
        elif line and not line.startswith("   "):
            below = False
        yield f" {line}" if below and line.startswith("   ") else line


def pages() -> list[str]:
    """All pages that people write, by their place in the repository."""
    return [*BESIDE, *sorted(str(one.relative_to(ROOT)) for one in (ROOT / "docs").rglob("*.md"))]


def shown() -> list[str]:
    """The files and folders that a page links to and that the site shows as pages, with what is in those folders."""
    wanted = set()
    for page in pages():
        for target in targets((ROOT / page).read_text(encoding="utf-8")):
            path, _ = of_repository(page, target)
            if not elsewhere(target) and path.startswith(SHOWN) and path not in BESIDE:
                wanted |= {path, *_below(path)}
    return sorted(wanted)


def _below(path: str) -> set[str]:
    """All that is in a folder of the repository, but for what runs leave there."""
    found = (ROOT / path).rglob("*") if (ROOT / path).is_dir() else iter(())
    names = {str(one.relative_to(ROOT)) for one in found}
    return {one for one in names if not re.search(r"(^|/)(\.|__pycache__)", one) and one not in BESIDE}


def shown_page(path: str) -> str:
    """The page that shows a file or a folder."""
    head = f"---\nsearch: {{exclude: true}}\n---\n\n# `{path}`\n\n"
    file = ROOT / path
    if file.is_dir():
        entries = sorted(one for one in (*_below(path), *BESIDE) if posixpath.dirname(one) == path)
        here = posixpath.dirname(path)
        rows = [f"- [`{posixpath.basename(one)}`]({posixpath.relpath(in_site(one) or one, here)})" for one in entries]
        return head + "\n".join(rows) + "\n"
    fence = "`" * 4
    language = LANGUAGES.get(file.suffix, "text")
    return f"{head}{fence}{language}\n{file.read_text(encoding='utf-8').rstrip()}\n{fence}\n"
