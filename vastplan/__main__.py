"""`python -m vastplan`. Python looks for modules in the working folder first, which may be a checkout of others': not this."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # before anything else is imported; vastplan itself is found where it was

from vastplan.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
