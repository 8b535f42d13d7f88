"""What is left to `make slow` is there."""

from pathlib import Path

from tests.pace import LEFT


def test_each_module_and_each_test_that_is_kept_is_there() -> None:
    for module, kept in LEFT.items():
        text = (Path(__file__).parent / module).read_text(encoding="utf-8")
        for name in kept:
            assert f"def {name}(" in text, (module, name)
