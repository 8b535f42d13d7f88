"""Values that a message asks somebody to write into a document: YAML may read a name as something else."""

from __future__ import annotations

import json
import re

ENDINGS = (".yaml", ".yml")
"""Those of files of YAML, of which a folder's document is."""

# No number, no `: ` and no ` #`; with blanks it would be taken for a part of the sentence around it.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[._/@-][A-Za-z0-9]+)*")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def scalar(text: object) -> str:
    """`text` as one value of YAML, also between braces: in double quotes where it would be read as anything else."""
    plain = str(text)
    if _PLAIN.fullmatch(plain) and plain.lower() not in _WORDS:
        return plain
    return json.dumps(plain, ensure_ascii=False)
