"""The checkpoint budget of one volume: text, JSON, and a page with its curve; no system is asked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import Run
from tests.test_schemas import fits

ROOT = Path(__file__).resolve().parents[2]
WHERE = "lab/volume/checkpoints"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    text = (ROOT / "examples" / "checkpoints.yaml").read_text()
    (tmp_path / "doc.yaml").write_text(text.replace("max_writes_iops: 3000", "max_writes_iops: 40000"))
    return tmp_path / "doc.yaml"


def test_all_figures_as_text_and_json(example: Path, vastplan: Run) -> None:
    ran = vastplan("show", example, WHERE)
    assert ran.code == 0, ran
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert "write 8.17 min" in lines and "live 4.9 TB" in lines and "files 5,125" in lines, ran
    assert "binding limit QoS bandwidth of volume checkpoints" in lines
    told = fits("budget", vastplan("show", example, WHERE, "--format", "json"))
    assert told["budget"]["figures"]["write_seconds"] == 490 and told["findings"] == []
    assert not (example.parent / ".vastplan").exists()  # nothing was begun


def test_the_curve_marks_what_is_chosen_and_what_is_best(example: Path, vastplan: Run) -> None:
    page = example.parent / "x.html"
    ran = vastplan("show", example, WHERE, "--report", page)
    assert ran.code == 0 and "wrote" in ran.err, ran
    text = page.read_text()
    assert vastplan("show", example, WHERE, "--format", "html").out == text
    (drawn,) = re.findall(r"<svg.*?</svg>", text, flags=re.S)
    svg = ElementTree.fromstring(drawn)
    named = svg.attrib["aria-labelledby"].split()
    assert [one.tag for one in svg if one.get("id") in named] == [f"{SVG}title", f"{SVG}desc"]
    markers = {one.text: one.attrib["class"].split()[1] for one in svg.iter(f"{SVG}text") if " " in one.attrib["class"]}
    lines = [one for one in svg.iter(f"{SVG}path") if one.attrib["class"].startswith("mark")]
    assert len(lines) == 4 and "chosen" in markers["interval 15 min"], markers
    assert {"Young's best 8.17 min", "Daly's best 8.17 min", "write time 8.17 min"} <= markers.keys(), markers
    (curve,) = (one for one in svg.iter(f"{SVG}path") if one.attrib["class"] == "curve")
    points = [tuple(map(float, pair.split())) for pair in curve.attrib["d"][1:].split("L")]
    assert len(points) == 41 and points == sorted(points)
    chosen = float(lines[0].attrib["d"][1:].split()[0])
    written = float(lines[3].attrib["d"][1:].split()[0])
    lowest = max(points, key=lambda one: (one[1], one[0]))
    assert abs(written - lowest[0]) < 1 and chosen > written  # the best is as long as the write here
    assert "<table" in text.split("The curve as a table")[1]


def test_what_has_no_curve_and_what_has_no_budget(example: Path, vastplan: Run) -> None:
    text = example.read_text()
    example.write_text(
        text.replace("          reliability: {mtbf: 8h}\n", "").replace("          gpus: {default: 1024}\n", "")
    )
    ran = vastplan("show", example, WHERE, "--format", "html")
    assert ran.code == 0 and "<svg" not in ran.out and "Figures" in ran.out, ran
    example.write_text(text.replace("gpus: {default: 1024}\n          mode", "gpus: {h100: 8}\n          mode"))
    ran = vastplan("show", example, WHERE, "--format", "json")
    told = json.loads(ran.out)
    assert told["budget"] is None and [one["code"] for one in told["findings"]] == ["CKP-00"]
    ran = vastplan("show", example, WHERE)
    assert ran.code == 0 and "no GPUs in node pool h100" in ran.out
    example.write_text(text)
    ran = vastplan("show", example, "lab/volume/checkpoint")
    assert ran.code == 1 and f"the document has no lab/volume/checkpoint (did you mean {WHERE}?)" in ran.err, ran
    assert not (example.parent / ".vastplan").exists()  # nor is any system asked for that
    ran = vastplan("show", example, "lab/volume/checkpoint", "--format", "html")
    assert ran.code == 1 and "lab/volume/checkpoint has no budget" in ran.err, ran
    for words in (
        ("lab/tenant/team-a", "--format", "html"),
        (WHERE, "--format", "markdown"),
        (WHERE, "--report", str(example.parent / "x.xml")),
        ("lab/tenant/team-a", "--report", str(example.parent / "x.json")),
    ):
        assert vastplan("show", example, *words).code == 1, words
