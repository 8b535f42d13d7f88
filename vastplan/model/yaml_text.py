"""Quotes values that messages show for pasting into a document: YAML may read a plain name as another type."""

from __future__ import annotations

import json
import re

ENDINGS = (".yaml", ".yml")
"""Suffixes of YAML files; a folder's document consists of the files with these."""

# No number, no `: ` and no ` #`. No blanks either: in a message the value would run into the sentence around it.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._/@-][A-Za-z0-9]+)*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def yaml_scalar(text: object) -> str:
    """`text` as one YAML value, valid also between braces: in double quotes where YAML would read it as anything else."""
    plain = str(text)
    if _PLAIN.fullmatch(plain) and plain.lower() not in _WORDS:
        return plain
    return json.dumps(plain, ensure_ascii=False)
