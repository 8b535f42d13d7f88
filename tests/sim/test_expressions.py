"""CEL's optional syntax, which the library does not parse."""

from __future__ import annotations

from typing import Any

import pytest

from vastplan.sim.kubernetes.expressions import CompileError, EvaluationError, compiled

OBJECT = {"spec": {"volumes": [{"name": "v", "csi": {"driver": "d"}}]}, "labels": {"x-y": "v", "none": None}}
KNOWN = frozenset({"object"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("object.?spec.?volumes.orValue([]).size()", 1),
        ("object.?status.?phase.orValue('none')", "none"),
        ("object.?status.phase.orValue(size('a.?b'))", 4),
        ("object.?labels['x-y'].orValue('d') + object.labels[?'z'].orValue('(no)')", "v(no)"),
        ("object.spec.?volumes[0].?csi.driver.orValue('')", "d"),
        ("object.spec.volumes[?7].hasValue() || object . ? x.hasValue()", None),
        ("object.spec.volumes[?7].hasValue() || object\n  .?spec.hasValue()", True),
        ("!object.?spec.?volumes.orValue([]).exists(v, v.?csi.?driver.orValue('') in ['d'])", False),
        ("object.?a.or(object.?labels).value()['x-y']", "v"),
        ("object.?a.orValue(object.?b.orValue((1 + 2) * 2))", 6),
        ("object.?labels.?none.hasValue()", True),
        ("(true ? object : {}).?nothing.hasValue() ? 'a.?b' : 'c'", "c"),
        ("optional.of(3).value()", 3),
    ],
)
def test_optional_values(text: str, value: Any) -> None:
    if value is None:
        with pytest.raises(CompileError):
            compiled(text, KNOWN)
    else:
        assert compiled(text, KNOWN).evaluate({"object": OBJECT}) == value


def test_what_is_wrong_with_an_optional_is_said() -> None:
    with pytest.raises(EvaluationError, match="no such key: missing"):
        compiled("object.missing.?a.orValue(1)", KNOWN).evaluate({"object": OBJECT})
    for text in ("object.?a.orValue(", "object.?", "object.?7", "other.?a.hasValue()"):
        with pytest.raises(CompileError):
            compiled(text, KNOWN)
