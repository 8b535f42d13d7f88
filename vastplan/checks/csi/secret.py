"""CSI-06: classes whose driver has nothing to log in with, or too much."""

from collections.abc import Iterator

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.model.finding import Severity


def _run(facts: Facts) -> Iterator[Violation]:
    used = set()
    for storage_class in facts.objects.all("storage_class"):
        if "secret" not in storage_class.values:
            yield Violation(storage_class, "has no secret: it works only where the driver has a global one")
        elif (secret := facts.objects.get(storage_class.values["secret"])) is not None:
            used.add(secret.address)
    for secret in facts.objects.all("secret"):
        keys = {key for key, value in (secret.values.get("data") or {}).items() if value is not None}
        if secret.address not in used or "data" not in secret.values:
            continue
        if "endpoint" not in keys:
            yield Violation(secret, "a class logs in with it, and it has no key endpoint")
        if "token" in keys and keys & {"username", "password"}:
            yield Violation(secret, "has token together with username or password, which the driver refuses")
        elif "token" not in keys and not keys >= {"username", "password"}:
            yield Violation(secret, "a class logs in with it, and it has neither token nor username and password")


CHECK = Check(
    code="CSI-06",
    title="a class that cannot log in",
    severity=Severity.WARNING,
    why="The driver reads the cluster's address and its log-in from the class's secret, at every call.",
    fix="secret: NAME on the class, with endpoint, and token or username and password in it",
    source="vast-csi chart, storage-class.yaml and the keys of its secret",
    run=_run,
)
