"""`python -m policy`: the command line."""

import sys

from policy.cli import main

if __name__ == "__main__":
    sys.exit(main())
