"""The isolation proof the slow way: every project's chain is walked by itself, and every two projects are compared.

It shares nothing with `vastplan.checks.isolation`: which classes a project may use is taken from the document as it is
written, not from admission policies, and everything is looked for in plain lists.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from vastplan.schema.entries import Entry

Element = tuple[str, str]


def name_of(ref: Any) -> str:
    return str(ref.target.name)


class Oracle:
    """One site of one document."""

    def __init__(self, written: list[Entry], objects: list[Entry], *, isolation: str) -> None:
        self.written = written
        self.objects = objects
        self.isolation = isolation
        self.projects = {entry.address.name: entry.values for entry in self.of("project", written)}
        self.lost: dict[str, set[str]] = {name: set() for name in self.projects}
        self.reached = {name: self.elements(name) for name in self.projects}

    def of(self, kind: str, entries: list[Entry] | None = None) -> list[Entry]:
        return [entry for entry in (self.objects if entries is None else entries) if entry.address.kind == kind]

    def values_of(self, kind: str, name: str) -> dict[str, Any] | None:
        return next((entry.values for entry in self.of(kind) if entry.address.name == name), None)

    def namespace(self, project: str) -> str:
        return str(self.projects[project].get("namespace") or f"runai-{project}")

    def may_use(self, project: str, written: Entry) -> bool:
        mine = self.projects[project]
        listed = [name_of(ref) for ref in mine.get("storage_classes") or ()]
        tenant = written.values.get("tenant")
        return written.address.name in listed or (tenant is not None and mine.get("tenant") == tenant)

    def open_to(self, project: str, written: Entry) -> bool:
        """A namespace is what is let in, so whoever shares it shares this too."""
        if written.values.get("shared") is True or self.isolation == "audit":
            return True
        neighbours = [other for other in self.projects if self.namespace(other) == self.namespace(project)]
        allowed = [self.may_use(neighbour, written) for neighbour in neighbours]
        return all(allowed) if self.isolation == "resource_quota" else any(allowed)

    def elements(self, project: str) -> set[Element]:
        elements: set[Element] = {("namespace", self.namespace(project))}
        for written in self.of("storage_class", self.written):
            if self.open_to(project, written):
                elements |= self.of_class(project, written.address.name)
        for claim in self.of("persistent_volume_claim"):
            if self.namespace(name_of(claim.values["namespace"])) != self.namespace(project):
                continue
            if claim.values["storage_class"] is not None:
                name = name_of(claim.values["storage_class"])
                if self.values_of("storage_class", name) is None:
                    self.lost[project].add(name)
                    elements.add(("storage class", name))
                else:
                    elements |= self.of_class(project, name)
        for volume in self.of("persistent_volume"):
            if self.namespace(name_of(volume.values["claim_namespace"])) == self.namespace(project):
                elements |= self.of_volume(project, volume.values)
        return elements | self.buckets(elements)

    def buckets(self, elements: set[Element]) -> set[Element]:
        """The buckets that the directories among some elements are, or lie in."""
        found = set()
        for layer, place in elements:
            tenant, _, path = place.partition(":")
            for view in self.of("view") if layer == "path" else []:
                around = path.rstrip("/") + "/"
                inside = around.startswith(str(view.values["path"]).rstrip("/") + "/")
                if view.values.get("bucket") and name_of(view.values["tenant"]) == tenant and inside:
                    found.add(("bucket", f"{tenant}:{view.values['bucket']}"))
        return found

    def of_class(self, project: str, name: str) -> set[Element]:
        values = self.values_of("storage_class", name)
        assert values is not None
        elements = {("storage class", name), *self.secrets(values), *self.pool(values)}
        policy = self.values_of("view_policy", name_of(values["view_policy"]))
        elements.add(("view policy", name_of(values["view_policy"])))
        if policy is None or policy["tenant"] is None:
            self.lost[project].add(name_of(values["view_policy"]))
        else:
            tenant = name_of(policy["tenant"])
            elements |= {("tenant", tenant), ("path", f"{tenant}:{values['storage_path']}")}
        return elements

    def of_volume(self, project: str, values: dict[str, Any]) -> set[Element]:
        elements = {*self.secrets(values), *self.pool(values)}
        owner = (self.values_of("vip_pool", name_of(values["vip_pool"])) or {}).get("tenant")
        for view in self.of("view"):
            if view.values["path"] == values["volume_handle"] and (owner is None or view.values["tenant"] == owner):
                tenant = name_of(view.values["tenant"])
                elements |= {("tenant", tenant), ("path", f"{tenant}:{view.values['path']}")}
                elements.add(("view policy", name_of(view.values["view_policy"])))
        if not any(layer == "path" for layer, _ in elements):
            if owner is None:
                self.lost[project].add(values["volume_handle"])
            else:
                elements.add(("path", f"{name_of(owner)}:{values['volume_handle']}"))
        return elements

    def pool(self, values: dict[str, Any]) -> set[Element]:
        name = name_of(values["vip_pool"])
        owner = (self.values_of("vip_pool", name) or {}).get("tenant")
        return {("VIP pool", name), *([] if owner is None else [("tenant", name_of(owner))])}

    def secrets(self, values: dict[str, Any]) -> set[Element]:
        refs = [values["secret"]] if "secret" in values else [*values.get("secrets", {}).values()]
        names = [name_of(ref) for ref in refs if ref is not None]
        found = {name: self.values_of("secret", name) for name in names}
        called = {f"{name_of(of['namespace'])}/{name}" if of else name for name, of in found.items()}
        return {("secret", name) for name in called or {"the driver's own"}}

    def meets(self) -> dict[frozenset[str], set[Element]]:
        """Every two projects that meet, and in what."""
        meetings = {}
        for first, second in combinations(sorted(self.projects), 2):
            here, there = self.reached[first], self.reached[second]
            shared = (here & there) | outer_directories(here, there) | outer_directories(there, here)
            if shared:
                meetings[frozenset((first, second))] = shared
        return meetings


def outer_directories(here: set[Element], there: set[Element]) -> set[Element]:
    """The directories of `here` that `there` has something inside of."""
    directories = set()
    for layer, outer in here:
        for other, inner in there:
            if layer == other == "path" and (inner + "/").startswith(outer.rstrip("/") + "/"):
                directories.add((layer, outer))
    return directories
