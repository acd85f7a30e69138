"""The command `chiaro`, as `python -m chiaro` and as the script that the wheel installs."""

import signal
import sys

from . import _chiaro


def main() -> int:
    """Runs the command line; the exit codes are 0, 1 (the input is at fault) and 2 (usage)."""
    # Whoever interrupts means the command, which does not ask Python.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _chiaro.main(["chiaro", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
