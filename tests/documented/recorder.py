"""What the providers have sent: judged by the facts as it goes out, counted for the end of the run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from tests.documented.allowed import beyond
from tests.documented.facts import facts
from vastplan.systems.kubernetes.client import KubernetesProvider
from vastplan.systems.runai.client import RunaiProvider
from vastplan.systems.vast.client import VastProvider

EXCEPTIONS = Path(__file__).parent / "exceptions.yaml"


def exceptions() -> dict[str, str]:
    """What vastplan sends although the document does not have it, as patterns, with the reason of each."""
    found: dict[str, str] = yaml.safe_load(EXCEPTIONS.read_text(encoding="utf-8"))
    return found


class Recorder:
    """Operations and places seen, problems and the test that each was first met in, exceptions made use of."""

    def __init__(self, allowed: dict[str, str]) -> None:
        self.allowed = allowed
        self.seen: set[str] = set()
        self.problems: dict[str, str] = {}
        self.used: set[str] = set()
        self._judged: set[tuple[str, str, str, bytes | str | None, int, bool]] = set()

    def note(
        self,
        system: str,
        method: str,
        target: str,
        body: bytes | str | None,
        status: int = 0,
        *,
        writable: bool = True,
    ) -> None:
        """One request, `target` being its path and query without the address of the API, by a client that may write or not.

        The same request is judged once: most are the lists that every plan reads.
        """
        request = (system, method, target, body, status, writable)
        if request not in self._judged:
            self._judge(*request)
            self._judged.add(request)

    def forget(self) -> set[str]:
        """Judge and count everything afresh; answers what was seen until now."""
        seen, self.seen = self.seen, set()
        self._judged.clear()
        return seen

    def _judge(
        self, system: str, method: str, target: str, body: bytes | str | None, status: int, writable: bool
    ) -> None:
        parts = urlsplit(target)
        template = facts(system).template(parts.path)
        if template is None or method not in facts(system).operations[template]:
            self._wrong(f"{system} {method} {parts.path}: is not documented")
            return
        name = f"{system} {method} {template}"
        self.seen.add(name)
        if wrong := beyond(system, method, template, writable=writable):
            self._wrong(f"{name}: {wrong}")
        for seen in facts(system).query(method, template, parse_qs(parts.query, keep_blank_values=True)):
            self._place(f"{name} ?{seen.place[0]}", seen.wrong)
        shape = facts(system).body(method, template)
        if body:
            if shape is None:
                self._wrong(f"{name}: takes no body")
            else:
                for seen in facts(system).judged(shape, json.loads(body), part=method == "PATCH"):
                    self._place(" ".join((name, ".".join(seen.place))).rstrip(), seen.wrong)
        if 200 <= status < 300 and status not in facts(system).operations[template][method]["success"]:
            self._wrong(f"{name}: was answered {status}, which is not documented")

    def _place(self, place: str, wrong: str) -> None:
        self.seen.add(place)
        if wrong:
            self._wrong(f"{place}: {wrong}")

    def _wrong(self, problem: str) -> None:
        for pattern in self.allowed:
            if fnmatchcase(problem, pattern):
                self.used.add(pattern)
                return
        self.problems.setdefault(problem, os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0])

    def install(self) -> None:
        """Listen at the transports of every provider made from now on; the tests' own requests do not go through them."""
        for provider in (VastProvider, RunaiProvider, KubernetesProvider):
            self._after_init(provider, self._listen)

    def _after_init(self, provider: Any, listen: Callable[[Any], None]) -> None:
        original = provider.__init__

        def init(one: Any, *words: Any, **named: Any) -> None:
            original(one, *words, **named)
            listen(one)

        provider.__init__ = init

    def _listen(self, provider: Any) -> None:
        wire = provider._transport.wire
        send = wire.send

        def heard(request: Any, content: Any, headers: Any) -> Any:
            try:
                answer = send(request, content, headers)
            except BaseException:
                self.note(provider.system, request.method, request.target, content, writable=provider.writable)
                raise
            self.note(
                provider.system, request.method, request.target, content, answer.status, writable=provider.writable
            )
            return answer

        wire.send = heard
