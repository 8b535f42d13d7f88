"""Carry out one operation: read again, compare with the plan, write, wait, read back, record it in the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from vastplan.engine.applying.apply_context import ApplyContext, Made
from vastplan.engine.applying.created_object import find_created, has_identity
from vastplan.engine.applying.deliver import deliver
from vastplan.engine.applying.ledger_record import JustMade, ledger_record
from vastplan.engine.applying.refusal import unchangeable_field
from vastplan.engine.applying.settle import settled_change, settled_write
from vastplan.engine.deciding.ignore import drop_leaves
from vastplan.engine.deciding.staleness import moved_since, moved_unseen, outgrown, stale
from vastplan.engine.live.body import create_body, unmet_leaves, update_body
from vastplan.engine.live.diff import live_fingerprint, value_at
from vastplan.engine.live.floors import too_low
from vastplan.engine.live.groups import turned
from vastplan.engine.live.observe import Live, live_of
from vastplan.engine.live.wait import until_gone, until_ready, until_shown
from vastplan.engine.matching.holdings import shown_data
from vastplan.engine.values.creation import created_source
from vastplan.engine.values.delivery import (
    answered_once,
    delivers_of,
    destination,
    draw,
    predicted,
    with_drawn,
)
from vastplan.model.errors import NotAuthorised, Refused, Stale, Unclear, Unreachable, VastplanError
from vastplan.model.escaping import inert
from vastplan.model.live_state import state_text
from vastplan.model.moments import parse_moment
from vastplan.model.plan import Action, Step, Verb, let_go
from vastplan.model.site_ledger import Intent, path_text
from vastplan.model.value import Reason, Ref, Unknown, from_json, references
from vastplan.schema.codec import Encoder
from vastplan.schema.endpoint import Asked
from vastplan.schema.kind import Row, Values
from vastplan.schema.markers import Marker

T = TypeVar("T")
_NOT_CREATED, _NOT_CHANGED, _NOT_DELETED = "it does not exist yet", "nothing has changed yet", "it still exists"


def execute(context: ApplyContext, action: Action, step: Step, made: Made, *, already_moved: bool) -> Mapping[str, Any]:
    """Carry out one step of an action. Returns the attributes of what was written, empty if nothing was.

    `made` is what earlier steps of this apply have written. `already_moved` says that a step of this apply may have changed the
    object since the plan. Raises `Stale`, `Refused`, `Unreachable` or `Unclear` when the step fails.
    """
    execution = _Execution(context, action, made)
    execution.run(step, already_moved)
    return execution.attributes


def refuse_if_shown_late(context: ApplyContext, action: Action) -> None:
    """Raises `Unclear` where an interrupted run created the object of a create, and the system shows it only now.

    Asked before the first write of a run: objects that differ by their ids alone are not told from those that this run creates.
    """
    intent = context.ledger[action.address.site].intents.get(action.renamed_from or str(action.address))
    if action.verb is Verb.CREATE and intent is not None and intent.before is not None:
        _Execution(context, action, {}).refuse_if_shown_late(intent)


class _Execution:
    """One step that is being carried out."""

    def __init__(self, context: ApplyContext, action: Action, made: Made) -> None:
        self.attributes: Mapping[str, Any] = {}
        self._answered_once: Mapping[str, Any] = {}
        """Values that only the answer to the create has: given to what refers to them in this apply, and stored nowhere."""
        self._context = context
        self._made = made
        self._action = action
        self._address = action.address
        self._recorded_as = action.renamed_from or str(action.address)
        """The address of the object in the ledger when this run began."""
        self._kind = context.kinds[action.address.kind]
        self._provider = context.providers[action.address.site, self._kind.system]
        self._journal = context.journals[action.address.site]
        self._values: Values = from_json(dict(action.desired))
        self._references = tuple(references(self._values))
        # Fields that keep their change made outside vastplan are neither written nor checked.
        self._wanted = drop_leaves(self._kind.fields, self._values, action.left)
        self._delivers = delivers_of(self._kind, self._values)
        self._drawn = () if self._delivers is None else self._delivers.drawn
        self._encoder = Encoder(action.address.site, self._resolve, context.reveal)
        self._written = False
        self._attributes: Mapping[str, Any] = {}
        """Values that were created just now: they are delivered to their destination, and stored nowhere else."""
        self._delivered_at = ""
        self._made_of: Mapping[str, str] = {}

    def run(self, step: Step, already_moved: bool) -> None:
        """Carry out the step."""
        try:
            self._step(step, already_moved)
        except (Unreachable, NotAuthorised) as problem:
            if self._written:  # without reading back, the outcome of the write is unknown: the intent stays
                raise Unclear(f"it was written and could not be read back: {problem}") from None
            raise

    def _resolve(self, ref: Ref, attribute: str) -> Any:
        return self._context.resolve(ref, attribute, self._made)

    def _named(self, ref: Ref, attribute: str) -> Any:
        """The same for a comparison: `Unknown` for an object that does not exist, which equals no live value."""
        try:
            return self._resolve(ref, attribute)
        except Refused as problem:
            return Unknown(str(problem), Reason.NOT_CREATED)

    def _write(self, send: Callable[[], T]) -> T:
        """Send a write, and record that the system may have changed, also when the outcome is unclear."""
        try:
            answer = send()
        except Unclear:
            self._written = True
            raise
        self._written = True
        return answer

    def _step(self, step: Step, already_moved: bool) -> None:
        if step is Step.DELETE:
            self._delete(already_moved)
        elif step is Step.DETACH:
            self._detach()
        elif self._action.verb is Verb.RELEASE:
            self._release()
        elif self._action.verb in (Verb.CREATE, Verb.REPLACE):
            self._create()
        else:
            self._update(already_moved)

    def _release(self) -> None:
        if self._values:
            live = self._context.matches.match(self._address).live
            self._own(self._action.id, self._action.locator, live)
        else:
            self._journal.drops(str(self._address))

    def _create(self) -> None:
        if self._action.verb is Verb.CREATE:
            self._still_absent()
        drawn = draw(self._drawn)
        body = with_drawn(self._drawn, drawn, create_body(self._kind, self._values, self._encoder))

        def send() -> Live:
            row = self._write(lambda: self._provider.create(self._kind, body))
            self._answered_once = {**answered_once(self._kind, row), **drawn}
            self._made_of = created_source(self._kind, row)
            return self._live(row)

        def look(problem: Unclear) -> Live | None:
            self._answered_once = drawn
            if self._kind.distinct_by_id:  # it cannot be told from others, and its value is lost: it is not sent twice
                raise Unclear(f"{problem}; cannot determine whether it was created")
            desired = self._context.revealed(self._values)
            return find_created(self._kind, self._provider, self._pages(), desired, self._current, self._live, problem)

        try:
            # In the end the create may still be under way: the intent stays, and the next run recognizes what vastplan created.
            made = settled_write(send, look, _NOT_CREATED)
        except Refused as problem:  # not every system reports a taken name as a conflict: VAST answers 400
            alone = self._action.verb is Verb.CREATE and not self._kind.distinct_by_id
            if alone and not self._written and self._exists():
                self._appeared(str(problem))
            raise
        if self._delivers is not None:
            self._attributes = {**made.attributes, **self._answered_once}
            self._own(made.id, made.locator, None)  # records its id, even if its value is not delivered
            self._deliver()
        self._finish(made.locator, made.id)

    def _deliver(self) -> None:
        """Deliver the values to their destination."""
        assert self._delivers is not None
        where = destination(self._delivers, self._values)
        ref = where.target
        missing = [name for name in where.keys if self._attributes.get(name) is None]
        if missing:
            raise Refused(f"the answer does not have {', '.join(missing)}; the next plan creates another")
        kind = self._context.kinds[ref.target.kind]
        provider = self._context.providers[ref.target.site, kind.system]
        try:
            deliver(kind, provider, str(self._resolve(ref, "path")), where, self._attributes, self._encoder)
        except Unreachable as problem:
            raise Unclear(f"cannot deliver its value, the next plan creates another: {problem}") from None
        except Unclear as problem:
            raise Unclear(f"cannot determine whether its value was delivered: {problem}") from None
        except Refused as problem:
            raise Refused(f"cannot deliver its value, the next plan creates another: {problem}") from None
        self._delivered_at = self._context.now().isoformat(timespec="seconds")

    def _still_absent(self) -> None:
        """Check that no object of its identity has appeared since the plan. Raises `Stale`, `Unclear` or `Unreachable`."""
        match = self._context.matches.match(self._address)
        if match.unknown:
            raise Unreachable(f"cannot determine whether it exists: {match.unknown}")
        if match.live is not None:
            self._appeared(f"id {inert(match.live.id, 80)}")

    def refuse_if_shown_late(self, intent: Intent) -> None:
        """Raises `Unclear` where an object of its identity that the plan does not know has appeared since the intent."""
        sent = parse_moment(intent.at)
        age = 0.0 if sent is None else (self._context.now() - sent).total_seconds()
        lost = until_shown(lambda: self._made_since(intent), age)
        if lost is not None:
            self._appeared(f"id {inert(lost, 80)}")

    def _made_since(self, intent: Intent) -> str | None:
        """The id of an object of its identity that did not exist when the intent was noted, and that the plan does not know."""
        desired, known = self._context.revealed(self._values), {*(intent.before or ())}
        known |= {live.id for live in self._context.matches.observed.objects(self._address.site, self._kind.name)}
        rows = (row for page in self._pages() for row in page if has_identity(self._kind, desired, self._current(row)))
        return next((made for made in (self._live(row).id for row in rows) if made not in known), None)

    def _exists(self) -> bool:
        """Whether an object of its identity exists now, whoever created it."""
        desired = self._context.revealed(self._values)
        return any(has_identity(self._kind, desired, self._current(row)) for page in self._pages() for row in page)

    def _appeared(self, evidence: str) -> NoReturn:
        if self._begun():
            # An interrupted run may have created it: the intent must stay, so the next run recognizes it as created by vastplan.
            raise Unclear(f"it exists now ({evidence}), perhaps created by an interrupted run; plan again")
        raise Stale(f"it did not exist when the plan was made and exists now ({evidence}); plan again")

    def _still_as_planned(self, current: Values) -> None:
        expected = self._action.fingerprint
        if expected and live_fingerprint(self._kind, self._values, current) != expected:
            raise stale(moved_since(self._kind, self._action, self._values, current))

    def _update(self, already_moved: bool) -> None:
        fresh = self._fresh()
        current = self._current(fresh)
        if not already_moved:
            self._still_as_planned(current)
        paths = self._paths(current)
        drawn = draw(self._drawn) if self._another_is_due() else {}
        if paths:
            self._still_above(paths, current, fresh)
            self._send_update(paths, fresh, drawn)
        if drawn:
            self._answered_once = drawn
            self._attributes = {**self._live(fresh).attributes, **predicted(self._kind, self._values), **drawn}
            self._own(self._action.id, self._action.locator, None)  # so that the delivered value is known as owned
            self._deliver()
        self._finish(self._action.locator, wait=bool(paths) or self._action.verb is not Verb.ADOPT or self._begun())

    def _another_is_due(self) -> bool:
        """Whether the values of an existing object are to be generated again."""
        delivers = self._delivers
        return delivers is not None and any(
            change.path in (delivers.generation, delivers.to) for change in self._action.changes
        )

    def _begun(self) -> bool:
        """Whether an interrupted run may have written it."""
        return self._recorded_as in self._context.ledger[self._address.site].intents

    def _send_update(self, paths: set[tuple[str, ...]], fresh: Row, drawn: Mapping[str, str]) -> None:
        """Set the leaves in `paths`. Raises `Unclear` where no read shows that they are set."""
        unshown = bool(drawn) or any(self._kind.field(path[0]).has(Marker.WRITE_ONLY) for path in paths)

        def body(row: Row) -> Row:
            return with_drawn(self._drawn, drawn, update_body(self._kind, self._wanted, paths, row, self._encoder))

        def done(row: Row) -> bool:
            return not self._unmet(self._wanted, row)

        try:
            self._change(self._action.locator, fresh, body, None if unshown else done, _NOT_CHANGED)
        except Refused as problem:
            self._remember(problem, {path[0] for path in paths})
        for name in {path[0] for path in paths}:
            if f"{self._kind.name}.{name}" in self._context.ledger[self._address.site].refused:
                self._journal.accepts(self._kind, name)

    def _remember(self, problem: Refused, fields: set[str]) -> NoReturn:
        """Note what the system never changes in place: the next plan proposes a replace. Raises the refusal."""
        field = unchangeable_field(problem, fields)
        if not field:
            raise problem
        now = self._context.now().isoformat(timespec="seconds")
        self._journal.refuses(self._kind, field, inert(problem, 300), now)
        raise Refused(f"{problem}; nothing was changed, and the next plan proposes a replace", problem.status)

    def _change(
        self, locator: str, fresh: Row, body: Callable[[Row], Row], done: Callable[[Row], bool] | None, nothing: str
    ) -> None:
        """Update an object, settled: `done` says whether a row has all of it; `None` where a row does not show that."""
        desired = self._context.revealed(self._wanted)
        before = live_fingerprint(self._kind, desired, self._current(fresh))

        def took_effect(row: Row | None, problem: Unclear) -> bool:
            if row is None or done is None:
                raise problem
            if done(row):
                return True
            if live_fingerprint(self._kind, desired, self._current(row)) != before:
                raise problem
            return False

        settled_change(
            lambda row: self._write(lambda: self._provider.update(self._kind, locator, body(row), row)),
            lambda: self._provider.read(self._kind, locator),
            took_effect,
            fresh,
            nothing,
        )

    def _delete(self, already_moved: bool) -> None:
        fresh = self._provider.read(self._kind, self._action.locator)
        if fresh is not None:
            live = self._live(fresh)
            if live.id != self._action.id:
                was, now = inert(self._action.id, 80), inert(live.id, 80)
                raise Stale(f"another object has its name now: it was id {was} and is id {now} now; plan again")
            # An earlier step of this run may have changed it: a volume is released when its claim is deleted. Then the object
            # is judged as it was when the run first read it.
            judged = (self._context.matches.match(self._address).live if already_moved else None) or live
            if self._action.verb is Verb.REPLACE:
                self._still_as_planned(self._context.matches.symbolic(self._kind, judged, self._references))
            moved = moved_unseen(self._kind, self._action.seen, judged.values)
            if moved := (*moved, *outgrown(self._kind, self._action, live.metrics)):
                raise stale(moved)
            self._still_empty()
            self._send_delete(fresh, live)
            until_gone(self._kind, self._provider, self._action.locator, self._action.id)
        self._journal.drops(str(self._address))

    def _still_empty(self) -> None:
        """Read again what showed that the object holds no data. Raises `Stale` if it does now, or does not show it any more."""
        for witness in self._context.witnesses.get(self._address, ()):
            if witness.kind is self._kind and witness.id == self._action.id:
                continue  # just read
            place = f"{witness.kind.name} {inert(witness.name, 120)}"
            provider = self._context.providers[witness.site, witness.kind.system]  # it was read when the apply began
            row = provider.read(witness.kind, witness.locator)
            shown = "" if row is None else shown_data(live_of(witness.site, witness.kind, row, provider))
            if shown:
                raise Stale(f"it was empty when the plan was made, and {place} shows {shown} now; plan again")

    def _send_delete(self, fresh: Row, live: Live) -> None:
        """Delete the object. Raises `Unclear` where a read still shows it."""

        def took_effect(row: Row | None, problem: Unclear) -> bool:
            now = None if row is None else self._live(row)
            if now is None or now.id != live.id:
                return True
            if now.values != live.values:  # it is going, or is no longer what was judged
                raise Unclear(f"{problem}; {_NOT_DELETED}")
            return False

        settled_change(
            lambda row: self._write(lambda: self._provider.delete(self._kind, self._action.locator, row)),
            lambda: self._provider.read(self._kind, self._action.locator),
            took_effect,
            fresh,
            _NOT_DELETED,
        )

    def _still_above(self, paths: set[tuple[str, ...]], current: Values, fresh: Row) -> None:
        """Check that a limit above the usage at plan time is still above it. Raises `Stale` otherwise."""
        before = {path_text(path): value_at(current, path) for path in paths}
        block = too_low(self._kind, self._values, before, self._live(fresh).metrics)
        if block is not None:
            raise Stale(f"{block.message}; plan again")

    def _detach(self) -> None:
        fresh = self._fresh()
        self._still_as_planned(self._current(fresh))
        current = self._live(fresh).values
        values: Values = {}
        for change in self._action.changes:
            if let_go(change):
                field = self._kind.field(change.path)
                if field.shape.unordered:
                    refs = references(from_json(change.before))
                    gone = {str(self._resolve(ref, self._attribute(change.path, ref))) for ref in refs}
                    values[change.path] = field.shape.without(current.get(change.path), gone)
                else:
                    values[change.path] = None

        def done(row: Row) -> bool:
            now = self._live(row).values
            return all(now.get(name) == value for name, value in values.items())

        def body(row: Row) -> Row:
            return update_body(self._kind, values, {(name,) for name in values}, row, self._encoder)

        self._change(self._action.locator, fresh, body, done, "it still refers to what is to be replaced")
        owned = self._context.ledger[self._address.site].entries.get(self._recorded_as)
        if owned is not None:  # if the reattach fails, the missing reference must not look like drift
            self._journal.owns(str(self._address), owned.without(values.keys()))

    def _attribute(self, name: str, ref: Ref) -> str:
        refers = self._kind.field(name).refers
        assert refers is not None
        return refers.attribute(ref.target.kind)

    def _finish(self, locator: str, made: str = "", *, wait: bool = True) -> None:
        """Wait, read back, compare, record. `made` is the id of a created object. `wait` is false where nothing was written."""
        try:
            row = until_ready(self._kind if wait else replace(self._kind, states=None), self._provider, locator)
            if made:
                row = self._late(locator, row)
        except VastplanError:
            if made:
                self._own(made, locator, None)  # not ready yet, or not found again, but created by vastplan
            raise
        live = self._live(row)
        self._own(live.id, locator, live)  # it is owned even if the system did not keep every value
        self.attributes = {**live.attributes, **self._answered_once, "id": live.attributes.get("id", live.id)}
        kept = self._unmet(self._wanted, row)
        if kept:
            paths = ", ".join(path_text(path) for path in kept)
            raise Refused(f"the system accepted the write but did not keep {paths}")

    def _late(self, locator: str, row: Row) -> Row:
        """Set the fields that only an update takes."""
        late = {
            field.name for field in self._kind.fields if field.has(Marker.AFTER_CREATE) and field.name in self._values
        }
        paths = {path for path in self._unmet(self._values, row) if path[0] in late} if late else set()
        if not paths:
            return row

        def body(row: Row) -> Row:
            return update_body(self._kind, self._values, paths, row, self._encoder)

        def done(row: Row) -> bool:
            return paths.isdisjoint(self._unmet(self._values, row))

        self._change(locator, row, body, done, _NOT_CHANGED)
        return until_ready(self._kind, self._provider, locator)

    def _own(self, id: str, locator: str, live: Live | None) -> None:
        made = JustMade(self._attributes, self._delivered_at, self._made_of)
        before = self._context.ledger[self._address.site].entries.get(self._recorded_as)
        owned = ledger_record(self._context, self._action, self._values, before, made, id, locator, live)
        self._journal.owns(str(self._address), owned)

    def _fresh(self) -> Row:
        fresh = self._provider.read(self._kind, self._action.locator)
        if fresh is None:
            raise Stale("it is gone since the plan was made; plan again")
        state = self._live(fresh).state
        if state.going_away:
            raise Stale(f"it is {state_text(state)}; plan again")
        return fresh

    def _live(self, row: Row) -> Live:
        return live_of(self._address.site, self._kind, row, self._provider)

    def _current(self, row: Row) -> Values:
        """The row's values with references named, including those to objects that this run has created."""
        live = self._live(row)
        current = self._context.matches.symbolic(self._kind, live, self._references, self._named)
        return turned(live, self._values, current)

    def _unmet(self, values: Values, row: Row) -> list[tuple[str, ...]]:
        """The leaves of `values` that a row does not have."""
        return unmet_leaves(self._kind.fields, self._context.revealed(values), self._current(row))

    def _paths(self, current: Values) -> set[tuple[str, ...]]:
        desired = self._context.revealed(self._wanted)
        paths = set(unmet_leaves(self._kind.fields, desired, current))
        named = {change.path for change in self._action.changes}
        if self._delivers is not None and self._delivers.to in named:
            paths.add((self._delivers.to,))
        return paths | {
            (field.name,) for field in self._kind.fields if field.has(Marker.WRITE_ONLY) and field.name in named
        }

    def _pages(self) -> Iterable[list[Row]]:
        """The objects of the kind, page by page; of a kind that cannot be listed, only the one of its identity."""
        if not isinstance(self._kind.endpoint.shape, Asked):
            return self._provider.pages(self._kind)
        values = self._context.matches.resolved(self._kind, self._values)
        locator = self._kind.attribute("path").predicted(values)
        row = self._provider.read(self._kind, locator) if locator is not None else None
        return [[row]] if row is not None else []
