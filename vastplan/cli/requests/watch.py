"""What `vastplan watch` takes."""

from __future__ import annotations

import argparse

from vastplan.cli.request import Request, option
from vastplan.cli.requests.common import CONNECTIONS, DOCUMENT_OR_HERE, duration
from vastplan.cli.requests.operation import not_blank


def _beat(text: str) -> int:
    """Returns the duration of a beat. Raises `ArgumentTypeError` for what is none."""
    every = duration(text)
    if not 5 <= every <= 300:
        raise argparse.ArgumentTypeError(f"{text} is not between 5s and 5m")
    return every


class WatchRequest(Request):
    command = "watch"
    summary = "watch both sites of replicated volumes, keep them armed, alarm, and fail over what the document allows"
    example = "examples/two-sites --place pdx --fence ./fence.sh"
    paths = DOCUMENT_OR_HERE
    connections = CONNECTIONS
    place = option("--place", not_blank, "NAME", "where this watcher runs; a failover needs two places", required=True)
    every = option(
        "--every", _beat, "DURATION", "how often to look at the sites, 5s to 5m; 30s when left out", default=30
    )
    fence = option(
        "--fence", str, "COMMAND", "runs COMMAND fence SITE before a failover: 0 confirms that nobody can write there until you end it; left out, nothing fails over"
    )  # fmt: skip
    on_alarm = option("--on-alarm", str, "COMMAND", "gets the alarms on its standard input whenever they change")
