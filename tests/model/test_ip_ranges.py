"""Intervals of addresses against a slow search of every pair."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model.ip_ranges import (
    Interval,
    canonical_clients,
    cut_off,
    entering,
    interval_text,
    joined_ranges,
    lost_parts,
    lost_within,
    overlaps,
    parse_interval,
)

SPANS = st.tuples(st.sampled_from([4, 6]), st.integers(0, 12), st.integers(0, 6)).map(
    lambda draw: (draw[0], draw[1], draw[1] + draw[2])
)


@given(st.lists(st.tuples(SPANS, st.sampled_from("abc")), max_size=9))
def test_whatever_begins_inside_another_ones_is_found_with_the_one_that_reaches_furthest(
    owned: list[tuple[Interval, str]],
) -> None:
    ordered = sorted(owned, key=lambda item: item[0])
    expected = []
    for index, ((version, first, last), owner) in enumerate(ordered):
        others = [
            before[2]
            for before, other in ordered[:index]
            if before[0] == version and before[2] >= first and other != owner
        ]
        if others:
            expected.append((owner, (version, first, min(last, max(others)))))
    shared_spans = list(overlaps(owned))
    assert [(later, shared) for _, later, shared in shared_spans] == expected
    for earlier, later, (version, first, last) in shared_spans:
        assert earlier != later
        assert any(
            owner == earlier and span[0] == version and span[1] <= first <= last <= span[2] for span, owner in owned
        )


def test_an_interval_and_its_text() -> None:
    assert parse_interval("10.0.0.1") == parse_interval("10.0.0.1 - 10.0.0.1") == (4, 0x0A000001, 0x0A000001)
    assert parse_interval("fd00::1 - fd00::ff")[0] == 6
    for text in ("10.0.0.1", "10.0.0.1 - 10.0.0.9", "fd00::1 - fd00::ff", "::1"):
        assert interval_text(parse_interval(text)) == text


@given(st.lists(SPANS, max_size=9))
def test_joined_ranges_have_the_same_addresses_and_no_neighbours(spans: list[Interval]) -> None:
    joined = [parse_interval(text) for text in joined_ranges(interval_text(span) for span in spans)]

    def addresses(intervals: list[Interval]) -> set[tuple[int, int]]:
        return {(version, number) for version, first, last in intervals for number in range(first, last + 1)}

    assert addresses(joined) == addresses(spans)
    assert not {(version, last + 1) for version, _, last in joined} & addresses(joined)


def test_what_is_no_range_stays_in_the_list() -> None:
    texts = ["10.0.0.9", "10.0.0.1 - 10.0.0.8", "10.1.0.0/24", "a name"]
    assert joined_ranges(texts) == ["10.0.0.1 - 10.0.0.9", "10.1.0.0/24", "a name"]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("10.0.0.7/32", "10.0.0.7"),
        ("10.0.0.5/24", "10.0.0.0/24"),
        ("2001:DB8:0::/64", "2001:db8::/64"),
        ("2001:DB8::1/128", "2001:db8::1"),
        ("10.0.0.1-10.0.0.9", "10.0.0.1 - 10.0.0.9"),
        ("::0001 - ::1", "::1"),
    ],
)
def test_the_canonical_form_of_clients(text: str, canonical: str) -> None:
    assert canonical_clients(text) == canonical == canonical_clients(canonical)


def test_a_range_without_an_end_is_no_range() -> None:
    assert cut_off(["10.0.0.1 - "], ["10.0.0.0/24"]) == ["10.0.0.1 - "]
    assert cut_off(["10.0.0.1 - 10.0.0.2"], ["10.0.0.0/24"]) == []


@pytest.mark.parametrize(
    ("client", "after", "lost"),
    [
        ("10.20.2.10 - 10.20.2.13", ["10.20.2.10 - 10.20.2.11"], ["10.20.2.12 - 10.20.2.13"]),
        ("10.20.2.10 - 10.20.2.14", ["10.20.2.10 - 10.20.2.11"], ["10.20.2.12 - 10.20.2.14"]),
        ("10.12.0.0/24", ["10.12.0.0/25"], ["10.12.0.128/25"]),
        ("10.12.0.*", ["10.12.0.1 - 10.12.0.255", "10.12.1.0/24"], ["10.12.0.0"]),
        ("10.0.0.0/30", ["10.0.0.1", "10.0.0.2", "10.0.0.1"], ["10.0.0.0", "10.0.0.3"]),
        ("fd00::/126", ["fd00::/127", "10.0.0.0/8"], ["fd00::2/127"]),
        ("10.12.0.0/24", ["10.13.0.0/24"], ["10.12.0.0/24"]),
        ("10.12.*.*", [], ["10.12.*.*"]),
        ("*", ["10.0.0.0/8"], ["*"]),
        ("host-1", ["10.0.0.0/8"], ["host-1"]),
        ("10.*.0.1", ["10.1.0.1"], ["10.*.0.1"]),
    ],
)
def test_of_a_client_only_what_is_lost_is_named(client: str, after: list[str], lost: list[str]) -> None:
    assert cut_off([client], after) == [client]
    assert lost_parts([client], after) == lost


@pytest.mark.parametrize(
    ("after", "before", "new"),
    [
        (["10.0.0.0/8"], ["10.0.0.0/9"], ["10.128.0.0/9"]),
        (["10.1.0.0/16", "10.*.0.5"], ["10.0.0.0/8"], []),
        (["@staff", "10.0.0.1"], ["*"], []),
        (["@staff"], ["0.0.0.0/1", "128.0.0.0/1", "::/0"], []),
        (["@staff"], ["0.0.0.0/0"], ["@staff"]),
    ],
)
def test_of_a_list_only_who_is_new_is_named(after: list[str], before: list[str], new: list[str]) -> None:
    assert entering(after, before) == new


@pytest.mark.parametrize(
    ("before", "after", "wider", "within"),
    [
        (["10.0.0.0/16"], ["10.0.0.0/17"], ["10.0.128.0/24"], ["10.0.0.0/16"]),
        (["10.0.0.0/16"], ["10.0.0.0/17"], ["10.0.0.0/24", "11.0.0.0/8"], []),
        (["@staff"], [], ["10.0.0.1"], ["@staff"]),
        (["10.0.0.1"], [], ["@staff"], ["10.0.0.1"]),
        (["10.0.0.1"], [], ["10.*.0.1"], ["10.0.0.1"]),
        (["10.0.0.1"], [], [], []),
    ],
)
def test_of_those_that_are_lost_some_are_in_a_wider_list(
    before: list[str], after: list[str], wider: list[str], within: list[str]
) -> None:
    assert lost_within(before, after, wider) == within
