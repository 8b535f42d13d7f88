"""Secrets are listed without what is in them: what the client asks for, what it takes, and what a reader may then do."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests.systems.test_transport import KINDS, provider
from tests.systems.wire import Seen, say, serving
from vastplan.model.errors import Refused, Unreachable
from vastplan.schema.provider import Glancing

ASKED = "application/json;as={};g=meta.k8s.io;v=v1"
LIST, ONE = "PartialObjectMetadataList", "PartialObjectMetadata"
METADATA = {"name": "a", "namespace": "n", "uid": "u"}
WHOLE = {"metadata": METADATA, "data": {"password": "c2VjcmV0"}, "type": "Opaque"}


def client(server: Any) -> Any:
    made = provider("kubernetes", server)
    assert isinstance(made, Glancing)
    return made


def answers(body: Any, status: int = 200) -> Any:
    def answer(_: Seen, handler: BaseHTTPRequestHandler) -> None:
        say(handler, status, body)

    return answer


@pytest.mark.parametrize("kind", ["Secret", LIST])  # a server may answer with whole objects all the same
def test_a_list_holds_nothing_but_metadata(kind: str, tmp_path: Path) -> None:
    with serving(tmp_path, answers({"kind": kind, "metadata": {}, "items": [WHOLE]})) as server:
        assert list(client(server).pages(KINDS["secret"])) == [[{"metadata": METADATA}]]
        (seen,) = server.seen
    assert seen.headers["accept"] == ASKED.format(LIST)


def test_one_object_is_looked_at_or_read(tmp_path: Path) -> None:
    with serving(tmp_path, answers(WHOLE)) as server:
        kubernetes = client(server)
        assert kubernetes.glance(KINDS["secret"], "n/a") == {"metadata": METADATA}
        assert kubernetes.read(KINDS["secret"], "n/a") == kubernetes.glance(KINDS["namespace"], "a") == WHOLE
        asked = [seen.headers["accept"] for seen in server.seen]
    assert asked == [ASKED.format(ONE), "application/json", "application/json"]
    with serving(tmp_path, answers({}, 404)) as server:
        assert client(server).glance(KINDS["secret"], "n/a") is None


def test_other_kinds_are_listed_whole(tmp_path: Path) -> None:
    with serving(tmp_path, answers({"kind": "NamespaceList", "metadata": {}, "items": [WHOLE]})) as server:
        assert list(client(server).pages(KINDS["namespace"])) == [[WHOLE]]
        assert [seen.headers["accept"] for seen in server.seen] == ["application/json"]


def test_a_list_of_nothing_has_no_items(tmp_path: Path) -> None:
    with serving(tmp_path, answers({"kind": LIST, "metadata": {"resourceVersion": "1"}, "items": None})) as server:
        assert list(client(server).pages(KINDS["secret"])) == [[]]
    with (
        serving(tmp_path, answers({"kind": "SecretList", "metadata": {}, "items": None})) as server,
        pytest.raises(Unreachable, match="is not a list of objects"),
    ):
        list(client(server).pages(KINDS["secret"]))


def test_a_server_that_has_no_such_form_is_not_asked_for_more(tmp_path: Path) -> None:
    with serving(tmp_path, answers({"message": "not acceptable"}, 406)) as server:
        with pytest.raises(Refused, match="not acceptable"):
            list(client(server).pages(KINDS["secret"]))
        assert len(server.seen) == 1
