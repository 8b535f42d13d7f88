"""Sites that come and go beside what is imported."""

from __future__ import annotations

from pathlib import Path

from tests.commands import reading_commands
from tests.conftest import Run

SITES = "{iad: {sim: {systems: [vast]}}, pdx: {sim: {systems: [vast]}}}"


def test_a_site_that_left_the_document_stops_no_command_that_reads(tmp_path: Path, vastplan: Run) -> None:
    file = tmp_path / "doc.yaml"
    text = f"version: 1\nname: two\nsites: {SITES}\ntenants: {{a: {{}}}}\n"
    file.write_text(text)
    assert vastplan("apply", file, "--auto-approve").code == 0
    file.write_text(text.replace(", pdx: {sim: {systems: [vast]}}", ""))
    codes = {name: vastplan(*words).code for name, words in reading_commands(file, tmp_path, "iad/tenant/a").items()}
    assert codes["import"] == codes["import of a snapshot"] == codes["record"] == 0, codes
