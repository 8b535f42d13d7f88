"""Finds live objects by the values that they share with others; each index is built once."""

from __future__ import annotations

from vastplan.engine.live.observe import Live, Observed
from vastplan.schema.references import raw_references

Index = dict[tuple[str, ...], list[Live]]


class Lookup:
    """Finds live objects for one import; not shared by threads."""

    def __init__(self, observed: Observed) -> None:
        self.observed = observed
        self._indexes: dict[tuple[str, str, tuple[str, ...]], Index] = {}
        self._sources: dict[str, dict[str, set[str]]] = {}

    def equal(self, live: Live, kind: str, same: tuple[tuple[str, str], ...]) -> list[Live]:
        """The objects of `kind` on the same site whose fields equal those of `live`. `same` pairs a field of `live` with one of theirs."""
        fields = tuple(name for _, name in same)
        key = live.site, kind, fields
        if key not in self._indexes:
            index = self._indexes[key] = Index()
            for other in self.observed.objects(live.site, kind):
                index.setdefault(tuple(str(other.values.get(name)) for name in fields), []).append(other)
        return self._indexes[key].get(tuple(str(live.values.get(name)) for name, _ in same), [])

    def named_in(self, live: Live, field: str) -> str:
        """The name of the object that a field refers to, else its value as text; "" if it has none, or the id of no existing object."""
        for named, refers, raw in raw_references(live.kind.fields, live.values):
            if named.name == field:
                for kind, attribute in refers.targets:
                    target = self.observed.find(live.site, kind, attribute, raw)
                    if target is not None:
                        return target.name
                if all(attribute == "id" for _, attribute in refers.targets):
                    return ""
        value = live.values.get(field)
        return "" if value is None else str(value)

    def has_source(self, live: Live) -> bool:
        """Whether an object of a kind that systems copy to other sites has a namesake on another site that is not a copy."""
        kind = live.kind
        if not kind.mirrored:
            return False
        if kind.name not in self._sources:
            sources: dict[str, set[str]] = {}
            for site in self.observed.sites(kind.name):
                for other in self.observed.objects(site, kind.name):
                    if not other.system_owned:
                        sources.setdefault(other.name, set()).add(site)
            self._sources[kind.name] = sources
        return bool(self._sources[kind.name].get(live.name, set()) - {live.site})
