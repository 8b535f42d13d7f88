"""The HTML report in a real browser: `make browser`. Without a browser this fails; it is never skipped.

Each plan file is opened at two widths, light and dark. The page asks for nothing, says nothing to the console, runs nothing of anybody's,
is no wider than the window, can be walked through with the Tab key, and its boxes filter with no script; a long one has one script, to filter by text. `make pictures`
(`--pictures`) writes the pictures of the README.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from markdown_it import MarkdownIt

from tests.browser.chromium import Browser, NoBrowser
from tests.report.estate import estate
from tests.report.reading import FORMATS, PLANS, plan, unlike
from tests.report.two_sites import EVIL, HOSTILE, IN_ORDER, LOST, MOVED, SPLIT, move, on_two_sites
from vastplan.model.plan import Plan
from vastplan.report.html_move import move_page
from vastplan.report.long_plan import FROM

WIDTHS = (1280, 390)
DOCS = Path(__file__).parents[2] / "docs" / "pictures"
_SHOWN = "[...document.querySelectorAll('.plan > tbody > tr')].filter(one => getComputedStyle(one).display !== 'none')"
_COMMENT = """<!DOCTYPE html><meta charset=utf-8><title>comment</title><style>
body { font: 14px/1.5 system-ui, "Noto Sans", sans-serif; color: #1f2328; width: 860px; margin: 0; padding: 20px; background: #f6f8fa }
main { border: 1px solid #d1d9e0; border-radius: 6px; padding: 12px 20px; background: #fff }
code { background: #818b981f; border-radius: 5px; padding: .15em .35em; font: 85% ui-monospace, "DejaVu Sans Mono", monospace }
h3 { font-size: 1.25em } h4 { margin: 20px 0 8px } ul { padding-left: 26px } details { margin: 4px 0 } summary { cursor: pointer }
</style><main>"""


class Checks:
    """What was asked, and what did not hold."""

    def __init__(self) -> None:
        self.asked, self.wrong = 0, 0

    def that(self, holds: object, said: str) -> None:
        self.asked += 1
        if not holds:
            self.wrong += 1
            print(f"NOT SO: {said}", flush=True)

    def ended(self, of: str) -> int:
        """Print how many there were, and answer 0 when all of them held."""
        print(f"{self.asked} checks of {of} in a browser, {self.wrong} did not hold.")
        return 1 if self.wrong or not self.asked else 0


def _look(browser: Browser, checks: Checks, name: str, made: Plan, folder: Path) -> None:
    _look_at(browser, checks, name, FORMATS["html"](made), len(made.actions), folder)


def _look_at(browser: Browser, checks: Checks, name: str, page: str, actions: int, folder: Path) -> None:
    file = folder / f"{name}.html"
    file.write_text(page)
    for width in WIDTHS:
        for dark in (False, True):
            browser.open(file, width=width, dark=dark)
            where = f"{name} at {width}{' dark' if dark else ''}"
            checks.that(browser.requests == [file.as_uri()], f"{where}: asked for {browser.requests}")
            checks.that(not browser.complaints, f"{where}: the console says {browser.complaints}")
            checks.that(
                browser.ask("document.documentElement.scrollWidth <= innerWidth"), f"{where}: is wider than the window"
            )
            checks.that(browser.ask("typeof window.pwned") == "undefined", f"{where}: a name was run")
            checks.that(
                browser.ask("document.scripts.length + document.images.length") == (actions >= FROM),
                f"{where}: holds scripts or images, and a long page not the one script that filters it",
            )
            sizes = browser.ask(
                "[...document.querySelectorAll('svg')].map(one => one.clientWidth - one.viewBox.baseVal.width)"
            )
            checks.that(all(size <= 0 for size in sizes), f"{where}: a picture is stretched by {sizes} pixels")
            rows = browser.ask("document.querySelectorAll('.plan > tbody > tr').length")
            checks.that(rows == actions, f"{where}: {rows} rows of {actions}")
            picture = folder / f"{name}-{width}-{dark}.png"
            browser.picture(picture)
            checks.that(picture.stat().st_size > 2_000, f"{where}: the picture is empty")
    ground = "getComputedStyle(document.body).backgroundColor"
    dark_ground = browser.ask(ground)
    browser.open(file)
    checks.that(browser.ask(ground) != dark_ground, f"{name}: light and dark are the same")


def _filter(browser: Browser, checks: Checks, folder: Path) -> None:
    made = plan("typical")
    browser.open(folder / "typical.html")
    checks.that(browser.ask(f"{_SHOWN}.length") == len(made.actions), "all rows show at first")
    browser.ask("document.getElementById('f-v-update').click()")
    rest = sum(1 for action in made.actions if action.verb.value != "update")
    checks.that(browser.ask(f"{_SHOWN}.length") == rest, "updates are hidden when their box is not ticked")
    browser.ask("document.getElementById('only-blocked').click()")
    blocked = sum(1 for action in made.actions if action.blocked)
    checks.that(browser.ask(f"{_SHOWN}.length") == blocked, "only what is blocked shows when that is ticked")
    shown = "[...document.querySelectorAll('svg .v-{}')].some(one => getComputedStyle(one).display !== 'none')"
    for view, new, gone in (("both", True, True), ("before", False, True), ("after", True, False)):
        browser.ask(f"document.getElementById('view-{view}').click()")
        found = (browser.ask(shown.format("create")), browser.ask(shown.format("delete")))
        checks.that(found == (new, gone), f"the picture {view} shows new and gone as {found}")


def _long(browser: Browser, checks: Checks, folder: Path) -> None:
    """What many have in common is one row with a list; a box filters rows and lists by text."""
    file = folder / "estate.html"
    file.write_text(FORMATS["html"](estate(2_000)))
    for width in WIDTHS:
        browser.open(file, width=width)
        checks.that(not browser.complaints, f"a long page at {width}: the console says {browser.complaints}")
        wide = browser.ask("document.documentElement.scrollWidth <= innerWidth")
        checks.that(wide, f"a long page at {width} is wider than the window")
        browser.picture(folder / f"estate-{width}.png", tallest=4000)
    items = f"({_SHOWN}.flatMap(row => [...row.querySelectorAll('.of > li')]))"
    shown = f"{items}.filter(one => getComputedStyle(one).display !== 'none').map(one => one.textContent)"
    beside = "document.getElementById('f-text').form === document.getElementById('f-v-update').form"
    checks.that(browser.ask(beside), "the box for text stands with those for verbs and sites")
    there = len(browser.ask(shown))
    checks.that(there > 1_900, f"{there} addresses in lists")
    typed = "(() => {{ const box = document.getElementById('f-text'); box.value = '{}'; box.dispatchEvent(new Event('input')) }})()"
    browser.ask(typed.format("Team-02-quota-6"))
    found = browser.ask(shown)
    checks.that(found and all("team-02-quota-6" in one for one in found), f"found {found[:9]}")
    opened = browser.ask("[...document.querySelectorAll('.each')].some(one => one.open)")
    checks.that(opened, "the list of what was found is open")
    browser.ask(typed.format("10 tib"))
    checks.that(len(browser.ask(shown)) == 600, "what all of a list have in common shows all of the list")
    browser.ask(typed.format("nobody is called so"))
    checks.that(browser.ask(f"{_SHOWN}.filter(one => !one.closest('.group').hidden).length") == 0, "nothing is found")
    browser.ask(typed.format(""))
    checks.that(len(browser.ask(shown)) == there, "all is there again")
    browser.ask("document.getElementById('f-s-0').click()")
    left = browser.ask(shown)
    checks.that(left and not any(one.startswith("iad/") for one in left), "the box of a site hides its addresses")


def _keyboard(browser: Browser, checks: Checks, folder: Path) -> None:
    browser.open(folder / "typical.html")
    reached = []
    for _ in range(60):
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.append(browser.ask("document.activeElement.id || document.activeElement.tagName.toLowerCase()"))
    checks.that(reached[0] == "a", "the first Tab is the way to the changes")
    for one in ("figure", "summary", "f-v-create", "only-blocked", "f-s-0", "view-both"):
        checks.that(one in reached, f"Tab reaches {one} (it went {reached})")
    said = _said(browser)
    for role, name in (
        ("table", "Deletes or replaces objects with data, or lets a system delete them"),
        ("checkbox", "~ update"),
        ("heading", "Changes"),
        ("columnheader", "Who is affected"),
    ):
        checks.that((role, name) in said, f"a screen reader is told of the {role} {name!r}")
    images = {name for role, name in said if role in ("image", "img")}
    checks.that(
        any(str(name).startswith("Topology of site iad") for name in images), f"the picture has a name: {images}"
    )


def _two_sites(browser: Browser, checks: Checks, folder: Path) -> None:
    """The picture of two sites, and the page of a move: what is drawn is also said."""
    made = on_two_sites(IN_ORDER, MOVED, SPLIT, LOST, EVIL)
    _look(browser, checks, "two-sites", made, folder)
    for name, words in (("move", "replicate now at iad"), ("hostile-move", HOSTILE)):
        _look_at(browser, checks, name, move_page(move(words), f"vastplan move run {words}"), 0, folder)
    browser.open(folder / "two-sites.html")
    said = _said(browser)
    checks.that(
        any(str(name).startswith("Paths between iad and pdx") for _, name in said),
        "the picture of two sites has a name",
    )
    checks.that(("columnheader", "data as of") in said, "what it shows is a table, too")
    outside = (
        "[...document.querySelectorAll('svg:has([id^=paths]) text')].filter(one => { const box = one.getBBox();"
        " return box.x < 0 || box.x + box.width > one.ownerSVGElement.viewBox.baseVal.width }).length"
    )
    checks.that(browser.ask(outside) == 0, "no words run out of the picture of two sites")
    browser.open(folder / "move.html")
    said = _said(browser)
    checks.that(
        {("list", "The stages, in their order"), ("heading", "switch")} <= said, "a screen reader is told of the stages"
    )
    words = browser.ask("document.querySelector('.after .no-return').innerText")
    checks.that(words.startswith("The point of no return lies here."), "the point of no return is in words")


def _said(browser: Browser) -> set[tuple[str, str]]:
    """Roles and names as a screen reader is told."""
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    return {(node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in nodes}


def _pictures(browser: Browser, folder: Path) -> None:
    """What the README shows: the page, light and dark, and the comment as a code host would show it."""
    page = folder / "typical.html"
    page.write_text(FORMATS["html"](plan("typical")))
    for dark in (False, True):
        browser.open(page, width=1280, dark=dark)
        browser.picture(DOCS / f"report{'-dark' if dark else ''}.png", tallest=1500)
    comment = folder / "comment.html"
    body = MarkdownIt("commonmark", {"html": True}).render(FORMATS["md"](plan("typical")))
    comment.write_text(f"{_COMMENT}{body}</main>")
    browser.open(comment, width=900)
    browser.picture(DOCS / "comment.png", tallest=1100)
    print(f"Wrote report.png, report-dark.png and comment.png to {DOCS}")


def main() -> int:
    """0 when everything held."""
    checks = Checks()
    try:
        with Browser() as browser, tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            if "--pictures" in sys.argv:
                _pictures(browser, folder)
                return 0
            for one in PLANS:
                _look(browser, checks, one, plan(one), folder)
            _look(browser, checks, "unlike", unlike(10_000), folder)
            _long(browser, checks, folder)
            _two_sites(browser, checks, folder)
            _filter(browser, checks, folder)
            _keyboard(browser, checks, folder)
    except NoBrowser as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    return checks.ended(f"{len(PLANS) + 4} pages")


if __name__ == "__main__":
    raise SystemExit(main())
