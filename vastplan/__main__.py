"""`python -m vastplan`. Takes the working folder off the module path: it may be a checkout that others wrote."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # before any other import; vastplan itself is already found

from vastplan.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
