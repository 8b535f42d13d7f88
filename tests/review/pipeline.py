"""Run a workflow's steps as its runner would: the `run:` lines in bash, in order, with a `gh` that has a memory.

Each job has a machine of its own: a folder for temporary files, a clone of the default branch that the checkout step makes, and
programs that stand for what the real machine has. What a step is told is what GitHub would tell it, and nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "ci"
WORKFLOWS = EXAMPLES / "github"
_EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")
_ANYWAY = ("always()", "!cancelled()")


class Runner:
    """Runs whole workflows for one event. `context` is what expressions are worth; what is not in it, no step may name."""

    def __init__(self, home: Path, checkout: Callable[[Path], None], hub: Path, context: Mapping[str, str]) -> None:
        self.home, self._clone, self.hub, self._context = home, checkout, hub, dict(context)
        self.log = ""
        self.results: dict[str, int] = {}
        home.mkdir(parents=True)
        (hub / "artifacts").mkdir(parents=True, exist_ok=True)

    def workflow(self, file: str) -> int:
        """All its jobs, in order; answers the exit code of the first step that failed in any of them."""
        whole = yaml.safe_load((WORKFLOWS / file).read_text())
        for name, job in whole["jobs"].items():
            failed = any(self.results.get(needed, 0) for needed in [job.get("needs")] if needed)
            condition = _inner(job.get("if", ""))
            if condition not in _ANYWAY and (failed or not self._holds(condition)):
                continue
            machine = Machine(self, name, {**whole.get("env", {}), **job.get("env", {})})
            self.results[name] = machine.run(job)
            self._context |= {f"needs.{name}.outputs.{key}": value for key, value in machine.outputs(job).items()}
        return next((code for code in self.results.values() if code), 0)

    def _holds(self, condition: str) -> bool:
        if not condition:
            return True
        name, _, wanted = condition.partition(" == ")
        return self._context.get(name, "") == wanted.strip("'")

    def value(self, text: str) -> str:
        """A text with its expressions filled in. Raises `KeyError` for what GitHub would not know."""
        return _EXPRESSION.sub(lambda found: self._context[found[1]], text)

    def checkout(self, folder: Path) -> None:
        """What actions/checkout leaves."""
        self._clone(folder)


class Machine:
    """One job's."""

    def __init__(self, runner: Runner, job: str, common: Mapping[str, Any]) -> None:
        self._runner, self._common = runner, common
        self.home = runner.home / job
        self.temp, self.checkout = self.home / "temp", self.home / "work"
        programs = self.home / "bin"
        for folder in (self.temp, self.checkout, programs):
            folder.mkdir(parents=True)
        hub = runner.hub
        _program(programs / "gh", f'exec {sys.executable} -P {Path(__file__).with_name("gh.py")} "$@"')
        # Only pip is asked of Python: nothing else of a workflow is Python's.
        _program(
            programs / "python", f'[ "$1 $2 $3" = "-I -m pip" ] || exit 99; shift 3; echo "$@" >> {hub / "installed"}'
        )
        _program(programs / "pip", "exit 99")
        _program(programs / "vastplan", f'env > "$RUNNER_TEMP/environment"; exec {sys.executable} -P -m vastplan "$@"')
        self._env = {
            "PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(self.home), "RUNNER_TEMP": str(self.temp),
            "GITHUB_ENV": str(self.home / "env"), "GITHUB_OUTPUT": str(self.home / "output"),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary"), "GITHUB_WORKSPACE": str(self.checkout), "HUB": str(hub),
            "GITHUB_REPOSITORY": "acme/storage", "GITHUB_SHA": runner.value("${{ github.sha }}"),
            "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
        }  # fmt: skip
        for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
            Path(self._env[name]).touch()

    def run(self, job: dict[str, Any]) -> int:
        """Its steps; answers the exit code of the first that failed, after those that run anyway."""
        failed = 0
        for step in job["steps"]:
            condition = _inner(step.get("if", ""))
            assert condition in ("", *_ANYWAY), condition
            if failed and condition not in _ANYWAY:
                continue
            if "uses" in step:
                self._use(step)
            else:
                failed = self._step(step) or failed
        return failed

    def outputs(self, job: dict[str, Any]) -> dict[str, str]:
        """What the job tells those that need it; one step of it says all of that."""
        written = dict(line.split("=", 1) for line in (self.home / "output").read_text().splitlines())
        return {name: written.get(name, "") for name in job.get("outputs", {})}

    def _use(self, step: dict[str, Any]) -> None:
        name, told = step["uses"], step.get("with", {})
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", name), f"{name} is not pinned to a commit"
        if name.startswith("actions/checkout@"):
            assert told.get("persist-credentials") is False and "ref" not in told and "repository" not in told
            self._runner.checkout(self.checkout)
        elif name.startswith("actions/upload-artifact@"):
            source = Path(told["path"].replace("${{ runner.temp }}", str(self.temp)))
            target = self._runner.hub / "artifacts" / told["name"]
            shutil.rmtree(target, ignore_errors=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True)
            elif source.is_file():
                target.mkdir()
                shutil.copy(source, target)

    def _step(self, step: dict[str, Any]) -> int:
        value = self._runner.value
        given = {name: value(str(text)) for name, text in {**self._common, **step.get("env", {})}.items()}
        assert "${{" not in step["run"], "an expression in a script is where somebody else's text becomes code"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.checkout, check=False,
            env={**self._env, **given}, capture_output=True, text=True, timeout=180,
        )  # fmt: skip
        self._runner.log += f"{step.get('name')}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.returncode


def _inner(condition: str) -> str:
    found = _EXPRESSION.fullmatch(str(condition))
    return found[1] if found else str(condition)


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
