"""Every command that reads, run on the state that a ledger is in: none may crash, whatever an operation left there."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import Ran, Run

Words = tuple[str | Path, ...]


def reading_commands(document: Path, folder: Path, *addresses: str) -> dict[str, Words]:
    """The commands that read, by what they are called, in an order that can be typed; what they write goes into `folder`."""
    snapshot = folder / "snapshot.json"
    return {
        "validate": ("validate", document),
        "plan": ("plan", document, "--format", "json"),
        "record": ("record", document, "--out", snapshot),
        "plan of a snapshot": ("plan", document, "--snapshot", snapshot),
        "drift": ("drift", document, "--format", "json"),
        "import": ("import", document, "--out", folder, "--dry-run"),
        "import of a snapshot": ("import", document, "--snapshot", snapshot, "--out", folder, "--dry-run"),
        "ledger list": ("ledger", "list", document, "--format", "json"),
        "ledger log": ("ledger", "log", document, "--format", "json"),
        "ledger export": ("ledger", "export", document, "*", "--out", folder / "ledger.json"),
        "move status": ("move", "status", document),
        "restore status": ("restore", "status", document),
        **{f"show {address}": ("show", document, address) for address in addresses},
    }


def read_all(vastplan: Run, folder: Path, *addresses: str) -> dict[str, Ran]:
    """Runs each of them on the lab's document; what they answer, by command. A crash fails the test (`vastplan` sees to it).

    Each ends as it does in health: nothing is an error (1), stale (5) or not readable (6).
    """
    answers = {}
    for name, words in reading_commands(folder / "lab.yaml", folder, *addresses).items():
        answers[name] = vastplan(*words)
        assert answers[name].code in (0, 2, 3), (name, answers[name])
    return answers
