"""`make audit`: bandit over the sources, and PyPI's advisories about every version in constraints.txt.

`python -m tests.audit FOLDER [--unheard tell]`: the two tools are in FOLDER. It fails for each finding without a reason, for each
advisory, and where an advisory cannot be asked for; the last is only told with `--unheard tell`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
WAIT = 600  # seconds for all advisories


@dataclass(slots=True)
class Audit:
    """What was found, and what could not be asked for."""

    wrong: list[str] = field(default_factory=list)
    unheard: list[str] = field(default_factory=list)

    def sources(self, report: dict[str, Any]) -> None:
        """What bandit says as JSON."""
        for one in report["results"]:
            self.wrong.append(f"{one['filename']}:{one['line_number']}: {one['test_id']} {one['issue_text']}")
        self.wrong += [f"{one['filename']}: {one['reason']}" for one in report["errors"]]

    def packages(self, report: dict[str, Any]) -> int:
        """What pip-audit says as JSON; answers of how many packages there was an answer."""
        heard = 0
        for one in report["dependencies"]:
            if "skip_reason" in one:
                self.unheard.append(one["name"])
                continue
            heard += 1
            for advisory in one["vulns"]:
                fixed = ", ".join(advisory["fix_versions"]) or "no version yet"
                self.wrong.append(f"{one['name']} {one['version']}: {advisory['id']}, mended in {fixed}")
        return heard


def main(folder: Path, *, tell: bool) -> int:
    """Run both, print what they find, and answer the exit code."""
    audit = Audit()
    code = _run(
        folder / "bandit", "--quiet", "--configfile", "pyproject.toml", "--recursive", "vastplan", "--format", "json"
    )
    audit.sources(json.loads(code.stdout))
    print(f"sources: {len(audit.wrong)} findings without a reason")
    options = ("--requirement", "constraints.txt", "--no-deps", "--disable-pip", "--progress-spinner", "off")
    asked = _run(folder / "pip-audit", *options, "--format", "json")
    try:
        heard = audit.packages(json.loads(asked.stdout))
    except ValueError:  # it ends without a report where nobody answers
        heard = 0
        audit.unheard.append((asked.stderr.strip().splitlines() or ["no reason given"])[-1][:300])
    print(f"packages: {heard} asked about")
    for line in audit.wrong:
        print(line)
    if audit.unheard:
        print(f"NOT AUDITED, advisories cannot be had here: {', '.join(audit.unheard)}")
    return 1 if audit.wrong or (audit.unheard and not tell) else 0


def _run(program: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), *words], cwd=ROOT, capture_output=True, text=True, timeout=WAIT, check=False
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), tell=sys.argv[2:] == ["--unheard", "tell"]))
