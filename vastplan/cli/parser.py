"""What can be typed, and the help for it. Imports nothing heavy: `--version` and `-h` answer at once."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from vastplan import __version__
from vastplan.cli import ledger_options, operation_options, options, review_options
from vastplan.cli.typed import Parser


def parser(only: str = "", *, as_json: bool = False) -> argparse.ArgumentParser:
    """The command line: the whole of it, or, where `only` is one of the commands, no other.

    With `as_json` what cannot be understood is told as JSON, too.
    """
    parser_class = type("Parser", (Parser,), {"as_json": as_json})
    top: argparse.ArgumentParser = parser_class(
        prog="vastplan",
        description="Plan and apply AI storage across VAST, Kubernetes and NVIDIA Run:AI from one YAML document.",
        epilog=options.EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"vastplan {__version__}")
    top.add_argument(
        "--no-colour", "--no-color", dest="colour", action="store_false", default=_colour(), help="plain output"
    )
    commands: argparse._SubParsersAction[argparse.ArgumentParser] = top.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=parser_class
    )
    for add in (_COMMANDS[only],) if only in _COMMANDS else _COMMANDS.values():
        add(commands)
    return top


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is no port: 0 to 65535")
    return int(text)


def _colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _init(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "init", "write a first document for a site, from a few questions or options", "vastplan init --sim"
    )
    command.add_argument(
        "paths", nargs="?", type=Path, metavar="PATH",
        help="the file to write, or the folder for SITE.yaml; left out, the current folder",
    )  # fmt: skip
    command.add_argument("--sim", action="store_true", help="on simulators: it can be planned and applied at once")
    for flag, metavar, text in (
        ("--site", "NAME", "what the site is called: iad"),
        ("--vast-url", "URL", "address of its VMS: https://vms.iad.example.com"),
        ("--kubeconfig", "FILE", "its kubeconfig, beside the document"),
        ("--context", "NAME", "a context of that kubeconfig, or of your own"),
        ("--runai-url", "URL", "address of its Run:AI control plane: https://acme.run.ai"),
        ("--tenant", "NAME", "the first team's tenant: team-a"),
        ("--project", "NAME", "its project: vision"),
        ("--vips", "RANGES", "free addresses of the data network: '10.20.1.10 - 10.20.1.13'"),
        ("--clients", "NETWORKS", "the nodes that mount: 10.12.0.0/24"),
    ):
        command.add_argument(flag, metavar=metavar, help=text)


def _validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "validate", "check a document without a network", "vastplan validate examples/ai-factory"
    )
    options.paths(command, needed=False)
    options.isolation(command, "show which projects the document keeps apart")
    options.commitments(command)
    command.add_argument("--list-checks", action="store_true", help="list the checks instead; needs no document")
    command.add_argument(
        "--explain", metavar="CODE", help="say what a check finds, why and what to do; needs no document"
    )
    options.formats(command, "text", "json")
    options.reports(command, ".json", ".xml (JUnit)", ".sarif")


def _plan(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "plan", "show what would change, and save it", "vastplan plan examples/ai-factory --out plan.json"
    )
    options.paths(command, needed=False)
    options.site(command)
    options.consents(command)
    options.expand(command)
    review_options.of_plan(command)
    command.add_argument("--out", type=Path, metavar="FILE", help="save the plan for vastplan apply FILE")
    review_options.sign(command)
    command.add_argument(
        "--detailed-exitcode", action="store_true", help="2 when there are changes, 3 when some are blocked"
    )
    options.isolation(command, "show which projects the document keeps apart")
    options.commitments(command)
    options.formats(command, "text", "json", "markdown", "html")
    options.reports(command, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _apply(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "apply", "carry out a saved plan, or plan, show and ask", "vastplan apply plan.json"
    )
    options.paths(command, needed=False)
    options.site(command)
    options.consents(command)
    options.expand(command)
    review_options.of_apply(command)
    review_options.require_signature(command)
    command.add_argument("--auto-approve", action="store_true", help="do not ask")
    command.add_argument(
        "--document",
        dest="documents",
        action="append",
        default=[],
        type=Path,
        metavar="PATH",
        help="where the plan's document is now, if it moved",
    )
    options.formats(command, "text", "json")
    options.reports(command, ".json", ".xml (JUnit)", ".sarif")


def _record(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "record", "write a snapshot without secrets, to plan against without credentials",
        "vastplan record examples/ai-factory --out snapshot.json",
    )  # fmt: skip
    options.paths(command)
    options.site(command)
    review_options.of_record(command)


def _import(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "import", "write what is live as a document whose plan takes it over and changes nothing",
        "vastplan import site.yaml --out .",
    )  # fmt: skip
    options.paths(command)
    options.site(command)
    command.add_argument("--snapshot", type=Path, metavar="FILE", help="from what vastplan record wrote, offline")
    command.add_argument("--out", type=Path, metavar="FOLDER", help="where the new files go; PATH, if that is a folder")
    command.add_argument(
        "--layout", choices=("tenants", "single"), default="tenants", help="a file for each tenant, or one for all"
    )
    for flag, name, what in (
        ("--tenant", "tenants", "only tenants like this, and what is in them; repeatable"),
        ("--kind", "kinds", "only this kind; repeatable"),
        ("--take", "take", "also what is only taken on request, as SITE/KIND/NAME; repeatable"),
        ("--except", "without", "but not this, as SITE/KIND/NAME; repeatable"),
        ("--labels", "labels", "also labels and annotations with a key like this; repeatable"),
    ):
        command.add_argument(flag, dest=name, action="append", default=[], metavar="PATTERN", help=what)
    command.add_argument(
        "--full", action="append", nargs="?", const="*", default=[], type=_kind, metavar="KIND",
        help="write every readable value, also what systems take anyway: of all kinds, or with --full=KIND of one; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--defaults", action="store_true", help="say what all entries of a section share once, as defaults"
    )
    command.add_argument(
        "--census", action="store_true", help="count what there is no kind for, with a small request for each"
    )
    command.add_argument(
        "--close", action="store_true", help="close a storage class that is open, where that refuses nobody who is seen"
    )
    command.add_argument(
        "--terraform",
        action="append",
        default=[],
        metavar="[SITE=]FILE",
        help="a Terraform state: names what it has, and says how Terraform lets go of it; repeatable",
    )
    command.add_argument("--dry-run", action="store_true", help="print the files, and write none")
    command.add_argument("--detailed-exitcode", action="store_true", help="2 when there is something new")
    options.formats(command, "text", "json")
    options.reports(command, ".md", ".json")


def _kind(text: str) -> str:
    """A kind; a path in its place was meant to be the document."""
    if os.path.exists(text) or "/" in text:
        raise argparse.ArgumentTypeError(f"{text} is a path and no kind: type --full last, or --full=KIND")
    return text


def _export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "export", "write what SkyPilot needs to use the document's buckets and volumes",
        "vastplan export skypilot examples/object-storage.yaml --out sky",
    )  # fmt: skip
    command.add_argument("target", choices=("skypilot",), help="whom it is for")
    options.paths(command)
    options.site(command)
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder to write to; a folder in it for each site and tenant",
    )
    for flag, name, what in (
        ("--tenant", "tenants", "only this tenant; repeatable"),
        ("--project", "projects", "only what this project mounts; repeatable"),
    ):
        command.add_argument(flag, dest=name, action="append", default=[], metavar="NAME", help=what)
    command.add_argument(
        "--task", dest="tasks", action="append", default=[], type=Path, metavar="FILE",
        help="a SkyPilot task: check it, and write it for each site instead of one of ours; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--snapshot", type=Path, metavar="FILE", help="also say which buckets were not there when it was taken"
    )
    command.add_argument(
        "--skypilot",
        default="",
        metavar="VERSION",
        help="the SkyPilot that reads it: an older one than 0.12.0 knows no VAST",
    )
    command.add_argument(
        "--with-credentials",
        action="store_true",
        help="write the key, too (mode 0600), from the Secret it is delivered to",
    )
    command.add_argument(
        "--secret",
        default="",
        metavar="NAMESPACE/NAME",
        help="the Secret that holds the key, where the document says none or several",
    )
    command.add_argument(
        "--overwrite", action="store_true", help="also write over what was edited, or is somebody else's"
    )
    options.formats(command, "text", "json")


def _drift(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands,
        "drift",
        "say what moved since the last apply, and what nobody manages",
        "vastplan drift examples/ai-factory",
    )
    options.paths(command, needed=False)
    options.site(command)
    options.isolation(command, "show which projects the live state keeps apart")
    command.add_argument(
        "--since",
        type=Path,
        metavar="FILE",
        help="show only what is new since this earlier --format json, and what went away",
    )
    command.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="ADDRESS[.FIELD]",
        help="write what was changed by hand into the document, so that it is what is wanted; repeatable",
    )
    options.formats(command, "text", "json", "markdown", "html")
    options.reports(command, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _show(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands,
        "show",
        "show a saved plan, what it does to one object, or one object: desired, live and who moved which field",
        "vastplan show examples/ai-factory iad/tenant/team-a",
    )
    command.add_argument(
        "--rights", action="store_true", help="show the rights that vastplan's own identities need for a document"
    )
    command.add_argument(
        "paths", nargs="?", type=Path, metavar="PLAN|PATH",
        help="a saved plan, or a document; left out, the document of the current folder",
    )  # fmt: skip
    command.add_argument("address", nargs="?", metavar="ADDRESS", help="one object of the plan or of the document")
    options.expand(command)
    command.add_argument(
        "--connections", type=Path, metavar="FILE", help="addresses and credentials from outside the document"
    )
    options.formats(command, "text", "json", "markdown", "html")
    options.reports(command, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _sim(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "sim", "serve the simulators: a document's sites, or one control plane",
        "vastplan sim vast --port 8443 --user admin --password secret",
    )  # fmt: skip
    command.add_argument("subject", metavar="PATH|SYSTEM")
    command.add_argument("--port", type=_port, default=0, help="the port of a single plane; 0 takes a free one")
    command.add_argument("--user", default="admin", help="the user (vast) or client id (runai) of a single plane")
    command.add_argument("--password", help="its password, client secret or token; made up when left out")
    command.add_argument("--state", type=Path, metavar="FILE", help="keep a single plane's objects in this file")
    command.add_argument(
        "--rate", type=int, metavar="N", help="refuse more than N requests a second (429) on a single plane"
    )
    command.add_argument(
        "--api-version",
        metavar="VERSION",
        help="the product version to simulate (vast 5.3, 5.5; runai 2.20 to 2.24; kubernetes 1.34)",
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="vast alone: go by the vendor's document, and refuse what no body has a field for",
    )


def _explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "explain", "say what may stand at a place of the document", "vastplan explain quotas.hard_limit"
    )
    command.add_argument(
        "place",
        nargs="?",
        default="",
        metavar="PLACE",
        help="a section, or a field in it: tenants.capacity_rules; all sections when left out",
    )
    command.add_argument("--recursive", action="store_true", help="show all fields below, by their names")


def _schema(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "schema", "print a JSON Schema", "vastplan schema desired-state > schemas/desired-state.schema.json"
    )
    command.add_argument(
        "which",
        nargs="?",
        choices=(
            "desired-state",
            "plan",
            "snapshot",
            "ledger",
            "approvals",
            "connections",
            "validate",
            "apply",
            "drift",
            "import",
            "export",
            "show",
            "budget",
            "ledger-list",
            "rights",
            "problems",
            "checks",
        ),
        default="desired-state",
    )


_COMPLETION = """\
Print a completion script for a shell.

For the current session type: source <(vastplan completion bash)
In zsh type it after compinit: source <(vastplan completion zsh)

In bash and zsh the TAB key completes commands, options and files, and also
addresses (iad/, iad/volume/, iad/volume/data), sites, kinds, check codes and
places of a document. They come from the document on the command line, or else
from the document of the current folder, and from the ledger beside it. No
system is asked and no secret is read. A document with mistakes completes to
nothing. tcsh completes commands, options and files only.
"""


def _completion(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands,
        "completion",
        "print a completion script for a shell",
        "vastplan completion bash > /etc/bash_completion.d/vastplan",
    )
    command.description = _COMPLETION
    command.add_argument("shell", choices=("bash", "zsh", "tcsh"))


_COMMANDS = {
    "init": _init, "validate": _validate, "plan": _plan, "apply": _apply, "record": _record, "import": _import, "export": _export, "drift": _drift, "show": _show,
    "ledger": ledger_options.ledger, "move": operation_options.move, "restore": operation_options.restore, "sim": _sim, "explain": _explain,
    "schema": _schema, "completion": _completion,
}  # fmt: skip
