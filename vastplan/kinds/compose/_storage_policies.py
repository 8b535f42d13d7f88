"""`storage_policies: true` of a project: a policy for each workload type, by which claims may name only the project's classes, and
workloads no NFS server and no directory of a node, where the admission policy for pods refuses these.

The classes are those that the admission policies allow it: the ones it lists, those of its tenant, and those that are shared or
open to its namespace. Run:AI's forms offer these classes where they follow the policy; the admission policies enforce the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from vastplan.kinds.runai.project import namespace_of
from vastplan.model.value import Ref
from vastplan.schema.composition import Scope
from vastplan.schema.entries import Entry

TYPES = ("workspace", "training", "inference")


def policies(project: Entry, scope: Scope) -> Iterable[Entry]:
    """The workload policies of a project with `storage_policies: true`; none of another project."""
    if project.values.get("storage_policies") is not True:
        return
    classes = sorted(_classes(project, scope), key=lambda ref: ref.target)
    if not classes:
        text = "storage_policies: it may use no class, and a policy has to list one"
        scope.refuse(project, "VP289", text, "write storage_classes: [NAME], or remove storage_policies")
        return
    settings = scope.sites[project.address.site].settings
    refused = settings.get("isolation") == "admission_policy" and not settings.get("inline_volumes")
    rules: dict[str, Any] = {"add_nfs": False, "add_host_path": False} if refused else {}
    for type_ in TYPES:
        values = {"type": type_, "project": Ref(project.address), "storage_classes": list(classes), **rules}
        name = f"{project.address.name}-{type_}"
        yield project.part("workload_policy", name, {"name": name, **values})


def _classes(project: Entry, scope: Scope) -> Iterator[Ref]:
    values = project.values
    listed = [ref for ref in values.get("storage_classes") or () if isinstance(ref, Ref)]
    yield from listed
    tenant, namespace = values.get("tenant"), namespace_of({"name": project.called, **values})
    for entry in scope.of(project.address.site, "storage_class"):
        rules = entry.values
        of_tenant = isinstance(tenant, Ref) and rules.get("tenant") == tenant
        opened = rules.get("shared") is True or namespace in {str(name) for name in rules.get("open_to", ())}
        if (of_tenant or opened) and Ref(entry.address) not in listed:
            yield Ref(entry.address)
