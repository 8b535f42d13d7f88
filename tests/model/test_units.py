"""Quantities: never rounded, never mixed up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vastplan.model import units


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("500 TiB", 500 * 2**40),
        ("1.5 TB", 1_500_000_000_000),
        ("10GiB", 10 * 2**30),
        ("0 B", 0),
        ("1 KiB", 1024),
        ("1 KB", 1000),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert units.parse_bytes(text) == size


@pytest.mark.parametrize("text", ["500 Tib", "5 T", "five", "1.0001 B", "-1 GiB", "1 MB/s", ""])
def test_what_is_not_a_size(text: str) -> None:
    with pytest.raises(ValueError, match=r"size|whole number"):
        units.parse_bytes(text)


@pytest.mark.parametrize(
    ("text", "rate"), [("2 GB/s", 2000), ("500 MB/s", 500), ("1.5 GB/s", 1500), ("125 GiB/s", 134217728 // 1000)]
)
def test_bandwidths(text: str, rate: int) -> None:
    if "GiB" in text:
        with pytest.raises(ValueError, match="whole number"):
            units.parse_bandwidth(text)
    else:
        assert units.parse_bandwidth(text) == rate


@pytest.mark.parametrize("size", ["2 GB", "1 EB", "1 EiB"])
def test_a_size_is_told_to_be_written_by_the_second(size: str) -> None:
    with pytest.raises(ValueError, match=f"write {size}/s"):
        units.parse_bandwidth(size)


def test_bits_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="bits"):
        units.parse_bandwidth("100 Gb/s")


@pytest.mark.parametrize(
    ("text", "span"), [("30m", 1800), ("1h30m", 5400), ("7d", 604800), ("1M", 2592000), ("1 y", 31536000)]
)
def test_spans(text: str, span: int) -> None:
    assert units.parse_span(text) == span


@given(st.integers(min_value=1, max_value=2**62))
def test_a_size_shown_in_a_whole_unit_reads_back_as_itself(size: int) -> None:
    shown = units.show_amount(size, units.BYTES)
    if "≈" not in shown:
        assert units.parse_bytes(shown) == size


@given(st.integers(min_value=1, max_value=2**32))
def test_a_span_reads_back_as_itself(span: int) -> None:
    assert units.parse_span(units.span_text(span)) == span
    assert units.parse_span(units.show_amount(span, units.SECONDS)) == span


@given(st.integers(min_value=0, max_value=2**32))
def test_a_bandwidth_shown_whole_reads_back_as_itself(rate: int) -> None:
    shown = units.show_amount(rate, units.BANDWIDTH)
    assert shown.endswith(f"({rate} MB/s)") if "≈" in shown else units.parse_bandwidth(shown) == rate


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"), (1000, "1 KB"), (4096, "4 KiB"), (9_999, "9999 B"), (65 * 2**40 + 2**38, "65.25 TiB"), (931 * 2**40, "931 TiB"),
        (10**15, "1 PB"), (976_562_500_000 * 1024, "1 PB"),
        (500 * 10**12, "500 TB"), (500 * 2**40, "500 TiB"), (3 * 2**39, "1536 GiB"), (2**60, "1 EiB"),
        (123_456, "≈ 120.6 KiB (123456 B)"), (2**40 + 1, "≈ 1 TiB (1099511627777 B)"),
        (2**60 * 10**380 + 1, f"≈ 1{'0' * 380} EiB ({2**60 * 10**380 + 1} B)"),
        (10**15 + 1024, "≈ 909.5 TiB (1000000000001024 B)"),
    ],
)  # fmt: skip
def test_a_size_is_shown_in_the_largest_unit_that_says_it(size: int, shown: str) -> None:
    assert units.show_amount(size, units.BYTES) == shown


@given(st.integers(min_value=0, max_value=2**63))
def test_no_size_is_a_long_number_alone(size: int) -> None:
    shown = units.show_amount(size, units.BYTES)
    assert sum(map(str.isdecimal, shown.removeprefix("≈ ").split()[0])) <= 4
    if "≈" in shown:
        assert shown.endswith(f"({size} B)")


@given(st.integers(min_value=1, max_value=2**63), st.sampled_from([units.BYTES, units.BANDWIDTH, units.SECONDS]))
def test_what_is_written_into_a_document_is_exact(value: int, unit: str) -> None:
    parse = {units.BYTES: units.parse_bytes, units.BANDWIDTH: units.parse_bandwidth, units.SECONDS: units.parse_span}
    text = units.amount_text(value, unit)
    assert not text or parse[unit](text) == value


def test_long_spans_are_told_in_several_units_and_long_bandwidths_in_a_larger_one() -> None:
    assert [units.show_amount(value, units.SECONDS) for value in (0, 9_999, 90_061, 5_400)] == [
        "0s",
        "9999s",
        "1d1h1m1s",
        "90m",
    ]
    assert units.show_amount(12_500, units.BANDWIDTH) == "12.5 GB/s"
    assert units.show_amount(12_345_678, units.BANDWIDTH) == "≈ 12.35 TB/s (12345678 MB/s)"


@pytest.mark.parametrize(
    ("sizes", "shown"),
    [
        (("4000 TiB", "1 PB"), ("4000 TiB", "≈ 909.5 TiB (1 PB)")),
        (("500 GB", "1 TB"), ("500 GB", "1 TB")),
        (("500 GiB", "1 TiB"), ("500 GiB", "1 TiB")),
        (("1 TB", "0 B"), ("1 TB", "0 B")),
    ],
)
def test_sizes_in_one_sentence_have_units_of_one_family(sizes: tuple[str, ...], shown: tuple[str, ...]) -> None:
    assert units.show_alike(units.BYTES, *map(units.parse_bytes, sizes)) == shown


def test_other_amounts_are_shown_as_alone() -> None:
    assert units.show_alike(units.BANDWIDTH, 1000, 5) == ("1 GB/s", "5 MB/s")
