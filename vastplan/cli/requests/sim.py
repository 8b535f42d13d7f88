"""What `vastplan sim` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from vastplan.cli.request import Request, option, optional_positional, switch


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text} is not a port: 0 to 65535")
    return int(text)


class SimRequest(Request):
    """`vastplan sim`. `subject` is a document's path, or the system to serve; the options are for a system."""

    command = "sim"
    summary = "serve the simulators: a document's sites, or one system"
    example = "vast --port 8443 --user admin --password secret"
    subject = optional_positional(
        "PATH|SYSTEM", "a document; left out, that of the current folder; or vast, kubernetes or runai", ""
    )
    port = option("--port", _port, None, "the port of a single system; 0 chooses a free one", default=0)
    user = option("--user", str, None, "the user (vast) or client id (runai) of a single system", default="admin")
    password = option("--password", str, None, "its password, client secret or token; generated when left out")
    state = option("--state", Path, "FILE", "keep a single system's objects in this file")
    rate = option("--rate", int, "N", "refuse more than N requests a second (429) on a single system")
    api_version = option(
        "--api-version", str, "VERSION", "the product version to simulate (vast 5.3, 5.5; runai 2.20 to 2.24; kubernetes 1.34)"
    )  # fmt: skip
    strict = switch("--strict", "vast only: refuse requests with fields that the vendor's API document does not have")
