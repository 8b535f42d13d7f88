"""Read live objects: every collection once, by pages, in parallel. What cannot be read is unknown, never empty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor

from vastplan.engine.live.names import NOTHING_NAMED, Named
from vastplan.engine.live.observe import Live, Observed, ObservedCollection, SiteKind, SystemKey, live_of, live_reader
from vastplan.model.address import kind_of
from vastplan.model.errors import Nobody, NotAuthorised, ObjectNotFound, VastplanError
from vastplan.model.site_ledger import Owned, SiteLedger
from vastplan.model.value import REDACTED
from vastplan.model.watch import UNWATCHED, Watch
from vastplan.model.wording import plural
from vastplan.schema.codec import item_id
from vastplan.schema.endpoint import Asked, AskedMembers
from vastplan.schema.kind import Kind, Row
from vastplan.schema.provider import Asking, Glancing, Provider

DOUBTS = 5  # at most so many owned objects that the list of a collection does not show are read one by one
MAX_BARREN_PAGES = 10  # in a row: a list may shrink while it is read, but one that never ends must not be read for ever
# What decoding a row raises when a value in it is of another type than the vendor's documents say.
_MISSHAPEN = (AttributeError, KeyError, IndexError, TypeError, ValueError, ArithmeticError)


Names = Mapping[SiteKind, Named]  # what to ask for by name, by site and kind


def observe(
    wanted: Iterable[tuple[str, Kind]],
    providers: Mapping[SystemKey, Provider | Exception],
    ledger: Mapping[str, SiteLedger] | None = None,
    names: Names | None = None,
    watch: Watch = UNWATCHED,
) -> Observed:
    """Read the wanted collections. In place of a provider there may be the exception that says why none exists.

    Objects that the `ledger` owns and a list does not show are read one by one: if one exists, the list was cut short and is
    unknown. Of kinds that are `read_by_name`, objects with these `names` are read one by one where the kind may not be listed, and
    where its list shows only a part of each; of other objects only what the list shows is read.
    """
    owned: dict[SiteKind, list[Owned]] = {}
    for site, part in (ledger or {}).items():
        for text, record in part.entries.items():
            owned.setdefault((site, kind_of(text)), []).append(record)
    tasks = list(dict.fromkeys((site, kind.name) for site, kind in wanted))
    kinds = {kind.name: kind for _, kind in wanted}

    def collection(task: SiteKind) -> ObservedCollection:
        site, kind = task[0], kinds[task[1]]
        provider = providers.get((site, kind.system))
        if provider is None:
            return ObservedCollection(error=f"site {site} has no {kind.system}", absent=True)
        if isinstance(provider, Exception):
            return ObservedCollection(error=str(provider))
        watch.begins(site, kind.system, kind.name)
        try:
            return _collection(site, kind, provider, owned.get(task, []), (names or {}).get(task, NOTHING_NAMED), watch)
        finally:
            watch.ends(site, kind.system, kind.name)

    with ThreadPoolExecutor(max_workers=max(1, min(16, len(tasks)))) as pool:
        return Observed(dict(zip(tasks, pool.map(collection, tasks), strict=True)))


def _collection(
    site: str, kind: Kind, provider: Provider, owned: list[Owned], names: Named, watch: Watch
) -> ObservedCollection:
    try:
        if isinstance(kind.endpoint.shape, Asked):  # without a list, reading all that matters by name is enough
            return _by_name(site, kind, provider, names, "")
        if isinstance(kind.endpoint.shape, AskedMembers):
            return _by_owner(site, kind, kind.endpoint.shape, provider, names)
        try:
            return _listed(site, kind, provider, owned, names, watch)
        except NotAuthorised as problem:
            if not kind.read_by_name:
                raise
            return _by_name(site, kind, provider, names, str(problem))
        except ObjectNotFound:
            if not kind.versions or owned:
                raise
            return ObservedCollection([])  # a system older than the version that introduced the kind has none
    except VastplanError as problem:
        return ObservedCollection(error=str(problem))
    except _MISSHAPEN as problem:
        text = f"{provider.describe()}: a {kind.name} in the answer does not have the documented form"
        return ObservedCollection(error=f"{text} ({type(problem).__name__})")


def _listed(
    site: str, kind: Kind, provider: Provider, owned: list[Owned], names: Named, watch: Watch
) -> ObservedCollection:
    objects: dict[str, Live] = {}
    read: Callable[[Row], Live] | None = None
    barren = 0
    for page in provider.pages(kind):
        watch.page(site, kind.system, kind.name)
        before = len(objects)
        for row in page:
            read = read or live_reader(site, kind, row, provider)
            live = read(row)
            if not live.id:
                return ObservedCollection(error=f"{provider.describe()}: a {kind.name} in the answer has no identity")
            objects[live.id] = live  # a list that changed between two pages may show a row twice
        barren = 0 if len(objects) > before else barren + 1
        if barren > MAX_BARREN_PAGES:
            return ObservedCollection(
                error=f"{provider.describe()}: the list of {plural(kind.name)} repeats itself without end"
            )
    for record in [record for record in owned if record.id not in objects][:DOUBTS]:
        answer = provider.read(kind, record.locator)
        if answer is not None and item_id(kind.endpoint, answer) == record.id:
            text = f"its list does not show {record.locator}, which exists: the list was cut short"
            return ObservedCollection(error=f"{provider.describe()}: {text}")
    whole = (_whole(live, provider, names) for live in objects.values()) if kind.endpoint.listed else objects.values()
    return ObservedCollection([live for live in whole if live is not None])


def _whole(live: Live, provider: Provider, names: Named) -> Live | None:
    """An object of a list that shows only a part of it: read as a whole if its values are needed; `None` if it is gone by then."""
    if live.locator not in names.whole and live.name not in names.called:
        return _glanced(live)
    row = provider.read(live.kind, live.locator)
    return None if row is None else live_of(live.site, live.kind, row, provider)


def _glanced(live: Live) -> Live:
    """An object of which only a part was shown: the other fields are withheld (`REDACTED`), not empty."""
    keys = live.kind.endpoint.listed
    live.values |= {
        field.name: REDACTED
        for field in live.kind.fields
        if field.readable and field.read_at and field.read_at[0] not in keys
    }
    return live


def _by_owner(site: str, kind: Kind, shape: AskedMembers, provider: Provider, names: Named) -> ObservedCollection:
    """The objects of the owners that the document and the ledger name; those of other owners are not needed."""
    owners = sorted({shape.owner(locator) for locator in names.locators})
    rows: list[Row] = []
    nobody: set[str] = set()
    for owner in owners:
        assert isinstance(provider, Asking)
        try:
            rows += provider.had(kind, owner)
        except Nobody:
            nobody.add(owner)
    objects = [live_of(site, kind, row, provider) for row in rows]
    return ObservedCollection(objects, asked=frozenset(owners), nobody=frozenset(nobody))


def _by_name(site: str, kind: Kind, provider: Provider, names: Named, problem: str) -> ObservedCollection:
    """The objects with one of the names. A name that may not be read is left out of `asked`, and so stays unknown."""
    objects: list[Live] = []
    asked: list[str] = []
    nobody: set[str] = set()
    denied = ""
    asking = provider if isinstance(kind.endpoint.shape, Asked) and isinstance(provider, Asking) else None
    glancing = provider if kind.endpoint.listed and isinstance(provider, Glancing) else None
    for name in sorted(names.locators):
        partly = glancing is not None and name not in names.whole
        try:
            if asking is not None:
                row = asking.set_of(kind, name)
            else:
                row = glancing.glance(kind, name) if glancing is not None and partly else provider.read(kind, name)
        except Nobody:
            row = None
            nobody.add(name)
        except NotAuthorised as refusal:
            denied = str(refusal)
            continue
        asked.append(name)
        if row is not None:
            live = live_of(site, kind, row, provider)
            if partly:
                live = _glanced(live)
            if not live.id or live.locator != name:
                return ObservedCollection(
                    error=f"{provider.describe()}: the answer to {kind.name} {name} is not that object"
                )
            objects.append(live)
    problem = problem or denied
    text = f"only what the document and the ledger name could be read: {problem}" if problem else ""
    return ObservedCollection(objects, text, asked=frozenset(asked), nobody=frozenset(nobody))
