"""One history: a document, a world with strangers in it, and what happens to both, step by step, through the command line."""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import shlex
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from random import Random
from typing import Any

from tests.commands import reading_commands
from tests.histories import edits, ledgers
from tests.histories.documents import Document
from tests.histories.edits import Writer
from tests.histories.hands import Hands
from tests.histories.look import look
from tests.histories.oracle import Moment, Said, Violation, blames, judge
from tests.histories.plant import Plant
from vastplan.cli import main

SITES = ("iad", "pdx")
STEPS = 30
DOCUMENTED = range(7)
"""The exit codes that `vastplan -h` lists."""
EVERYTHING = ("--adopt", "--allow-delete", "*", "--allow-narrow", "*", "--believe-gone", "*", "--max-changes", "1000")


@dataclass(frozen=True, slots=True)
class Step:
    """What is done, and where its chance comes from: a step left out changes no other step's dice."""

    what: str
    seed: int


@dataclass(slots=True)
class Ran:
    """A command that ended; `code` is -1 when it was killed."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        """What it printed; nothing where that is no JSON."""
        try:
            found = json.loads(self.out)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}


def ran(*arguments: str | Path) -> Ran:
    """Run one command of vastplan in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main([str(one) for one in arguments])
        except SystemExit as end:
            code = int(end.code or 0)
    return Ran(code, out.getvalue(), err.getvalue())


class Broken(Exception):
    """A promise did not hold."""

    def __init__(self, violations: list[Violation]) -> None:
        super().__init__("\n".join(f"{one.code}: {one.text}" for one in violations))
        self.violations = violations


@dataclass(slots=True)
class Paper:
    """A document of a history: as it is, as it was at every commit, and the folder it lies in."""

    document: Document
    folder: Path
    commits: list[Document] = field(default_factory=list)
    saved: tuple[Path, Said, list[str]] | None = None
    """A plan that waits, what was allowed for it, and the words that give its approvals again."""
    complete: bool = False
    """Whether the last thing that happened was an apply that ended well, of all of it."""


Table = Mapping[str, tuple[Callable[["History", Random], None], int]]
"""What a step does, by its name, and how often it is chosen."""


class History:
    """Play `steps` in `folder`. Violations whose code is in `ignored` are noted in `seen`, and do not end it."""

    def __init__(
        self, seed: int, steps: Iterable[Step], folder: Path, *, ignored: Iterable[str] = (), tell: bool = False
    ) -> None:
        chance = Random(seed)
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "read").mkdir(parents=True)
        self.folder = folder
        self.steps = list(steps)
        self.ignored = tuple(ignored)
        self.seen: list[Violation] = []
        self.refusals: list[str] = []
        self.story: list[str] = []
        self.commands = 0
        self.approved = 0
        self.steps_done: Counter[str] = Counter()
        self.edits_done: Counter[str] = Counter()
        self._tell = tell
        self.numbers = [0]
        self.plant = Plant(folder, SITES)
        self.hands = Hands(self.plant, self.numbers)
        for site in SITES:
            self.hands.settle_in(site, chance)
        sites = list(SITES[: 1 if chance.random() < 0.75 else 2])
        self.papers = [Paper(edits.first("lab", sites, chance, self.numbers), folder / "lab")]
        self._written: dict[Path, dict[str, str]] = {}
        self.moment: Moment | None = None
        self.excused: set[str] = set()
        """Addresses whose last write was cut off: what their object was left with is nobody's hand, and may be told as one."""

    # --- the run

    def play(self, table: Table) -> list[Violation]:
        """Everything in order; what was broken, with nothing after it."""
        with self.plant.running():
            try:
                self.write(self.papers[0])
                self.apply(self.papers[0], Random(0), "all")
                for number, step in enumerate(self.steps):
                    self.note(f"\n# {number + 1}. {step.what} (seed {step.seed})")
                    self.steps_done[step.what] += 1
                    table[step.what][0](self, Random(step.seed))
                    self.read(Random(step.seed + 1))
            except Broken as broken:
                return broken.violations
        return []

    def read(self, chance: Random) -> None:
        """One of the commands that read: each works on every state that a ledger can be in."""
        paper = chance.choice(self.papers)
        owned = ledgers.read([paper.folder / ".vastplan" / "ledger"]).owners
        addresses = sorted(address for listed in owned.values() for address in listed)
        shown = chance.sample(addresses, min(1, len(addresses)))
        commands = reading_commands(paper.folder, self.folder / "read", *shown)
        name = chance.choice(list(commands))
        for command in ("record", name) if name.endswith("of a snapshot") else (name,):
            done = self.command(Said(), *commands[command])
            if done.code == 1 and not command.startswith("show"):
                self.refusals.append(f"{command}: {done.err[:300]}")

    def note(self, text: str) -> None:
        if self._tell:
            self.story.append(text)

    def write(self, paper: Paper) -> None:
        """Bring the document's files up to date; the story gets what changed."""
        paper.complete = False
        if self._tell:
            before, now = self._written.get(paper.folder, {}), paper.document.written()
            for name in sorted(before.keys() | now.keys()):
                lines = difflib.unified_diff(
                    before.get(name, "").splitlines(),
                    now.get(name, "").splitlines(),
                    f"{paper.folder.name}/{name}",
                    "",
                    "",
                    "",
                    1 if before else 0,
                    "",
                )
                self.story += [f"  {line}" for line in lines if not line.startswith("+++")]
            self._written[paper.folder] = now
        paper.document.write(paper.folder)

    def now(self) -> Moment:
        if self.moment is None:
            folders = [paper.folder / ".vastplan" / "ledger" for paper in self.papers]
            self.moment = Moment(look(self.plant), ledgers.read(folders))
        return self.moment

    def _known(self, violation: Violation) -> bool:
        return any(fnmatchcase(violation.code, pattern) for pattern in self.ignored)

    def fail(self, violations: Iterable[Violation]) -> None:
        found = list(violations)
        self.seen += [one for one in found if self._known(one)]
        if left := [one for one in found if not self._known(one)]:
            for one in left:
                self.note(f"  BROKEN {one.code}: {one.text}")
            raise Broken(left)

    def command(
        self,
        said: Said,
        *arguments: str | Path,
        die: int | None = None,
        refuse: int | None = None,
        at_once: bool = False,
    ) -> Ran:
        """Run one command; whatever it does is judged."""
        before = self.now()
        self.plant.refused.clear()
        self.commands += 1
        typed = "vastplan " + shlex.join(str(one).replace(str(self.folder) + "/", "") for one in arguments)
        done = Ran(-1, "", "")
        with self.plant.struck(die=die, refuse=refuse, at_once=at_once):
            done = ran(*arguments)
        code = done.code
        struck = "" if die is None and refuse is None else f"  (struck: die={die} refuse={refuse})"
        self.note(f"  $ {typed}\n    -> {code}{struck}")
        if self._tell:
            self.story += [
                f"    . {one['state']}: {one['verb']} {one['address']}" for one in done.json().get("outcomes", ())
            ]
        if self._tell and code not in (0, -1):
            self.story += [f"    | {line}" for line in done.err.splitlines() if ": done" not in line][:12]
        if code != -1 and (
            code not in DOCUMENTED or "this is a bug in vastplan" in done.err or "Traceback" in done.err
        ):
            self.fail([Violation("crash", f"{typed}: {code}: {done.err[-600:]}")])
        if str(arguments[0]) == "apply":
            self.refusals += self.plant.refused
            self.moment = None
            after = self.now()
            self.excused |= after.owners.intents | before.owners.intents
            self.fail(judge(self.plant, before, after, said, self.hands))
        return done

    # --- commands

    def planned(self, paper: Paper, *flags: str) -> list[dict[str, Any]] | None:
        """What a plan would do; `None` when it could not be made. What it blames on hands is judged."""
        done = self.command(Said(), "plan", paper.folder, "--format", "json", *flags)
        self.speaks_of_sites(paper, done)
        plan = done.json()
        if done.code == 1 or "actions" not in plan:
            return None
        actions: list[dict[str, Any]] = plan["actions"]
        self.fail(blames(actions, self.hands, self.excused))
        return actions

    def speaks_of_sites(self, paper: Paper, done: Ran) -> None:
        """A site on which something is owned, and which the document does not have, is spoken of."""
        owned = ledgers.read([paper.folder / ".vastplan" / "ledger"]).sites
        for site in sorted(owned.keys() - set(paper.document.sites)):
            if done.code == 0 and site not in done.out + done.err:
                self.fail(
                    [
                        Violation(
                            "forgotten-site",
                            f"{owned[site]} objects are owned on {site}, which the document does not have; nothing is said",
                        )
                    ]
                )

    def apply(self, paper: Paper, chance: Random, mode: str, *limits: str, **struck: Any) -> Ran | None:
        """Plan, approve what this person approves, apply; an apply of everything that ended well leaves nothing to plan."""
        adopt = mode in ("all", "adopt") or (mode == "some" and chance.random() < 0.5)
        actions: list[dict[str, Any]] | None = []
        if mode in ("all", "some") or chance.random() < 0.5:  # the others need not know what there is to approve
            actions = self.planned(paper, *(["--adopt"] if adopt else []), *limits)
        if actions is None:
            return None
        going = [str(one["address"]) for one in actions if one["verb"] in ("delete", "replace")]
        said, flags = self.allowed(chance, mode, adopt, going, [str(one["address"]) for one in actions])
        used = (
            one["address"] for one in actions if one["evidence"] or any(b["guard"] == "in-use" for b in one["blocked"])
        )
        said = replace(said, shown=tuple(map(str, used)))
        done = self.command(
            said, "apply", paper.folder, "--auto-approve", "--format", "json", *flags, *limits, **struck
        )
        self.ended(paper, done, bool(limits) or bool(struck))
        return done if done.code != 1 else None

    def ended(self, paper: Paper, done: Ran, partly: bool) -> None:
        states = {one["state"] for one in done.json().get("outcomes", ())}
        if done.code == 4:
            failed = [one for one in done.json().get("outcomes", ()) if one["state"] == "failed"]
            self.refusals += [
                f"failed {one['verb']} {one['address'].split('/')[1]}: {one['message']}" for one in failed
            ]
        if done.code == 0 and states <= {"done"} and not partly:
            self.excused.clear()
            left = self.planned(paper, "--adopt") or []
            if left:
                shown = [
                    f"{one['verb']} {one['address']}: {one['reason']} {[(c['path'], c['before'], c['after'], c['cause']) for c in one['changes']]}"
                    for one in left
                ]
                self.fail([Violation("not-empty", f"a plan after a complete apply: {'; '.join(shown)[:1500]}")])
            paper.complete = True

    def allowed(
        self, chance: Random, mode: str, adopt: bool, going: list[str], all_: list[str]
    ) -> tuple[Said, list[str]]:
        """What a person allows, and how it is typed."""
        flags = ["--adopt"] if adopt else []
        renames = self.renames()
        if mode == "all":
            flags = list(EVERYTHING)
            approved, said = going, Said(True, ("*",), ("*",), tuple(going), renames=renames)
        elif mode == "some":
            delete = tuple(one for one in going if chance.random() < 0.8)
            approved = [one for one in delete if chance.random() < 0.5]
            said = Said(adopt, delete, (), tuple(approved), renames=renames)
            flags += [part for one in delete for part in ("--allow-delete", one)] + ["--max-changes", "1000"]
        elif mode == "careless":
            approved, said = [], Said(adopt, ("*",), renames=renames)
            flags += ["--allow-delete", "*", "--max-changes", "1000"]
        else:
            return Said(adopt), flags
        if approved:
            self.approved += 1
            file = self.folder / f"approvals-{self.approved}.yaml"
            rows = [
                {"address": one, "reason": "agreed", "until": "2999-01-01", "max_used": 2**62, "max_orphans": 1000}
                for one in approved
            ]
            file.write_text(json.dumps({"version": 1, "approvals": rows}))
            flags += ["--approvals", str(file)]
        return said, flags

    def renames(self) -> tuple[tuple[str, str], ...]:
        """What entries say that they were called, and are called now."""
        return tuple(
            (entry.renamed_from, name)
            for paper in self.papers
            for (_, name), entry in paper.document.entries.items()
            if entry.renamed_from
        )

    def writer(self, paper: Paper, chance: Random) -> Writer:
        return Writer(paper.document, chance, self.numbers)

    def edit(self, paper: Paper, chance: Random, *only: edits.Edit) -> bool:
        """One edit or two, written; a document that is not valid any more goes back to what it was."""
        before = paper.document.copy()
        said: list[str] = []
        for _ in range(1 if only else chance.choice((1, 1, 2))):
            edit = (
                chance.choice(only)
                if only
                else chance.choices([one for one, _ in edits.EDITS], [weight for _, weight in edits.EDITS])[0]
            )
            said.append(edit(self.writer(paper, chance)))
            self.edits_done[edit.__name__] += bool(said[-1])
        if not any(said):
            return False
        self.note("  " + "; ".join(one for one in said if one))
        self.write(paper)
        if self.command(Said(), "validate", paper.folder).code in (1, 3):
            paper.document = before
            self.write(paper)
            return False
        paper.commits.append(before)
        return True
