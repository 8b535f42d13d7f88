"""The site in a real browser: `make browse-docs`. Without a browser this fails; it is never skipped.

`python -m tests.docs.browse build/site` opens pages as files at two widths, light and dark: none is wider than the window, all
ask for files of the site alone, and the console says nothing. Then it searches for fields, and follows what is found.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.browser.__main__ import Checks
from tests.browser.chromium import Browser, NoBrowser

WIDTHS = (1280, 390)
PAGES = (
    "index.html",
    "guides/first-team.html",
    "guides/when-something-broke.html",
    "reference/quotas.html",
    "checks.html",
)
SEARCHES = {
    "hard_limit": "reference/quotas.html",
    "retire": "reference/sites.html",
    "VP251": "guides/when-something-broke.html",
}
PATIENCE = 60.0  # seconds for the index, on a busy machine


def _look(browser: Browser, checks: Checks, site: Path, page: str, pictures: Path) -> None:
    grounds = []
    for width in WIDTHS:
        for dark in (False, True):
            browser.open(site / page, width=width, dark=dark)
            where = f"{page} at {width}{' dark' if dark else ''}"
            _stays(browser, checks, site, where)
            checks.that(
                browser.ask("document.documentElement.scrollWidth <= innerWidth"), f"{where}: is wider than the window"
            )
            checks.that(browser.ask("!!document.querySelector('article h1')"), f"{where}: has no heading")
            grounds.append(browser.ask("getComputedStyle(document.body).backgroundColor"))
            picture = pictures / f"{page.replace('/', '-')}-{width}-{dark}.png"
            browser.picture(picture, tallest=1500)
            checks.that(picture.stat().st_size > 2_000, f"{where}: the picture is empty")
    checks.that(grounds[0] != grounds[1], f"{page}: light and dark are the same")


def _stays(browser: Browser, checks: Checks, site: Path, where: str) -> None:
    """What was asked for is in the site, and it is all there."""
    home = site.as_uri() + "/"
    away = [one for one in browser.requests if not one.startswith((home, "data:", "blob:"))]
    checks.that(browser.requests and not away, f"{where}: asked for {away}")
    checks.that(not browser.complaints, f"{where}: the console says {browser.complaints}")


def _search(browser: Browser, checks: Checks, site: Path, words: str, wanted: str) -> None:
    for width in WIDTHS:
        browser.open(site / "index.html", width=width)
        browser.ask("document.getElementById('__search').click()")
        field = "document.querySelector('.md-search__input')"
        browser.ask(f"{field}.focus()")
        browser.call("Input.insertText", text=words)
        links = "[...document.querySelectorAll('.md-search-result__link')].map(one => one.href)"
        found: list[str] = _until(browser, links)
        where = f"search for {words} at {width}"
        hits = [one for one in found if one.startswith((site / wanted).as_uri())]
        checks.that(hits, f"{where}: {wanted} is not among {found}")
        _stays(browser, checks, site, where)
        if hits:
            browser.go(hits[0])
            checks.that(
                browser.ask(f"document.body.innerText.includes({json.dumps(words)})"), f"{where}: is not at {hits[0]}"
            )


def _until(browser: Browser, expression: str) -> Any:
    """What a question is answered with, as soon as that is something."""
    end = time.monotonic() + PATIENCE
    while not (found := browser.ask(expression)) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def main(site: Path, pictures: Path | None) -> int:
    """0 when everything held."""
    checks = Checks()
    try:
        with Browser() as browser, tempfile.TemporaryDirectory() as name:
            for page in PAGES:
                _look(browser, checks, site, page, pictures or Path(name))
            for words, wanted in SEARCHES.items():
                _search(browser, checks, site, words, wanted)
    except NoBrowser as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    return checks.ended("the site")


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]) if sys.argv[2:] else None))
