"""A command line of vastplan with limits of a test, as a process: `python -m tests.trust.hostile_plan NOTE LIMITS WORD...`.

`LIMITS` is JSON; beside what vastplan prints, `NOTE` gets how long it took in seconds and how much memory in MiB.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

from vastplan.app import connect
from vastplan.cli import main

if __name__ == "__main__":
    note, limits, *words = sys.argv[1:]
    connect.TRANSPORT_LIMITS = replace(connect.TRANSPORT_LIMITS, **json.loads(limits))
    began = time.monotonic()
    code = main(words)
    took = time.monotonic() - began
    # Not what `getrusage` says, which counts the process that started this one as well.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    most = int(status["VmHWM"].split()[0]) >> 10
    Path(note).write_text(json.dumps({"seconds": took, "mebibytes": most}))
    raise SystemExit(code)
