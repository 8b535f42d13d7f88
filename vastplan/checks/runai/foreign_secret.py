"""RAI-06: a credential whose Secret is not in the namespace where Run:AI looks for it."""

from collections.abc import Iterator, Mapping

from vastplan.checks.check import Check, Violation
from vastplan.checks.facts import Facts
from vastplan.checks.proof.proof import namespaces_of
from vastplan.model.finding import Severity
from vastplan.model.value import Ref
from vastplan.schema.entries import Entry

_KINDS = (
    "access_key_credential", "docker_registry_credential", "generic_secret_credential", "password_credential",
)  # fmt: skip
_SHARED = "runai"  # the namespace for departments and clusters


def _run(facts: Facts) -> Iterator[Violation]:
    for site in facts.sites:
        namespaces = namespaces_of(site, facts.objects)
        for kind in _KINDS:
            for credential in facts.objects.on(site, kind).values():
                secret = credential.values.get("existing_secret")
                if not isinstance(secret, Ref):
                    continue
                expected, why = _wanted(credential, namespaces)
                actual = _namespace_of(facts, secret, namespaces)
                if expected and actual and expected != actual:
                    yield Violation(
                        credential,
                        f"its Secret {secret} is in namespace {actual}, and Run:AI looks for {why} in {expected}",
                    )


def _wanted(credential: Entry, namespaces: Mapping[str, str]) -> tuple[str, str]:
    """The namespace in which Run:AI looks, "" if unknown, and in words whose it is."""
    project = credential.values.get("project")
    if isinstance(project, Ref):
        return namespaces.get(project.target.name, ""), f"that of project {project}"
    return _SHARED, "one for more than a project"


def _namespace_of(facts: Facts, secret: Ref, namespaces: Mapping[str, str]) -> str:
    """The namespace of a Secret, "" if unknown."""
    entry = facts.objects.get(secret)
    if entry is None:
        return secret.target.name.rpartition("/")[0]
    namespace = entry.values.get("namespace")
    if not isinstance(namespace, Ref):
        return ""
    if namespace.target.kind == "project":
        return namespaces.get(namespace.target.name, "")
    target = facts.objects.get(namespace)
    return str(target.values.get("name", target.address.name) if target else namespace.target.name)


CHECK = Check(
    code="RAI-06",
    title="a credential whose Secret is in another namespace",
    severity=Severity.ERROR,
    why="Run:AI looks for the Secret of a credential in one namespace only; without it the credential has no values, and what uses it waits.",
    fix="move the Secret to that namespace, or give the credential the scope that fits the Secret's namespace",
    source="Run:AI documentation, credentials: creating secrets in advance, by scope",
    run=_run,
)
