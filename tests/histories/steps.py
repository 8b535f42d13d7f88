"""The steps of histories: what happens on a day to a document and to the systems, each a few command lines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from tests.histories import edits, moves, operations
from tests.histories.documents import Document, Entry
from tests.histories.hands import THEIRS
from tests.histories.history import STEPS, History, Paper, Step
from tests.histories.oracle import Moment, Said, Violation, blames


def edit_and_apply(history: History, chance: Random) -> None:
    """The ordinary day."""
    paper = chance.choice(history.papers)
    if history.edit(paper, chance):
        history.apply(paper, chance, _mode(chance))


def edit(history: History, chance: Random) -> None:
    """A change that waits for another."""
    history.edit(chance.choice(history.papers), chance)


def apply(history: History, chance: Random) -> None:
    """What is there is applied, perhaps again."""
    history.apply(chance.choice(history.papers), chance, _mode(chance))


def apply_all(history: History, chance: Random) -> None:
    """Somebody who may do everything cleans up."""
    history.apply(chance.choice(history.papers), chance, "all")


def rename(history: History, chance: Random) -> None:
    """A rename, perhaps with another edit in the same change."""
    paper = chance.choice(history.papers)
    if history.edit(paper, chance, edits.rename):
        if chance.random() < 0.3:
            history.edit(paper, chance)
        history.apply(paper, chance, _mode(chance))


def hand(history: History, chance: Random) -> None:
    """Others work, and touch what is ours."""
    for _ in range(chance.randint(1, 3)):
        what = history.hands.act(chance, set(history.now().owners.owners))
        history.moment = None
        if what:
            history.note(f"  {what}")
    for paper in history.papers:
        paper.complete = False


def part(history: History, chance: Random) -> None:
    """Some of it is applied."""
    paper = chance.choice(history.papers)
    history.edit(paper, chance)
    actions = history.planned(paper) or []
    if actions and chance.random() < 0.7:
        chosen = chance.choice(actions)["address"]
        history.apply(paper, chance, _mode(chance), "--target", str(chosen))
    else:
        history.apply(paper, chance, _mode(chance), "--site", chance.choice(paper.document.sites))


def killed(history: History, chance: Random) -> None:
    """An apply ends in the middle."""
    paper = chance.choice(history.papers)
    history.edit(paper, chance)
    history.apply(paper, chance, "all", die=chance.randint(0, 8), at_once=chance.random() < 0.5)


def refused(history: History, chance: Random) -> None:
    """The systems go away in the middle of an apply."""
    paper = chance.choice(history.papers)
    history.edit(paper, chance)
    history.apply(paper, chance, "all", refuse=chance.randint(0, 8))


def lose_the_ledger(history: History, chance: Random) -> None:
    """The folder is gone: nothing is ours any more."""
    paper = chance.choice(history.papers)
    shutil.rmtree(paper.folder / ".vastplan" / "ledger", ignore_errors=True)
    history.note(f"  $ rm -r {paper.folder.name}/.vastplan/ledger")
    history.moment, paper.saved, paper.complete = None, None, False
    history.apply(paper, chance, chance.choice(("plain", "all", "adopt")))


def save(history: History, chance: Random) -> None:
    """A plan that waits for its review."""
    paper = chance.choice(history.papers)
    history.edit(paper, chance)
    actions = history.planned(paper, "--adopt")
    if actions is None:
        return
    going = [str(one["address"]) for one in actions if one["verb"] in ("delete", "replace")]
    said, flags = history.allowed(chance, _mode(chance), chance.random() < 0.5, going, [])
    file = history.folder / f"{paper.folder.name}-plan.json"
    done = history.command(Said(), "plan", paper.folder, "--out", file, *flags)
    again = flags[flags.index("--approvals") :] if "--approvals" in flags else []
    paper.saved = (file, said, again) if file.exists() and done.code == 0 else None


def apply_saved(history: History, chance: Random) -> None:
    """It is carried out, perhaps long after."""
    paper = chance.choice(history.papers)
    if paper.saved is None:
        return
    file, said, again = paper.saved
    if chance.random() < 0.3:
        planned = [str(one["address"]) for one in json.loads(file.read_text())["actions"]]
        target = chance.choice(planned) if planned else "iad/tenant/none"
        done = history.command(said, "apply", file, "--auto-approve", "--format", "json", "--target", target, *again)
        others = [
            one["address"]
            for one in done.json().get("outcomes", ())
            if one["state"] == "done" and one["address"] != target
        ]
        if others:
            history.fail(
                [
                    Violation(
                        "flags-ignored",
                        f"--target {target} beside a saved plan, and {', '.join(others[:5])} done too",
                    )
                ]
            )
        return
    done = history.command(said, "apply", file, "--auto-approve", "--format", "json", *again)
    paper.saved, paper.complete = None, False


def restore(history: History, chance: Random) -> None:
    """git checkout of an older version."""
    paper = chance.choice(history.papers)
    if not paper.commits:
        return
    before = paper.document
    paper.document = chance.choice(paper.commits).copy()
    paper.commits.append(before)
    history.write(paper)
    history.apply(paper, chance, _mode(chance))


def drift(history: History, chance: Random) -> None:
    """The nightly look."""
    paper = chance.choice(history.papers)
    done = history.command(Said(), "drift", paper.folder, "--format", "json")
    history.speaks_of_sites(paper, done)
    renamed = Said(renames=history.renames())
    ids = {
        called: key[2]
        for key, addresses in history.now().owners.owners.items()
        for address in addresses
        for called in renamed.called([address])
    }
    told = [
        {
            "address": one["address"],
            "id": ids.get(one["address"], ""),
            "deleted_outside": one["what"] == "gone",
            "changes": [{**field, "before": field["live"], "after": field["applied"]} for field in one["fields"]],
        }
        for one in done.json().get("drift", ())
    ]
    history.fail(blames(told, history.hands, history.excused))


def take_over(history: History, chance: Random) -> None:
    """The document names what somebody else made."""
    paper = history.papers[0]
    document = paper.document
    before = document.copy()
    login = document.names("secrets")
    theirs = {"existing": THEIRS}
    choices: list[tuple[str, str, dict[str, Any]]] = [
        ("view_policies", THEIRS, {"tenant": theirs, "flavor": "NFS", "nfs_no_squash": ["10.12.0.0/24"]}),
        ("vip_pools", THEIRS, {"tenant": theirs, "subnet_cidr": 24, "ip_ranges": ["10.40.0.10 - 10.40.0.40"]}),
        (
            "views",
            "theirs-data",
            {
                "tenant": theirs,
                "path": "/theirs/data",
                "view_policy": theirs,
                "protocols": ["NFS"],
                "quota": {"hard_limit": "5 TiB"},
            },
        ),
        ("quotas", THEIRS, {"tenant": theirs, "path": "/theirs/data", "hard_limit": "5 TiB"}),
        ("tenants", THEIRS, {"capacity_rules": {"hard_limit": "90 TiB"}}),
        ("namespaces", "nlp-apps", {"labels": {"team": "x"}}),
    ]
    gold: dict[str, Any] = {
        "driver": "file",
        "storage_path": "/gold",
        "view_policy": theirs,
        "vip_pool": theirs,
        "allow_volume_expansion": True,
    }
    if login and chance.random() < 0.5:
        gold["secret"] = login[0]
    choices += [("storage_classes", "gold", gold)] * 3
    section, name, body = chance.choice(choices)
    if (section, name) in document.entries:
        return
    document.entries[section, name] = Entry(body)
    history.note(f"  take over {section}.{name}")
    history.write(paper)
    if history.command(Said(), "validate", paper.folder).code in (1, 3):
        paper.document = before
        history.write(paper)
        return
    paper.commits.append(before)
    history.apply(paper, chance, chance.choice(("plain", "adopt", "adopt", "all")))


def sites(history: History, chance: Random) -> None:
    """A site comes, goes, or is emptied; who took one out wrongly puts it back."""
    paper = history.papers[0]
    before = paper.document.copy()
    edit = (
        edits.add_site
        if len(paper.document.sites) == 1
        else chance.choice((edits.leave_site, edits.leave_site, edits.retire_site))
    )
    if not history.edit(paper, chance, edit):
        return
    done = history.apply(paper, chance, _mode(chance))
    left = set(before.sites) - set(paper.document.sites)
    if done is None and chance.random() < 0.4:  # it was said that something is owned there: let go of it
        forgotten = [
            history.command(Said(), "ledger", "forget", paper.folder, "--site", site).code for site in sorted(left)
        ]
        history.moment = None
        if not any(forgotten):
            return
    if left and (done is None or chance.random() < 0.8):
        paper.document = before
        history.write(paper)


def undo(history: History, chance: Random) -> None:
    """An edit, applied; the document as it was before, applied: all is as it was."""
    paper = chance.choice(history.papers)
    if not paper.complete:
        done = history.apply(paper, chance, "all")
        if done is None or not paper.complete:
            return
    first, document = history.now(), paper.document.copy()
    if not history.edit(paper, chance):
        return
    done = history.apply(paper, chance, "all")
    if done is None or not paper.complete:
        return
    paper.document = document
    history.write(paper)
    history.note("  (the edit is undone)")
    actions = history.planned(paper, "--adopt")
    done = history.apply(paper, chance, "all")
    if done is None or not paper.complete or actions is None:
        return
    released = {str(one["id"]) for one in actions if one["released"]}
    history.fail(_restored(first, history.now(), released))


def second_document(history: History, chance: Random) -> None:
    """Another team, another document, the same systems."""
    if len(history.papers) > 1:
        return
    document = Document("other", ["iad"])
    paper = Paper(document, history.folder / "other")
    writer = history.writer(paper, chance)
    writer.add("namespaces", "other-csi", {"labels": {"team": "other"}})
    data = {"endpoint": "vms.example.com", "username": "csi", "password": {"file": "csi-password"}}
    writer.add("secrets", "other-login", {"namespace": "other-csi", "data": data})
    writer.add("departments", "other-research", {"gpus": {"default": 8}})
    edits.add_tenant(writer)
    history.papers.append(paper)
    history.moment = None
    history.write(paper)
    history.apply(paper, chance, chance.choice(("plain", "adopt")))


def another_key(history: History, chance: Random) -> None:
    """A key is made, or another one takes its place."""
    paper = chance.choice(history.papers)
    if history.edit(paper, chance, edits.add_key, edits.rotate_key):
        history.apply(paper, chance, _mode(chance))


def _restored(first: Moment, now: Moment, released: set[str]) -> Iterator[Violation]:
    """What is not as it was: objects by what they are called, and the fields of those that were never replaced."""
    made = ("snapshot", "persistent_volume", "workload")

    def called(moment: Moment) -> dict[tuple[str, str, str], str]:
        sight = moment.sight
        return {
            (key[0], key[1], name): key[2]
            for key, name in sight.names.items()
            if key not in sight.made_for and key[1] not in made and not name.startswith("runai-")
        }

    def taken_along(key: tuple[str, str, str]) -> bool:
        """A stranger's, in a namespace that went: judged then, and no document brings it back."""
        live = (key[0], key[1], before[key]) if key in before else key
        space = first.sight.within.get(live)
        return live not in first.owners.owners and space is not None and space not in now.sight.rows

    before, after = called(first), called(now)
    for key in sorted(before.keys() ^ after.keys()):
        if taken_along(key):
            continue
        yield Violation(
            "not-undone", f"{'/'.join(key)} is {'gone' if key in before else 'still there'} after an edit was undone"
        )
    for key in sorted(before.keys() & after.keys()):
        live = (key[0], key[1], before[key])
        if before[key] == after[key] and before[key] not in released and first.sight.rows[live] != now.sight.rows[live]:
            yield Violation("not-undone", f"{'/'.join(key)}: {first.sight.rows[live]} is now {now.sight.rows[live]}")


def _mode(chance: Random) -> str:
    return chance.choices(("plain", "adopt", "some", "careless", "all"), (4, 2, 4, 2, 5))[0]


TABLE: dict[str, tuple[Callable[[History, Random], None], int]] = {
    "edit and apply": (edit_and_apply, 22), "edit": (edit, 5), "apply": (apply, 3),
    "apply with every consent": (apply_all, 3), "rename": (rename, 6), "others at work": (hand, 14),
    "apply a part": (part, 4), "a killed apply": (killed, 4), "systems go away": (refused, 2),
    "the ledger is lost": (lose_the_ledger, 1), "save a plan": (save, 4), "apply a saved plan": (apply_saved, 4),
    "git checkout": (restore, 3), "drift": (drift, 3), "take over": (take_over, 4), "sites": (sites, 4),
    "undo": (undo, 4), "a second document": (second_document, 1),
    "a restore": (operations.restore_data, 4), "another key": (another_key, 3),
    "a move": (moves.move_data, 4), "a rehearsal": (moves.rehearse, 3),
}  # fmt: skip


def invented(seed: int, steps: int = STEPS, without: Iterable[str] = ()) -> list[Step]:
    """The steps of a history; those of some sorts may be left out."""
    chance = Random(seed)
    names, weights = list(TABLE), [weight for _, weight in TABLE.values()]
    chosen = [Step(chance.choices(names, weights)[0], chance.randrange(2**32)) for _ in range(steps)]
    return [step for step in chosen if step.what not in without]
