"""What a ledger is made of in Kubernetes: names, Secrets, pieces and the head, to the letter. In memory."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest

from tests.ledger.benches import NAMESPACE, KubernetesBench
from tests.ledger.memory import Memory
from vastplan.ledger import chunks, directory, events, manifest
from vastplan.ledger.chunks import Api, Chunks, PartPlace
from vastplan.ledger.codec import dump
from vastplan.ledger.manifest import Manifest
from vastplan.model.errors import ObjectNotFound, Unclear, VastplanError
from vastplan.model.site_ledger import Owned, SiteLedger

PLACE = PartPlace(NAMESPACE, "doc", "iad")
BASE = "vastplan-doc-iad-41d701eff3"
PART = SiteLedger("doc", "iad", "line", "00")
DAMAGED = (
    "the ledger of iad in namespace ledgers is damaged: {}; restore its Secrets from a copy, or delete those with the label "
    f"app.kubernetes.io/instance={BASE} to adopt again"
)


@pytest.fixture
def api() -> Memory:
    made = Memory()
    made.call("POST", "/api/v1/namespaces", body={"metadata": {"name": NAMESPACE}})
    made.said.clear()
    return made


class Says:
    """An API server that answers this, whatever it is asked."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
        return self.answer


def refusal(act: Any) -> str:
    """What is said."""
    with pytest.raises((VastplanError, Unclear)) as caught:
        act()
    return str(caught.value)


# Names


def test_names_stay_what_they_are() -> None:
    """A ledger is found by its name: with another one everything would be adopted anew."""
    assert PLACE.base == BASE
    assert PartPlace("n", "My Document/1 with a long name", "IAD--").base == "vastplan-my-document-1-wi-iad-a5af2013ca"
    assert PartPlace("n", "--", "").base == "vastplan-x-x-d74aa2b184"
    assert PLACE.secrets == "/api/v1/namespaces/ledgers/secrets"
    assert PLACE.leases == "/apis/coordination.k8s.io/v1/namespaces/ledgers/leases"


def test_a_secret_says_whose_it_is() -> None:
    assert PLACE.secret("one", "piece", b"\0text") == {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "vastplan/ledger",
        "data": {"piece": "AHRleHQ="},
        "metadata": {
            "name": "one",
            "namespace": "ledgers",
            "labels": {
                "app.kubernetes.io/managed-by": "vastplan",
                "app.kubernetes.io/component": "ledger",
                "app.kubernetes.io/instance": BASE,
            },
            "annotations": {"vastplan/document": "doc", "vastplan/site": "iad"},
        },
    }


# What a server answers


@pytest.mark.parametrize("answer", [None, [], "text", {}, {"metadata": 3}])
def test_an_answer_of_another_form_is_no_object(answer: Any) -> None:
    assert refusal(lambda: chunks.read_object(Says(answer), "/a/b")) == "the answer to GET /a/b is not an object"


def test_what_is_not_there_is_none(api: Memory) -> None:
    assert chunks.read_object(api, "/a/b") is None
    row = {"metadata": {"name": "b"}}
    assert chunks.read_object(Says(row), "/a/b") == row


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"data": {"piece": "dGV4dA=="}}, b"text"), ({"data": {"piece": "no base64"}}, None), ({"data": {"piece": "dGV4d"}}, None),
        ({"data": {"piece": "dGV4\ndA=="}}, None), ({"data": {"piece": "\u00e9"}}, None), ({"data": {"piece": 3}}, None),
        ({"data": {}}, None), ({"data": None}, None), ({"data": ["piece"]}, None), ({}, None),
    ],
)  # fmt: skip
def test_only_what_we_write_is_content(row: Any, found: bytes | None) -> None:
    assert chunks.content(row, "piece") == found


def test_a_version_is_text() -> None:
    assert chunks.version({"metadata": {"resourceVersion": 7}}) == "7"
    assert chunks.version({"metadata": {}}) == ""


# Pieces


def test_a_piece_is_named_by_its_holder_and_its_content(api: Memory) -> None:
    pieces = Chunks(api, PLACE)
    names = pieces.put(b"content", 3)
    assert names == (f"{BASE}-3-510b53c159e279f43ef5",)
    row = api.call("GET", f"{PLACE.secrets}/{names[0]}")
    packed = base64.b64decode(row["data"]["piece"])
    assert zlib.decompress(packed) == b"content" and packed[:2] == b"\x78\x9c"
    before = dict(api.objects)
    assert pieces.put(b"content", 3) == names and api.objects == before
    assert pieces.get(names) == b"content"


def test_content_is_cut_into_pieces_and_put_together_in_order(api: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK", 10)
    pieces = Chunks(api, PLACE)
    whole = bytes(range(95))
    names = pieces.put(whole, 1)
    packed = zlib.compress(whole, 6)
    stored = [base64.b64decode(api.call("GET", f"{PLACE.secrets}/{name}")["data"]["piece"]) for name in names]
    assert stored == [packed[start : start + 10] for start in range(0, len(packed), 10)] and len(stored) > 9
    assert pieces.get(names) == whole
    says = refusal(lambda: pieces.get(names[:-1]))
    assert says == DAMAGED.format(f"Secret {names[0]} is cut short or too large")
    assert refusal(lambda: pieces.get(names[1:])) == DAMAGED.format(f"Secret {names[1]} cannot be decompressed")
    pieces.drop({names[1], "never", names[2]})
    assert pieces.get(names) is None
    assert {name for name in names if chunks.read_object(api, f"{PLACE.secrets}/{name}")} == {*names} - {
        names[1],
        names[2],
    }


def test_content_that_unfolds_to_too_much_is_not_unfolded(api: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces = Chunks(api, PLACE)
    names = pieces.put(b"a" * 100, 1)
    monkeypatch.setattr(chunks, "LARGEST", 100)
    assert pieces.get(names) == b"a" * 100
    monkeypatch.setattr(chunks, "LARGEST", 99)
    assert refusal(lambda: pieces.get(names)) == DAMAGED.format(f"Secret {names[0]} is cut short or too large")


@pytest.mark.parametrize("data", [{"piece": "AAAA"}, {}, {"other": "AAAA"}])
def test_a_piece_that_is_not_what_was_written(api: Memory, data: Any) -> None:
    pieces = Chunks(api, PLACE)
    (name,) = pieces.put(b"content", 1)
    row = api.call("GET", f"{PLACE.secrets}/{name}")
    api.call("PUT", f"{PLACE.secrets}/{name}", body={**row, "data": data})
    assert refusal(lambda: pieces.get((name,))) == DAMAGED.format(f"Secret {name} is not what was written")


def test_what_is_left_behind_is_found_page_by_page(api: Memory) -> None:
    pieces = Chunks(api, PLACE)
    mine = {number: pieces.put(b"%d" % number, number)[0] for number in range(1, 121)}
    Chunks(api, PartPlace(NAMESPACE, "doc", "pdx")).put(b"theirs", 1)
    for odd in (BASE, f"{BASE}-x-1", f"{BASE}-\u00b2-1"):
        api.call("POST", PLACE.secrets, body=PLACE.secret(odd, "head", b""))
    api.said.clear()
    assert pieces.left_behind(119, {mine[5]}) == {name for number, name in mine.items() if number not in (5, 120)}
    assert api.said == [("GET", PLACE.secrets)] * 3


def test_a_list_is_asked_for_in_small_parts() -> None:
    asked = []

    class Empty:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            asked.append(query)
            return [{"items": None, "metadata": {"continue": "more"}}, {"metadata": None}][len(asked) - 1]

    assert Chunks(Empty(), PLACE).left_behind(1, set()) == set()
    first = [("labelSelector", f"app.kubernetes.io/instance={BASE}"), ("limit", "50")]
    assert asked == [first, [*first, ("continue", "more")]]


# The head

HEAD: dict[str, Any] = {
    "version": 1, "fence": 2, "owner": "me", "turn": 5, "part": [f"{BASE}-1-a"], "journal": [[f"{BASE}-2-b"]], "tail": [],
}  # fmt: skip


def put_head(api: Api, content: bytes, key: str = "head") -> None:
    api.call("POST", PLACE.secrets, body=PLACE.secret(BASE, key, content))


def test_a_head_is_written_like_this(api: Memory) -> None:
    one = Manifest(2, "me", 5, (f"{BASE}-1-a",), ((f"{BASE}-2-b",),), ({"event": "drop", "address": "x"},))
    assert json.loads(one.dumped()) == {**HEAD, "tail": [{"event": "drop", "address": "x"}]}
    assert one.used() == {f"{BASE}-1-a", f"{BASE}-2-b"}
    assert manifest.read_manifest(api, PLACE) is None
    first = manifest.write_manifest(api, PLACE, one, "")
    assert manifest.read_manifest(api, PLACE) == (one, first)
    following = Manifest(2, "me", 6, one.part)
    second = manifest.write_manifest(api, PLACE, following, first)
    assert manifest.read_manifest(api, PLACE) == (following, second) and second != first
    assert api.objects[f"{PLACE.secrets}/{BASE}"]["type"] == "vastplan/ledger"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "Secret BASE is not a manifest"),
        (b"3", "Secret BASE is not a manifest"),
        (json.dumps({**HEAD, "fence": "many"}).encode(), "Secret BASE is not a manifest"),
        (json.dumps(HEAD).replace(": 5", ": 1e999").encode(), "Secret BASE is not a manifest"),
        (json.dumps({**HEAD, "tail": 3}).encode(), "Secret BASE is not a manifest"),
        (json.dumps({**HEAD, "part": []}).encode(), "Secret BASE names chunks that are not its own"),
        (json.dumps({**HEAD, "journal": [["other"]]}).encode(), "Secret BASE names chunks that are not its own"),
    ],
)
def test_what_is_no_head_is_damage(api: Memory, content: bytes, says: str) -> None:
    put_head(api, content)
    assert refusal(lambda: manifest.read_manifest(api, PLACE)) == DAMAGED.format(says.replace("BASE", BASE))


@pytest.mark.parametrize("version", [2, "1", None])
def test_a_newer_head_is_not_read(api: Memory, version: Any) -> None:
    put_head(api, json.dumps({**HEAD, "version": version}).encode())
    says = f"the ledger of iad in namespace ledgers has format {version}; this vastplan reads up to 1: upgrade vastplan"
    assert refusal(lambda: manifest.read_manifest(api, PLACE)) == says


def test_a_secret_without_a_head_is_damage(api: Memory) -> None:
    put_head(api, b"{}", key="other")
    assert refusal(lambda: manifest.read_manifest(api, PLACE)) == DAMAGED.format(f"Secret {BASE} is not a manifest")


@pytest.mark.parametrize("answer", [None, [], {}, {"metadata": None}])
@pytest.mark.parametrize("before", ["", "7"])
def test_a_write_without_a_sensible_answer_is_unclear(answer: Any, before: str) -> None:
    one = Manifest(1, "me", 0, (f"{BASE}-1-a",))
    with pytest.raises(Unclear) as caught:
        manifest.write_manifest(Says(answer), PLACE, one, before)
    assert str(caught.value) == f"the answer to writing Secret {BASE} is not an object"


# Put together


def planted(api: Api, *, tail: tuple[events.Event, ...] = (), part: SiteLedger = PART) -> Manifest:
    """A ledger with one piece of a part and two of a journal."""
    pieces = Chunks(api, PLACE)
    owned = [events.own_event(f"iad/view/{one}", Owned(one, one)) for one in "abc"]
    journal = tuple(pieces.put(json.dumps([one]).encode(), 1) for one in owned[:2])
    made = Manifest(1, "me", 3, pieces.put(dump(part), 1), journal, (owned[2], *tail))
    manifest.write_manifest(api, PLACE, made, "")
    return made


def test_a_part_is_its_pieces_then_the_journal_then_the_tail(api: Memory) -> None:
    assert manifest.put_together(api, PLACE) is None
    made = planted(api, tail=(events.drop_event("iad/view/a"),))
    found = manifest.put_together(api, PLACE)
    assert found is not None and found[:2] == manifest.read_manifest(api, PLACE) and found[0].used() == made.used()
    assert set(found[2].entries) == {"iad/view/b", "iad/view/c"}


def test_of_another_document(api: Memory) -> None:
    planted(api, part=SiteLedger("other", "iad", "line", "00"))
    says = "the ledger of iad in namespace ledgers belongs to the document other, not to doc"
    assert refusal(lambda: manifest.put_together(api, PLACE)) == says


@pytest.mark.parametrize(
    "event",
    [
        {"event": "none"},
        {"event": "own", "address": "x"},
        {"event": "begin", "plan": "p", "intents": [], "at": ""},
        {"event": "end", "limits": "no mapping", "at": ""},
        3,
    ],
)
def test_an_event_that_is_none(api: Memory, event: Any) -> None:
    planted(api, tail=(event,))
    assert refusal(lambda: manifest.put_together(api, PLACE)) == DAMAGED.format(
        "its journal has an entry that is not an event"
    )


@pytest.mark.parametrize("lines", [b"[", b"3", b'[{"event": "none"}]', b"[NaN]"])
def test_a_journal_that_is_none(api: Memory, lines: bytes) -> None:
    pieces = Chunks(api, PLACE)
    manifest.write_manifest(api, PLACE, Manifest(1, "me", 3, pieces.put(dump(PART), 1), (pieces.put(lines, 1),)), "")
    assert refusal(lambda: manifest.put_together(api, PLACE)) == DAMAGED.format(
        "its journal has an entry that is not an event"
    )


@pytest.mark.parametrize("which", ["part", "journal"])
def test_a_piece_that_is_gone_is_looked_for_twice(api: Memory, which: str) -> None:
    made = planted(api)
    (name,) = made.part if which == "part" else made.journal[1]
    api.call("DELETE", f"{PLACE.secrets}/{name}")
    api.said.clear()
    missing = DAMAGED.format("chunks that its manifest names do not exist")
    assert refusal(lambda: manifest.put_together(api, PLACE)) == missing
    assert api.said.count(("GET", f"{PLACE.secrets}/{BASE}")) == 2


class Moving:
    """An API server whose head is touched by somebody each time that it has been read."""

    def __init__(self, api: Memory, times: int) -> None:
        self.api, self.times, self.reads = api, times, 0

    def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
        answer = self.api.call(method, path, query=query, body=body)
        if (method, path) == ("GET", f"{PLACE.secrets}/{BASE}"):
            self.reads += 1
            if self.reads <= self.times:
                touched = {
                    **answer,
                    "metadata": {**answer["metadata"], "annotations": {"touched": f"{self.times} {self.reads}"}},
                }
                self.api.call("PUT", path, body=touched)
        return answer


def test_a_head_that_moves_is_read_again_but_not_for_ever(api: Memory) -> None:
    made = planted(api)
    api.call("DELETE", f"{PLACE.secrets}/{made.part[0]}")
    for times, reads in ((0, 2), (1, 3), (2, 4), (9, 5)):
        moving = Moving(api, times)
        with pytest.raises(VastplanError):
            manifest.put_together(moving, PLACE)
        assert moving.reads == reads


def test_a_part_that_comes_while_it_is_looked_for(api: Memory) -> None:
    """The head was read, then its holder folded the journal: the pieces it named are gone, and the new head has others."""
    made = planted(api)
    folded = Manifest(1, "me", 4, Chunks(api, PLACE).put(dump(PART), 2))

    class Folds:
        done = False

        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            if path.endswith(made.part[0]) and not self.done:
                self.done = True
                found = manifest.read_manifest(api, PLACE)
                assert found is not None
                manifest.write_manifest(api, PLACE, folded, found[1])
                Chunks(api, PLACE).drop(made.used())
                raise ObjectNotFound(path, 404)
            return api.call(method, path, query=query, body=body)

    found = manifest.put_together(Folds(), PLACE)
    assert found is not None and found[0] == folded and found[2] == PART


def test_a_bench_of_memory_keeps_what_is_planted(memory: KubernetesBench) -> None:
    memory.ledger().open("iad", "me").close()
    memory.plant("iad", {**memory.content("iad"), "serial": 9})
    assert memory.ledger().read("iad").serial == 9


# Which parts there are


def leased(api: Api, name: str, **annotations: str) -> None:
    """A Lease that says that it is a ledger's."""
    body = {
        "metadata": {**PLACE.metadata(name), "annotations": {f"vastplan/{key}": v for key, v in annotations.items()}}
    }
    api.call("POST", PLACE.leases, body=body)


def test_what_is_no_part_is_not_listed(api: Memory) -> None:
    for document, site in (
        ("doc", "pdx"),
        ("doc", "iad"),
        ("a", "iad"),
        ("doc", "../evil"),
        ("", "iad"),
        ("x/y", "iad"),
    ):
        leased(api, PartPlace(NAMESPACE, document, site).base, document=document, site=site)
    leased(api, "stranger", document="doc", site="fra")
    leased(api, "nobody")
    plain = {"metadata": {"name": "plain", "labels": PLACE.metadata("plain")["labels"]}}
    api.call("POST", PLACE.leases, body=plain)
    found = directory.part_places(api, NAMESPACE)
    assert found == [
        PartPlace(NAMESPACE, "a", "iad"),
        PartPlace(NAMESPACE, "doc", "iad"),
        PartPlace(NAMESPACE, "doc", "pdx"),
    ]


def test_parts_are_asked_for_page_by_page() -> None:
    rows = [
        {"metadata": PartPlace(NAMESPACE, "doc", site).metadata(PartPlace(NAMESPACE, "doc", site).base)}
        for site in "abc"
    ]
    asked = []

    class Pages:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            asked.append((method, path, query))
            more: list[Any] = [{"continue": "more"}, {"continue": "last"}, None]
            return {"items": [rows[len(asked) - 1]], "metadata": more[len(asked) - 1]}

    assert [place.site for place in directory.part_places(Pages(), NAMESPACE)] == ["a", "b", "c"]
    label = "app.kubernetes.io/managed-by=vastplan,app.kubernetes.io/component=ledger"
    first = [("labelSelector", label), ("limit", "500")]
    pages = [first, [*first, ("continue", "more")], [*first, ("continue", "last")]]
    assert asked == [("GET", PLACE.leases, query) for query in pages]


@pytest.mark.parametrize(
    "answer",
    [None, [], "items", {}, {"items": None}, {"items": {}}, {"items": ["metadata"]}, {"items": [{}]},
     {"items": [{"metadata": {}}, 3]}, {"items": [{"metadata": "name"}]}],
)  # fmt: skip
def test_a_list_of_another_form_is_refused(answer: Any) -> None:
    says = f"the answer to GET {PLACE.leases} is not a list of leases"
    assert refusal(lambda: directory.part_places(Says(answer), NAMESPACE)) == says


def test_a_list_that_always_goes_on_ends() -> None:
    class Endless:
        """A server that has a lease, or a Secret, more on every page."""

        def __init__(self) -> None:
            self.pages = 0

        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            self.pages += 1
            row = {"metadata": PLACE.metadata(f"{BASE}-1-{self.pages}")}
            return {"items": [row], "metadata": {"continue": "more"}}

    ends = "does not end: 111 pages were read, with 111 rows"
    assert refusal(lambda: directory.part_places(Endless(), NAMESPACE)) == f"the list of {PLACE.leases} {ends}"
    assert refusal(lambda: Chunks(Endless(), PLACE).left_behind(1, set())) == f"the list of {PLACE.secrets} {ends}"


def test_nothing_is_kept_in_a_namespace_that_is_not_there() -> None:
    class Nowhere:
        def call(self, method: str, path: str, *, query: Any = None, body: Any = None) -> Any:
            raise ObjectNotFound(path, 404)

    assert directory.part_places(Nowhere(), NAMESPACE) == []
