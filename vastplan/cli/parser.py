"""The commands, their options and their help. Imports nothing heavy, so that `--version` and `-h` are fast."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from vastplan import __version__
from vastplan.cli import ledger_options, operation_options, options, review_options
from vastplan.cli.typed import Parser


def parser(only: str = "", *, as_json: bool = False) -> argparse.ArgumentParser:
    """The parser of the command line, with all commands, or only one if `only` names it.

    With `as_json`, errors in the arguments are also printed as JSON.
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
        raise argparse.ArgumentTypeError(f"{text} is not a port: 0 to 65535")
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
    command.add_argument("--sim", action="store_true", help="use simulators: plan and apply work at once")
    for flag, metavar, text in (
        ("--site", "NAME", "name of the site: iad"),
        ("--vast-url", "URL", "address of its VMS: https://vms.iad.example.com"),
        ("--kubeconfig", "FILE", "its kubeconfig, beside the document"),
        ("--context", "NAME", "a context of that kubeconfig, or of your own"),
        (
            "--runai-url",
            "URL",
            "address of its Run:AI control plane: https://acme.run.ai; none for a site without Run:AI",
        ),
        ("--tenant", "NAME", "tenant of the first team: team-a"),
        ("--project", "NAME", "its project: vision"),
        ("--vips", "RANGES", "free addresses of the data network: '10.20.1.10 - 10.20.1.13'"),
        ("--clients", "NETWORKS", "the nodes that mount: 10.12.0.0/24"),
    ):
        command.add_argument(flag, metavar=metavar, help=text)


def _validate(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "validate", "check a document without reading any system", "vastplan validate examples/ai-factory"
    )
    options.paths(command, needed=False)
    options.isolation(command, "show which projects the document isolates from each other")
    options.commitments(command)
    command.add_argument("--list-checks", action="store_true", help="list the checks instead; needs no document")
    command.add_argument(
        "--explain", metavar="CODE", help="show what a check finds, why and what to do; needs no document"
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
        "--detailed-exitcode", action="store_true", help="exit with 2 when there are changes, 3 when some are blocked"
    )
    options.isolation(command, "show which projects the document isolates from each other")
    options.commitments(command)
    options.formats(command, "text", "json", "markdown", "html")
    options.reports(command, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _apply(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "apply", "apply a saved plan, or plan, show the plan and ask", "vastplan apply plan.json"
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
        help="the plan's document, if it moved",
    )
    options.formats(command, "text", "json")
    options.reports(command, ".json", ".xml (JUnit)", ".sarif")


def _record(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "record", "write a snapshot of the live systems without secrets, to plan without credentials",
        "vastplan record examples/ai-factory --out snapshot.json",
    )  # fmt: skip
    options.paths(command)
    options.site(command)
    review_options.of_record(command)


def _import(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "import", "write what exists as a document whose plan adopts it and changes nothing",
        "vastplan import site.yaml --out .",
    )  # fmt: skip
    options.paths(command)
    options.site(command)
    command.add_argument(
        "--snapshot", type=Path, metavar="FILE", help="import from a snapshot that vastplan record wrote, offline"
    )
    command.add_argument(
        "--out", type=Path, metavar="FOLDER", help="folder for the new files; left out, PATH, if that is a folder"
    )
    command.add_argument(
        "--layout", choices=("tenants", "single"), default="tenants", help="a file for each tenant, or one for all"
    )
    for flag, name, what in (
        ("--tenant", "tenants", "only tenants that match, and what is in them; repeatable"),
        ("--kind", "kinds", "only this kind; repeatable"),
        ("--take", "take", "also import this object, of a kind that import skips, as SITE/KIND/NAME; repeatable"),
        ("--except", "without", "leave out this object, as SITE/KIND/NAME; repeatable"),
        ("--labels", "labels", "also labels and annotations whose key matches; repeatable"),
    ):
        command.add_argument(flag, dest=name, action="append", default=[], metavar="PATTERN", help=what)
    command.add_argument(
        "--full", action="append", nargs="?", const="*", default=[], type=_kind, metavar="KIND",
        help="write every readable value, also defaults: of all kinds, or with --full=KIND of one; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--defaults", action="store_true", help="write values that all entries of a section share once, as defaults"
    )
    command.add_argument(
        "--census",
        action="store_true",
        help="count objects that vastplan has no kind for, with a small request for each type",
    )
    command.add_argument(
        "--close",
        action="store_true",
        help="close an open storage class, where that refuses nobody that vastplan can see",
    )
    command.add_argument(
        "--terraform",
        action="append",
        default=[],
        metavar="[SITE=]FILE",
        help="a Terraform state: its names are used, and the report shows how to remove its objects from Terraform; repeatable",
    )
    command.add_argument("--dry-run", action="store_true", help="print the files instead of writing them")
    command.add_argument("--detailed-exitcode", action="store_true", help="exit with 2 when there is something new")
    options.formats(command, "text", "json")
    options.reports(command, ".md", ".json")


def _kind(text: str) -> str:
    """Returns the kind. Raises `ArgumentTypeError` for a path, which was meant as the document."""
    if os.path.exists(text) or "/" in text:
        raise argparse.ArgumentTypeError(f"{text} is a path, not a kind: type --full last, or --full=KIND")
    return text


def _export(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "export", "write what SkyPilot needs to use the document's buckets and volumes",
        "vastplan export skypilot examples/object-storage.yaml --out sky",
    )  # fmt: skip
    command.add_argument("target", choices=("skypilot",), help="the tool to write for")
    options.paths(command)
    options.site(command)
    command.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="the folder to write to; it gets a folder for each site and tenant",
    )
    for flag, name, what in (
        ("--tenant", "tenants", "only this tenant; repeatable"),
        ("--project", "projects", "only what this project mounts; repeatable"),
    ):
        command.add_argument(flag, dest=name, action="append", default=[], metavar="NAME", help=what)
    command.add_argument(
        "--task", dest="tasks", action="append", default=[], type=Path, metavar="FILE",
        help="a SkyPilot task: check it, and write it for each site instead of an example task; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--snapshot", type=Path, metavar="FILE", help="also report the buckets that this snapshot does not have"
    )
    command.add_argument(
        "--skypilot",
        default="",
        metavar="VERSION",
        help="the version of SkyPilot; versions before 0.12.0 do not support VAST",
    )
    command.add_argument(
        "--with-credentials",
        action="store_true",
        help="also write the key (mode 0600), from the Secret that it is delivered to",
    )
    command.add_argument(
        "--secret",
        default="",
        metavar="NAMESPACE/NAME",
        help="the Secret with the key, where the document has none or several",
    )
    command.add_argument(
        "--overwrite", action="store_true", help="also overwrite files that were edited or that vastplan did not write"
    )
    options.formats(command, "text", "json")


def _drift(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands,
        "drift",
        "show what changed outside vastplan since the last apply, and what nobody manages",
        "vastplan drift examples/ai-factory",
    )
    options.paths(command, needed=False)
    options.site(command)
    options.isolation(command, "show which projects the live state isolates from each other")
    command.add_argument(
        "--since",
        type=Path,
        metavar="FILE",
        help="show only what is new since this earlier drift --format json, and what no longer differs",
    )
    command.add_argument(
        "--accept",
        action="append",
        default=[],
        metavar="ADDRESS[.FIELD]",
        help="write what was changed outside vastplan into the document, to keep it; repeatable",
    )
    options.formats(command, "text", "json", "markdown", "html")
    options.reports(command, ".md", ".html", ".json", ".xml (JUnit)", ".sarif", ".prom")


def _show(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands,
        "show",
        "show a saved plan, what it does to one object, or one object: desired, live and who changed each field",
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
        commands, "sim", "serve the simulators: a document's sites, or one system",
        "vastplan sim vast --port 8443 --user admin --password secret",
    )  # fmt: skip
    command.add_argument(
        "subject", nargs="?", default="", metavar="PATH|SYSTEM",
        help="a document; left out, that of the current folder; or vast, kubernetes or runai",
    )  # fmt: skip
    command.add_argument("--port", type=_port, default=0, help="the port of a single system; 0 chooses a free one")
    command.add_argument("--user", default="admin", help="the user (vast) or client id (runai) of a single system")
    command.add_argument("--password", help="its password, client secret or token; generated when left out")
    command.add_argument("--state", type=Path, metavar="FILE", help="keep a single system's objects in this file")
    command.add_argument(
        "--rate", type=int, metavar="N", help="refuse more than N requests a second (429) on a single system"
    )
    command.add_argument(
        "--api-version",
        metavar="VERSION",
        help="the product version to simulate (vast 5.3, 5.5; runai 2.20 to 2.24; kubernetes 1.34)",
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="vast only: refuse requests with fields that the vendor's API document does not have",
    )


def _explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    command = options.command(
        commands, "explain", "show what may be written at a place of the document", "vastplan explain quotas.hard_limit"
    )
    command.add_argument(
        "place",
        nargs="?",
        default="",
        metavar="PLACE",
        help="a section, or a field in it: tenants.capacity_rules; left out, all sections",
    )
    command.add_argument("--recursive", action="store_true", help="show all fields below it")


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
