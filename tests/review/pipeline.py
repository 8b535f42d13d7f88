"""Run a workflow's steps as its runner would: the `run:` lines in bash, in order, with a `gh` that has a memory."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = ROOT / "examples" / "ci" / "github"
_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


class Runner:
    """A machine of its own for each job: a clone, a temporary folder, and GitHub behind `gh`."""

    def __init__(self, home: Path, checkout: Path, hub: Path, context: Mapping[str, str]) -> None:
        self.home, self.checkout, self.hub, self._context = home, checkout, hub, context
        home.mkdir(parents=True)
        hub.mkdir(exist_ok=True)
        (hub / "artifacts").mkdir(exist_ok=True)
        programs = home / "bin"
        programs.mkdir()
        _program(programs / "gh", f'exec {sys.executable} -P {Path(__file__).with_name("gh.py")} "$@"')
        _program(programs / "pip", f'echo "$@" >> {hub / "installed"}')
        _program(programs / "vastplan", f'exec {sys.executable} -P -m vastplan "$@"')
        self._env = {
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(home), "RUNNER_TEMP": str(home / "temp"),
            "GITHUB_ENV": str(home / "env"), "GITHUB_STEP_SUMMARY": str(home / "summary"), "HUB": str(hub),
            "GITHUB_REPOSITORY": "acme/storage", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8",
        }  # fmt: skip
        (home / "temp").mkdir()
        (home / "env").touch()

    def job(self, workflow: str) -> int:
        """All steps of the only job; answers the exit code of the first that failed, after those that run anyway."""
        whole = yaml.safe_load((WORKFLOWS / workflow).read_text())
        ((_, job),) = whole["jobs"].items()
        common = {**whole.get("env", {}), **job.get("env", {})}
        failed = 0
        for step in job["steps"]:
            if (failed and step.get("if") != "always()") or not self._holds(step.get("if", "")):
                continue
            if "uses" in step:
                self._use(step)
                continue
            failed = failed or self._run(step, common)
        return failed

    def _holds(self, condition: str) -> bool:
        if condition in ("", "always()"):
            return True
        assert condition == "env.PR != ''", condition
        return bool(self._later().get("PR"))

    def _later(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.home / "env").read_text().splitlines())

    def _use(self, step: dict[str, Any]) -> None:
        name, told = step["uses"], step.get("with", {})
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", name), f"{name} is not pinned to a commit"
        if name.startswith("actions/upload-artifact@"):
            source, target = self.checkout / told["path"], self.hub / "artifacts" / told["name"]
            shutil.rmtree(target, ignore_errors=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                target.mkdir()
                shutil.copy(source, target)

    def _run(self, step: dict[str, Any], common: Mapping[str, Any]) -> int:
        given = {name: self._value(str(text)) for name, text in {**common, **step.get("env", {})}.items()}
        assert "${{" not in step["run"], "an expression in a script is where somebody else's text becomes code"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.checkout, check=False,
            env={**self._env, **given, **self._later()}, capture_output=True, text=True, timeout=180,
        )  # fmt: skip
        self.said = f"{step.get('name')}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        with (self.home / "log").open("a") as log:
            log.write(self.said)
        return done.returncode

    def _value(self, text: str) -> str:
        return _EXPRESSION.sub(lambda found: self._context[found[1]], text)

    def log(self) -> str:
        """All that the steps printed."""
        return (self.home / "log").read_text()


def _program(file: Path, line: str) -> None:
    file.write_text(f"#!/bin/sh\n{line}\n")
    file.chmod(0o755)


def git(folder: Path, *words: str) -> str:
    """A git command, with nobody's settings."""
    settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.com", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *who, *words], cwd=folder, env={**os.environ, **settings}, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def remembered(hub: Path, name: str) -> Any:
    """What GitHub holds."""
    file = hub / f"{name}.json"
    return json.loads(file.read_text()) if file.is_file() else []
