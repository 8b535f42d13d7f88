"""Import as an operator does it, on a yard: three lines, `import`, `apply --adopt`, and what is held afterwards."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tests.histories.history import Ran, ran
from tests.importing.worlds import Yard

HEAD = "version: 1\nname: {name}\nsites: {{{sites}}}\n"


class Watched(Protocol):
    """Systems that note what vastplan asks of them."""

    def forget(self) -> None:
        """Note from now on."""

    def writes(self) -> list[tuple[str, str, str]]:
        """Method, host and path of each request that changes something."""


@dataclass(slots=True)
class Desk:
    """A folder with a document of three lines, and its commands."""

    yard: Watched
    folder: Path
    sites: tuple[str, ...]
    files: dict[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, yard: Yard, folder: Path, name: str = "brownfield") -> Desk:
        """A new folder."""
        return cls.at(folder, yard, tuple(sorted({site for site, _ in yard.planes})), name)

    @classmethod
    def at(cls, folder: Path, yard: Watched, sites: tuple[str, ...], name: str = "brownfield") -> Desk:
        """A folder of systems that are reached as they are."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "brownfield.yaml").write_text(
            HEAD.format(name=name, sites=", ".join(f"{site}: {{sim: {{}}}}" for site in sites))
        )
        return cls(yard, folder, sites)

    def types(self, command: str, *flags: str | Path) -> Ran:
        """A command on the folder; the yard's calls are those of it alone."""
        self.yard.forget()
        done = ran(command, self.folder, *flags)
        assert "Traceback" not in done.err, done.err
        assert "a bug in vastplan" not in done.err, done.err
        return done

    def imports(self, *flags: str | Path) -> dict[str, Any]:
        """Import, which must go well; what it says."""
        done = self.types("import", "--format", "json", *flags)
        assert done.code == 0, done.err or done.out
        assert self.yard.writes() == []
        return done.json()

    def written(self) -> dict[str, bytes]:
        """The files of the document but for the three lines, by name."""
        return {
            file.name: file.read_bytes()
            for file in sorted(self.folder.glob("*.yaml"))
            if file.name != "brownfield.yaml"
        }

    def actions(self) -> list[dict[str, Any]]:
        """What a plan would do."""
        done = self.types("plan", "--format", "json")
        assert done.code in (0, 3), done.err or done.out
        actions: list[dict[str, Any]] = done.json()["actions"]
        return actions


def waive(desk: Desk) -> None:
    """What a person writes of the errors that are true of the world already, so that an apply may go on."""
    errors = [one for one in desk.types("plan", "--format", "json").json()["findings"] if one["severity"] == "error"]
    waivers = [
        {"code": one["code"], "address": one["address"], "reason": "it is so today", "until": "2999-01-01"}
        for one in errors
    ]
    if waivers:
        with (desk.folder / "brownfield.yaml").open("a") as file:
            file.write(f"checks: {json.dumps({'waive': waivers})}\n")


def round_trip(desk: Desk) -> dict[str, Any]:
    """Hold an import to what it promises: it adopts and changes nothing, and what is applied is all there is. What it said."""
    said = desk.imports()
    text = desk.written()
    assert set(text) == {Path(file["path"]).name for file in said["files"]}
    waive(desk)
    done = desk.types("validate")
    assert done.code == 0, done.out + done.err
    actions = desk.actions()
    creates = sorted(one["address"] for one in actions if one["verb"] == "create")
    assert creates == sorted(said["creates"]), (creates, said["creates"])
    others = [one for one in actions if one["verb"] != "create"]
    assert [one for one in others if one["verb"] != "adopt" or one["changes"]] == []
    done = desk.types("apply", "--adopt", "--auto-approve", "--max-changes", "10000")
    assert done.code == 0, (done.err + done.out)[-2000:]
    # Leases and ledgers are files here: every write is a create that was told.
    writes = desk.yard.writes()
    assert [call for call in writes if call[0] != "POST"] == [], writes
    assert len(writes) == len(creates), (writes, creates)
    assert desk.actions() == []
    drift = desk.types("drift", "--format", "json")
    told = json.loads(drift.out)
    # A project without its namespace is as the document has it, and of no use: drift exits with 2 for that alone.
    ailing = [row for row in told["states"] if row["state"]["condition"] in ("not well", "going away")]
    assert told["drift"] == [] and drift.code == (2 if ailing else 0), (drift.code, drift.out, drift.err)
    again = desk.imports()
    assert (again["files"], again["taken"]) == ([], []), again["taken"]
    assert desk.written() == text
    return said
