"""CSI-06: classes whose driver has nothing to log in with, or too much."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.kinds.kubernetes.storage_class import purposes_of
from vastplan.model.address import Address
from vastplan.model.finding import Severity
from vastplan.model.value import Ref

_DELIVER = ("manager", "api_token")


def _run(facts: Facts) -> Iterator[Violation]:
    used = set()
    for storage_class in facts.objects.all("storage_class"):
        values = storage_class.values
        purposes = purposes_of(values["driver"])
        by_purpose = dict.fromkeys(purposes, values.get("secret")) | values.get("secrets", {})
        missing_purposes = [purpose for purpose in purposes if by_purpose[purpose] is None]
        if "secret" not in values and "secrets" not in values:
            yield Violation(storage_class, "has no secret: it works only where the driver has a global one")
        elif missing_purposes:
            text = f"has no secret for {', '.join(missing_purposes)}: it works only where the driver has a global one"
            yield Violation(storage_class, text)
        secrets = {ref.target: facts.objects.get(ref) for ref in by_purpose.values() if isinstance(ref, Ref)}
        used |= {address for address, secret in secrets.items() if secret is not None}
    delivered = _delivered(facts)
    for secret in facts.objects.all("secret"):
        keys = {key for key, value in (secret.values.get("data") or {}).items() if value is not None}
        keys |= delivered.get(secret.address, set())
        if secret.address not in used or not (keys or "data" in secret.values):
            continue
        if "endpoint" not in keys:
            yield Violation(secret, "has no key endpoint, and a class logs in with it")
        if "token" in keys and keys & {"username", "password"}:
            yield Violation(secret, "has both token and username or password, and the driver refuses that")
        elif "token" not in keys and not keys >= {"username", "password"}:
            yield Violation(secret, "has neither token nor username and password, and a class logs in with it")


def _delivered(facts: Facts) -> dict[Address, set[str]]:
    """The keys that are delivered into each Secret, besides those that the document writes into it."""
    keys: dict[Address, set[str]] = {}
    for kind in _DELIVER:
        for entry in facts.objects.all(kind):
            deliver = entry.values.get("deliver")
            if isinstance(deliver, dict) and isinstance(deliver["secret"], Ref):
                keys.setdefault(deliver["secret"].target, set()).update(deliver["keys"].values())
    return keys


CHECK = Check(
    code="CSI-06",
    title="a class that cannot log in",
    severity=Severity.WARNING,
    why="The driver reads the cluster's address and its log-in from the class's Secret at every call.",
    fix="write secret: NAME in the class; that Secret needs endpoint, and token or username and password",
    source="vast-csi chart, storage-class.yaml and the keys of its secret",
    run=_run,
)
