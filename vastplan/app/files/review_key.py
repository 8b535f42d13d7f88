"""The key to compare values of secrets without showing them: `--review-key FILE`, known only to the runner.

A plan has a keyed digest (BLAKE2b) of each secret value that it would write, which also covers the address and the field. A
reviewer cannot guess the value, not even a short one; without the key nobody can forge a digest; equal secrets have different digests.
"""

from __future__ import annotations

import hashlib
from dataclasses import field, replace
from pathlib import Path

from vastplan.app.files.runner_keys import refuse_in_reach
from vastplan.document.load import Document
from vastplan.engine.live.secret_sources import secret_leaves
from vastplan.model.canonical_json import json_file_text
from vastplan.model.dataclass import dataclass
from vastplan.model.errors import VastplanError
from vastplan.model.plan import Action, Plan
from vastplan.model.value import Reveal, from_json, revealed, sources
from vastplan.schema.discover import Registry

SHORTEST, LONGEST = 32, 4096  # bytes
_SIZE = 16  # bytes of a digest
_ID = b"the id of this key"


@dataclass(frozen=True, slots=True)
class ReviewKey:
    """A key; no message shows it."""

    secret: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """The identifier of the key, in hexadecimal digits."""
        return hashlib.blake2b(_ID, key=self.secret, digest_size=8).hexdigest()

    def digest(self, address: str, path: str, value: object) -> str:
        """The digest of the value of a field."""
        content = json_file_text([address, path, value]).encode()
        return hashlib.blake2b(content, key=self.secret, digest_size=_SIZE).hexdigest()


def load_review_key(path: Path, document: Document) -> ReviewKey:
    """The key in a file. Raises `VastplanError` for a key of a wrong length, or where a document could read it or supply its own."""
    name = f"the review key {path}"
    refuse_in_reach(path, name, document)
    try:
        if not path.is_file():
            raise VastplanError(f"{name} is not a file")
        with path.open("rb") as file:
            content = file.read(LONGEST + 1).strip()
    except OSError as problem:
        raise VastplanError(f"{name} cannot be read: {problem.strerror}") from None
    if not SHORTEST <= len(content) <= LONGEST:
        raise VastplanError(f"{name} has to be {SHORTEST} to {LONGEST} bytes; make one with: openssl rand -hex 32")
    return ReviewKey(hashlib.blake2b(content, digest_size=64).digest())


def with_digests(plan: Plan, key: ReviewKey, registry: Registry, reveal: Reveal) -> Plan:
    """The plan with the digests of the secrets that it writes; a secret that cannot be read here gets none."""
    actions = tuple(_with_digests(action, key, registry, reveal) for action in plan.actions)
    return replace(plan, actions=actions, review_key=key.id)


def _with_digests(action: Action, key: ReviewKey, registry: Registry, reveal: Reveal) -> Action:
    secrets = secret_leaves(registry.kinds[action.address.kind], from_json(dict(action.desired)))
    digests = {}
    for path, leaf in secrets.items():
        if sources(leaf.value):
            try:
                digests[path] = key.digest(str(action.address), path, revealed(leaf.value, reveal))
            except VastplanError:
                continue
    return replace(action, secrets=digests) if digests else action
