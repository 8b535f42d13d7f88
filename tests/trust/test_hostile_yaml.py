"""Documents made to hurt: a clear error, soon, in little memory, and never a traceback.

What they cost is printed by `python -m tests.trust.test_hostile_yaml`: at most 2 s of CPU and 200 MB are meant. Memory is
held here; time is not, because a busy machine would fail the test.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.force import by_force

HEAD = b"version: 1\nname: x\nsites: {iad: {sim: {systems: [vast]}}}\n"
TEN = 10 * 2**20
MEMORY, SECONDS = 200 * 2**20, 120  # resident at the peak; what a hanging run is ended after
# What the kernel says of this process alone: the usual peak (rusage) is also that of whoever started it.
COMMAND = """
import re, sys, time
from vastplan.cli import main
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(f"{int(peak[1]) * 1024} {time.process_time():.2f}", file=sys.stderr)
sys.exit(code)
"""


def _many(count: int, entry: str) -> bytes:
    return b"tenants: {" + ", ".join(entry.format(index) for index in range(count)).encode() + b"}\n"


def _on_sites(count: int, systems: str = "") -> bytes:
    sites = ", ".join(f"s{index}: {{sim: {{{systems}}}}}" for index in range(count))
    return f"version: 1\nname: x\nsites: {{{sites}}}\n".encode()


def _bomb() -> bytes:
    lines = [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}' if i else 'x'] * 9)}]" for i in range(10)]
    return "\n".join(lines).encode()


DOCUMENTS: dict[str, tuple[bytes, str]] = {
    "aliases of aliases": (_bomb(), "VP107"),
    "an alias of itself": (b"a: &a {b: *a}", "VP112"),
    "lists in lists": (b"[" * (TEN - 10), "VP108"),
    "mappings in mappings": (b"{a: " * (TEN // 4 - 10), "VP108"),
    "dashes": (b"- " * (TEN // 2 - 10), "VP108"),
    "keys of keys": (b"? " * (TEN // 2 - 10), "VP108"),
    "more than ten megabytes": (b"a: " + b"x" * TEN, "VP102"),
    "one long word": (HEAD + b"tenants: {" + b"x" * (TEN - 100) + b": {}}", "VP104"),
    "nothing but a comment": (b"#" * (TEN - 10), "VP105"),
    "blanks": (b" " * (TEN - 10), "VP105"),
    "millions of values": (b"a: [" + b"1," * (TEN // 2 - 10) + b"]", "VP107"),
    "one key, a million times": (b"a: 1\n" * (TEN // 5 - 10), "VP111"),
    "a million tags": (b"a: [" + b"!x 1," * (TEN // 5 - 10) + b"]", "VP109"),
    "a million documents": (b"--- 1\n" * (TEN // 6), "VP106"),
    "a hundred thousand sections": (HEAD + b"".join(b"t%d: 1\n" % i for i in range(100_000)), "VP206"),
    "a hundred thousand wrong entries": (HEAD + _many(100_000, "t{}: {{max_view: 1}}"), "VP206"),
    "a hundred thousand wrong fields": (HEAD + b"tenants: {a: " + _many(100_000, "t{}: 1")[9:-1] + b"}", "VP206"),
    "thousands of names that are nearly right": (
        HEAD + _many(5000, "tenant-{}: {{}}") + b"qos_policies:" + _many(5000, "q{0}: {{tenant: tenant-x{0}}}")[8:],
        "VP209",
    ),
    "sites times entries": (_on_sites(7000) + _many(7000, "t{}: {{}}"), "VP115"),
    "entries times defaults": (
        HEAD
        + b"defaults: {tenants: {views: "
        + _many(500, "v{0}: {{path: /v{0}}}")[9:-1]
        + b"}}\n"
        + _many(800, "t{}: {{}}"),
        "VP115",
    ),
    "defaults of what is on no site that is looked at": (
        _on_sites(600)
        + b"defaults: {views: "
        + _many(500, "x{}: 1")[9:-1]
        + b"}\ntenants: {t: {views: "
        + _many(500, "v{}: {{sites: [s1]}}")[9:-1]
        + b"}}\n",
        "VP115",
    ),
    "one wrong field on every site": (_on_sites(300) + _many(300, "t{}: {{max_view: 1}}"), "VP206"),
    "names of nothing on every site": (
        _on_sites(300)
        + _many(100, "tenant-{}: {{}}")
        + b"qos_policies:"
        + _many(300, "q{0}: {{tenant: tenant-x{0}}}")[8:],
        "VP209",
    ),
    "sites that have nothing for any entry": (
        _on_sites(300, "systems: [vast]") + b"projects:" + _many(300, "p{}: {{}}")[8:],
        "VP208",
    ),
    "not UTF-8": (HEAD + b"tenants: {\xff: {}}", "VP103"),
    "UTF-16": (HEAD.decode().encode("utf-16"), "VP103"),
    "a line that only YAML ends": (HEAD + "tenants: {}  # \u2028limits: {}\n".encode(), "VP104"),
    "a NUL": (HEAD + b'tenants: {"a\0": {}}', "VP104"),
    "half a surrogate": (HEAD + b'tenants: {"\\ud800": {}}', "VP104"),
    "a NUL in a name": (HEAD + b'tenants: {"a\\0b": {}}', "VP212"),
    "a number of 5,000 digits": (HEAD + b"tenants: {a: {max_views: " + b"9" * 5000 + b"}}", "VP113"),
    "not a number": (HEAD + b"tenants: {a: {max_views: .nan}}", "VP212"),
    "more than all": (HEAD + b"tenants: {a: {max_views: .inf}}", "VP212"),
    "a number of 400 digits and a half": (
        HEAD + b"departments: {d: {gpus: {default: " + b"9" * 400 + b".5}}}",
        "VP113",
    ),
    "a time": (HEAD + b"tenants: {a: {max_views: 2001-01-01T00:00:00Z}}", "VP212"),
    "a path as a name": (HEAD + b"tenants: {../../etc: {}}", "VP212"),
    "a path as a site": (b"version: 1\nname: x\nsites: {../iad: {sim: {}}}\n", "VP212"),
    "a path as the document's name": (b"version: 1\nname: ../x\nsites: {iad: {sim: {}}}\n", "VP212"),
}


def validated(file: Path) -> tuple[int, str, int, float]:
    """What `vastplan validate` answered and printed, its peak of memory (bytes) and its CPU time (seconds)."""
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "validate", str(file)], capture_output=True, text=True, timeout=SECONDS, check=False
    )  # fmt: skip
    told, _, cost = done.stderr.rstrip("\n").rpartition("\n")
    peak, cpu = cost.split()
    return done.returncode, done.stdout + told, int(peak), float(cpu)


@pytest.mark.parametrize(
    "name",
    by_force(DOCUMENTS, "aliases of aliases", "not UTF-8", "a path as a name"),
)
def test_a_hostile_document(name: str, tmp_path: Path) -> None:
    content, code = DOCUMENTS[name]
    file = tmp_path / "doc.yaml"
    file.write_bytes(content)
    returned, told, peak, _ = validated(file)
    assert returned == 1, told[:2000]
    assert f"error {code}" in told, told[:2000]
    assert "Traceback" not in told and "a bug in vastplan" not in told, told[-2000:]
    assert len(told) < 700_000  # a thousand problems of a line each at the most
    assert all(line.isprintable() for line in told.splitlines())
    assert peak < MEMORY


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_marks_of_other_editors(ends: str, mark: bytes, tmp_path: Path) -> None:
    from vastplan.document.yaml import load_mapping

    file = tmp_path / "doc.yaml"
    file.write_bytes(mark + HEAD.decode().replace("\n", ends).encode() + b"oops: 1")
    tree = load_mapping(file, "doc.yaml")
    assert tree["name"] == "x"
    assert tree.keys_at["oops"].line == 4


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, _code) in DOCUMENTS.items():
            file = Path(folder) / "doc.yaml"
            file.write_bytes(content)
            most, cpu = validated(file)[2:]
            print(f"{name:45} {cpu:5.2f} s {most >> 20:5} MB")
