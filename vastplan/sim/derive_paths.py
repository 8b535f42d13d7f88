"""Derive which calls Kubernetes documents, to distinguish calls that are not simulated from calls that do not exist.

    python -m vastplan.sim.derive_paths $V/api/openapi-spec/v3/*_openapi.json > tables/kubernetes/1.34-documented.json

`V` is the folder of the Go module k8s.io/kubernetes@v1.34.4. Versions that a server does not serve by default
(alpha and beta) are left out, and so is discovery, which lists what a server has.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_METHODS = ("delete", "get", "patch", "post", "put")
_SERVED = re.compile(r"/api/v1/.+|/apis/[^/]+/v\d+/.+")


def derive_methods(documents: Iterable[dict[str, Any]]) -> dict[str, str]:
    """The methods of each path, separated by spaces."""
    return {
        path: " ".join(method.upper() for method in _METHODS if method in operations)
        for document in documents
        for path, operations in document["paths"].items()
        if _SERVED.fullmatch(path)
    }


def main() -> None:
    """Print the paths of the given OpenAPI 3 documents."""
    parser = argparse.ArgumentParser(description="Derive which calls Kubernetes' OpenAPI 3 documents have.")
    parser.add_argument("documents", type=Path, nargs="+", metavar="DOCUMENT")
    json.dump(
        derive_methods(json.loads(file.read_bytes()) for file in parser.parse_args().documents),
        sys.stdout,
        indent=1,
        sort_keys=True,
    )
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
