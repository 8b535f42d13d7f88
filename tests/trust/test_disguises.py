"""A secret that a server answers with, in whatever form, is in no report, plan, snapshot or error."""

from __future__ import annotations

import base64
import codecs
import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Run
from tests.force import by_force
from tests.lab import Lab
from tests.trust.planes import Tampered
from vastplan.app.files import plan as plan_file
from vastplan.model import disguises
from vastplan.model.errors import VastplanError
from vastplan.model.sensitive import (
    INSTEAD,
    allow_in_texts,
    guarded,
    guarded_data,
    holds_secret,
    keep_secret,
    without_secrets,
)

SECRET = "s3cr3t-Token.With/Parts+0123456789"
DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "hexadecimal": lambda text: text.encode().hex(),
    "large hexadecimal": lambda text: text.encode().hex().upper(),
    "hexadecimal with colons": lambda text: text.encode().hex(":"),
    "escaped bytes": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "percent signs": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 in the middle": lambda text: base64.b64encode(f"Bearer {text} and more".encode()).decode(),
    "for a URL": lambda text: quote(text, safe=""),
    "JSON": lambda text: json.dumps({"a": text}),
    "Python": repr,
    "HTML": html.escape,
    "backwards": lambda text: text[::-1],
    "with blanks": " ".join,
    "with dashes": "-".join,
    "with nothing to see": "\u200b".join,
    "on lines": "\n".join,
    "other capitals": str.swapcase,
}


NOT_FOUND: dict[str, Callable[[str], str]] = {
    "a part of it": lambda text: text[: len(text) // 2],
    "cut short": lambda text: text[:-1],
    "every second character": lambda text: text[::2],
    "base64 of base64": lambda text: base64.b64encode(base64.b64encode(text.encode())).decode(),
    "base32": lambda text: base64.b32encode(text.encode()).decode(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "full-width letters": lambda text: "".join(chr(ord(char) + 0xFEE0) for char in text),
    "numbers of characters": lambda text: "".join(f"&#{ord(char)};" for char in text),
}
PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [*DISGUISES, *NOT_FOUND])
def test_the_page_says_which_are_found_and_which_are_not(name: str) -> None:
    """Whoever relies on it has to know that no list of disguises is complete."""
    secret = "s3cr3t-<Token>&'With\"/Parts+0123456789"
    keep_secret(secret)
    shown = guarded({**DISGUISES, **NOT_FOUND}[name](secret))
    found, others = (
        re.search(rf"^  {word}: (.*?)\.$", PAGE, re.MULTILINE | re.DOTALL) for word in ("Found", "Not found")
    )
    assert found is not None and others is not None
    listed = [re.split(r"[;,]\s+", match[1]) for match in (found, others)]
    assert (name in listed[0], name in listed[1]) == (
        (True, False) if INSTEAD in shown or "*" in shown else (False, True)
    )


@pytest.mark.parametrize("name", DISGUISES)
def test_a_disguised_secret_is_left_out(name: str) -> None:
    keep_secret(SECRET)
    disguised = DISGUISES[name](SECRET)
    for shown in (guarded(f"before, {disguised}; after"), without_secrets(f"before, {disguised}; after")):
        assert INSTEAD in shown or "*" in shown
        assert shown.startswith("before, ") and shown.endswith("; after")
        kept = set(map(bytes, disguises.disguises(SECRET)))
        assert not any(form in disguises.bare(shown) for form in kept)
    data = {"list": ["x", f"a {disguised} b"], disguised: 1}
    assert not holds_secret(json.dumps(guarded_data(data)))


def test_what_is_spread_over_values_leaves_them_values() -> None:
    keep_secret(SECRET)
    text = json.dumps({"before": [1, "é"], "parts": list(SECRET), "after": True}, indent=1)
    shown = guarded(text)
    assert not holds_secret(shown)
    told = json.loads(shown)
    assert told["before"] == [1, "é"] and told["after"] is True
    assert set("".join(told["parts"])) <= set("*-./+")


@pytest.mark.parametrize("word", ["password", "Kubernetes", "NAMESPACE", "1234567890", "a-b-c-1", "12-34-56-78"])
def test_what_may_be_a_word_or_a_number_stays_in_a_report(word: str) -> None:
    keep_secret(word)
    text = f"the {word} of {word[::-1]} is {word}s"
    assert guarded(text) == text


def test_what_a_document_says_openly_stays_in_a_report_and_no_error_says_it() -> None:
    keep_secret("team-alpha-1")
    allow_in_texts("tenants:\n  team-alpha-1: {}\n")
    assert guarded("+ iad/tenant/team-alpha-1") == "+ iad/tenant/team-alpha-1"
    assert without_secrets("no tenant team-alpha-1") == f"no tenant {INSTEAD}"


@given(st.text(st.sampled_from('aB3-\n"{}\u200b\\')), st.text(st.sampled_from('aB3-\n"{}\u200b\\')))
def test_what_is_found_is_left_out_and_nothing_else_changes(before: str, after: str) -> None:
    keep_secret("aB3-aB3-aB3-x9")
    text = f"{before}aB3-aB3-aB3-x9{after}"
    shown = guarded(text)
    assert not holds_secret(shown)
    assert not holds_secret("x9" + before) or guarded("x9" + before) != "x9" + before
    assert guarded(shown) == shown


def test_many_secrets_are_looked_for_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many there are: what is worked out of a text is worked out once."""
    count: list[int] = []
    bare = disguises.bare

    def counted(text: str) -> bytes:
        count.append(len(text))
        return bare(text)

    monkeypatch.setattr(disguises, "bare", counted)
    for number in range(300):
        keep_secret(f"token-{number:04}-{number * 7919:08x}-of-somebody")
    text = json.dumps([f"view-{number}" for number in range(20_000)])
    holds_secret("what is looked for is made once")
    count.clear()
    assert not holds_secret(text)
    assert count == [len(text)]
    assert guarded(f"{text} token-0007-0000d889-of-somebody") == f"{text} {INSTEAD}"


def test_a_plan_that_would_be_another_without_it_is_not_made() -> None:
    file = Path(__file__).parent.parent / "report" / "plans" / "change.json"
    planned = plan_file.plan_from_data(json.loads(file.read_text()))
    keep_secret(str(planned.actions[0].address))
    with pytest.raises(VastplanError, match="no plan is created: a system returned one of our secrets"):
        plan_file.sealed(planned)


def test_the_name_of_a_field_is_no_disguise_of_a_secret(tmp_path: Path) -> None:
    """A password `a-password` looks like the end of `data.password`: the plan would not be what is planned when it is applied."""
    with Lab(tmp_path, {"iad": ["kubernetes"]}) as one:
        (tmp_path / "password").write_text("a-password")
        kept = {"s": {"namespace": "n", "data": {"user": "v", "password": {"file": "password"}}}}
        one.write({"namespaces": {"n": {}}, "secrets": kept})
        keep_secret("a-password")
        plan = one.converge()
    assert "data.password" in {change.path for action in plan.actions for change in action.changes}


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with Lab(tmp_path_factory.mktemp("lab"), {"iad": ["vast", "kubernetes"]}) as one:
        one.write({"tenants": {"a": {"max_views": 3}}, "namespaces": {"n": {"labels": {"team": "red"}}}})
        one.converge()
        yield one


@pytest.mark.slow
@pytest.mark.parametrize("name", by_force(DISGUISES, "with blanks"))
@pytest.mark.parametrize("where", ["a field", "a name"])
def test_a_row_that_holds_our_credential(where: str, name: str, lab: Lab, vastplan: Run, tmp_path: Path) -> None:
    """A server that answers with what it was sent, in a field that we manage, or as the name of an object that nobody does."""
    server = lab.world.sites["iad"].servers["kubernetes"]
    (token,) = (one.password for one in lab.world.endpoints() if one.system == "kubernetes")
    disguised = DISGUISES[name](token)

    def change(body: Any) -> Any:
        rows = body.get("items", [body])
        if where == "a field":
            row = next(row for row in rows if row["metadata"]["name"] == "n")
            row["metadata"]["labels"]["team"] = disguised
        elif "items" in body:
            twin = json.loads(json.dumps(body["items"][-1]))
            twin["metadata"] |= {"name": disguised, "uid": "another"}
            body["items"].append(twin)
        return body

    plane, document = server.plane, lab.folder / "lab.yaml"
    server.plane = Tampered(plane, change, "/namespaces")
    kept = disguises.disguises(token)
    try:
        for command in ("plan", "drift"):
            reports = [
                f"--report={tmp_path / command}{ending}" for ending in (".md", ".html", ".json", ".xml", ".sarif")
            ]
            for more in ((), ("--format", "json")):
                ran = vastplan(command, document, *more, *reports)
                assert ran.code in (0, 2), ran
                assert not any(form in disguises.bare(ran.out + ran.err) for form in kept), ran
        vastplan("plan", document, "--out", tmp_path / "plan.json")
        vastplan("record", document, "--out", tmp_path / "snapshot.json")
        if where == "a field":
            shown = vastplan("show", tmp_path / "plan.json")
            assert shown.code == 0, shown
            assert INSTEAD in shown.out, shown
    finally:
        server.plane = plane
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert len(files) >= 11, files
    for file in files:
        found = [form for form in kept if form in disguises.bare(file.read_text(encoding="utf-8"))]
        assert not found, (file, found)
